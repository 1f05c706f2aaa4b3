//! Tags and attribute names, with the prefixes that are in scope.

use recto_schema::tables::{NO_NAMESPACE, POOL, Row, ValueAttribute, XML_NAMESPACE};

use crate::error::Result;
use crate::xml::escapes;
use crate::xml::namespaces::{binding_prefix, canonical_prefix, canonical_uri};

use super::Writer;

/// How a namespace is written.
#[derive(Clone, Default, PartialEq)]
enum Prefix {
    /// Not looked up since the scope changed.
    #[default]
    Unknown,
    /// With the prefix that stands in the pool.
    Canonical,
    /// With another one, colon included.
    Other(Box<[u8]>),
    /// No prefix is in scope.
    Missing,
}

/// Prefixes by namespace id.
#[derive(Default)]
pub(super) struct Prefixes {
    elements: Vec<Prefix>,
    attributes: Vec<Prefix>,
}

impl Prefixes {
    pub(super) fn forget(&mut self) {
        self.elements.clear();
        self.attributes.clear();
    }
}

fn known(list: &[Prefix], id: u8) -> Prefix {
    list.get(usize::from(id)).cloned().unwrap_or_default()
}

fn remember(list: &mut Vec<Prefix>, id: u8, prefix: &Prefix) {
    if list.len() <= usize::from(id) {
        list.resize(usize::from(id) + 1, Prefix::Unknown);
    }
    if let Some(place) = list.get_mut(usize::from(id)) {
        *place = prefix.clone();
    }
}

fn with_colon(prefix: &[u8]) -> Prefix {
    let mut text = prefix.to_vec();
    if !text.is_empty() {
        text.push(b':');
    }
    Prefix::Other(text.into())
}

/// The pool around a name.
fn pool(name: u32, before: usize, len: usize) -> &'static [u8] {
    let start = (name as usize).saturating_sub(before);
    POOL.get(start..start + len).unwrap_or_default()
}

impl Writer<'_> {
    fn element_prefix(&mut self, id: u8) -> Prefix {
        let cached = known(&self.prefixes.elements, id);
        if cached != Prefix::Unknown {
            return cached;
        }
        let found = match self.scope.element_prefix(id) {
            _ if id == NO_NAMESPACE => Prefix::Canonical,
            Some(prefix) if prefix == canonical_prefix(id) => Prefix::Canonical,
            Some(prefix) => with_colon(prefix),
            None => Prefix::Missing,
        };
        remember(&mut self.prefixes.elements, id, &found);
        found
    }

    fn attribute_prefix(&mut self, id: u8) -> Prefix {
        if id == NO_NAMESPACE || id == XML_NAMESPACE {
            return Prefix::Canonical;
        }
        let cached = known(&self.prefixes.attributes, id);
        if cached != Prefix::Unknown {
            return cached;
        }
        let found = match self.scope.attribute_prefix(id) {
            Some(prefix) if prefix == binding_prefix(id) => Prefix::Canonical,
            Some(prefix) => with_colon(prefix),
            None => Prefix::Missing,
        };
        remember(&mut self.prefixes.attributes, id, &found);
        found
    }

    /// Brings a declaration into scope.
    pub(super) fn declare(&mut self, prefix: &[u8], uri: &[u8], depth: u32) {
        self.scope.declare(prefix, uri, depth);
        self.prefixes.forget();
    }

    /// Takes declarations out of scope.
    #[inline]
    pub(super) fn leave(&mut self, mark: usize) {
        if self.scope.mark() != mark {
            self.scope.leave(mark);
            self.prefixes.forget();
        }
    }

    /// Starts an element, declaring its namespace where it is not in scope. The caller leaves the scope at its end.
    #[inline]
    pub(super) fn start(&mut self, row: &Row) -> Result<()> {
        self.settle();
        let id = row.namespace;
        self.namespace = id;
        let length = usize::from(row.len);
        match self.element_prefix(id) {
            Prefix::Canonical | Prefix::Unknown => {
                let before = prefix_width(canonical_prefix(id));
                self.out.push(b'<');
                self.out.extend_from_slice(pool(row.name, before, before + length));
            }
            Prefix::Other(prefix) => {
                self.out.push(b'<');
                self.out.extend_from_slice(&prefix);
                self.out.extend_from_slice(row.local());
            }
            Prefix::Missing => {
                let prefix = canonical_prefix(id);
                let before = prefix_width(prefix);
                self.out.push(b'<');
                self.out.extend_from_slice(pool(row.name, before, before + length));
                let uri = canonical_uri(id, self.strict);
                self.declare(prefix, uri, 1);
                self.declaration(prefix, uri)?;
            }
        }
        self.open = true;
        for (prefix, uri) in std::mem::take(&mut self.root_declarations) {
            self.declaration(&prefix, &uri)?;
        }
        Ok(())
    }

    /// The prefix, with its colon, of the element that a row names; it must be in scope.
    pub(super) fn child_prefix(&mut self, row: &Row) -> Box<[u8]> {
        match self.element_prefix(row.namespace) {
            Prefix::Other(prefix) => prefix,
            _ => {
                let mut prefix = canonical_prefix(row.namespace).to_vec();
                if !prefix.is_empty() {
                    prefix.push(b':');
                }
                prefix.into()
            }
        }
    }

    /// Ends an element.
    #[inline]
    pub(super) fn end(&mut self, row: &Row) {
        if self.open {
            self.out.extend_from_slice(b"/>");
            self.open = false;
            return;
        }
        match self.element_prefix(row.namespace) {
            Prefix::Other(prefix) => {
                self.out.extend_from_slice(b"</");
                self.out.extend_from_slice(&prefix);
                self.out.extend_from_slice(row.local());
                self.out.push(b'>');
            }
            _ => {
                let before = prefix_width(canonical_prefix(row.namespace)) + 2;
                self.out.extend_from_slice(pool(row.name, before, before + usize::from(row.len) + 1));
            }
        }
    }

    /// A namespace declaration in the open start tag.
    pub(super) fn declaration(&mut self, prefix: &[u8], uri: &[u8]) -> Result<()> {
        self.out.extend_from_slice(if prefix.is_empty() { b" xmlns" } else { b" xmlns:" });
        self.out.extend_from_slice(prefix);
        self.out.extend_from_slice(b"=\"");
        escapes::escape_attribute(uri, &mut self.out)?;
        self.out.push(b'"');
        Ok(())
    }

    /// ` name="` of a typed attribute.
    #[inline]
    pub(super) fn attribute_name(&mut self, row: &Row) -> Result<()> {
        self.name_of_attribute(row.namespace, row.name, row.len)
    }

    /// ` name="` of a flattened child's attribute.
    #[inline]
    pub(super) fn value_attribute_name(&mut self, attribute: &ValueAttribute) -> Result<()> {
        self.name_of_attribute(attribute.namespace, attribute.name, attribute.len)
    }

    #[inline]
    fn name_of_attribute(&mut self, id: u8, name: u32, len: u8) -> Result<()> {
        let length = usize::from(len);
        match self.attribute_prefix(id) {
            Prefix::Other(prefix) => {
                self.out.push(b' ');
                self.out.extend_from_slice(&prefix);
                self.out.extend_from_slice(pool(name, 0, length + 2));
                return Ok(());
            }
            Prefix::Missing if id == self.namespace && matches!(self.element_prefix(id), Prefix::Other(_)) => {
                return self.name_with_new_prefix(id, pool(name, 0, length + 2));
            }
            Prefix::Missing => {
                let (prefix, uri) = (binding_prefix(id), canonical_uri(id, self.strict));
                self.declare(prefix, uri, 1);
                self.declaration(prefix, uri)?;
            }
            Prefix::Canonical | Prefix::Unknown => {}
        }
        let before = prefix_width(binding_prefix(id)) + 1;
        self.out.extend_from_slice(pool(name, before, before + length + 2));
        Ok(())
    }

    /// The name of an attribute whose namespace is the default one here. The usual prefix would be preferred for elements
    /// too, and the open one would end under another name than it began with.
    #[cold]
    fn name_with_new_prefix(&mut self, id: u8, name: &[u8]) -> Result<()> {
        let mut prefix = binding_prefix(id).to_vec();
        while prefix == binding_prefix(id) || self.scope.find(&prefix).is_some() {
            prefix.push(b'0');
        }
        let uri = canonical_uri(id, self.strict);
        self.declare(&prefix, uri, 1);
        self.declaration(&prefix, uri)?;
        self.out.push(b' ');
        self.out.extend_from_slice(&prefix);
        self.out.push(b':');
        self.out.extend_from_slice(name);
        Ok(())
    }
}

/// Bytes of a prefix and its colon.
#[inline]
fn prefix_width(prefix: &[u8]) -> usize {
    if prefix.is_empty() { 0 } else { prefix.len() + 1 }
}
