//! Usual cells: those that begin like the cell above them and go on as most do.
//!
//! Nothing is decided here: a number shows which of two ways to write it the part has only if that is known by now, and a
//! cell that would change this is left to those who look at it more closely.

use recto_schema::fields::sheet as fields;

use crate::error::Result;
use crate::transcode::cells::CellType;
use crate::transcode::forms::{NUMBER_TYPE_EXPLICIT, NUMBER_TYPE_IMPLICIT};
use crate::transcode::observe::{Item, Observer};
use crate::transcode::plain::Plain;
use crate::wire::{put_double, put_uint};
use crate::xml::append_cut;
use crate::xml::scan::{byte, digit_count, low_bytes, number, word};

use super::Reader;
use super::heads::{Head, Then};
use super::regular_cells::RowContext;

/// The end of a cell behind its value.
const CELL_END: u64 = u64::from_le_bytes(*b"</v></c>");

/// What stands between a formula and a value.
const FORMULA_END: &[u8; 7] = b"</f><v>";

const _: () = assert!(fields::row::CELLS < 2048 && fields::cell::COLUMN < 16);

impl<O: Observer> Reader<'_, O> {
    /// Reads what follows the beginning of a cell at `at`. Gives the place after the cell; nothing, and nothing is changed, if
    /// it is not a usual one.
    #[inline(always)]
    pub(super) fn usual_cell(
        &mut self,
        window: &[u8],
        (column, head): (u32, &Head),
        at: usize,
        context: &RowContext,
    ) -> Result<Option<usize>> {
        let trial = self.trial();
        let mark = self.out.begin_with(fields::row::CELLS, fields::cell::COLUMN, column);
        append_cut(&mut self.out.bytes, &head.wire.0, head.wire.1);
        let value = if head.then == Then::Formula { self.usual_formula(window, at, context) } else { Some(at) };
        let next =
            value.and_then(|at| if head.then == Then::Nothing { Some(at) } else { self.usual_value(window, at, head.kind) });
        if next.is_none() {
            self.give_up(trial);
            return Ok(None);
        }
        self.out.end(mark)?;
        if O::LISTENS {
            let namespace = context.namespace();
            if let Some(typed) = &head.formula {
                self.count(Item::Element, namespace);
                self.count_all(typed);
            } else if head.then == Then::Formula {
                self.count(Item::Element, namespace);
            }
            self.count_cell(head.attributes, head.then != Then::Nothing, namespace);
        }
        Ok(next)
    }

    /// Writes the value whose text begins at `at`; the place after the cell.
    #[inline(always)]
    fn usual_value(&mut self, window: &[u8], at: usize, kind: Option<CellType>) -> Option<usize> {
        let end = match kind {
            None | Some(CellType::Number) => {
                let plain = Plain::scan(window, at)?;
                let value = plain.value()?;
                let form = if kind.is_none() { NUMBER_TYPE_IMPLICIT } else { NUMBER_TYPE_EXPLICIT };
                if self.forms.number_types != form || !self.is_known(&plain, value) {
                    return None;
                }
                put_double(&mut self.out.bytes, fields::cell::NUMBER, value.to_bits());
                plain.end
            }
            Some(CellType::SharedString) => {
                let text = word(window, at);
                let count = digit_count(text);
                if count == 0 || (count > 1 && text as u8 == b'0') {
                    return None;
                }
                put_uint(&mut self.out.bytes, fields::cell::SHARED_STRING, u64::from(number(text, count)));
                at + count
            }
            Some(CellType::Boolean) => {
                let value = byte(window, at).wrapping_sub(b'0');
                if value > 1 {
                    return None;
                }
                put_uint(&mut self.out.bytes, fields::cell::BOOLEAN, u64::from(value));
                at + 1
            }
            Some(kind) => self.put_content(window, at, kind.field()).filter(|&end| end > at)?,
        };
        (word(window, end) == CELL_END).then_some(end + 8)
    }

    /// Writes the formula whose text begins at `at`; where the text of the value begins.
    #[inline(always)]
    fn usual_formula(&mut self, window: &[u8], at: usize, context: &RowContext) -> Option<usize> {
        let mark = self.out.begin(fields::cell::FORMULA);
        let end = self.put_content(window, at, context.formula_text()?)?;
        self.out.end(mark).ok()?;
        let ends = low_bytes(word(window, end), FORMULA_END.len()) == u64::from_le_bytes(*b"</f><v>\0");
        (ends && end > at).then_some(end + FORMULA_END.len())
    }
}
