//! Start and end of elements that are messages.

use recto_schema::tables::{Child, Codec, Message, Row, RowKind, XML_NAMESPACE, message};

use crate::error::Result;
use crate::transcode::MAX_MESSAGE_DEPTH;
use crate::transcode::observe::{Item, Observer};
use crate::xml::escapes;
use crate::xml::namespaces::UNKNOWN;
use crate::xml::tokens::Tag;

use super::capture::{Target, undeclared};
use super::frame::{Frame, Marks};
use super::{PIECE, Reader};

/// A child that is about to become a message.
pub(super) struct Opening {
    /// Slot in the parent.
    pub slot: usize,
    /// The row that names it: of the parent, or of the parent's list message.
    pub row: &'static Row,
    /// The row of the parent's content list, if it is an item of it.
    pub list: Option<&'static Row>,
    /// Declarations in scope around it.
    pub scope: usize,
}

impl Opening {
    /// How many messages deeper than the parent it is.
    pub(super) fn levels(&self) -> u32 {
        1 + u32::from(self.list.is_some())
    }
}

impl<O: Observer> Reader<'_, O> {
    /// A start tag inside the root.
    #[inline]
    pub(super) fn start(&mut self, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        if self.leaf.is_some() {
            self.leaf_to_capture()?;
        }
        if self.capture.is_some() {
            return self.start_captured(tag, raw);
        }
        let scope = self.scope.mark();
        let declares = self.declare(tag, self.frames.len() as u32)?;
        let Some(namespace) = self.scope.element(tag.prefix()) else { return Err(undeclared(tag.prefix())) };
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let parent = frame.message;
        let found = if namespace == UNKNOWN { None } else { parent.child(namespace, tag.local()) };
        match found {
            Some(Child::Own(slot, row)) if row.repeated || frame.seen & 1 << slot == 0 => match row.kind {
                RowKind::Child => return self.open(Opening { slot, row, list: None, scope }, tag, raw),
                RowKind::Raw => return self.capture(Target::Field { slot, row }, scope, tag, raw),
                RowKind::ChildValue if !declares || self.declares_itself(row, scope) => {
                    return self.child_value(slot, row, scope, tag, raw);
                }
                RowKind::ChildText if !declares || self.declares_itself(row, scope) => {
                    return self.child_text(slot, row, scope, tag, raw);
                }
                _ => {}
            },
            Some(Child::Item(slot, row)) => {
                let Some(list) = parent.rows().get(slot) else { return Ok(()) };
                match row.kind {
                    RowKind::Child => return self.open(Opening { slot, row, list: Some(list), scope }, tag, raw),
                    _ => return self.capture(Target::Item { slot, list, item: u32::from(row.field) }, scope, tag, raw),
                }
            }
            None if parent.codec == Codec::Cell && !declares && self.is_cell_value(namespace, tag) => {
                return self.cell_value(tag, raw);
            }
            _ => {}
        }
        let target = self.unknown_target();
        self.capture(target, scope, tag, raw)
    }

    /// Opens a child that is a message, or captures it if it is nested too deeply.
    #[inline]
    fn open(&mut self, opening: Opening, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let depth = self.frames.last().map_or(0, |frame| frame.depth) + opening.levels();
        let child = message(opening.row.target);
        if depth > MAX_MESSAGE_DEPTH {
            return self.capture_deep(opening.scope, tag, raw);
        }
        if child.texts > 0 {
            return self.open_text(opening, depth, tag, raw);
        }
        self.begin(&opening, child, depth);
        self.start_message(tag)?;
        if tag.empty { self.end_frame() } else { Ok(()) }
    }

    /// Pushes the frame of a child message and begins it on the wire.
    #[inline]
    pub(super) fn begin(&mut self, opening: &Opening, child: &'static Message, depth: u32) {
        self.note_child(opening);
        let marks = self.begin_wire(opening, child);
        self.push_frame(opening, child, depth, marks);
    }

    /// Notes a child of the innermost frame that is a message.
    #[inline]
    pub(super) fn note_child(&mut self, opening: &Opening) {
        if self.frames.last().is_some_and(Frame::holds) {
            self.release(Some(opening.row.namespace));
        }
        self.mark(opening.slot, opening.list.unwrap_or(opening.row));
    }

    /// Begins a child message, and its wrapper in a content list, on the wire.
    #[inline]
    pub(super) fn begin_wire(&mut self, opening: &Opening, child: &'static Message) -> Marks {
        let outer = opening.list.map(|list| self.out.begin(u32::from(list.field)));
        let field = u32::from(opening.row.field);
        Marks { outer, inner: if child.streamed { self.out.begin_wide(field) } else { self.out.begin(field) } }
    }

    /// Ends what [`Reader::begin_wire`] began.
    #[inline]
    pub(super) fn end_wire(&mut self, marks: Marks) -> Result<()> {
        self.out.end(marks.inner)?;
        match marks.outer {
            Some(outer) => self.out.end(outer),
            None => Ok(()),
        }
    }

    #[inline]
    pub(super) fn push_frame(&mut self, opening: &Opening, child: &'static Message, depth: u32, marks: Marks) {
        let parent_streamed = self.frames.last().is_some_and(|frame| frame.streamed);
        self.frames.push(Frame {
            message: child,
            namespace: opening.row.namespace,
            marks,
            depth,
            scope: opening.scope,
            runs: self.runs.len(),
            seen: 0,
            last: 0,
            disordered: false,
            has_content: false,
            aside: None,
            preserves_space: false,
            streamed: child.streamed && parent_streamed,
            begun: None,
        });
    }

    /// Attributes, declarations and extras of the innermost frame's start tag.
    #[inline]
    pub(super) fn start_message(&mut self, tag: &Tag<'_>) -> Result<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (child, namespace, scope) = (frame.message, frame.namespace, frame.scope);
        match child.codec {
            Codec::None => {}
            Codec::Row => self.row += 1,
            Codec::Cell => self.start_cell(),
        }
        self.observer.typed(Item::Element, namespace);
        let preserves = if tag.attributes.is_empty() { false } else { self.attributes(tag, child, namespace)? };
        if self.scope.mark() > scope {
            self.declarations(tag, child, namespace, scope)?;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.preserves_space = preserves;
        }
        self.write_extras();
        Ok(())
    }

    /// Ends the innermost frame.
    #[inline]
    pub(super) fn end_frame(&mut self) -> Result<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        if frame.aside.is_some() || frame.disordered || frame.message.codec == Codec::Cell {
            self.complete_frame()?;
        }
        self.write_extras();
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.runs.truncate(frame.runs);
        self.scope.leave(frame.scope);
        self.end_wire(frame.marks)?;
        self.hand_on()
    }

    /// Adds to the innermost frame's extras what only its end shows.
    fn complete_frame(&mut self) -> Result<()> {
        if self.frames.last().is_some_and(Frame::holds) {
            self.release(None);
        }
        let aside = self.frames.last_mut().and_then(|frame| frame.aside.take());
        if let Some(aside) = aside.filter(|aside| !aside.blank.is_empty()) {
            self.stray(&aside.blank)?;
        }
        if self.message().is_some_and(|message| message.codec == Codec::Cell) {
            self.end_cell();
        }
        if self.frames.last().is_some_and(|frame| frame.disordered) {
            self.order();
        }
        Ok(())
    }

    /// Hands on what is finished, if all open messages allow it.
    #[inline]
    pub(super) fn hand_on(&mut self) -> Result<()> {
        if self.in_pieces && self.frames.last().is_some_and(|frame| frame.streamed) {
            self.out.flush_at(PIECE)?;
        }
        Ok(())
    }

    /// Whether an attribute says that white space in its element counts.
    pub(super) fn says_preserve(namespace: u8, local: &[u8], value: &[u8]) -> bool {
        if namespace != XML_NAMESPACE || local != b"space" {
            return false;
        }
        let mut text = Vec::new();
        escapes::unescape_attribute(value, &mut text).is_ok() && text == b"preserve"
    }
}
