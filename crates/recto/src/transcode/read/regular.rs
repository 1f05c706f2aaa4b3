//! Regular markup, straight from the buffer: what nearly all of a document is made of.
//!
//! An element is written while it is looked at, and taken back if it turns out not to be complete, known and written in the
//! usual way (for elements without child elements: up to the end tag). What is not (declarations, unknown names, comments,
//! other quotes, values that need a lexical entry) is left to the token path, which handles all XML and gives the same
//! bytes for what is handled here.

use recto_schema::tables::{Child, Codec, Message, Row, RowKind, Scalar, message};

use crate::error::Result;
use crate::transcode::MAX_MESSAGE_DEPTH;
use crate::transcode::forms::{Forms, TOGGLE_BARE, agree};
use crate::transcode::observe::{Item, Observer};
use crate::wire::put_uint;
use crate::xml::names::is_blank;
use crate::xml::namespaces::UNKNOWN;
use crate::xml::scan::{byte, name_end, same, text_end};
use crate::xml::tokens::{OpenNames, PADDING};

use super::Reader;
use super::elements::Opening;
use super::regular_values::{MOST_ATTRIBUTES, Typed};
use super::repeated::{Asked, Depth};
use super::values::Place;

/// A name in a buffer.
#[derive(Clone, Copy)]
pub(super) struct Name {
    /// Where it begins.
    pub start: usize,
    /// Where its local part begins.
    pub local: usize,
    /// Where it ends.
    pub end: usize,
}

impl Name {
    /// The name at a place of a padded buffer.
    #[inline]
    pub(super) fn at(buffer: &[u8], start: usize) -> Self {
        let end = name_end(buffer, start);
        // A colon in front is none that ends a prefix: such a name is left to those who say what is wrong with it.
        if byte(buffer, end) != b':' || end == start {
            return Name { start, local: start, end };
        }
        Name { start, local: end + 1, end: name_end(buffer, end + 1) }
    }

    #[inline]
    pub(super) fn prefix<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        if self.local == self.start { &[] } else { slice(buffer, self.start, self.local - 1) }
    }

    #[inline]
    pub(super) fn local<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        slice(buffer, self.local, self.end)
    }

    #[inline]
    pub(super) fn whole<'b>(&self, buffer: &'b [u8]) -> &'b [u8] {
        slice(buffer, self.start, self.end)
    }

    /// Whether the end tag for it stands at `at`; the byte after it.
    #[inline]
    pub(super) fn end_tag(&self, buffer: &[u8], at: usize) -> Option<usize> {
        let length = self.end - self.start;
        let end = at + 2 + length;
        let is = byte(buffer, at + 1) == b'/' && byte(buffer, end) == b'>' && same(buffer, self.start, at + 2, length);
        is.then_some(end + 1)
    }
}

/// What follows the attributes of a start tag.
#[derive(Clone, Copy)]
pub(super) struct TagEnd {
    /// The byte after the tag.
    pub next: usize,
    /// Whether it is an empty element.
    pub empty: bool,
}

/// What writing an element changes before it is known to be regular.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    out: u64,
    forms: Forms,
    row: u64,
    unusual: bool,
}

/// The bytes of a range; empty if it is none.
#[inline]
pub(super) fn slice(buffer: &[u8], start: usize, end: usize) -> &[u8] {
    buffer.get(start..end).unwrap_or_default()
}

impl<O: Observer> Reader<'_, O> {
    #[inline]
    pub(super) fn trial(&self) -> Trial {
        Trial { out: self.out.position(), forms: self.forms, row: self.row, unusual: self.unusual }
    }

    /// Takes back what has been written of an element that is not regular.
    #[cold]
    pub(super) fn give_up(&mut self, trial: Trial) {
        self.out.truncate(trial.out);
        self.forms = trial.forms;
        self.row = trial.row;
        self.unusual = trial.unusual;
    }

    /// Reads regular markup from the start of a padded window; how much of it.
    pub(super) fn regular(&mut self, window: &[u8], open: &mut OpenNames) -> Result<usize> {
        let length = window.len().saturating_sub(PADDING);
        let few_attributes = (self.limits.max_attributes as usize) < MOST_ATTRIBUTES;
        if self.capture.is_some() || self.leaf.is_some() || few_attributes {
            return Ok(0);
        }
        // `<` cannot stand in a tag, so all tags before the last one are complete.
        let Some(last) = memchr::memrchr(b'<', slice(window, 0, length)) else { return Ok(0) };
        self.pass += 1;
        self.counted.clear();
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
            if self.frames.len() <= self.pause {
                break;
            }
        }
        Ok(at)
    }

    /// White space between elements.
    #[inline]
    fn regular_blank(&mut self, window: &[u8], at: usize) -> Option<usize> {
        let end = text_end(window, at);
        let frame = self.frames.last_mut().filter(|frame| !frame.preserves_space && byte(window, end) == b'<')?;
        let blank = slice(window, at, end);
        if !is_blank(blank) {
            return None;
        }
        frame.keep_blank(blank);
        self.unusual = true;
        Some(end)
    }

    /// The end tag of the innermost frame.
    #[inline]
    fn regular_end(&mut self, window: &[u8], at: usize, open: &mut OpenNames) -> Result<Option<usize>> {
        let Some(end) = open.last_at(window, at + 2).filter(|&end| byte(window, end) == b'>') else { return Ok(None) };
        open.pop();
        let Some(frame) = self.frames.last() else { return Ok(None) };
        self.unusual |= !frame.has_content;
        let begun = frame.begun;
        self.end_frame()?;
        if let Some(begun) = begun {
            self.remember(&begun, window, end + 1);
        }
        Ok(Some(end + 1))
    }

    #[inline]
    fn regular_start(&mut self, window: &[u8], at: usize, open: &mut OpenNames) -> Result<Option<usize>> {
        let Some((found, name)) = self.find_child(window, at + 1) else { return Ok(None) };
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
            RowKind::Child => {
                let opening = Opening { slot, row, list, scope: self.scope.mark() };
                self.regular_child(window, name, &opening, open)
            }
            RowKind::ChildValue => self.regular_value(window, name.end, slot, row),
            RowKind::ChildText => self.regular_text(window, name, slot, row),
            _ => Ok(None),
        }
    }

    /// The child of the innermost frame whose name begins at `at`.
    #[inline]
    fn find_child(&mut self, window: &[u8], at: usize) -> Option<(Child, Name)> {
        let frame = self.frames.last()?;
        let (parent, last, generation) = (frame.message, frame.last, self.scope.generation());
        if let Some((found, end)) = self.children.get(parent, last, generation, window, at) {
            return Some((found, Name { start: at, local: at, end }));
        }
        let name = Name::at(window, at);
        let namespace = self.scope.element(name.prefix(window)).filter(|&id| id != UNKNOWN)?;
        let found = parent.child(namespace, name.local(window))?;
        self.children.set(parent, last, generation, name.whole(window), found);
        Some((found, name))
    }

    /// A child that is a message: its start tag, or all of it if it cannot have child elements.
    #[inline]
    fn regular_child(&mut self, window: &[u8], name: Name, opening: &Opening, open: &mut OpenNames) -> Result<Option<usize>> {
        let child = message(opening.row.target);
        let depth = self.frames.last().map_or(0, |frame| frame.depth) + opening.levels();
        if self.is_too_deep(depth, open.depth()) || child.codec == Codec::Cell {
            return Ok(None);
        }
        let place = Depth { messages: depth, elements: open.depth() };
        let begun = match self.ask(window, name.start - 1, opening, child, place)? {
            Asked::Copied(next) => return Ok(Some(next)),
            Asked::New(begun) => Some(begun),
            Asked::Unasked => None,
        };
        let trial = self.trial();
        let marks = self.begin_wire(opening, child);
        let mut typed = Typed::default();
        let mut tag = None;
        if child.codec == Codec::Row {
            self.row += 1;
            // What is written for a row depends on its number: nothing around it may be remembered.
            self.pass += 1;
            tag = self.usual_row(window, name.end, opening.row.namespace, &mut typed);
        }
        let tag = tag.or_else(|| self.regular_attributes(window, name.end, child, opening.row.namespace, &mut typed));
        let mut whole = tag.is_some_and(|tag| tag.empty) || child.texts > 0;
        let next = match tag {
            Some(tag) if !tag.empty && whole => self.regular_content(window, tag.next, name, child),
            Some(tag) if !tag.empty => {
                let text = self.first_text(window, tag.next, child);
                let next = text.and_then(|text| self.only_text(window, text, name, place));
                whole = next.is_some();
                Some(next.unwrap_or(tag.next))
            }
            tag => tag.map(|tag| tag.next),
        };
        let Some(next) = next else {
            self.give_up(trial);
            return Ok(None);
        };
        self.note_child(opening);
        self.count(Item::Element, opening.row.namespace);
        self.count_all(&typed);
        if whole {
            self.end_wire(marks)?;
            if let Some(begun) = begun {
                self.remember(&begun, window, next);
            }
            self.hand_on()?;
        } else {
            self.push_frame(opening, child, depth, marks);
            if let Some(frame) = self.frames.last_mut() {
                frame.begun = begun;
            }
            open.push(name.whole(window));
        }
        Ok(Some(next))
    }

    /// The child with a text that begins at `at`, if such a one came first in an element the last time, and its name.
    #[inline(always)]
    fn first_text(&self, window: &[u8], at: usize, owner: &'static Message) -> Option<(Opening, Name)> {
        let (found, end) = self.children.get(owner, 0, self.scope.generation(), window, at + 1)?;
        let (slot, row, list) = match found {
            Child::Own(slot, row) => (slot, row, None),
            Child::Item(slot, row) => (slot, row, Some(owner.rows().get(slot)?)),
        };
        let is_text = row.kind == RowKind::Child && message(row.target).texts > 0 && byte(window, at) == b'<';
        let opening = Opening { slot, row, list, scope: self.scope.mark() };
        is_text.then_some((opening, Name { start: at + 1, local: at + 1, end }))
    }

    /// All that stands in an element if it is a child with a text, which is where a text mostly stands, and the end tag; the
    /// byte after it. Nothing, and nothing is changed, if there is something else or the child lies too deep.
    #[inline(never)]
    fn only_text(&mut self, window: &[u8], (opening, inner): (Opening, Name), outer: Name, place: Depth) -> Option<usize> {
        let child = message(opening.row.target);
        if self.is_too_deep(place.messages + opening.levels(), place.elements + 1) {
            return None;
        }
        let trial = self.trial();
        let marks = self.begin_wire(&opening, child);
        let mut typed = Typed::default();
        let namespace = opening.row.namespace;
        let tag = self.regular_attributes(window, inner.end, child, namespace, &mut typed).filter(|tag| !tag.empty);
        let text_end = tag.and_then(|tag| self.regular_content(window, tag.next, inner, child));
        let next = text_end.and_then(|end| outer.end_tag(window, end));
        if next.is_none() || self.end_wire(marks).is_err() {
            self.give_up(trial);
            return None;
        }
        self.count(Item::Element, namespace);
        self.count_all(&typed);
        next
    }

    /// Whether an element would lie too deep, in messages or inside of so many elements.
    #[inline]
    fn is_too_deep(&self, messages: u32, elements: usize) -> bool {
        messages > MAX_MESSAGE_DEPTH || elements as u64 >= u64::from(self.limits.max_depth)
    }

    /// The text of an element, and its end tag; the byte after it.
    #[inline]
    pub(super) fn regular_content(&mut self, window: &[u8], start: usize, name: Name, owner: &Message) -> Option<usize> {
        let field = u32::from(owner.text()?.field);
        // A message leaves an empty text out.
        let is_empty = byte(window, start) == b'<';
        self.unusual |= is_empty;
        let end = if is_empty { start } else { self.put_content(window, start, field)? };
        name.end_tag(window, end)
    }

    /// An empty element whose one attribute is the value.
    #[inline]
    fn regular_value(&mut self, window: &[u8], at: usize, slot: usize, row: &'static Row) -> Result<Option<usize>> {
        let bare = byte(window, at) == b'/' && byte(window, at + 1) == b'>';
        let trial = self.trial();
        let next = if bare { self.put_bare(row).then_some(at + 2) } else { self.put_only_attribute(window, at, slot, row) };
        let Some(next) = next else {
            self.give_up(trial);
            return Ok(None);
        };
        self.mark(slot, row);
        self.count(Item::Element, row.namespace);
        if !bare {
            self.count(Item::Attribute, row.namespace);
        }
        self.hand_on()?;
        Ok(Some(next))
    }

    /// An on/off element without attribute is on; whether the part writes it so.
    #[inline]
    fn put_bare(&mut self, row: &Row) -> bool {
        put_uint(&mut self.out.bytes, u32::from(row.field), 1);
        row.scalar == Scalar::Bool && agree(&mut self.forms.toggles, TOGGLE_BARE)
    }

    /// An element without attributes whose text is the value.
    #[inline]
    fn regular_text(&mut self, window: &[u8], name: Name, slot: usize, row: &'static Row) -> Result<Option<usize>> {
        if byte(window, name.end) != b'>' {
            return Ok(None);
        }
        let trial = self.trial();
        let end = if row.scalar == Scalar::String {
            self.put_content(window, name.end + 1, u32::from(row.field))
        } else {
            let end = text_end(window, name.end + 1);
            self.put_value(window, row, (name.end + 1, end), Place::ChildText).map(|_| end)
        };
        let end_tag = |end: usize| if byte(window, end) == b'<' { name.end_tag(window, end) } else { None };
        let Some(next) = end.and_then(end_tag) else {
            self.give_up(trial);
            return Ok(None);
        };
        self.unusual |= end == Some(name.end + 1);
        self.mark(slot, row);
        self.count(Item::Element, row.namespace);
        self.hand_on()?;
        Ok(Some(next))
    }
}
