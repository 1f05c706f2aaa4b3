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
    pub head: HeadOf,
    /// Where the formula's message stands.
    pub formula: Option<Span>,
    pub value: Value,
}

/// What a cell's start tag says but for the number of the row: column, style and kind of the contents. Its default is that of
/// no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeadOf(pub(crate) u64);

impl HeadOf {
    #[inline(always)]
    fn new(column: u64, style: u64, has_formula: bool, value: u8) -> Self {
        HeadOf(column | u64::from(has_formula) << 15 | u64::from(value) << 16 | style << 24)
    }

    /// The column, from 1.
    #[inline(always)]
    pub(crate) fn column(self) -> u32 {
        self.0 as u32 & 0x7fff
    }

    #[inline(always)]
    pub(crate) fn style(self) -> Option<u32> {
        ((self.0 >> 24) as u32).checked_sub(1)
    }

    #[inline(always)]
    pub(crate) fn has_formula(self) -> bool {
        self.0 & 0x8000 != 0
    }

    /// The type of the value, if there is one.
    #[inline(always)]
    pub(crate) fn value(self) -> Option<CellType> {
        CellType::of_key((self.0 >> 16) as u8)
    }
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
        (key == FORMULA_TEXT && (1..0x80).contains(&length) && text.start + length == text.end).then_some(text)
    }
}

/// A cell's value, or where it stands.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    None,
    Number(f64),
    SharedString(u32),
    Boolean(bool),
    /// One that is a text, of the type that the head says.
    Text(Span),
    InlineString(Span),
}

impl UsualCell {
    /// The cell whose message stands from `at` to `end`.
    #[inline(always)]
    pub(crate) fn of(wire: &[u8], mut at: usize, end: usize) -> Option<Self> {
        let (mut style, mut formula) = (0, None);
        let mut rest = word(wire, at);
        if rest as u8 != COLUMN {
            return None;
        }
        let (column, width) = short_varint(rest >> 8, 2)?;
        at += 1 + width as usize;
        rest = word(wire, at);
        if rest as u8 == STYLE {
            let (value, width) = short_varint(rest >> 8, 4)?;
            style = value + 1;
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
        let head = HeadOf::new(column, style, formula.is_some(), key);
        let usual = at == end && at <= wire.len() && (1..=u64::from(COLUMNS)).contains(&column);
        usual.then_some(UsualCell { head, formula, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_two_bytes_is_not_taken_for_one() {
        let text = |length: &[u8], rest: &[u8]| {
            let wire = [&[FORMULA_TEXT], length, b"1+1+1", rest].concat();
            Span { start: 0, end: wire.len() }.only_text_of_formula(&wire).map(|span| (span.start, span.end))
        };
        assert_eq!(text(&[5], b""), Some((2, 7)));
        assert_eq!(text(&[0x85, 0], &[0; 127]), None);
        assert_eq!(text(&[0x85, 0x80, 0], &[0; 126]), None);
    }
}
