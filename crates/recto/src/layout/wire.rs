//! Layouts in a `.bin`.

use recto_schema::enums::empty_form;
use recto_schema::fields;

use crate::error::Result;
use crate::wire::input::{Fields, invalid};
use crate::wire::output::put_message;
use crate::wire::{WireType, put_bytes, put_key, put_uint};

use super::{Change, EmptyForm, Layout, What};

/// Appends a layout as a field.
pub(crate) fn put(layout: &Layout, out: &mut Vec<u8>, field: u32) {
    put_message(out, field, |out| {
        put_key(out, fields::layout::CHECKSUM, WireType::Fixed32);
        out.extend_from_slice(&layout.checksum.to_le_bytes());
        for change in &layout.changes {
            put_message(out, fields::layout::CHANGES, |out| put_change(change, out));
        }
    });
}

fn put_change(change: &Change, out: &mut Vec<u8>) {
    if change.skip > 0 {
        put_uint(out, fields::layout_change::SKIP, u64::from(change.skip));
    }
    match &change.what {
        What::Blank(blank) => put_bytes(out, fields::layout_change::BLANK, blank),
        What::Empty(form) => {
            let number = match form {
                EmptyForm::Closed => empty_form::CLOSED,
                EmptyForm::Spaced => empty_form::SPACED,
                EmptyForm::Paired => empty_form::PAIRED,
            };
            put_uint(out, fields::layout_change::EMPTY, number);
        }
        What::Spelling(text) => put_bytes(out, fields::layout_change::SPELLING, text),
    }
}

/// Reads a layout: all occurrences of the field, merged.
pub(crate) fn parse(wire: &[u8]) -> Result<Layout> {
    let mut layout = Layout::default();
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::layout::CHECKSUM => layout.checksum = field.value as u32,
            fields::layout::CHANGES => layout.changes.push(change(field.bytes(wire))?),
            _ => return Err(invalid("an unknown field in a layout")),
        }
    }
    Ok(layout)
}

fn change(wire: &[u8]) -> Result<Change> {
    let (mut skip, mut what) = (0, None);
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::layout_change::SKIP => skip = field.value as u32,
            fields::layout_change::BLANK => what = Some(What::Blank(field.bytes(wire).to_vec())),
            fields::layout_change::EMPTY => {
                what = Some(What::Empty(match field.value {
                    empty_form::CLOSED => EmptyForm::Closed,
                    empty_form::SPACED => EmptyForm::Spaced,
                    empty_form::PAIRED => EmptyForm::Paired,
                    _ => return Err(invalid("an unknown form of empty elements")),
                }));
            }
            fields::layout_change::SPELLING => what = Some(What::Spelling(field.bytes(wire).to_vec())),
            _ => return Err(invalid("an unknown field in a layout")),
        }
    }
    let what = what.ok_or_else(|| invalid("a change of layout without content"))?;
    Ok(Change { skip, what })
}
