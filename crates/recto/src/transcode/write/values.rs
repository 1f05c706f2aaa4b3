//! Texts of scalar fields.

use recto_schema::tables::{POOL, Row, RowKind, Scalar, VALUE_ATTRIBUTES, enumeration};

use crate::error::Result;
use crate::transcode::forms::{NUMBER_EXCEL, TOGGLE_EXPLICIT, bool_text, parse_bool};
use crate::transcode::numbers;
use crate::transcode::read::parse_integer;
use crate::wire::WireType;
use crate::wire::input::{Field, invalid};
use crate::xml::append_piece;
use crate::xml::escapes::{self, Place};

use super::Writer;

/// The layout of a scalar on the wire.
#[inline]
pub(super) fn layout(scalar: Scalar) -> WireType {
    match scalar {
        Scalar::String => WireType::Bytes,
        Scalar::Double => WireType::Fixed64,
        _ => WireType::Varint,
    }
}

/// The bits that a field's value has for comparison with a text's.
pub(super) fn bits(row: &Row, field: &Field) -> u64 {
    match row.scalar {
        Scalar::Bool => u64::from(field.value != 0),
        Scalar::Uint32 => u64::from(field.value as u32),
        Scalar::Int32 => i64::from(field.value as i32) as u64,
        _ => field.value,
    }
}

/// The bits of a text, if it is valid.
pub(super) fn parse(row: &Row, text: &[u8]) -> Option<u64> {
    match row.scalar {
        Scalar::String => None,
        Scalar::Bool => parse_bool(text).map(|(value, _)| u64::from(value)),
        Scalar::Double => numbers::parse_double(text).map(f64::to_bits),
        Scalar::Enum => enumeration(row.target)?.number(text),
        _ => parse_integer(row.scalar, text).map(|(bits, _)| bits),
    }
}

impl Writer<'_> {
    /// ` name="value"` of a typed attribute.
    #[inline(always)]
    pub(super) fn attribute(&mut self, wire: &[u8], row: &Row, field: &Field) -> Result<()> {
        self.attribute_name(row)?;
        self.value(wire, row, field, Place::Attribute)?;
        self.end_value();
        Ok(())
    }

    /// The quote after an attribute's value.
    #[inline(always)]
    pub(super) fn end_value(&mut self) {
        self.out.push(b'"');
    }

    /// A value's text.
    #[inline(always)]
    pub(super) fn value(&mut self, wire: &[u8], row: &Row, field: &Field, place: Place) -> Result<()> {
        field.expect(layout(row.scalar))?;
        match row.scalar {
            Scalar::String => {
                escapes::escape_piece(wire, field.start as usize, field.end as usize, place, &mut self.out)?;
            }
            Scalar::Bool => self.out.extend_from_slice(bool_text(self.forms.bools, field.value != 0)),
            Scalar::Uint32 => numbers::write_u64(u64::from(field.value as u32), &mut self.out),
            Scalar::Uint64 => numbers::write_u64(field.value, &mut self.out),
            Scalar::Int32 => numbers::write_i64(i64::from(field.value as i32), &mut self.out),
            Scalar::Int64 => numbers::write_i64(field.value as i64, &mut self.out),
            Scalar::Double => self.number(f64::from_bits(field.value)),
            Scalar::Enum => {
                let text = enumeration(row.target).and_then(|values| values.number_text(field.value));
                let text = text.ok_or_else(|| invalid("an enum has an unknown number"))?;
                append_piece::<32>(&mut self.out, &POOL, text.at as usize, usize::from(text.len));
            }
        }
        Ok(())
    }

    /// A number in the part's form.
    #[inline]
    pub(super) fn number(&mut self, number: f64) {
        match self.forms.numbers {
            NUMBER_EXCEL => numbers::write_excel(number, &mut self.out),
            _ => numbers::write_shortest(number, &mut self.out),
        }
    }

    #[inline]
    pub(super) fn escaped(&mut self, text: &[u8], attribute: bool) -> Result<()> {
        let place = if attribute { Place::Attribute } else { Place::Text };
        Ok(escapes::escape_piece(text, 0, text.len(), place, &mut self.out)?)
    }

    /// The value of a flattened child, inside its open start tag or after it; nothing for an on/off element that is on.
    #[inline(always)]
    pub(super) fn child_value(&mut self, wire: &[u8], row: &Row, field: &Field) -> Result<()> {
        if row.kind == RowKind::ChildText {
            self.settle();
            return self.value(wire, row, field, Place::Text);
        }
        let bare = row.scalar == Scalar::Bool && field.value != 0 && self.forms.toggles != TOGGLE_EXPLICIT;
        if bare {
            return field.expect(WireType::Varint);
        }
        let attribute = VALUE_ATTRIBUTES.get(usize::from(row.aux)).ok_or_else(|| invalid("an unknown attribute"))?;
        self.value_attribute_name(attribute)?;
        self.value(wire, row, field, Place::Attribute)?;
        self.end_value();
        Ok(())
    }
}
