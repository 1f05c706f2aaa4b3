//! Elements that hold a text or a single value.
//!
//! Should anything else turn up in one, it is undone and captured as it was written.

use recto_schema::tables::{Row, Scalar, VALUE_ATTRIBUTES};

use crate::error::Result;
use crate::transcode::forms::{TOGGLE_BARE, agree};
use crate::transcode::observe::{Item, Observer};
use crate::wire::put_uint;
use crate::xml::escapes;
use crate::xml::malformed;
use crate::xml::tokens::Tag;

use super::Reader;
use super::capture::undeclared;
use super::elements::Opening;
use super::frame::Snapshot;
use super::values::{Place, Value};

/// A leaf that is open.
pub(super) struct Leaf {
    kind: Kind,
    /// What it replaced in the parent, to undo it.
    before: Snapshot,
    /// Elements and attributes reported as typed.
    counted: Vec<(Item, u8)>,
    /// The source so far.
    raw: Vec<u8>,
    /// The text so far.
    text: Vec<u8>,
    scope: usize,
}

enum Kind {
    /// A flattened child whose value was in an attribute.
    Value,
    /// A flattened child whose text is the value.
    Text { row: &'static Row },
    /// A message with text; it is the innermost frame.
    Message { field: u32 },
    /// The value of a cell.
    Cell,
}

impl Leaf {
    /// Whether it has no text so far.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl<O: Observer> Reader<'_, O> {
    /// A child whose one attribute is the value.
    pub(super) fn child_value(&mut self, slot: usize, row: &'static Row, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let before = self.snapshot();
        let scope = self.scope.mark();
        let value_attribute = VALUE_ATTRIBUTES.get(usize::from(row.aux));
        let mut counted = vec![(Item::Element, row.namespace)];
        let mut found = false;
        let mut names: Vec<(u8, &[u8])> = Vec::new();
        // Extras of the child belong to the parent, so its place among the siblings is noted first.
        self.mark(slot, row);
        for attribute in tag.attributes() {
            let attribute = attribute?;
            let Some(id) = self.scope.attribute(attribute.prefix()) else { return Err(undeclared(attribute.prefix())) };
            if names.contains(&(id, attribute.local())) {
                return Err(malformed("duplicate attribute"));
            }
            names.push((id, attribute.local()));
            let is_value = value_attribute.is_some_and(|value| value.is(id, attribute.local()));
            if !is_value {
                self.unusual |= !found;
                let mut text = Vec::new();
                escapes::unescape_attribute(attribute.value, &mut text)?;
                self.extra_attribute(u32::from(row.field), attribute.name, &text, attribute.prefix());
                self.observer.untyped(Item::Attribute, self.uri_of(row.namespace), attribute.local());
                continue;
            }
            found = true;
            if self.scalar(row, attribute.value, Place::ChildAttribute)? == Value::Invalid {
                self.observer.untyped(Item::Attribute, self.uri_of(row.namespace), attribute.local());
            } else {
                counted.push((Item::Attribute, row.namespace));
            }
        }
        if !found {
            self.absent_value(row);
        }
        for &(item, namespace) in &counted {
            self.observer.typed(item, namespace);
        }
        if tag.empty {
            return self.hand_on();
        }
        self.leaf = Some(Leaf { kind: Kind::Value, before, counted, raw: raw.to_vec(), text: Vec::new(), scope });
        Ok(())
    }

    /// An on/off element without attribute is on; others keep that they stood there.
    fn absent_value(&mut self, row: &Row) {
        let field = u32::from(row.field);
        if row.scalar != Scalar::Bool {
            self.lexical(field, None);
            return;
        }
        put_uint(&mut self.out.bytes, field, 1);
        if !agree(&mut self.forms.toggles, TOGGLE_BARE) {
            self.lexical(field, None);
        }
    }

    /// A child whose text is the value.
    pub(super) fn child_text(&mut self, slot: usize, row: &'static Row, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let before = self.snapshot();
        let scope = self.scope.mark();
        self.mark(slot, row);
        self.value_attributes(u32::from(row.field), row.namespace, tag)?;
        self.observer.typed(Item::Element, row.namespace);
        let counted = vec![(Item::Element, row.namespace)];
        let kind = Kind::Text { row };
        self.leaf = Some(Leaf { kind, before, counted, raw: raw.to_vec(), text: Vec::new(), scope });
        if tag.empty { self.end_leaf() } else { Ok(()) }
    }

    /// Attributes of an element that has no field for any.
    pub(super) fn value_attributes(&mut self, field: u32, namespace: u8, tag: &Tag<'_>) -> Result<()> {
        let mut names: Vec<&[u8]> = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute?;
            if self.scope.attribute(attribute.prefix()).is_none() {
                return Err(undeclared(attribute.prefix()));
            }
            if names.contains(&attribute.name) {
                return Err(malformed("duplicate attribute"));
            }
            names.push(attribute.name);
            let mut text = Vec::new();
            escapes::unescape_attribute(attribute.value, &mut text)?;
            self.extra_attribute(field, attribute.name, &text, attribute.prefix());
            self.observer.untyped(Item::Attribute, self.uri_of(namespace), attribute.local());
        }
        Ok(())
    }

    /// The `v` of a cell.
    pub(super) fn open_cell_value(&mut self, before: Snapshot, namespace: u8, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        self.observer.typed(Item::Element, namespace);
        let scope = self.scope.mark();
        let counted = vec![(Item::Element, namespace)];
        self.leaf = Some(Leaf { kind: Kind::Cell, before, counted, raw: raw.to_vec(), text: Vec::new(), scope });
        if tag.empty { self.end_leaf() } else { Ok(()) }
    }

    /// Opens a message that has text.
    pub(super) fn open_text(&mut self, opening: Opening, depth: u32, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let child = recto_schema::tables::message(opening.row.target);
        let Some(row) = child.text() else { return Ok(()) };
        let before = self.snapshot();
        let scope = opening.scope;
        self.begin(&opening, child, depth);
        self.start_message(tag)?;
        if tag.empty {
            return self.end_frame();
        }
        let kind = Kind::Message { field: u32::from(row.field) };
        let counted = vec![(Item::Element, opening.row.namespace)];
        self.leaf = Some(Leaf { kind, before, counted, raw: raw.to_vec(), text: Vec::new(), scope });
        Ok(())
    }

    /// Text in a leaf.
    pub(super) fn leaf_text(&mut self, text: &[u8], raw: &[u8], cdata: bool) -> Result<()> {
        if self.leaf.as_ref().is_some_and(|leaf| matches!(leaf.kind, Kind::Value)) {
            self.leaf_to_capture()?;
            return if cdata { self.cdata(text, raw) } else { self.captured_text(text, raw) };
        }
        let Some(leaf) = &mut self.leaf else { return Ok(()) };
        leaf.raw.extend_from_slice(raw);
        if cdata {
            // Line ends are normalised everywhere (XML 1.0 clause 2.11).
            leaf.text.extend(escapes::normalised_lines(text));
        } else {
            escapes::unescape_text(text, &mut leaf.text)?;
        }
        Ok(())
    }

    /// Ends a leaf.
    pub(super) fn end_leaf(&mut self) -> Result<()> {
        let Some(leaf) = self.leaf.take() else { return Ok(()) };
        match leaf.kind {
            Kind::Value => self.hand_on(),
            Kind::Text { row } => {
                if self.typed_text(row, &leaf.text, Place::ChildText) == Value::Invalid {
                    for &(item, namespace) in &leaf.counted {
                        self.observer.retracted(item, namespace);
                    }
                    self.observer.untyped(Item::Element, self.uri_of(row.namespace), row.local());
                }
                self.hand_on()
            }
            Kind::Message { field } => {
                crate::wire::put_text(&mut self.out.bytes, field, &leaf.text);
                self.end_frame()
            }
            Kind::Cell => {
                self.end_cell_value(&leaf.text);
                Ok(())
            }
        }
    }

    /// Something other than text is in the leaf: undoes it and captures it instead.
    #[cold]
    pub(super) fn leaf_to_capture(&mut self) -> Result<()> {
        let Some(leaf) = self.leaf.take() else { return Ok(()) };
        if let Kind::Message { .. } = leaf.kind {
            self.frames.pop();
        }
        self.restore(&leaf.before);
        for &(item, namespace) in &leaf.counted {
            self.observer.retracted(item, namespace);
        }
        self.scope.leave(leaf.scope);
        self.recapture(&leaf.raw)
    }

    /// Captures a start tag, and text after it, that were read before.
    fn recapture(&mut self, source: &[u8]) -> Result<()> {
        let mut tokens = crate::xml::tokens::Tokens::new(source, &self.limits);
        let first = tokens.next()?;
        if let crate::xml::tokens::Token::Start(tag) = first.token {
            let target = self.unknown_target();
            self.capture(target, self.scope.mark(), &tag, first.raw)?;
        }
        let length = first.raw.len();
        if let Some(capture) = &mut self.capture {
            capture.text.extend_from_slice(source.get(length..).unwrap_or_default());
        }
        Ok(())
    }
}
