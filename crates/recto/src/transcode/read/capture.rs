//! XML kept as it was written.

use recto_schema::fields;
use recto_schema::tables::{Message, Row, message};

use crate::error::{MarkupError, Result};
use crate::limits::Limit;
use crate::transcode::observe::{Item, Observer};
use crate::wire::output::put_message;
use crate::wire::{put_bytes, put_uint};
use crate::xml::escapes;
use crate::xml::malformed;
use crate::xml::tokens::Tag;

use super::Reader;
use super::extras::put_declaration;

/// Where captured XML ends up.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A raw field of the frame's message.
    Field { slot: usize, row: &'static Row },
    /// An item of the frame's content list.
    Item { slot: usize, list: &'static Row, item: u32 },
    /// The extras of the frame.
    Placed,
}

impl Target {
    /// The `other` item of a message's content list.
    pub(super) fn in_list(parent: &Message, slot: usize) -> Option<Self> {
        let list = parent.rows().get(slot)?;
        let wrapper = message(list.target);
        let other = wrapper.rows().get(usize::from(wrapper.other).checked_sub(1)?)?;
        Some(Target::Item { slot, list, item: u32::from(other.field) })
    }
}

/// A capture that is going on.
pub(super) struct Capture {
    target: Target,
    /// The XML so far.
    pub text: Vec<u8>,
    /// Declarations in scope around each open element of it.
    scopes: Vec<usize>,
    /// Number of declarations in scope around all of it.
    around: usize,
    /// Number of elements open around it.
    depth: u32,
    /// Whether it was captured for its depth alone.
    pub too_deep: bool,
    /// Prefixes that it uses and that neither it nor the root declares.
    prefixes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Capture {
    pub(super) fn new(target: Target, around: usize, depth: u32) -> Self {
        Capture { target, text: Vec::new(), scopes: Vec::new(), around, depth, too_deep: false, prefixes: Vec::new() }
    }
}

impl<O: Observer> Reader<'_, O> {
    /// Starts to capture an element that is a child of the innermost frame; `scope` is the mark around it.
    #[cold]
    pub(super) fn capture(&mut self, target: Target, scope: usize, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        self.scope.leave(scope);
        self.capture = Some(Capture::new(target, scope, self.frames.len() as u32));
        self.start_captured(tag, raw)
    }

    /// Starts to capture an element that is known but lies too deep.
    #[cold]
    pub(super) fn capture_deep(&mut self, scope: usize, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        self.findings.deep += 1;
        self.scope.leave(scope);
        let mut capture = Capture::new(self.unknown_target(), scope, self.frames.len() as u32);
        capture.too_deep = true;
        self.capture = Some(capture);
        self.start_captured(tag, raw)
    }

    /// Reports an element or attribute of a capture.
    fn count_captured(&mut self, capture: &Capture, item: Item, uri: &[u8], local: &[u8]) {
        if capture.too_deep {
            self.observer.too_deep(item);
        } else {
            self.observer.untyped(item, uri, local);
        }
    }

    /// A start tag within a capture.
    #[cold]
    pub(super) fn start_captured(&mut self, tag: &Tag<'_>, raw: &[u8]) -> Result<()> {
        let Some(mut capture) = self.capture.take() else { return Ok(()) };
        let scope = self.scope.mark();
        let depth = capture.depth + capture.scopes.len() as u32;
        capture.text.extend_from_slice(raw);
        self.declare(tag, depth)?;
        self.check_captured(tag, &mut capture)?;
        if !tag.empty {
            capture.scopes.push(scope);
            self.capture = Some(capture);
            return Ok(());
        }
        self.scope.leave(scope);
        if capture.scopes.is_empty() {
            return self.finish_capture(capture);
        }
        self.capture = Some(capture);
        Ok(())
    }

    /// Names must be declared and attributes differ even where nobody looks at them.
    fn check_captured(&mut self, tag: &Tag<'_>, capture: &mut Capture) -> Result<()> {
        self.use_prefix(tag.prefix(), capture, true)?;
        let uri = self.scope.find(tag.prefix()).map(|binding| binding.uri.clone()).unwrap_or_default();
        self.count_captured(capture, Item::Element, &uri, tag.local());
        let mut names: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        let mut text = std::mem::take(&mut self.scratch);
        for attribute in tag.attributes() {
            let attribute = attribute?;
            if attribute.declares().is_some() {
                continue;
            }
            self.limits.check(Limit::Attributes, names.len() as u64 + 1)?;
            text.clear();
            escapes::unescape_attribute(attribute.value, &mut text)?;
            let prefix = attribute.prefix();
            let mut name = (Vec::new(), attribute.local().to_vec());
            if !prefix.is_empty() {
                self.use_prefix(prefix, capture, false)?;
                name.0 = self.scope.find(prefix).map(|binding| binding.uri.clone()).unwrap_or_default();
            }
            if names.contains(&name) {
                return Err(malformed("duplicate attribute"));
            }
            let counted = if prefix.is_empty() { &uri } else { &name.0 };
            self.count_captured(capture, Item::Attribute, counted, &name.1);
            names.push(name);
        }
        self.scratch = text;
        Ok(())
    }

    fn use_prefix(&mut self, prefix: &[u8], capture: &mut Capture, element: bool) -> Result<()> {
        if prefix == b"xml" {
            return Ok(());
        }
        let around = capture.around;
        let Some(binding) = self.scope.find(prefix) else {
            return match prefix {
                [] if element => Ok(()),
                _ => Err(undeclared(prefix)),
            };
        };
        let uri = binding.uri.clone();
        let inherited = binding.depth > 0 && self.scope.position(prefix) < around;
        if inherited && capture.prefixes.iter().all(|(known, _)| known != prefix) {
            capture.prefixes.push((prefix.to_vec(), uri));
        }
        Ok(())
    }

    #[cold]
    pub(super) fn captured_text(&mut self, text: &[u8], raw: &[u8]) -> Result<()> {
        self.scratch.clear();
        escapes::unescape_text(text, &mut self.scratch)?;
        if let Some(capture) = &mut self.capture {
            capture.text.extend_from_slice(raw);
        }
        Ok(())
    }

    #[cold]
    pub(super) fn end_captured(&mut self, raw: &[u8]) -> Result<()> {
        let Some(mut capture) = self.capture.take() else { return Ok(()) };
        capture.text.extend_from_slice(raw);
        if let Some(scope) = capture.scopes.pop() {
            self.scope.leave(scope);
        }
        if capture.scopes.is_empty() {
            return self.finish_capture(capture);
        }
        self.capture = Some(capture);
        Ok(())
    }

    /// Puts what was captured where it belongs.
    pub(super) fn finish_capture(&mut self, capture: Capture) -> Result<()> {
        match capture.target {
            Target::Field { slot, row } => {
                self.mark(slot, row);
                put_message(&mut self.out.bytes, u32::from(row.field), |out| put_raw(out, &capture));
            }
            Target::Item { slot, list, item } => {
                self.mark(slot, list);
                put_message(&mut self.out.bytes, u32::from(list.field), |out| {
                    put_message(out, item, |out| put_raw(out, &capture));
                });
            }
            Target::Placed => self.place(&capture),
        }
        self.hand_on()
    }

    fn place(&mut self, capture: &Capture) {
        let (after, index) = self.anchor();
        if let Some(frame) = self.frames.last_mut() {
            frame.has_content = true;
            frame.forget_blank();
        }
        put_message(self.extras(), fields::extras::PLACED, |out| {
            if after != 0 {
                put_uint(out, fields::placed::AFTER, u64::from(after));
            }
            if index != 0 {
                put_uint(out, fields::placed::INDEX, u64::from(index));
            }
            put_message(out, fields::placed::NODE, |out| put_raw(out, capture));
        });
    }
}

/// Appends the fields of a `RawXml`.
fn put_raw(out: &mut Vec<u8>, capture: &Capture) {
    for (prefix, uri) in &capture.prefixes {
        put_message(out, fields::raw_xml::NAMESPACES, |out| put_declaration(out, prefix, uri, 0));
    }
    put_bytes(out, fields::raw_xml::XML, &capture.text);
}

/// The error for a prefix without declaration.
#[cold]
pub(super) fn undeclared(prefix: &[u8]) -> crate::error::Error {
    MarkupError::UndeclaredPrefix(String::from_utf8_lossy(prefix).into_owned()).into()
}
