//! How cells begin: behind the number of its row, a cell mostly says what the cell above it said, up to its first text.

use crate::transcode::cells::CellType;
use crate::wire::output::Start;
use crate::xml::scan::{Short, byte, low_bytes, word};

use super::regular::slice;
use super::regular_cells::RowContext;
use super::regular_values::Typed;

/// Cells of a row whose beginnings are remembered.
const MOST: usize = 256;

/// How a cell begins before the letters of its column.
pub(super) const REFERENCE: &[u8; 6] = b"<c r=\"";

/// Pieces of sixteen bytes that the part behind the row's number is compared in.
const PIECES: usize = 3;

/// Bytes that are looked at to recognise a beginning: the reference and its number take seventeen at most, and the offset of
/// what follows is below 32.
const REACH: usize = 32 + PIECES * 16;

/// What follows the beginning of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The next cell: it is an empty element.
    Nothing,
    /// The text of its value.
    Value,
    /// The text of its formula, and then its value.
    Formula,
}

/// The beginning of a cell, from `<` to where its first text begins.
pub(super) struct Head {
    /// What stands behind `<` up to the row's number, and which bits of a word that is.
    column: u64,
    column_mask: u64,
    /// Where the row's number stands.
    number: usize,
    /// What follows the row's number and the quote behind it.
    rest: [Short; PIECES],
    rest_len: usize,
    /// What is written for it.
    pub start: Start,
    pub then: Then,
    pub kind: Option<CellType>,
    /// Its attributes, and those of its formula if it is a part of the beginning.
    pub attributes: usize,
    pub formula: Option<Typed>,
}

/// The beginnings of a row's cells, in their order.
#[derive(Default)]
pub(super) struct Heads(Vec<Option<Head>>);

impl Heads {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The beginning of a row's cell at `at`, if it is that of the cell above, and the place after it.
    #[inline(always)]
    pub(super) fn find(&self, index: usize, window: &[u8], at: usize, context: &RowContext) -> Option<(&Head, usize)> {
        let head = self.0.get(index)?.as_ref()?;
        let bytes = window.get(at..)?.first_chunk::<REACH>()?;
        // Offsets below a power of two need no checks.
        let number = head.number & 15;
        let rest = (number + context.digits) & 31;
        let is_known = byte(bytes, 0) == b'<'
            && word(bytes, 1) & head.column_mask == head.column
            && word(bytes, number) & context.mask == context.number
            && head.rest[0].is_at(bytes, rest)
            && (head.rest_len <= 16 || (head.rest[1].is_at(bytes, rest + 16) && head.rest[2].is_at(bytes, rest + 32)));
        is_known.then_some((head, at + rest + head.rest_len))
    }

    /// Remembers the beginning of a row's cell, if it is short enough.
    pub(super) fn remember(&mut self, index: usize, head: Option<Head>) {
        if index < MOST && head.is_some() {
            if self.0.len() <= index {
                self.0.resize_with(index + 1, || None);
            }
            if let Some(place) = self.0.get_mut(index) {
                *place = head;
            }
        }
    }
}

impl Head {
    /// The beginning of a cell, if it can be remembered.
    pub(super) fn new(
        (window, at, end): (&[u8], usize, usize),
        context: &RowContext,
        (start, then): (Start, Then),
        (kind, attributes, formula): (Option<CellType>, usize, Option<Typed>),
    ) -> Option<Self> {
        let letters = slice(window, at + REFERENCE.len(), at + REFERENCE.len() + 4);
        let letters = letters.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let number = REFERENCE.len() + letters;
        let rest = slice(window, at + number + context.digits, end);
        let piece = |index: usize| {
            let piece = rest.get(16 * index..).unwrap_or_default();
            Short::of(piece.get(..16).unwrap_or(piece))
        };
        let column_mask = low_bytes(u64::MAX, number - 1);
        (letters <= 3 && rest.len() <= 16 * PIECES).then_some(Head {
            column: word(window, at + 1) & column_mask,
            column_mask,
            number,
            rest: [piece(0)?, piece(1)?, piece(2)?],
            rest_len: rest.len(),
            start,
            then,
            kind,
            attributes,
            formula,
        })
    }
}
