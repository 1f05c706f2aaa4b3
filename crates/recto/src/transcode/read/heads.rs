//! How cells begin: behind the reference, a cell mostly says up to its first text what the cell above it said, or another
//! one of the few kinds that a sheet has.

use crate::transcode::cells::CellType;
use crate::xml::scan::{Short, low_bytes, word};

use super::regular_cells::RowContext;
use super::regular_values::Typed;

/// How a cell begins before the letters of its column.
const REFERENCE: &[u8; 6] = b"<c r=\"";

/// Beginnings that are remembered.
const MOST: usize = 32;

/// Cells of a row that are told from each other; a power of two.
const CELLS: usize = 256;

/// Pieces of sixteen bytes that a beginning is compared in.
const PIECES: usize = 3;

/// Bytes that are looked at to recognise a beginning: the reference takes seventeen at most, so that the offset of what
/// follows is below 32.
pub(super) const REACH: usize = 32 + PIECES * 16;

/// Bytes that may be written for a beginning.
const WIRE: usize = 24;

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

/// The beginning of a cell, from behind its reference to where its first text begins.
pub(super) struct Head {
    pieces: [Short; PIECES],
    pub len: usize,
    /// What is written for it, and how many bytes that are.
    pub wire: ([u8; WIRE], usize),
    pub then: Then,
    pub kind: Option<CellType>,
    /// Number of the cell's attributes, and those of its formula if that is a part of the beginning.
    pub attributes: usize,
    pub formula: Option<Typed>,
}

impl Head {
    /// What stands between two places of a window, if it is short enough.
    pub(super) fn new(
        (window, at, end): (&[u8], usize, usize),
        (wire, then): (&[u8], Then),
        (kind, attributes, formula): (Option<CellType>, usize, Option<Typed>),
    ) -> Option<Self> {
        let len = end.checked_sub(at).filter(|&len| len <= 16 * PIECES)?;
        let piece = |index: usize| Short::at(window, at + 16 * index, len.saturating_sub(16 * index).min(16));
        let mut bytes = [0; WIRE];
        bytes.get_mut(..wire.len())?.copy_from_slice(wire);
        let pieces = [piece(0), piece(1), piece(2)];
        Some(Head { pieces, len, wire: (bytes, wire.len()), then, kind, attributes, formula })
    }

    /// Whether it stands at a place.
    #[inline(always)]
    fn is_at(&self, bytes: &[u8; REACH], at: usize) -> bool {
        // Offsets below a power of two need no checks.
        let at = at & 31;
        self.pieces[0].is_at(bytes, at)
            && (self.len <= 16 || (self.pieces[1].is_at(bytes, at + 16) && self.pieces[2].is_at(bytes, at + 32)))
    }
}

/// The beginnings that a sheet has shown.
#[derive(Default)]
pub(super) struct Heads {
    known: Vec<Head>,
    /// Which one each cell of a row began with the last time.
    last: Vec<u8>,
    /// Which one is forgotten next.
    oldest: usize,
}

impl Heads {
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.oldest = 0;
    }

    /// How a row's cell begins, if it is as it was the last time; its reference ends at an offset.
    #[inline(always)]
    pub(super) fn same(&self, cell: usize, bytes: &[u8; REACH], at: usize) -> Option<&Head> {
        let number = *self.last.get(cell % CELLS)?;
        self.known.get(usize::from(number)).filter(|head| head.is_at(bytes, at))
    }

    /// As [`Heads::same`], if it is otherwise.
    #[inline(never)]
    pub(super) fn other(&mut self, cell: usize, bytes: &[u8; REACH], at: usize) -> Option<&Head> {
        let number = self.known.iter().position(|head| head.is_at(bytes, at))?;
        *self.last.get_mut(cell % CELLS)? = number as u8;
        self.known.get(number)
    }

    /// Remembers the beginning of a row's cell.
    pub(super) fn remember(&mut self, cell: usize, head: Head) {
        self.last.resize(CELLS, 0);
        if let Some(last) = self.last.get_mut(cell % CELLS) {
            *last = self.oldest as u8;
        }
        match self.known.get_mut(self.oldest) {
            Some(place) => *place = head,
            None => self.known.push(head),
        }
        self.oldest = (self.oldest + 1) % MOST;
    }
}

/// `<c r="B7"`, in the current row: the column, and the place after it.
#[inline(always)]
pub(super) fn find_reference(buffer: &[u8], at: usize, context: &RowContext) -> Option<(u32, usize)> {
    if low_bytes(word(buffer, at), REFERENCE.len()) != u64::from_le_bytes(*b"<c r=\"\0\0") {
        return None;
    }
    let letter = |letters: u64| Some(u32::from((letters as u8).wrapping_sub(b'A'))).filter(|&letter| letter < 26);
    let mut at = at + REFERENCE.len() + 1;
    let mut letters = word(buffer, at - 1);
    let mut column = letter(letters)? + 1;
    while let Some(next) = letter(letters >> 8) {
        column = column * 26 + next + 1;
        letters >>= 8;
        at += 1;
        if column > 16_384 {
            return None;
        }
    }
    (word(buffer, at) & context.mask == context.number).then_some((column, at + context.digits))
}
