//! Cells of the usual kind.
//!
//! What stands around the number of the row in a start tag, `<c r="AB` and `" s="12" t="s"><v>`, depends on column, style
//! and the kind of the content. There are few of each, so these texts are kept and copied.

use recto_schema::fields::sheet::cell as fields;
use recto_schema::tables::{Row, message};

use crate::error::Result;
use crate::transcode::cells::CellType;
use crate::transcode::forms::NUMBER_TYPE_EXPLICIT;
use crate::transcode::numbers;
use crate::transcode::references::write_column;
use crate::transcode::usual_cell::{HeadOf, Span, UsualCell, Value};
use crate::wire::WireType;
use crate::wire::input::{Field, Fields};
use crate::xml::append_pieces;
use crate::xml::escapes::{self, Place};

use super::Writer;

/// Number of kept heads, a power of two.
const HEADS: usize = 256;

/// The text around the number of the row in a cell's start tag.
#[derive(Clone, Copy, Default)]
struct Head {
    of: HeadOf,
    before: [u8; 16],
    after: [u8; 32],
    before_len: u8,
    after_len: u8,
}

/// Heads of cells of a part.
pub(super) struct Heads {
    heads: Vec<Head>,
    /// How many there may be: [`HEADS`], or none.
    room: usize,
}

impl Heads {
    /// Keeps heads.
    pub(super) fn new() -> Self {
        Heads { heads: Vec::new(), room: HEADS }
    }

    /// Keeps none: no cell is taken to be usual.
    #[cfg(test)]
    pub(super) fn never() -> Self {
        Heads { heads: Vec::new(), room: 0 }
    }

    #[inline(always)]
    fn place(of: HeadOf) -> usize {
        (of.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - HEADS.ilog2())) as usize
    }

    #[inline(always)]
    fn find(&self, of: HeadOf) -> Option<&Head> {
        self.heads.get(Self::place(of)).filter(|head| head.of == of)
    }

    /// Makes the head of a cell.
    #[cold]
    #[inline(never)]
    fn make(&mut self, of: HeadOf, number_types: u8) -> Option<&Head> {
        self.heads.resize(self.room, Head::default());
        let (mut before, mut after) = (b"<c r=\"".to_vec(), Vec::new());
        write_column(of.column(), &mut before);
        if let Some(style) = of.style() {
            after.extend_from_slice(b" s=\"");
            numbers::write_u64(style.into(), &mut after);
            after.push(b'"');
        }
        let kind = of.value();
        if let Some(kind) = kind.filter(|&kind| kind != CellType::Number || number_types == NUMBER_TYPE_EXPLICIT) {
            after.extend_from_slice(b" t=\"");
            after.extend_from_slice(kind.text());
            after.push(b'"');
        }
        after.extend_from_slice(match kind {
            None if !of.has_formula() => b"/>",
            Some(kind) if !of.has_formula() && kind != CellType::InlineString => b"><v>",
            _ => b">",
        });
        let (before_len, after_len) = (before.len() as u8, after.len() as u8);
        let mut head = Head { of, before_len, after_len, ..Head::default() };
        head.before.get_mut(..before.len())?.copy_from_slice(&before);
        head.after.get_mut(..after.len())?.copy_from_slice(&after);
        let place = self.heads.get_mut(Self::place(of))?;
        *place = head;
        Some(place)
    }
}

impl Writer<'_> {
    /// Whether cells may be written here as usual.
    #[inline(always)]
    pub(super) fn has_usual_cells(&mut self, row: &Row) -> bool {
        self.declarations.is_empty() && self.is_default(row.namespace)
    }

    /// Writes the cells of a row from one on, for as long as they are of the usual kind. The first field that is not such a
    /// cell, if there is one.
    #[inline(always)]
    pub(super) fn regular_cells(
        &mut self,
        wire: &[u8],
        mut cell: Field,
        rest: &mut Fields<'_>,
        row: &Row,
        depth: u32,
    ) -> Result<Option<Field>> {
        while cell.number == u32::from(row.field)
            && cell.wire_type == WireType::Bytes
            && self.regular_cell(wire, cell.start, cell.end, row, depth)?
        {
            match rest.advance()? {
                Some(next) => cell = next,
                None => return Ok(None),
            }
        }
        Ok(Some(cell))
    }

    /// Writes a cell if it is of the usual kind; whether it is.
    #[inline(always)]
    pub(super) fn regular_cell(&mut self, wire: &[u8], start: u64, end: u64, row: &Row, depth: u32) -> Result<bool> {
        let Some(cell) = UsualCell::of(wire, start as usize, end as usize) else { return Ok(false) };
        let head = match self.heads.find(cell.head) {
            Some(head) => head,
            None => match self.heads.make(cell.head, self.forms.number_types) {
                Some(head) => head,
                None => return Ok(false),
            },
        };
        if self.open {
            self.out.push(b'>');
            self.open = false;
        }
        let reference = self.row.end_of_reference();
        append_pieces(&mut self.out, (&head.before, head.before_len), reference, (&head.after, head.after_len));
        match cell.value {
            Value::Number(number) if cell.formula.is_none() => self.number(number),
            Value::SharedString(index) if cell.formula.is_none() => numbers::write_u64(index.into(), &mut self.out),
            Value::None if cell.formula.is_none() => return Ok(true),
            _ => {
                self.rest_of_cell(wire, (cell.formula, cell.value), row, depth)?;
                return Ok(true);
            }
        }
        self.out.extend_from_slice(b"</v></c>");
        Ok(true)
    }

    /// What follows the start tag of a cell that has a formula or is of the less usual types.
    #[inline(never)]
    fn rest_of_cell(&mut self, wire: &[u8], (formula, value): (Option<Span>, Value), row: &Row, depth: u32) -> Result<()> {
        if let Some(formula) = formula {
            if let Some(text) = formula.only_text_of_formula(wire) {
                self.out.extend_from_slice(b"<f>");
                escapes::escape_piece(wire, text.start, text.end, Place::Text, &mut self.out)?;
                self.out.extend_from_slice(b"</f>");
            } else {
                self.child_of_cell(wire, row, fields::FORMULA, formula, depth)?;
            }
        }
        if let Value::InlineString(text) = value {
            self.child_of_cell(wire, row, fields::INLINE_STRING, text, depth)?;
        }
        if formula.is_some() && !matches!(value, Value::None | Value::InlineString(_)) {
            self.out.extend_from_slice(b"<v>");
        }
        match value {
            Value::Number(number) => self.number(number),
            Value::SharedString(index) => numbers::write_u64(index.into(), &mut self.out),
            Value::Boolean(value) => self.out.push(b'0' + u8::from(value)),
            Value::Text(text) => escapes::escape_piece(wire, text.start, text.end, Place::Text, &mut self.out)?,
            Value::None | Value::InlineString(_) => {
                self.out.extend_from_slice(b"</c>");
                return Ok(());
            }
        }
        self.out.extend_from_slice(b"</v></c>");
        Ok(())
    }

    fn child_of_cell(&mut self, wire: &[u8], cell: &Row, number: u32, bytes: Span, depth: u32) -> Result<()> {
        let (start, end) = (bytes.start as u64, bytes.end as u64);
        match message(cell.target).field(number) {
            Some((_, row)) => self.child(wire, row, &Field { number, wire_type: WireType::Bytes, value: 0, start, end }, depth),
            None => Ok(()),
        }
    }
}
