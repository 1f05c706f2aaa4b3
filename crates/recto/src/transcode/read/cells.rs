//! Cells: the one message that does not mirror its XML (ECMA-376 part 1, clause 18.3.1.4).
//!
//! XML says what a cell is in two places, `t` and `v`; the message has one field for each kind of value.

use recto_schema::fields;
use recto_schema::tables::Scalar;

use crate::error::Result;
use crate::transcode::forms::{NUMBER_TYPE_EXPLICIT, NUMBER_TYPE_IMPLICIT, agree};
use crate::transcode::observe::Observer;
use crate::transcode::references::parse_cell;
use crate::transcode::{cells, numbers};
use crate::wire::output::put_message;
use crate::wire::{put_bytes, put_double, put_uint};
use crate::xml::escapes;
use crate::xml::tokens::Tag;

use super::Reader;
use super::values::parse_integer;

pub(super) use crate::transcode::cells::CellType;

/// The cell that is being read.
#[derive(Default)]
pub(super) struct CellState {
    /// From the `t` attribute; `None` where there is none.
    kind: Option<CellType>,
    /// Whether a typed value has come.
    has_value: bool,
    /// Whether a `v` has come, of any kind.
    has_text: bool,
}

impl<O: Observer> Reader<'_, O> {
    pub(super) fn start_cell(&mut self) {
        self.cell = CellState::default();
    }

    /// The `r` attribute of a cell; whether it says a column.
    pub(super) fn cell_reference(&mut self, raw: &[u8]) -> Result<bool> {
        let mut text = Vec::new();
        escapes::unescape_attribute(raw, &mut text)?;
        let parsed = parse_cell(&text);
        if let Some((column, _)) = parsed {
            put_uint(&mut self.out.bytes, fields::sheet::cell::COLUMN, u64::from(column));
        }
        if parsed.is_none_or(|(_, row)| u64::from(row) != self.row) {
            self.lexical(fields::sheet::cell::COLUMN, Some(&text));
        }
        Ok(parsed.is_some())
    }

    /// The `t` attribute of a cell; whether it is a known type.
    pub(super) fn cell_type(&mut self, raw: &[u8]) -> bool {
        self.cell.kind = CellType::parse(raw);
        self.cell.kind.is_some()
    }

    /// Whether a child of a cell is its value, in the schema's place: before rich text, once.
    pub(super) fn is_cell_value(&self, namespace: u8, tag: &Tag<'_>) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        tag.local() == b"v"
            && namespace == frame.namespace
            && self.cell.kind != Some(CellType::InlineString)
            && cells::value_slot(frame.message).is_some_and(|slot| frame.seen & 1 << slot == 0)
    }

    /// The `v` of a cell.
    pub(super) fn cell_value(&mut self, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let Some((slot, namespace)) =
            self.frames.last().and_then(|frame| Some((cells::value_slot(frame.message)?, frame.namespace)))
        else {
            return Ok(());
        };
        let before = self.snapshot();
        let field = self.cell.kind.unwrap_or(CellType::Number).field();
        self.cell.has_text = true;
        self.mark_field(slot, field, false);
        self.value_attributes(field, namespace, tag)?;
        self.open_cell_value(before, namespace, tag, raw)
    }

    /// The end of a cell's `v`.
    pub(super) fn end_cell_value(&mut self, text: &[u8]) {
        let kind = self.cell.kind.unwrap_or(CellType::Number);
        let field = kind.field();
        let out = &mut self.out.bytes;
        let regular = match kind {
            CellType::Error | CellType::Text | CellType::Date => {
                put_bytes(out, field, text);
                Some(true)
            }
            CellType::Boolean => match text {
                [digit @ (b'0' | b'1')] => {
                    put_uint(out, field, u64::from(digit - b'0'));
                    Some(true)
                }
                _ => None,
            },
            CellType::SharedString => parse_integer(Scalar::Uint32, text).map(|(index, regular)| {
                put_uint(out, field, index);
                regular
            }),
            CellType::Number => match numbers::parse_double(text) {
                Some(number) => {
                    put_double(out, field, number.to_bits());
                    Some(self.is_regular_number(number, text))
                }
                None => None,
            },
            CellType::InlineString => None,
        };
        self.cell.has_value = regular.is_some();
        if regular != Some(true) {
            self.number_text(text, regular.is_some() && kind == CellType::Number);
        }
    }

    /// The text of a value that the rule of the part does not regenerate.
    pub(super) fn number_text(&mut self, text: &[u8], number: bool) {
        let form = if number { cells::number_form(text) } else { None };
        put_message(&mut self.out.bytes, fields::sheet::cell::NUMBER_TEXT, |out| match form {
            Some(form) => put_uint(out, fields::sheet::number_text::FORM, u64::from(form)),
            None => put_bytes(out, fields::sheet::number_text::RAW, text),
        });
    }

    /// The end of a cell: keeps the `t` attribute where the value does not imply it.
    pub(super) fn end_cell(&mut self) {
        let CellState { kind, has_value, has_text } = self.cell;
        let Some(frame) = self.frames.last() else { return };
        let rich = !has_text && cells::value_slot(frame.message).is_some_and(|slot| frame.seen & 1 << slot != 0);
        match kind {
            None | Some(CellType::Number) if has_value => {
                let shown = if kind.is_some() { NUMBER_TYPE_EXPLICIT } else { NUMBER_TYPE_IMPLICIT };
                if !agree(&mut self.forms.number_types, shown) {
                    match kind {
                        Some(_) => self.extra_attribute(0, b"t", b"n", b""),
                        None => self.lexical(fields::sheet::cell::NUMBER, None),
                    }
                }
            }
            Some(CellType::InlineString) if rich => {}
            _ if rich => {
                self.lexical(fields::sheet::cell::INLINE_STRING, kind.map(CellType::text));
            }
            None => {}
            Some(_) if has_value => {}
            Some(kind) => self.extra_attribute(0, b"t", kind.text(), b""),
        }
    }
}
