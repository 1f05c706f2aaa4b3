//! Texts of scalar fields.

use recto_schema::tables::{Row, Scalar, enumeration};

use crate::error::Result;
use crate::transcode::forms::{NUMBER_EXCEL, NUMBER_SHORTEST, TOGGLE_EXPLICIT, agree, parse_bool};
use crate::transcode::numbers;
use crate::transcode::observe::Observer;
use crate::transcode::plain::Plain;
use crate::wire::{put_bytes, put_double, put_uint};
use crate::xml::escapes;

use super::Reader;

/// Where a value's text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In an attribute of the message's element.
    Attribute,
    /// In the attribute of a flattened child.
    ChildAttribute,
    /// In the text of a flattened child.
    ChildText,
}

/// What became of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The field has a value; its bits.
    Typed(u64),
    /// The text is kept, the field has no value.
    Invalid,
}

impl<O: Observer> Reader<'_, O> {
    /// Writes a field from its text, and what the typed value would not regenerate to the extras.
    #[inline]
    pub(super) fn scalar(&mut self, row: &Row, raw: &[u8], place: Place) -> Result<Value> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let checked = match place {
            Place::ChildText => escapes::unescape_text(raw, &mut text),
            _ => escapes::unescape_attribute(raw, &mut text),
        };
        let value = match checked {
            Ok(()) => Ok(self.typed_text(row, &text, place)),
            Err(error) => Err(error.into()),
        };
        self.scratch = text;
        value
    }

    /// As [`Reader::scalar`], from a text whose entities are resolved.
    pub(super) fn typed_text(&mut self, row: &Row, text: &[u8], place: Place) -> Value {
        let field = u32::from(row.field);
        if row.scalar == Scalar::String {
            put_bytes(&mut self.out.bytes, field, text);
            return Value::Typed(0);
        }
        let Some((bits, regular)) = self.parse(row, text, place) else {
            self.findings.invalid += 1;
            self.lexical(field, Some(text));
            return Value::Invalid;
        };
        if row.scalar == Scalar::Double {
            put_double(&mut self.out.bytes, field, bits);
        } else {
            put_uint(&mut self.out.bytes, field, bits);
        }
        if !regular {
            self.lexical(field, Some(text));
        }
        Value::Typed(bits)
    }

    /// The value of a text, and whether the writer would write it so.
    pub(super) fn parse(&mut self, row: &Row, text: &[u8], place: Place) -> Option<(u64, bool)> {
        match row.scalar {
            Scalar::String => None,
            Scalar::Bool => {
                let (value, form) = parse_bool(text)?;
                let mut regular = agree(&mut self.forms.bools, form);
                if value && place == Place::ChildAttribute {
                    regular &= agree(&mut self.forms.toggles, TOGGLE_EXPLICIT);
                }
                Some((u64::from(value), regular))
            }
            Scalar::Double => {
                let value = numbers::parse_double(text)?;
                Some((value.to_bits(), self.is_regular_number(value, text)))
            }
            Scalar::Enum => enumeration(row.target)?.number(text).map(|number| (number, true)),
            _ => parse_integer(row.scalar, text),
        }
    }

    /// As [`Reader::is_regular_number`], for a number that has been looked at.
    #[inline]
    pub(super) fn is_regular_plain(&mut self, plain: &Plain, value: f64, text: &[u8]) -> bool {
        self.form_of(plain, value).unwrap_or_else(|| self.is_regular_number(value, text))
    }

    /// Whether the writer would certainly write a number so.
    #[inline(always)]
    pub(super) fn is_known(&self, plain: &Plain, value: f64) -> bool {
        self.form_of(plain, value) == Some(true)
    }

    /// Whether the writer would write a number so; nothing where that takes writing it, or shows how the part writes numbers.
    #[inline(always)]
    fn form_of(&self, plain: &Plain, value: f64) -> Option<bool> {
        match self.forms.numbers {
            NUMBER_EXCEL => plain.is_excel(value),
            NUMBER_SHORTEST => plain.is_shortest(value),
            _ => match (plain.is_shortest(value), plain.is_excel(value)) {
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
        }
    }

    /// Whether the writer would write a double so, given how the part writes its numbers.
    pub(super) fn is_regular_number(&mut self, value: f64, text: &[u8]) -> bool {
        match self.forms.numbers {
            NUMBER_EXCEL => numbers::is_excel(value, text),
            NUMBER_SHORTEST => numbers::is_shortest(value, text),
            _ => match (numbers::is_shortest(value, text), numbers::is_excel(value, text)) {
                (true, true) => true,
                (false, false) => false,
                (true, false) => agree(&mut self.forms.numbers, NUMBER_SHORTEST),
                (false, true) => agree(&mut self.forms.numbers, NUMBER_EXCEL),
            },
        }
    }
}

/// The bits of an integer's text, sign-extended, and whether printing them gives the text.
pub(in crate::transcode) fn parse_integer(scalar: Scalar, text: &[u8]) -> Option<(u64, bool)> {
    match scalar {
        Scalar::Uint32 => numbers::parse_u32(text).map(|(value, regular)| (u64::from(value), regular)),
        Scalar::Uint64 => numbers::parse_u64(text),
        Scalar::Int32 => numbers::parse_i32(text).map(|(value, regular)| (i64::from(value) as u64, regular)),
        Scalar::Int64 => numbers::parse_i64(text).map(|(value, regular)| (value as u64, regular)),
        _ => None,
    }
}
