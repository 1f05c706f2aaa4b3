//! What both directions know about cells.

use recto_schema::fields;
use recto_schema::tables::Message;

use super::forms::{NUMBER_EXCEL, NUMBER_SHORTEST};
use super::numbers;
use crate::wire::WireType;

/// Values of the `t` attribute (ECMA-376 part 1, clause 18.18.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellType {
    Boolean,
    Number,
    Error,
    SharedString,
    Text,
    InlineString,
    Date,
}

impl CellType {
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"b" => CellType::Boolean,
            b"n" => CellType::Number,
            b"e" => CellType::Error,
            b"s" => CellType::SharedString,
            b"str" => CellType::Text,
            b"inlineStr" => CellType::InlineString,
            b"d" => CellType::Date,
            _ => return None,
        })
    }

    pub(crate) fn text(self) -> &'static [u8] {
        match self {
            CellType::Boolean => b"b",
            CellType::Number => b"n",
            CellType::Error => b"e",
            CellType::SharedString => b"s",
            CellType::Text => b"str",
            CellType::InlineString => b"inlineStr",
            CellType::Date => b"d",
        }
    }

    /// The field that holds such a value.
    pub(crate) fn field(self) -> u32 {
        match self {
            CellType::Boolean => fields::sheet::cell::BOOLEAN,
            CellType::Number => fields::sheet::cell::NUMBER,
            CellType::Error => fields::sheet::cell::ERROR,
            CellType::SharedString => fields::sheet::cell::SHARED_STRING,
            CellType::Text => fields::sheet::cell::TEXT,
            CellType::InlineString => fields::sheet::cell::INLINE_STRING,
            CellType::Date => fields::sheet::cell::DATE,
        }
    }

    /// The layout of such a value on the wire.
    #[inline(always)]
    pub(crate) fn layout(self) -> WireType {
        match self {
            CellType::Number => WireType::Fixed64,
            CellType::SharedString | CellType::Boolean => WireType::Varint,
            _ => WireType::Bytes,
        }
    }

    /// The type of a field with a key, which is one byte.
    #[inline(always)]
    pub(crate) fn of_key(key: u8) -> Option<Self> {
        CellType::of_field(u32::from(key >> 3)).filter(|kind| kind.layout() as u8 == key & 7)
    }

    /// The type whose value a field holds.
    #[inline]
    pub(crate) fn of_field(field: u32) -> Option<Self> {
        Some(match field {
            fields::sheet::cell::NUMBER => CellType::Number,
            fields::sheet::cell::SHARED_STRING => CellType::SharedString,
            fields::sheet::cell::TEXT => CellType::Text,
            fields::sheet::cell::BOOLEAN => CellType::Boolean,
            fields::sheet::cell::ERROR => CellType::Error,
            fields::sheet::cell::INLINE_STRING => CellType::InlineString,
            fields::sheet::cell::DATE => CellType::Date,
            _ => return None,
        })
    }
}

/// The slot of a cell's rich text, which its value shares: a cell has one or the other.
pub(crate) fn value_slot(cell: &Message) -> Option<usize> {
    cell.field(fields::sheet::cell::INLINE_STRING).map(|(slot, _)| slot)
}

/// The form in which a number is written so, if one of the two gives the text.
pub(crate) fn number_form(text: &[u8]) -> Option<u8> {
    let value = numbers::parse_double(text)?;
    let mut written = Vec::new();
    numbers::write_shortest(value, &mut written);
    if written == text {
        return Some(NUMBER_SHORTEST);
    }
    written.clear();
    numbers::write_excel(value, &mut written);
    (written == text).then_some(NUMBER_EXCEL)
}
