//! What is the same for rows and cells of a sheet: behind its number, a row's start tag says what the one before it said,
//! and a cell's what the cell above it said.

use recto_schema::tables::Message;

use crate::transcode::observe::Observer;
use crate::xml::scan::{Short, low_bytes, word};

use super::Reader;
use super::regular::{TagEnd, slice};
use super::regular_cells::{Cell, RowContext};
use super::regular_values::Typed;

/// Longest attributes that are remembered, in bytes.
const LONGEST_TAIL: usize = 256;

/// Cells of a row whose start tags are remembered.
const MOST_HEADS: usize = 256;

/// Of which tags the end is remembered.
#[derive(Clone, Copy)]
pub(super) enum TailOf {
    /// What stands behind a row's number.
    Row,
    /// What stands behind a formula's name.
    Formula,
}

/// Attributes up to the end of the tag, and what was written for them.
#[derive(Default)]
pub(super) struct Tail {
    raw: Vec<u8>,
    wire: Vec<u8>,
    typed: Typed,
    empty: bool,
}

/// Where such attributes begin: in the window, in the output, in what is counted.
#[derive(Clone, Copy)]
pub(super) struct TailStart {
    at: usize,
    out: u64,
    typed: usize,
}

/// The start tag of a cell without the number of its row.
struct Head {
    /// The letters of its column, and how many.
    letters: u64,
    letter_count: usize,
    /// What follows the row's number.
    rest: Short,
    cell: Cell,
}

/// What rows have shown so far.
#[derive(Default)]
pub(super) struct Habits {
    tails: [Tail; 2],
    /// Start tags of cells.
    pub heads: Heads,
    context: Option<RowContext>,
}

impl Habits {
    /// Forgets all: another part has other habits.
    pub(super) fn clear(&mut self) {
        for tail in &mut self.tails {
            tail.raw.clear();
        }
        self.heads.0.clear();
        self.context = None;
    }

    /// What cells of a row have in common, if the last row's had the same.
    pub(super) fn context(&self, owner: &'static Message, generation: u32) -> Option<RowContext> {
        self.context.filter(|context| std::ptr::eq(context.owner, owner) && context.generation == generation)
    }

    /// Remembers what cells of a row have in common.
    pub(super) fn remember_context(&mut self, context: RowContext) {
        self.context = Some(context);
    }
}

/// Start tags of the cells of a row, in their order.
#[derive(Default)]
pub(super) struct Heads(Vec<Option<Head>>);

impl Heads {
    /// The start tag of a row's cell, if it is that of the cell above, and the place after it; `at` is the space before its
    /// attributes.
    #[inline(always)]
    pub(super) fn cell(&self, index: usize, window: &[u8], at: usize, context: &RowContext) -> Option<(&Cell, usize)> {
        let head = self.0.get(index)?.as_ref()?;
        let letters = at + REFERENCE.len();
        let number = letters + head.letter_count;
        let rest = number + context.digits;
        let is_known = word(window, at) as u32 == u32::from_le_bytes(*REFERENCE)
            && low_bytes(word(window, letters), head.letter_count) == head.letters
            && low_bytes(word(window, number), context.digits) == context.number
            && head.rest.is_at(window, rest);
        is_known.then_some((&head.cell, rest + head.rest.len))
    }

    /// Remembers the start tag of a row's cell, which ends at `next`.
    #[cold]
    pub(super) fn remember(
        &mut self,
        index: usize,
        (window, at, next): (&[u8], usize, usize),
        context: &RowContext,
        cell: &Cell,
    ) {
        let letters = at + REFERENCE.len();
        let letter_count = slice(window, letters, letters + 4).iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let rest = letters + letter_count + context.digits;
        let Some(rest) = Short::of(slice(window, rest, next)).filter(|rest| rest.len > 0 && index < MOST_HEADS) else { return };
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        let letters = low_bytes(word(window, letters), letter_count);
        if let Some(place) = self.0.get_mut(index) {
            *place = Some(Head { letters, letter_count, rest, cell: *cell });
        }
    }
}

/// How a cell's attributes begin.
const REFERENCE: &[u8; 4] = b" r=\"";

impl<O: Observer> Reader<'_, O> {
    /// Writes the rest of a tag, if it is what it was the last time.
    #[inline]
    pub(super) fn copy_tail(&mut self, of: TailOf, window: &[u8], at: usize, typed: &mut Typed) -> Option<TagEnd> {
        let tail = self.habits.tails.get(of as usize)?;
        let next = at + tail.raw.len();
        if tail.raw.is_empty() || window.get(at..next) != Some(&tail.raw) {
            return None;
        }
        self.out.bytes.extend_from_slice(&tail.wire);
        for &namespace in tail.typed.namespaces() {
            typed.add(namespace)?;
        }
        Some(TagEnd { next, empty: tail.empty })
    }

    /// Where the rest of a tag begins.
    pub(super) fn begin_tail(&self, at: usize, typed: &Typed) -> TailStart {
        TailStart { at, out: self.out.position(), typed: typed.namespaces().len() }
    }

    /// Remembers the rest of a tag.
    pub(super) fn remember_tail(&mut self, of: TailOf, window: &[u8], start: &TailStart, end: TagEnd, typed: &Typed) {
        let (raw, wire) = (slice(window, start.at, end.next), self.out.since(start.out).unwrap_or_default());
        let Some(tail) = self.habits.tails.get_mut(of as usize).filter(|_| raw.len() <= LONGEST_TAIL) else { return };
        tail.raw.clear();
        tail.raw.extend_from_slice(raw);
        tail.wire.clear();
        tail.wire.extend_from_slice(wire);
        tail.empty = end.empty;
        tail.typed = Typed::default();
        for &namespace in typed.namespaces().iter().skip(start.typed) {
            // There is room for as many as were added before.
            let _ = tail.typed.add(namespace);
        }
    }
}
