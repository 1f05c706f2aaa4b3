//! Tags and attribute names, with the prefixes that are in scope.

use recto_schema::tables::{Declares, NO_NAMESPACE, POOL, Row, RowKind, ValueAttribute, XML_NAMESPACE, message};

use crate::error::Result;
use crate::wire::input::invalid;
use crate::xml::escapes;
use crate::xml::namespaces::{binding_prefix, canonical_prefix, canonical_uri};

use super::Writer;

/// How a namespace is written.
#[derive(Clone, Copy, Default, PartialEq)]
enum Prefix {
    /// Not looked up since the scope changed.
    #[default]
    Unknown,
    /// With the prefix that stands in the pool.
    Canonical,
    /// With another one, which [`Prefixes::others`] has with its colon.
    Other,
    /// No prefix is in scope.
    Missing,
}

/// Number of ids of namespaces.
const IDS: usize = 256;

/// A prefix with its colon, for elements or for attributes of a namespace.
struct OtherPrefix {
    id: u8,
    attribute: bool,
    text: Box<[u8]>,
}

/// Prefixes by namespace id.
pub(super) struct Prefixes {
    elements: [Prefix; IDS],
    attributes: [Prefix; IDS],
    others: Vec<OtherPrefix>,
    known: bool,
}

impl Default for Prefixes {
    fn default() -> Self {
        Prefixes { elements: [Prefix::Unknown; IDS], attributes: [Prefix::Unknown; IDS], others: Vec::new(), known: false }
    }
}

impl Prefixes {
    pub(super) fn forget(&mut self) {
        if self.known {
            *self = Prefixes::default();
        }
    }

    fn other(&self, id: u8, attribute: bool) -> &[u8] {
        let found = self.others.iter().find(|other| (other.id, other.attribute) == (id, attribute));
        found.map_or(&[], |other| &other.text)
    }
}

fn with_colon(prefix: &[u8]) -> Box<[u8]> {
    let mut text = prefix.to_vec();
    if !text.is_empty() {
        text.push(b':');
    }
    text.into()
}

/// A piece of the pool, from `before` bytes before a name.
fn pool(name: u32, before: usize, len: usize) -> &'static [u8] {
    let start = (name as usize).saturating_sub(before);
    POOL.get(start..start + len).unwrap_or_default()
}

/// Appends a piece of the pool, from `before` bytes before a name. Short pieces are copied with a fixed width and cut.
#[inline(always)]
fn copy_pool(out: &mut Vec<u8>, name: u32, before: usize, len: usize) {
    const WIDTH: usize = 24;
    let start = (name as usize).saturating_sub(before);
    let rest = POOL.get(start..).unwrap_or_default();
    match rest.first_chunk::<WIDTH>() {
        Some(wide) if len <= WIDTH => {
            let end = out.len() + len;
            out.extend_from_slice(wide);
            out.truncate(end);
        }
        _ => out.extend_from_slice(rest.get(..len).unwrap_or_default()),
    }
}

impl Writer<'_> {
    #[inline(always)]
    fn element_prefix(&mut self, id: u8) -> Prefix {
        match self.prefixes.elements.get(usize::from(id)) {
            Some(Prefix::Unknown) | None => self.find_prefix(id, false),
            Some(&known) => known,
        }
    }

    #[inline(always)]
    fn attribute_prefix(&mut self, id: u8) -> Prefix {
        if id == NO_NAMESPACE {
            return Prefix::Canonical;
        }
        match self.prefixes.attributes.get(usize::from(id)) {
            Some(Prefix::Unknown) | None => self.find_prefix(id, true),
            Some(&known) => known,
        }
    }

    #[cold]
    fn find_prefix(&mut self, id: u8, attribute: bool) -> Prefix {
        let (prefix, canonical) = match attribute {
            false => (self.scope.element_prefix(id), canonical_prefix(id)),
            true => (self.scope.attribute_prefix(id), binding_prefix(id)),
        };
        let found = match prefix {
            _ if id == NO_NAMESPACE || (attribute && id == XML_NAMESPACE) => Prefix::Canonical,
            Some(prefix) if prefix == canonical => Prefix::Canonical,
            Some(prefix) => {
                let text = with_colon(prefix);
                self.prefixes.others.push(OtherPrefix { id, attribute, text });
                Prefix::Other
            }
            None => Prefix::Missing,
        };
        let list = if attribute { &mut self.prefixes.attributes } else { &mut self.prefixes.elements };
        if let Some(place) = list.get_mut(usize::from(id)) {
            *place = found;
        }
        self.prefixes.known = true;
        found
    }

    /// Brings a declaration into scope.
    pub(super) fn declare(&mut self, prefix: &[u8], uri: &[u8], depth: u32) {
        self.scope.declare(prefix, uri, depth);
        self.prefixes.forget();
    }

    /// Before an element: the number of declarations around it, to leave their scope at its end.
    #[inline]
    pub(super) fn enter(&mut self) -> usize {
        self.around = self.scope.mark();
        self.around
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
        let prefix = self.element_prefix(id);
        self.out.push(b'<');
        if prefix == Prefix::Other {
            self.out.extend_from_slice(self.prefixes.other(id, false));
            self.out.extend_from_slice(row.local());
        } else {
            let before = prefix_width(canonical_prefix(id));
            copy_pool(&mut self.out, row.name, before, before + usize::from(row.len));
        }
        self.open = true;
        let own = prefix != Prefix::Other && row.kind == RowKind::Child && message(row.target).declares == Declares::Own;
        if prefix == Prefix::Missing || own || !self.declarations.is_empty() {
            self.start_declarations(id, prefix == Prefix::Missing || own)?;
        }
        Ok(())
    }

    #[cold]
    fn start_declarations(&mut self, id: u8, own: bool) -> Result<()> {
        if own {
            let (prefix, uri) = (canonical_prefix(id), canonical_uri(id, self.strict));
            if self.scope.since(self.around).all(|binding| binding.prefix != prefix) {
                self.declare(prefix, uri, 1);
                self.declaration(prefix, uri)?;
            }
        }
        self.declarations_before(0)
    }

    /// Declares a namespace in the open start tag, unless elements have another prefix for it.
    pub(super) fn declare_own(&mut self, id: u8) -> Result<()> {
        if self.element_prefix(id) == Prefix::Other { Ok(()) } else { self.start_declarations(id, true) }
    }

    /// The prefix, with its colon, of the element that a row names; it must be in scope.
    pub(super) fn child_prefix(&mut self, row: &Row) -> Box<[u8]> {
        match self.element_prefix(row.namespace) {
            Prefix::Other => self.prefixes.other(row.namespace, false).into(),
            _ => with_colon(canonical_prefix(row.namespace)),
        }
    }

    /// Whether elements of a namespace are written without prefix.
    #[inline]
    pub(super) fn is_default(&mut self, id: u8) -> bool {
        self.element_prefix(id) == Prefix::Canonical && canonical_prefix(id).is_empty()
    }

    /// Ends an element.
    #[inline]
    pub(super) fn end(&mut self, row: &Row) {
        if self.open {
            self.out.extend_from_slice(b"/>");
            self.open = false;
            return;
        }
        if self.element_prefix(row.namespace) == Prefix::Other {
            self.out.extend_from_slice(b"</");
            self.out.extend_from_slice(self.prefixes.other(row.namespace, false));
            self.out.extend_from_slice(row.local());
            self.out.push(b'>');
        } else {
            let before = prefix_width(canonical_prefix(row.namespace)) + 2;
            copy_pool(&mut self.out, row.name, before, before + usize::from(row.len) + 1);
        }
    }

    /// A namespace declaration in the open start tag.
    pub(super) fn declaration(&mut self, prefix: &[u8], uri: &[u8]) -> Result<()> {
        let start = self.out.len();
        self.out.extend_from_slice(if prefix.is_empty() { b" xmlns" } else { b" xmlns:" });
        self.out.extend_from_slice(prefix);
        self.out.extend_from_slice(b"=\"");
        if self.is_repeated(start) {
            return Err(invalid("a prefix is declared twice on an element"));
        }
        escapes::escape_attribute(uri, &mut self.out)?;
        self.out.push(b'"');
        Ok(())
    }

    /// Whether the name of an attribute that has been written from `start` on, with `="`, stands in the open tag already.
    /// No value can contain that: there, quotes are references.
    pub(super) fn is_repeated(&self, start: usize) -> bool {
        let Some((before, name)) = self.out.split_at_checked(start) else { return false };
        let tag = before.get(memchr::memrchr(b'<', before).unwrap_or(0)..).unwrap_or_default();
        memchr::memmem::find(tag, name).is_some()
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

    #[inline(always)]
    fn name_of_attribute(&mut self, id: u8, name: u32, len: u8) -> Result<()> {
        let length = usize::from(len);
        match self.attribute_prefix(id) {
            Prefix::Canonical => {}
            Prefix::Other => {
                self.out.push(b' ');
                self.out.extend_from_slice(self.prefixes.other(id, true));
                copy_pool(&mut self.out, name, 0, length + 2);
                return Ok(());
            }
            Prefix::Missing if id == self.namespace && self.element_prefix(id) == Prefix::Other => {
                return self.name_with_new_prefix(id, pool(name, 0, length + 2));
            }
            Prefix::Missing | Prefix::Unknown => {
                let (prefix, uri) = (binding_prefix(id), canonical_uri(id, self.strict));
                self.declare(prefix, uri, 1);
                self.declaration(prefix, uri)?;
            }
        }
        let before = prefix_width(binding_prefix(id)) + 1;
        copy_pool(&mut self.out, name, before, before + length + 2);
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
