//! Attributes, values and texts of regular markup.

use recto_schema::tables::{Codec, Message, NO_NAMESPACE, Row, Scalar, VALUE_ATTRIBUTES, XML_NAMESPACE, enumeration};

use crate::transcode::forms::{TOGGLE_EXPLICIT, agree, parse_bool};
use crate::transcode::observe::Observer;
use crate::transcode::plain::Plain;
use crate::wire::{put_bytes, put_double, put_piece, put_uint};
use crate::xml::escapes;
use crate::xml::namespaces::UNKNOWN;
use crate::xml::scan::{byte, digits, text_end, value_end, word};
use crate::xml::spelling::is_usual_text;

use super::Reader;
use super::regular::{Name, TagEnd, slice};
use super::values::Place;

/// Attributes of an element that are looked at here.
pub(super) const MOST_ATTRIBUTES: usize = 24;

/// Namespaces of the attributes that have been written, to be reported once their element is.
#[derive(Clone, Copy, Default)]
pub(super) struct Typed {
    namespaces: [u8; MOST_ATTRIBUTES],
    count: usize,
}

impl Typed {
    #[inline]
    pub(super) fn add(&mut self, namespace: u8) -> Option<()> {
        *self.namespaces.get_mut(self.count)? = namespace;
        self.count += 1;
        Some(())
    }

    pub(super) fn namespaces(&self) -> &[u8] {
        self.namespaces.get(..self.count).unwrap_or_default()
    }
}

/// Whether a value in double quotes follows the name that ends at `at`.
#[inline(always)]
fn opens_value(window: &[u8], at: usize) -> bool {
    word(window, at) as u16 == u16::from_le_bytes(*b"=\"")
}

impl<O: Observer> Reader<'_, O> {
    /// As [`Reader::put_all_attributes`]; most tags have none.
    #[inline(always)]
    pub(super) fn regular_attributes(
        &mut self,
        window: &[u8],
        at: usize,
        owner: &'static Message,
        namespace: u8,
        typed: &mut Typed,
    ) -> Option<TagEnd> {
        if byte(window, at) == b'>' {
            return Some(TagEnd { next: at + 1, empty: false });
        }
        self.put_all_attributes(window, at, owner, namespace, typed)
    }

    /// Writes all attributes of a tag: known, once each, in double quotes, with values that need no lexical entry.
    pub(super) fn put_all_attributes(
        &mut self,
        window: &[u8],
        mut at: usize,
        owner: &'static Message,
        namespace: u8,
        typed: &mut Typed,
    ) -> Option<TagEnd> {
        let (mut seen, mut last, mut highest) = (0u128, 0, 0);
        let mut tail = None;
        loop {
            let end = match byte(window, at) {
                b' ' => None,
                b'>' => Some(TagEnd { next: at + 1, empty: false }),
                b'/' if byte(window, at + 1) == b'>' => Some(TagEnd { next: at + 2, empty: true }),
                _ => return None,
            };
            if let Some(end) = end {
                if let Some(tail) = tail {
                    self.remember_tail(window, &tail, end, typed);
                }
                return Some(end);
            }
            at += 1;
            if matches!(byte(window, at), b'/' | b'>') {
                self.unusual = true;
                continue;
            }
            let (slot, row, name_end) = self.find_attribute(window, at, owner, last)?;
            // In the schema's order, none can come twice.
            let twice = slot < highest && seen & 1 << slot != 0;
            let keeps_space = row.namespace == XML_NAMESPACE && owner.texts == 0;
            if twice || keeps_space || !opens_value(window, name_end) {
                return None;
            }
            seen |= 1 << slot;
            last = slot + 1;
            highest = highest.max(last);
            let (start, end) = (name_end + 2, value_end(window, name_end + 2));
            if byte(window, end) != b'"' {
                return None;
            }
            let value = self.put_value(window, row, (start, end), Place::Attribute)?;
            typed.add(if row.namespace == NO_NAMESPACE { namespace } else { row.namespace })?;
            at = end + 1;
            if owner.codec == Codec::Row && u32::from(row.field) == recto_schema::fields::sheet::row::INDEX {
                self.row = value;
                if seen == 1 << slot {
                    tail = Some(self.begin_tail(at, typed));
                }
            }
        }
    }

    /// The attribute whose name begins at `at`, and where the name ends.
    #[inline]
    fn find_attribute(
        &mut self,
        window: &[u8],
        at: usize,
        owner: &'static Message,
        last: usize,
    ) -> Option<(usize, &'static Row, usize)> {
        let generation = self.scope.generation();
        if let Some(((slot, row), end)) = self.attributes.get(owner, last, generation, window, at) {
            return Some((slot, row, end));
        }
        let name = Name::at(window, at);
        let namespace = self.scope.attribute(name.prefix(window)).filter(|&id| id != UNKNOWN)?;
        let (slot, row) = owner.attribute(namespace, name.local(window))?;
        self.attributes.set(owner, last, generation, name.whole(window), (slot, row));
        Some((slot, row, name.end))
    }

    /// Writes the value of an empty element from its attribute; the byte after the element.
    #[inline]
    pub(super) fn put_only_attribute(&mut self, window: &[u8], at: usize, slot: usize, row: &'static Row) -> Option<usize> {
        if byte(window, at) != b' ' {
            return None;
        }
        let name_end = self.find_value(window, at + 1, slot, row)?;
        let start = name_end + 2;
        let end = value_end(window, start);
        let regular = opens_value(window, name_end)
            && (byte(window, end), byte(window, end + 1), byte(window, end + 2)) == (b'"', b'/', b'>');
        if !regular {
            return None;
        }
        self.put_value(window, row, (start, end), Place::ChildAttribute)?;
        Some(end + 3)
    }

    /// Where the name at `at` ends, if it is the attribute that holds a flattened child's value.
    #[inline]
    fn find_value(&mut self, window: &[u8], at: usize, slot: usize, row: &'static Row) -> Option<usize> {
        let (parent, generation) = (self.message()?, self.scope.generation());
        if let Some((_, end)) = self.values.get(parent, slot, generation, window, at) {
            return Some(end);
        }
        let name = Name::at(window, at);
        let namespace = self.scope.attribute(name.prefix(window))?;
        let attribute = VALUE_ATTRIBUTES.get(usize::from(row.aux))?;
        if !attribute.is(namespace, name.local(window)) {
            return None;
        }
        self.values.set(parent, slot, generation, name.whole(window), ());
        Some(name.end)
    }

    /// Writes a value without entities; its bits, or nothing where it is not valid or would need a lexical entry.
    #[inline]
    pub(super) fn put_value(&mut self, window: &[u8], row: &Row, (start, end): (usize, usize), place: Place) -> Option<u64> {
        let field = u32::from(row.field);
        match row.scalar {
            Scalar::String => {
                put_piece(&mut self.out.bytes, field, window, start, end);
                return Some(0);
            }
            Scalar::Uint32 | Scalar::Int32 | Scalar::Uint64 | Scalar::Int64 => {
                let number = digits(window, start, end - start);
                if let Some(number) = number.filter(|_| end - start == 1 || byte(window, start) != b'0') {
                    put_uint(&mut self.out.bytes, field, u64::from(number));
                    return Some(u64::from(number));
                }
            }
            Scalar::Bool => {
                let (value, form) = parse_bool(slice(window, start, end))?;
                let toggles = value && place == Place::ChildAttribute;
                let regular = agree(&mut self.forms.bools, form) && (!toggles || agree(&mut self.forms.toggles, TOGGLE_EXPLICIT));
                put_uint(&mut self.out.bytes, field, u64::from(value));
                return regular.then_some(u64::from(value));
            }
            Scalar::Enum => {
                let number = enumeration(row.target)?.number(slice(window, start, end))?;
                put_uint(&mut self.out.bytes, field, number);
                return Some(number);
            }
            Scalar::Double => {
                let plain = Plain::scan(window, start).filter(|plain| plain.end == end);
                if let Some((plain, value)) = plain.and_then(|plain| Some((plain, plain.value()?))) {
                    put_double(&mut self.out.bytes, field, value.to_bits());
                    return self.is_regular_plain(&plain, value, slice(window, start, end)).then_some(value.to_bits());
                }
            }
        }
        self.put_rare_value(row, slice(window, start, end), place)
    }

    /// As [`Reader::put_value`], for numbers that are not written in the most usual way.
    #[inline(never)]
    fn put_rare_value(&mut self, row: &Row, text: &[u8], place: Place) -> Option<u64> {
        let (bits, regular) = self.parse(row, text, place)?;
        if row.scalar == Scalar::Double {
            put_double(&mut self.out.bytes, u32::from(row.field), bits);
        } else {
            put_uint(&mut self.out.bytes, u32::from(row.field), bits);
        }
        regular.then_some(bits)
    }

    /// Writes the text that begins at `start`; where it ends, which is at `<`.
    #[inline]
    pub(super) fn put_content(&mut self, window: &[u8], start: usize, field: u32) -> Option<usize> {
        let end = text_end(window, start);
        if byte(window, end) != b'<' {
            return self.put_escaped(window, start, end, field);
        }
        put_piece(&mut self.out.bytes, field, window, start, end);
        Some(end)
    }

    /// As [`Reader::put_content`], for a text in which something needs more than copying at `special`.
    #[inline(never)]
    fn put_escaped(&mut self, window: &[u8], start: usize, special: usize, field: u32) -> Option<usize> {
        let before = self.out.position();
        let mark = self.out.begin(field);
        if let Some(end) = escapes::unescape_usual(window, start, special, &mut self.out.bytes) {
            self.out.end(mark).ok()?;
            return Some(end);
        }
        self.out.truncate(before);
        let end = special + memchr::memchr(b'<', window.get(special..)?)?;
        let raw = slice(window, start, end);
        self.unusual = self.unusual || !is_usual_text(raw);
        self.scratch.clear();
        escapes::unescape_text(raw, &mut self.scratch).ok()?;
        put_bytes(&mut self.out.bytes, field, &self.scratch);
        Some(end)
    }
}
