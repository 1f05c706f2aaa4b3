//! Cells of the usual kind on the wire: column, style, formula and value, each once at most and in this order, and nothing
//! else.

use recto_schema::fields::sheet::{cell as fields, formula};

use super::cells::CellType;
use super::references::COLUMNS;
use crate::wire::WireType;
use crate::wire::input::short_varint;
use crate::xml::scan::{byte, word};

/// The key of a field of a cell.
const fn wire_key(field: u32, wire_type: WireType) -> u8 {
    (field << 3) as u8 | wire_type as u8
}

const COLUMN: u8 = wire_key(fields::COLUMN, WireType::Varint);
const STYLE: u8 = wire_key(fields::STYLE, WireType::Varint);
const FORMULA: u8 = wire_key(fields::FORMULA, WireType::Bytes);
const NUMBER: u8 = wire_key(fields::NUMBER, WireType::Fixed64);
const SHARED_STRING: u8 = wire_key(fields::SHARED_STRING, WireType::Varint);
const BOOLEAN: u8 = wire_key(fields::BOOLEAN, WireType::Varint);

/// The key of a formula's text.
const FORMULA_TEXT: u8 = wire_key(formula::TEXT, WireType::Bytes);

const _: () = assert!(formula::TEXT < 16 && fields::FORMULA < 16 && fields::DATE < 16 && fields::INLINE_STRING < 16);

/// A cell of the usual kind.
pub(crate) struct UsualCell {
    pub column: u32,
    pub style: Option<u32>,
    /// Where the formula's message stands.
    pub formula: Option<Span>,
    pub value: Value,
    /// The key of the value's field; 0 where there is none.
    pub key: u8,
}

/// Where something stands on the wire.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// Where the text of a formula stands that has only this, as most have; its length has one byte.
    #[inline(always)]
    pub(crate) fn only_text_of_formula(self, wire: &[u8]) -> Option<Span> {
        let (key, length) = (byte(wire, self.start), usize::from(byte(wire, self.start + 1)));
        let text = Span { start: self.start + 2, end: self.end };
        (key == FORMULA_TEXT && length > 0 && text.start + length == text.end).then_some(text)
    }
}

/// A cell's value, or where it stands.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    None,
    Number(f64),
    SharedString(u32),
    Boolean(bool),
    /// One that is a text, of the type that its key says.
    Text(Span),
    InlineString(Span),
}

impl UsualCell {
    /// The cell whose message stands from `at` to `end`.
    #[inline(always)]
    pub(crate) fn of(wire: &[u8], mut at: usize, end: usize) -> Option<Self> {
        let (mut style, mut formula) = (None, None);
        let mut rest = word(wire, at);
        if rest as u8 != COLUMN {
            return None;
        }
        let (column, width) = short_varint(rest >> 8, 2)?;
        at += 1 + width as usize;
        rest = word(wire, at);
        if rest as u8 == STYLE {
            let (value, width) = short_varint(rest >> 8, 4)?;
            style = Some(value as u32);
            at += 1 + width as usize;
            rest = word(wire, at);
        }
        if rest as u8 == FORMULA {
            let (length, width) = short_varint(rest >> 8, 4)?;
            let start = at + 1 + width as usize;
            at = start + length as usize;
            formula = Some(Span { start, end: at });
            rest = word(wire, at);
        }
        let mut key = 0;
        let mut value = Value::None;
        if at < end {
            key = rest as u8;
            if key == NUMBER {
                value = Value::Number(f64::from_bits(word(wire, at + 1)));
                at += 9;
            } else {
                let (number, width) = short_varint(rest >> 8, 5)?;
                at += 1 + width as usize;
                value = match key {
                    SHARED_STRING => Value::SharedString(number as u32),
                    BOOLEAN => Value::Boolean(number != 0),
                    _ => {
                        let text = Span { start: at, end: at + number as usize };
                        at = text.end;
                        match CellType::of_key(key)? {
                            CellType::InlineString => Value::InlineString(text),
                            _ => Value::Text(text),
                        }
                    }
                };
            }
        }
        let column = u32::try_from(column).ok().filter(|column| (1..=COLUMNS).contains(column))?;
        (at == end && at <= wire.len()).then_some(UsualCell { column, style, formula, value, key })
    }
}
