//! What is the same for rows of a sheet: behind its number, a row's start tag says what the one before it said.

use recto_schema::fields::sheet as fields;
use recto_schema::tables::Message;

use crate::transcode::observe::Observer;
use crate::wire::put_uint;
use crate::xml::scan::{byte, digit_count, number, word};

use super::Reader;
use super::heads::Heads;
use super::regular::{TagEnd, slice};
use super::regular_cells::RowContext;
use super::regular_values::Typed;

/// Longest attributes that are remembered, in bytes.
const LONGEST_TAIL: usize = 256;

/// How a row's attributes begin.
const REFERENCE: &[u8; 4] = b" r=\"";

/// Attributes of a row behind its number up to the end of the tag, and what was written for them.
#[derive(Default)]
pub(super) struct Tail {
    raw: Vec<u8>,
    wire: Vec<u8>,
    typed: Typed,
    empty: bool,
    /// What prefixes meant.
    generation: u32,
}

/// Where such attributes begin: in the window, in the output, in what is counted.
#[derive(Clone, Copy)]
pub(super) struct TailStart {
    at: usize,
    out: u64,
    typed: usize,
}

/// What rows have shown so far.
#[derive(Default)]
pub(super) struct Habits {
    tail: Tail,
    /// How cells begin.
    pub heads: Heads,
    context: Option<RowContext>,
}

impl Habits {
    /// Forgets all: another part has other habits.
    pub(super) fn clear(&mut self) {
        self.tail.raw.clear();
        self.heads.clear();
        self.context = None;
    }

    /// What cells of a row have in common, if the last row's had the same.
    pub(super) fn context(&self, owner: &'static Message, generation: u32) -> Option<RowContext> {
        self.context.filter(|context| std::ptr::eq(context.owner, owner) && context.generation == generation)
    }

    /// Remembers what cells of a row have in common. How others began says nothing about them.
    pub(super) fn remember_context(&mut self, context: RowContext) {
        self.heads.clear();
        self.context = Some(context);
    }
}

impl<O: Observer> Reader<'_, O> {
    /// Writes the attributes of a row, if they are its number and what stood behind that the last time. Nothing is changed
    /// otherwise.
    #[inline]
    pub(super) fn usual_row(&mut self, window: &[u8], at: usize, namespace: u8, typed: &mut Typed) -> Option<TagEnd> {
        let start = at + REFERENCE.len();
        let text = word(window, start);
        let count = digit_count(text);
        let tail = &self.habits.tail;
        let after = start + count + 1;
        let next = after + tail.raw.len();
        let is_usual = word(window, at) as u32 == u32::from_le_bytes(*REFERENCE)
            && (1..8).contains(&count)
            && text as u8 != b'0'
            && byte(window, after - 1) == b'"'
            && tail.generation == self.scope.generation()
            && !tail.raw.is_empty()
            && window.get(after..next) == Some(&tail.raw);
        if !is_usual {
            return None;
        }
        typed.add(namespace)?;
        for &namespace in tail.typed.namespaces() {
            typed.add(namespace)?;
        }
        self.row = u64::from(number(text, count));
        put_uint(&mut self.out.bytes, fields::row::INDEX, self.row);
        self.out.bytes.extend_from_slice(&tail.wire);
        Some(TagEnd { next, empty: tail.empty })
    }

    /// Where the rest of a tag begins.
    pub(super) fn begin_tail(&self, at: usize, typed: &Typed) -> TailStart {
        TailStart { at, out: self.out.position(), typed: typed.namespaces().len() }
    }

    /// Remembers the rest of a tag.
    pub(super) fn remember_tail(&mut self, window: &[u8], start: &TailStart, end: TagEnd, typed: &Typed) {
        let (raw, wire) = (slice(window, start.at, end.next), self.out.since(start.out).unwrap_or_default());
        if raw.len() > LONGEST_TAIL {
            return;
        }
        let generation = self.scope.generation();
        let tail = &mut self.habits.tail;
        tail.generation = generation;
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
