//! Messages that come again: their text is copied.
//!
//! Documents repeat themselves: properties of runs, paragraphs and formats come in a few combinations. The text of a message
//! follows from its wire bytes, its row, the declarations in scope, and what the part says once. So it is kept when the
//! message comes for the second time, and copied from the third time on.

use std::ops::RangeInclusive;

use recto_schema::tables::Row;

use super::Writer;

/// How long messages are that are looked up. Shorter ones are written as fast, longer ones seldom come again.
const LENGTHS: RangeInclusive<u64> = 4..=1024;
/// The longest text that is kept.
const LONGEST_TEXT: usize = 8 * 1024;
/// How many bytes are kept, of messages and their texts.
const ROOM: usize = 256 * 1024;
/// Parts with fewer wire bytes than this are not worth it.
const LEAST: u64 = 4 * 1024;
/// Number of sets of two texts, a power of two.
const SETS: usize = 256;
/// Number of marks of messages that came once, a power of two.
const MARKS: usize = 2048;
/// Number of interests; messages share them by the index of their table, which costs time only.
const INTERESTS: usize = 1024;

/// Where a message and its text are kept.
#[derive(Clone, Copy, Default)]
struct Place {
    row: u64,
    /// Of which epoch; 0: of none.
    epoch: u32,
    /// How deep it was when it was written: not too deep, and nothing in it.
    depth: u32,
    /// Where the message begins, then its text.
    start: u32,
    text: u32,
    end: u32,
}

/// Whether messages of a table are looked up. Those that do not come again rest, and are tried now and then.
#[derive(Clone, Copy)]
struct Interest(u8);

impl Interest {
    /// From here on messages are looked up; below, they are counted until it is reached.
    const AWAKE: u8 = 128;
    const TRIES: u8 = 12;

    #[inline(always)]
    fn is_awake(&mut self) -> bool {
        if self.0 >= Self::AWAKE {
            return true;
        }
        self.0 += 1;
        if self.0 == Self::AWAKE {
            self.0 += Self::TRIES;
        }
        false
    }

    fn wane(&mut self) {
        self.0 -= 1;
        if self.0 < Self::AWAKE {
            self.0 = 0;
        }
    }

    #[inline(always)]
    fn grow(&mut self) {
        self.0 = self.0.saturating_add(3);
    }
}

/// Texts of messages that came again.
pub(super) struct Repeated {
    interests: Vec<Interest>,
    marks: Vec<u16>,
    places: Vec<[Place; 2]>,
    bytes: Vec<u8>,
    /// Texts of other epochs are forgotten.
    epoch: u32,
    /// How many declarations were in scope; with others, texts may differ. `usize::MAX` before the first.
    scope: usize,
}

/// What came of looking for a message.
pub(super) enum Found {
    /// Its text, which has been written.
    Text,
    /// Nothing; its text is to be kept under this hash.
    Second(u64),
    /// Nothing.
    Nothing,
}

impl Repeated {
    /// Keeps nothing.
    pub(super) fn never() -> Self {
        Repeated { interests: Vec::new(), marks: Vec::new(), places: Vec::new(), bytes: Vec::new(), epoch: 1, scope: usize::MAX }
    }

    /// For a part of so many wire bytes.
    pub(super) fn of_part(size: u64) -> Self {
        let mut repeated = Self::never();
        if size >= LEAST {
            repeated.interests = vec![Interest(Interest::AWAKE + Interest::TRIES); INTERESTS];
            repeated.marks = vec![0; MARKS];
            repeated.places = vec![Default::default(); SETS];
        }
        repeated
    }

    /// After declarations were taken out of scope: forgets what was written with them.
    #[inline]
    pub(super) fn leave(&mut self, scope: usize) {
        if scope < self.scope {
            self.forget();
            self.scope = usize::MAX;
        }
    }

    fn forget(&mut self) {
        self.bytes.clear();
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.places.fill(Default::default());
            self.epoch = 1;
        }
    }

    #[inline(always)]
    fn text(&self, set: usize, row: u64, depth: u32, wire: &[u8]) -> Option<&[u8]> {
        self.places.get(set)?.iter().find_map(|place| {
            if place.row != row || place.epoch != self.epoch || place.depth < depth {
                return None;
            }
            let same = self.bytes.get(place.start as usize..place.text as usize)? == wire;
            if same { self.bytes.get(place.text as usize..place.end as usize) } else { None }
        })
    }
}

/// What tells a row from others: all that tags are made of.
#[inline(always)]
fn key(row: &Row) -> u64 {
    u64::from(row.name) << 32 | u64::from(row.target) << 16 | u64::from(row.len) << 8 | u64::from(row.namespace)
}

#[inline(always)]
fn mix(first: u64, second: u64) -> u64 {
    let product = u128::from(first ^ 0x9e37_79b9_7f4a_7c15) * u128::from(second ^ 0xe703_7ed1_a0b4_28db);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of four bytes or more.
#[inline(always)]
fn hash(row: u64, wire: &[u8]) -> u64 {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mut hash = row ^ (wire.len() as u64) << 48;
    if let (Some(first), Some(last), ..8) = (wire.first_chunk::<4>(), wire.last_chunk::<4>(), wire.len()) {
        return mix(hash, u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last)));
    }
    let (chunks, rest) = wire.as_chunks::<16>();
    for chunk in chunks {
        hash = mix(hash ^ word(chunk.first_chunk()), word(chunk.last_chunk()));
    }
    // The last sixteen bytes or, of fewer, the first and last eight.
    if rest.is_empty() {
        hash
    } else {
        mix(hash ^ word(wire.last_chunk()), word(wire.get(wire.len().saturating_sub(16)..).and_then(|last| last.first_chunk())))
    }
}

impl Writer<'_> {
    /// Writes a message by copying its text, if that is known.
    #[inline(always)]
    pub(super) fn repeat(&mut self, wire: &[u8], start: u64, end: u64, name: &Row, depth: u32) -> Found {
        if !LENGTHS.contains(&(end - start)) || !self.declarations.is_empty() {
            return Found::Nothing;
        }
        if self.repeated.interests.get_mut(usize::from(name.target) % INTERESTS).is_some_and(Interest::is_awake) {
            return self.find_repeated(wire, start, end, name, depth);
        }
        Found::Nothing
    }

    #[inline(never)]
    fn find_repeated(&mut self, wire: &[u8], start: u64, end: u64, name: &Row, depth: u32) -> Found {
        let repeated = &mut self.repeated;
        if repeated.scope != self.scope.mark() {
            if repeated.scope != usize::MAX {
                return Found::Nothing;
            }
            repeated.scope = self.scope.mark();
        }
        let Some(wire) = wire.get(start as usize..end as usize) else { return Found::Nothing };
        let row = key(name);
        let hash = hash(row, wire);
        if let Some(text) = repeated.text(hash as usize % SETS, row, depth, wire) {
            if self.open {
                self.out.push(b'>');
                self.open = false;
            }
            self.out.extend_from_slice(text);
            if let Some(interest) = repeated.interests.get_mut(usize::from(name.target) % INTERESTS) {
                interest.grow();
            }
            return Found::Text;
        }
        let mark = (hash >> 32) as u16;
        match repeated.marks.get_mut((hash >> 48) as usize % MARKS) {
            Some(known) if *known == mark => return Found::Second(hash),
            Some(known) => *known = mark,
            None => {}
        }
        if let Some(interest) = repeated.interests.get_mut(usize::from(name.target) % INTERESTS) {
            interest.wane();
        }
        Found::Nothing
    }

    /// Keeps the text of a message, which stands in the buffer from `at` on.
    #[cold]
    pub(super) fn keep(&mut self, hash: u64, wire: &[u8], name: &Row, depth: u32, at: usize) {
        let text = self.out.get(at..).unwrap_or_default();
        let repeated = &mut self.repeated;
        if text.len() > LONGEST_TEXT {
            return;
        }
        if repeated.bytes.len() + wire.len() + text.len() > ROOM {
            repeated.forget();
        }
        let start = repeated.bytes.len();
        repeated.bytes.extend_from_slice(wire);
        repeated.bytes.extend_from_slice(text);
        let place = Place {
            row: key(name),
            epoch: repeated.epoch,
            depth,
            start: start as u32,
            text: (start + wire.len()) as u32,
            end: repeated.bytes.len() as u32,
        };
        if let Some([first, second]) = repeated.places.get_mut(hash as usize % SETS) {
            (*first, *second) = (place, *first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recto_schema::tables::{RowKind, message_named};

    #[test]
    fn texts_are_copied_from_the_third_time_on() {
        let run = recto_schema::tables::message(message_named("recto.word.Run").unwrap());
        let row = run.rows().iter().find(|row| row.kind == RowKind::Child).unwrap();
        let (wire, text) = (b"..wire bytes of a message..", b"<text/>");
        let end = wire.len() as u64;
        let mut sink = Vec::new();
        let mut writer = Writer::new(&mut sink, Vec::new());
        writer.repeated = Repeated::of_part(u64::MAX);
        assert!(matches!(writer.repeat(wire, 0, end, row, 3), Found::Nothing));
        let Found::Second(hash) = writer.repeat(wire, 0, end, row, 3) else { panic!("it came before") };
        writer.out.extend_from_slice(text);
        writer.keep(hash, wire, row, 3, 0);

        writer.open = true;
        assert!(matches!(writer.repeat(wire, 0, end, row, 2), Found::Text));
        assert_eq!(writer.out, b"<text/>><text/>");
        assert!(!writer.open);

        assert!(!matches!(writer.repeat(wire, 0, end, row, 4), Found::Text), "what is deeper may be too deep");
        assert!(!matches!(writer.repeat(wire, 0, end - 1, row, 3), Found::Text), "other bytes");
        let other = run.rows().iter().rfind(|other| other.kind == RowKind::Child && other.name != row.name);
        assert!(other.is_none_or(|other| !matches!(writer.repeat(wire, 0, end, other, 3), Found::Text)), "another row");

        let outer = writer.scope.mark();
        writer.declare(b"p", b"urn:p", 1);
        assert!(!matches!(writer.repeat(wire, 0, end, row, 3), Found::Text), "with other declarations");
        writer.leave(outer);
        assert!(matches!(writer.repeat(wire, 0, end, row, 3), Found::Text));
    }

    #[test]
    fn what_does_not_come_again_is_seldom_looked_up() {
        let mut interest = Interest(Interest::AWAKE + Interest::TRIES);
        let mut looked_up = 0;
        for _ in 0..10_000 {
            if interest.is_awake() {
                looked_up += 1;
                interest.wane();
            }
        }
        assert!((100..2000).contains(&looked_up), "{looked_up}");
        for _ in 0..1000 {
            interest.grow();
        }
        assert!(interest.is_awake());
    }
}
