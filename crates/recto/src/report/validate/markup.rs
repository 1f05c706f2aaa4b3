//! Namespaces in scope, and raw XML as far as a check looks into it.

use memchr::memmem;

use recto_schema::fields;

use crate::error::Result;
use crate::wire::input::Fields;
use crate::xml::names;

use super::element::declaration;

/// Namespace of markup compatibility (ECMA-376 part 3).
pub(super) const COMPATIBILITY: &[u8] = b"http://schemas.openxmlformats.org/markup-compatibility/2006";

/// Something in scope.
enum Entry {
    Declared(Vec<u8>, Vec<u8>),
    Ignorable(Vec<u8>),
}

/// Declarations of namespaces, and which of these may be ignored.
#[derive(Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
}

impl Scope {
    /// What stands on the root of a part, from the wire of its `Markup`.
    pub(super) fn of_root(markup: &[u8]) -> Result<Self> {
        let mut scope = Scope::default();
        for field in Fields::new(markup) {
            let field = field?;
            if field.number == fields::markup::NAMESPACES {
                let (prefix, uri) = declaration(field.bytes(markup))?;
                scope.declare(prefix, uri);
            }
        }
        Ok(scope)
    }

    pub(super) fn declare(&mut self, prefix: &[u8], uri: &[u8]) {
        self.entries.push(Entry::Declared(prefix.to_vec(), uri.to_vec()));
    }

    /// What has this namespace need not be understood.
    pub(super) fn ignore(&mut self, uri: &[u8]) {
        self.entries.push(Entry::Ignorable(uri.to_vec()));
    }

    pub(super) fn mark(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn leave(&mut self, mark: usize) {
        self.entries.truncate(mark);
    }

    /// The namespace that a prefix stands for.
    pub(super) fn find(&self, prefix: &[u8]) -> Option<&[u8]> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Declared(declared, uri) if declared == prefix => Some(&**uri),
            _ => None,
        })
    }

    pub(super) fn is_ignorable(&self, uri: &[u8]) -> bool {
        self.entries.iter().any(|entry| matches!(entry, Entry::Ignorable(known) if known == uri))
    }
}

/// What a piece of raw XML begins with.
pub(super) enum Raw<'w> {
    /// An element: its name as written and its namespace, if that can be told.
    Element(&'w [u8], Option<&'w [u8]>),
    /// Text that is not white space only.
    Text,
    /// A comment, an instruction, white space.
    Nothing,
}

impl<'w> Raw<'w> {
    /// Looks at a `RawXml`.
    pub(super) fn of(wire: &'w [u8], scope: &'w Scope) -> Result<Self> {
        let mut xml: &[u8] = b"";
        let mut own = Vec::new();
        for field in Fields::new(wire) {
            let field = field?;
            match field.number {
                fields::raw_xml::XML => xml = field.bytes(wire),
                fields::raw_xml::NAMESPACES => own.push(declaration(field.bytes(wire))?),
                _ => {}
            }
        }
        Ok(match xml {
            [b'<', b'!', b'[', ..] => Raw::Text,
            [b'<', b'!' | b'?', ..] => Raw::Nothing,
            [b'<', rest @ ..] => {
                let tag = rest.split(|&byte| byte == b'>').next().unwrap_or_default();
                let end = tag.iter().position(|&byte| byte == b'/' || byte.is_ascii_whitespace()).unwrap_or(tag.len());
                let name = tag.get(..end).unwrap_or_default();
                let prefix = prefix_of(name);
                let inherited = || own.iter().find(|(declared, _)| *declared == prefix).map(|(_, uri)| *uri);
                Raw::Element(name, declared_in(tag, prefix).or_else(inherited).or_else(|| scope.find(prefix)))
            }
            text if text.iter().all(u8::is_ascii_whitespace) => Raw::Nothing,
            _ => Raw::Text,
        })
    }
}

/// The prefix of a name as written; empty without.
pub(super) fn prefix_of(name: &[u8]) -> &[u8] {
    names::split(name).map_or(&[], |(prefix, _)| prefix)
}

/// The local part of a name as written.
pub(super) fn local_of(name: &[u8]) -> &[u8] {
    name.rsplit(|&byte| byte == b':').next().unwrap_or_default()
}

/// The namespace that a start tag declares for a prefix.
fn declared_in<'w>(tag: &'w [u8], prefix: &[u8]) -> Option<&'w [u8]> {
    let declaration = if prefix.is_empty() { b" xmlns=".to_vec() } else { [b" xmlns:", prefix, b"="].concat() };
    let at = memmem::find(tag, &declaration)? + declaration.len();
    let (quote, rest) = tag.get(at..)?.split_first()?;
    rest.split(|byte| byte == quote).next()
}
