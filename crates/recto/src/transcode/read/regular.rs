//! Regular markup, straight from the buffer: what nearly all of a document is made of.
//!
//! Everything here looks first and writes only when an element (for leaves: up to its end tag) has been found to be
//! complete, known and written in the usual way. Whatever is not (declarations, unknown names, entities, comments, other quotes,
//! values that need a lexical entry) is left to the token path, which handles all XML and gives the same bytes
//! for what is handled here.

use recto_schema::tables::{
    Child, Codec, Message, NO_NAMESPACE, Row, RowKind, Scalar, VALUE_ATTRIBUTES, XML_NAMESPACE, enumeration, message,
};

use crate::error::Result;
use crate::transcode::MAX_MESSAGE_DEPTH;
use crate::transcode::forms::{BOOL_DIGIT, TOGGLE_BARE, TOGGLE_EXPLICIT, agree};
use crate::transcode::observe::{Item, Observer};
use crate::transcode::plain::Plain;
use crate::wire::{WireType, put_bytes, put_key, put_uint};
use crate::xml::names::is_blank;
use crate::xml::namespaces::UNKNOWN;
use crate::xml::scan::{byte, digits, name_end, text_end, value_end};
use crate::xml::tokens::{OpenNames, PADDING};

use super::Reader;
use super::elements::Opening;
use super::values::Place;

/// Attributes of an element that are looked at here.
const MOST_ATTRIBUTES: usize = 24;

/// Attributes that were found, as rows and the places of their values.
pub(super) struct Found {
    list: [(u8, u32, u32); MOST_ATTRIBUTES],
    count: usize,
}

impl Found {
    #[inline]
    pub(super) fn new() -> Self {
        Found { list: [(0, 0, 0); MOST_ATTRIBUTES], count: 0 }
    }

    /// Whether all values are of a kind.
    #[inline]
    pub(super) fn all(&self, window: &[u8], owner: &Message, fits: impl Fn(&Row, &[u8]) -> bool) -> bool {
        self.list().iter().all(|&(slot, start, end)| {
            let row = owner.rows().get(usize::from(slot));
            row.is_some_and(|row| fits(row, slice(window, start as usize, end as usize)))
        })
    }

    #[inline]
    fn list(&self) -> &[(u8, u32, u32)] {
        self.list.get(..self.count).unwrap_or_default()
    }
}

/// A start tag's name.
#[derive(Clone, Copy)]
pub(super) struct Name {
    /// Where it begins.
    start: usize,
    /// Where its local part begins.
    local: usize,
    /// Where it ends.
    pub end: usize,
}

/// What follows the attributes of a start tag.
#[derive(Clone, Copy)]
pub(super) struct TagEnd {
    /// The byte after the tag.
    pub next: usize,
    /// Whether it is an empty element.
    pub empty: bool,
}

/// The bytes of a range; empty if it is none.
#[inline]
pub(super) fn slice(buffer: &[u8], start: usize, end: usize) -> &[u8] {
    buffer.get(start..end).unwrap_or_default()
}

#[inline]
fn name(buffer: &[u8], start: usize) -> Name {
    let end = name_end(buffer, start);
    if byte(buffer, end) != b':' {
        return Name { start, local: start, end };
    }
    Name { start, local: end + 1, end: name_end(buffer, end + 1) }
}

impl Name {
    #[inline]
    fn prefix<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        if self.local == self.start { &[] } else { slice(buffer, self.start, self.local - 1) }
    }

    #[inline]
    fn local<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        slice(buffer, self.local, self.end)
    }

    #[inline]
    pub(super) fn whole<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        slice(buffer, self.start, self.end)
    }
}

/// Whether the end tag of a name stands at `at`; the byte after it.
#[inline]
pub(super) fn end_tag(buffer: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    let end = at + 2 + name.len();
    let is = byte(buffer, at + 1) == b'/' && slice(buffer, at + 2, end) == name && byte(buffer, end) == b'>';
    is.then_some(end + 1)
}

impl<O: Observer> Reader<'_, O> {
    /// Reads regular markup from the start of a padded window; how much of it.
    pub(super) fn regular(&mut self, window: &[u8], open: &mut OpenNames) -> Result<usize> {
        let length = window.len().saturating_sub(PADDING);
        if self.capture.is_some() || self.leaf.is_some() {
            return Ok(0);
        }
        // `<` cannot stand in a tag, so all tags before the last one are complete.
        let Some(last) = memchr::memrchr(b'<', slice(window, 0, length)) else { return Ok(0) };
        let mut at = 0;
        while at < last {
            let next = match (byte(window, at), byte(window, at + 1)) {
                (b'<', b'/') => self.regular_end(window, at, open)?,
                (b'<', b'!' | b'?') => None,
                (b'<', b'c') if byte(window, at + 2) == b' ' && self.in_row() => self.regular_cells(window, at, last)?,
                (b'<', _) => self.regular_start(window, at, open)?,
                _ => self.regular_blank(window, at),
            };
            let Some(next) = next else { break };
            at = next;
            if self.frames.is_empty() {
                break;
            }
        }
        Ok(at)
    }

    /// White space between elements that says nothing.
    #[inline]
    fn regular_blank(&mut self, window: &[u8], at: usize) -> Option<usize> {
        let end = text_end(window, at);
        self.unusual = true;
        let frame = self.frames.last()?;
        let means_nothing = frame.has_content && !frame.preserves_space && byte(window, end) == b'<';
        (means_nothing && is_blank(slice(window, at, end))).then_some(end)
    }

    /// The end tag of the innermost frame.
    #[inline]
    fn regular_end(&mut self, window: &[u8], at: usize, open: &mut OpenNames) -> Result<Option<usize>> {
        let Some(next) = end_tag(window, at, open.last()) else { return Ok(None) };
        if open.last().is_empty() {
            return Ok(None);
        }
        open.pop();
        self.unusual |= self.frames.last().is_some_and(|frame| !frame.has_content);
        self.end_frame()?;
        Ok(Some(next))
    }

    #[inline]
    fn regular_start(&mut self, window: &[u8], at: usize, open: &mut OpenNames) -> Result<Option<usize>> {
        let Some(frame) = self.frames.last() else { return Ok(None) };
        let (parent, last, generation) = (frame.message, frame.last, self.scope.generation());
        let guess = self.children.get(parent, last, generation, window, at + 1);
        let (found, name) = match guess {
            Some((found, end)) => (found, Name { start: at + 1, local: at + 1, end }),
            None => {
                let name = name(window, at + 1);
                let Some(namespace) = self.scope.element(name.prefix(window)).filter(|&id| id != UNKNOWN) else {
                    return Ok(None);
                };
                let Some(found) = parent.child(namespace, name.local(window)) else { return Ok(None) };
                self.children.set(parent, last, generation, name.whole(window), found);
                (found, name)
            }
        };
        let Some(frame) = self.frames.last() else { return Ok(None) };
        let (slot, row, list) = match found {
            Child::Own(slot, row) if row.repeated || frame.seen & 1 << slot == 0 => (slot, row, None),
            Child::Own(..) => return Ok(None),
            Child::Item(slot, row) => match frame.message.rows().get(slot) {
                Some(list) => (slot, row, Some(list)),
                None => return Ok(None),
            },
        };
        match row.kind {
            RowKind::Child => {}
            RowKind::ChildValue => return self.regular_value(window, name.end, slot, row),
            RowKind::ChildText => return self.regular_text(window, name, slot, row),
            _ => return Ok(None),
        }
        let child = message(row.target);
        let depth = frame.depth + 1 + u32::from(list.is_some());
        if depth > MAX_MESSAGE_DEPTH || open.depth() as u64 >= u64::from(self.limits.max_depth) {
            return Ok(None);
        }
        let opening = Opening { slot, row, list, scope: self.scope.mark() };
        if child.codec == Codec::Cell {
            return Ok(None);
        }
        if child.texts > 0 {
            return self.regular_leaf(window, name, &opening, child, depth);
        }
        let mut attributes = Found::new();
        let Some(tag) = self.find_attributes(window, name.end, child, &mut attributes) else { return Ok(None) };
        self.begin(&opening, child, depth);
        if child.codec == Codec::Row {
            self.row += 1;
        }
        self.observer.typed(Item::Element, row.namespace);
        self.put_attributes(window, child, row.namespace, &attributes);
        self.write_extras();
        if tag.empty {
            self.end_frame()?;
        } else {
            open.push(name.whole(window));
        }
        Ok(Some(tag.next))
    }

    /// Looks at all attributes of a tag: known, once each, in double quotes, with plain values.
    #[inline]
    pub(super) fn find_attributes(
        &mut self,
        window: &[u8],
        mut at: usize,
        owner: &'static Message,
        found: &mut Found,
    ) -> Option<TagEnd> {
        let (mut seen, mut last) = (0u128, 0);
        loop {
            match byte(window, at) {
                b'>' => return Some(TagEnd { next: at + 1, empty: false }),
                b'/' if byte(window, at + 1) == b'>' => return Some(TagEnd { next: at + 2, empty: true }),
                b' ' => at += 1,
                _ => return None,
            }
            if matches!(byte(window, at), b'/' | b'>' | b' ') {
                self.unusual = true;
                continue;
            }
            let (slot, row, name_end) = self.find_attribute(window, at, owner, last)?;
            let twice = seen & 1 << slot != 0;
            seen |= 1 << slot;
            last = slot + 1;
            let keeps_space = row.namespace == XML_NAMESPACE && owner.texts == 0;
            if twice || keeps_space || byte(window, name_end) != b'=' || byte(window, name_end + 1) != b'"' {
                return None;
            }
            let start = name_end + 2;
            let end = value_end(window, start);
            if byte(window, end) != b'"' {
                return None;
            }
            *found.list.get_mut(found.count)? = (slot as u8, start as u32, end as u32);
            found.count += 1;
            at = end + 1;
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
        let name = name(window, at);
        let namespace = self.scope.attribute(name.prefix(window)).filter(|&id| id != UNKNOWN)?;
        let (slot, row) = owner.attribute(namespace, name.local(window))?;
        self.attributes.set(owner, last, generation, name.whole(window), (slot, row));
        Some((slot, row, name.end))
    }

    /// Writes attributes that were found.
    #[inline]
    pub(super) fn put_attributes(&mut self, window: &[u8], owner: &'static Message, namespace: u8, found: &Found) {
        for &(slot, start, end) in found.list() {
            let Some(row) = owner.rows().get(usize::from(slot)) else { continue };
            let (start, end) = (start as usize, end as usize);
            let value = self.put_value(window, row, start, end, Place::Attribute);
            if owner.codec == Codec::Row
                && u32::from(row.field) == recto_schema::fields::sheet::row::INDEX
                && let Some(value) = value
            {
                self.row = value;
            }
            let counted = if row.namespace == NO_NAMESPACE { namespace } else { row.namespace };
            match value {
                Some(_) => self.observer.typed(Item::Attribute, counted),
                None => self.observer.untyped(Item::Attribute, self.uri_of(counted), row.local()),
            }
        }
    }

    /// Writes a plain value; its bits, or nothing where it is not valid.
    #[inline]
    fn put_value(&mut self, window: &[u8], row: &Row, start: usize, end: usize, place: Place) -> Option<u64> {
        let text = slice(window, start, end);
        let field = u32::from(row.field);
        match row.scalar {
            Scalar::String => {
                put_bytes(&mut self.out.bytes, field, text);
                return Some(0);
            }
            Scalar::Uint32 | Scalar::Int32 | Scalar::Uint64 | Scalar::Int64 => {
                let number = digits(window, start, end - start);
                if let Some(number) = number.filter(|_| text.len() == 1 || text.first() != Some(&b'0')) {
                    put_uint(&mut self.out.bytes, field, u64::from(number));
                    return Some(u64::from(number));
                }
            }
            Scalar::Bool => {
                let toggles = place == Place::ChildAttribute && text == b"1";
                if matches!(text, b"0" | b"1") && agree(&mut self.forms.bools, BOOL_DIGIT) {
                    let value = u64::from(text == b"1");
                    put_uint(&mut self.out.bytes, field, value);
                    if toggles && !agree(&mut self.forms.toggles, TOGGLE_EXPLICIT) {
                        self.lexical(field, Some(text));
                    }
                    return Some(value);
                }
            }
            Scalar::Enum => {
                if let Some(number) = enumeration(row.target).and_then(|values| values.number(text)) {
                    put_uint(&mut self.out.bytes, field, number);
                    return Some(number);
                }
            }
            Scalar::Double => {
                if let Some((plain, value)) =
                    Plain::scan(window, start).filter(|plain| plain.end == end).and_then(|plain| Some((plain, plain.value()?)))
                {
                    put_key(&mut self.out.bytes, field, WireType::Fixed64);
                    self.out.bytes.extend_from_slice(&value.to_bits().to_le_bytes());
                    if !self.is_regular_plain(&plain, value, text) {
                        self.lexical(field, Some(text));
                    }
                    return Some(value.to_bits());
                }
            }
        }
        match self.typed_text(row, text, place) {
            super::values::Value::Typed(bits) => Some(bits),
            super::values::Value::Invalid => None,
        }
    }

    /// An empty element whose one attribute is the value.
    #[inline]
    fn regular_value(&mut self, window: &[u8], at: usize, slot: usize, row: &'static Row) -> Result<Option<usize>> {
        if byte(window, at) == b'/' && byte(window, at + 1) == b'>' && row.scalar == Scalar::Bool {
            self.mark(slot, row);
            put_uint(&mut self.out.bytes, u32::from(row.field), 1);
            if !agree(&mut self.forms.toggles, TOGGLE_BARE) {
                self.lexical(u32::from(row.field), None);
            }
            self.observer.typed(Item::Element, row.namespace);
            self.hand_on()?;
            return Ok(Some(at + 2));
        }
        let Some(attribute) = VALUE_ATTRIBUTES.get(usize::from(row.aux)) else { return Ok(None) };
        if byte(window, at) != b' ' {
            return Ok(None);
        }
        let name = name(window, at + 1);
        let Some(namespace) = self.scope.attribute(name.prefix(window)) else { return Ok(None) };
        let start = name.end + 2;
        let end = value_end(window, start);
        let regular = attribute.is(namespace, name.local(window))
            && (byte(window, name.end), byte(window, name.end + 1)) == (b'=', b'"')
            && (byte(window, end), byte(window, end + 1), byte(window, end + 2)) == (b'"', b'/', b'>');
        if !regular {
            return Ok(None);
        }
        self.mark(slot, row);
        self.observer.typed(Item::Element, row.namespace);
        match self.put_value(window, row, start, end, Place::ChildAttribute) {
            Some(_) => self.observer.typed(Item::Attribute, row.namespace),
            None => self.observer.untyped(Item::Attribute, self.uri_of(row.namespace), attribute.local()),
        }
        self.hand_on()?;
        Ok(Some(end + 3))
    }

    /// An element without attributes whose text is the value.
    #[inline]
    fn regular_text(&mut self, window: &[u8], name: Name, slot: usize, row: &'static Row) -> Result<Option<usize>> {
        if byte(window, name.end) != b'>' || row.scalar != Scalar::String {
            return Ok(None);
        }
        let start = name.end + 1;
        let end = text_end(window, start);
        let Some(next) = end_tag(window, end, name.whole(window)).filter(|_| byte(window, end) == b'<') else { return Ok(None) };
        self.mark(slot, row);
        self.unusual |= start == end;
        put_bytes(&mut self.out.bytes, u32::from(row.field), slice(window, start, end));
        self.observer.typed(Item::Element, row.namespace);
        self.hand_on()?;
        Ok(Some(next))
    }

    /// A message with text, up to its end tag.
    #[inline]
    fn regular_leaf(
        &mut self,
        window: &[u8],
        name: Name,
        opening: &Opening,
        child: &'static Message,
        depth: u32,
    ) -> Result<Option<usize>> {
        let mut attributes = Found::new();
        let Some((text, next)) = self.find_leaf(window, name, child, &mut attributes) else { return Ok(None) };
        self.begin(opening, child, depth);
        self.observer.typed(Item::Element, opening.row.namespace);
        self.put_attributes(window, child, opening.row.namespace, &attributes);
        self.write_extras();
        self.put_leaf_text(window, child, text);
        self.end_frame()?;
        Ok(Some(next))
    }

    /// Looks at an element with text: its attributes, where its text stands, and the byte after its end tag.
    #[inline]
    pub(super) fn find_leaf(
        &mut self,
        window: &[u8],
        name: Name,
        child: &'static Message,
        attributes: &mut Found,
    ) -> Option<((usize, usize), usize)> {
        let tag = self.find_attributes(window, name.end, child, attributes)?;
        if tag.empty {
            return Some(((tag.next, tag.next), tag.next));
        }
        let end = text_end(window, tag.next);
        if byte(window, end) != b'<' {
            return None;
        }
        let next = end_tag(window, end, name.whole(window))?;
        self.unusual |= end == tag.next;
        Some(((tag.next, end), next))
    }

    #[inline]
    pub(super) fn put_leaf_text(&mut self, window: &[u8], child: &Message, (start, end): (usize, usize)) {
        if let Some(row) = child.text().filter(|_| end > start) {
            put_bytes(&mut self.out.bytes, u32::from(row.field), slice(window, start, end));
        }
    }

    /// Looks at a child's name.
    #[inline]
    pub(super) fn child_name(window: &[u8], at: usize) -> Name {
        name(window, at)
    }
}
