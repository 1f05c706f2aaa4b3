//! Elements that repeat: documents say the same run properties, borders and fonts again and again, to the byte. What was
//! written for an element is copied for the next one that looks the same.

use recto_schema::tables::{Codec, Message, Row};

use crate::error::Result;
use crate::transcode::observe::{Item, Observer};
use crate::xml::scan::word;

use super::Reader;
use super::elements::Opening;
use super::guesses::{PLACES, address, place};
use super::regular::slice;
use super::regular_values::Typed;

/// Elements of one kind that are remembered at the same time.
const WAYS: usize = 8;

/// Longest element that is remembered, in bytes.
const LONGEST: usize = 1024;

/// What a kind of element may cost at first, in elements that are not found.
const FIRST_CREDIT: u8 = 8;

/// What it earns with each element that is found. Looking and remembering pay if one element in five is found again.
const EARNED: u8 = 4;

/// The most that it can have.
const MOST_CREDIT: u8 = 64;

/// Bytes at the end of an element that are compared first; shorter elements are not remembered.
const LAST: usize = 8;

/// Bytes of elements that are remembered before all are forgotten.
const MOST_BYTES: usize = 1 << 20;

/// After so many elements, a kind without credit may try again.
const REST: u8 = 64;

/// What decides, besides its bytes, what is written for an element.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    /// Its row, by address.
    row: usize,
    /// The row of the content list that it is an item of, by address; 0 without.
    list: usize,
    /// What prefixes mean.
    generation: u32,
}

impl Kind {
    fn new(row: &'static Row, list: Option<&'static Row>, generation: u32) -> Self {
        Kind { row: address(row), list: list.map_or(0, address), generation }
    }

    fn place(&self) -> usize {
        place(self.row, self.list >> 3)
    }
}

/// How deep an element lies: in messages, and in elements.
#[derive(Clone, Copy, Default)]
pub(super) struct Depth {
    pub messages: u32,
    pub elements: usize,
}

/// An element and what was written for it, as places in [`Repeated`].
#[derive(Clone, Copy, Default)]
struct Known {
    /// Where the element stands, followed by its wire bytes, and the lengths of both.
    at: usize,
    raw: usize,
    wire: usize,
    /// What it counts for: where, and how many.
    counted: (usize, usize),
    /// Where it stood: deeper, something in it could lie too deep.
    depth: Depth,
}

/// What is known of one kind of element.
struct Habit {
    kind: Kind,
    credit: u8,
    rest: u8,
    /// How many are known, and the one that is forgotten next.
    count: usize,
    oldest: usize,
    known: [Known; WAYS],
}

/// The answer to whether an element is known.
enum Answer {
    /// It is.
    Known(Found),
    /// It is not, and should be remembered.
    New,
    /// Nobody looked: its kind does not repeat itself.
    Unasked,
}

/// What a known element is to be read from.
#[derive(Clone, Copy)]
struct Found(Known);

/// What became of a start tag.
pub(super) enum Asked {
    /// Its element was known and has been written; the byte after it.
    Copied(usize),
    /// Its element is to be remembered.
    New(Begun),
    /// It is one of many.
    Unasked,
}

/// Where an element begins that is to be remembered once it has ended.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    /// The pass over a window in which it begins, and its place in the window.
    pass: u64,
    at: usize,
    /// Where what is written for it begins.
    out: u64,
    /// Messages with extras before it.
    extras: u64,
    /// How much had been counted before it.
    counted: usize,
    kind: Kind,
    depth: Depth,
}

/// The elements of a part that may come again.
pub(super) struct Repeated {
    /// For each place the number of a habit, plus one.
    places: [u16; PLACES],
    habits: Vec<Habit>,
    bytes: Vec<u8>,
    counted: Vec<(Item, u8)>,
}

impl Default for Repeated {
    fn default() -> Self {
        Repeated { places: [0; PLACES], habits: Vec::new(), bytes: Vec::new(), counted: Vec::new() }
    }
}

impl Repeated {
    /// Forgets all: another part has other habits.
    pub(super) fn clear(&mut self) {
        if !self.habits.is_empty() {
            self.places = [0; PLACES];
            self.habits.clear();
            self.bytes.clear();
            self.counted.clear();
        }
    }

    #[inline]
    fn habit(&mut self, kind: Kind) -> Option<&mut Habit> {
        let number = *self.places.get(kind.place())?;
        self.habits.get_mut(usize::from(number).checked_sub(1)?).filter(|habit| habit.kind == kind)
    }

    /// Looks for the element that begins at `at` in a padded window.
    #[inline]
    fn ask(&mut self, kind: Kind, depth: Depth, window: &[u8], at: usize) -> Answer {
        let number = self.places.get(kind.place()).copied().unwrap_or(0);
        let habit = self.habits.get_mut(usize::from(number).wrapping_sub(1)).filter(|habit| habit.kind == kind);
        let Some(habit) = habit else { return self.begin(kind) };
        if habit.credit == 0 {
            habit.rest = (habit.rest + 1) % REST;
            habit.credit = u8::from(habit.rest == 0);
            return Answer::Unasked;
        }
        for known in habit.known.iter().take(habit.count) {
            // The end tells most apart.
            let end = known.raw - LAST;
            let is_known = word(window, at + end) == word(&self.bytes, known.at + end)
                && window.get(at..at + known.raw) == self.bytes.get(known.at..known.at + known.raw)
                && depth.messages <= known.depth.messages
                && depth.elements <= known.depth.elements;
            if is_known {
                habit.credit = habit.credit.saturating_add(EARNED).min(MOST_CREDIT);
                return Answer::Known(Found(*known));
            }
        }
        habit.credit -= 1;
        Answer::New
    }

    #[cold]
    fn begin(&mut self, kind: Kind) -> Answer {
        let Some(place) = self.places.get_mut(kind.place()) else { return Answer::Unasked };
        let new = Habit { kind, credit: FIRST_CREDIT, rest: 0, count: 0, oldest: 0, known: Default::default() };
        match self.habits.get_mut(usize::from(*place).wrapping_sub(1)) {
            // Two kinds with the same place must not drive each other out all the time.
            Some(other) if other.credit > 0 => {
                other.credit -= 1;
                return Answer::Unasked;
            }
            Some(other) => *other = new,
            None => {
                self.habits.push(new);
                *place = self.habits.len() as u16;
            }
        }
        Answer::New
    }

    /// What was written for a known element.
    #[inline]
    fn wire(&self, found: Found) -> &[u8] {
        let start = found.0.at + found.0.raw;
        self.bytes.get(start..start + found.0.wire).unwrap_or_default()
    }

    /// What a known element counts for.
    #[inline]
    fn counted(&self, found: Found) -> &[(Item, u8)] {
        let (start, count) = found.0.counted;
        self.counted.get(start..start + count).unwrap_or_default()
    }

    /// Remembers an element.
    fn remember(&mut self, begun: &Begun, raw: &[u8], wire: &[u8], counted: &[(Item, u8)]) {
        if !(LAST..=LONGEST).contains(&raw.len()) {
            return;
        }
        if self.bytes.len() > MOST_BYTES {
            self.clear();
            return;
        }
        let at = self.bytes.len();
        let known =
            Known { at, raw: raw.len(), wire: wire.len(), counted: (self.counted.len(), counted.len()), depth: begun.depth };
        let Some(habit) = self.habit(begun.kind) else { return };
        let Some(place) = habit.known.get_mut(habit.oldest) else { return };
        *place = known;
        habit.count = habit.count.max(habit.oldest + 1);
        habit.oldest = (habit.oldest + 1) % WAYS;
        self.bytes.extend_from_slice(raw);
        self.bytes.extend_from_slice(wire);
        self.counted.extend_from_slice(counted);
    }
}

impl<O: Observer> Reader<'_, O> {
    /// Writes the element that begins at `at` if it is known.
    #[inline]
    pub(super) fn ask(&mut self, window: &[u8], at: usize, opening: &Opening, child: &Message, depth: Depth) -> Result<Asked> {
        if child.codec != Codec::None || child.streamed {
            return Ok(Asked::Unasked);
        }
        let kind = Kind::new(opening.row, opening.list, self.scope.generation());
        match self.repeated.ask(kind, depth, window, at) {
            Answer::Known(found) => {
                self.note_child(opening);
                self.out.bytes.extend_from_slice(self.repeated.wire(found));
                if O::LISTENS {
                    for &(item, namespace) in self.repeated.counted(found) {
                        self.observer.typed(item, namespace);
                        self.counted.push((item, namespace));
                    }
                }
                self.hand_on()?;
                Ok(Asked::Copied(at + found.0.raw))
            }
            Answer::New => {
                let (out, extras, counted) = (self.out.position(), self.findings.extras, self.counted.len());
                Ok(Asked::New(Begun { pass: self.pass, at, out, extras, counted, kind, depth }))
            }
            Answer::Unasked => Ok(Asked::Unasked),
        }
    }

    /// Remembers an element that ends at `end`, if all of it was regular.
    pub(super) fn remember(&mut self, begun: &Begun, window: &[u8], end: usize) {
        let Some(wire) = self.out.since(begun.out) else { return };
        if begun.pass == self.pass && begun.extras == self.findings.extras {
            let counted = self.counted.get(begun.counted..).unwrap_or_default();
            self.repeated.remember(begun, slice(window, begun.at, end), wire, counted);
        }
    }

    /// Counts something typed.
    #[inline]
    pub(super) fn count(&mut self, item: Item, namespace: u8) {
        if O::LISTENS {
            self.observer.typed(item, namespace);
            self.counted.push((item, namespace));
        }
    }

    /// Counts attributes.
    #[inline]
    pub(super) fn count_all(&mut self, typed: &Typed) {
        if O::LISTENS {
            for &namespace in typed.namespaces() {
                self.count(Item::Attribute, namespace);
            }
        }
    }
}
