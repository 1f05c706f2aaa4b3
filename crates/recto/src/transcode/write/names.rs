//! Tags and attribute names, with the prefixes that are in scope.

use recto_schema::tables::{Declares, Message, NO_NAMESPACE, POOL, Row, RowKind, ValueAttribute, XML_NAMESPACE, message};

use crate::error::Result;
use crate::wire::input::invalid;
use crate::xml::append_piece;
use crate::xml::escapes;
use crate::xml::namespaces::{binding_prefix, canonical_prefix, canonical_uri};

use super::Writer;

/// How the names of a namespace are written: the width of the prefix that stands in the pool, with its colon, or one of the
/// marks below.
type Prefix = u8;

/// Not looked up since the scope changed.
const UNKNOWN: Prefix = 255;
/// No prefix is in scope.
const MISSING: Prefix = 254;
/// With another prefix than the pool's, which [`Prefixes::others`] has with its colon.
const OTHER: Prefix = 253;
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
        Prefixes { elements: [UNKNOWN; IDS], attributes: [UNKNOWN; IDS], others: Vec::new(), known: false }
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

/// Appends a piece of the pool, from `before` bytes before a name.
#[inline(always)]
fn copy_pool(out: &mut Vec<u8>, name: u32, before: usize, len: usize) {
    append_piece::<32>(out, &POOL, (name as usize).wrapping_sub(before), len);
}

impl Writer<'_> {
    #[inline(always)]
    fn element_prefix(&mut self, id: u8) -> Prefix {
        match self.prefixes.elements.get(usize::from(id)) {
            Some(&UNKNOWN) | None => self.find_prefix(id, false),
            Some(&known) => known,
        }
    }

    #[inline(always)]
    fn attribute_prefix(&mut self, id: u8) -> Prefix {
        match self.prefixes.attributes.get(usize::from(id)) {
            Some(&UNKNOWN) | None => self.find_prefix(id, true),
            Some(&known) => known,
        }
    }

    #[cold]
    #[inline(never)]
    fn find_prefix(&mut self, id: u8, attribute: bool) -> Prefix {
        let (prefix, canonical) = match attribute {
            false => (self.scope.element_prefix(id), canonical_prefix(id)),
            true => (self.scope.attribute_prefix(id), binding_prefix(id)),
        };
        let by_itself = id == NO_NAMESPACE || (attribute && id == XML_NAMESPACE);
        let found = match prefix {
            _ if by_itself => prefix_width(canonical),
            Some(prefix) if prefix == canonical => prefix_width(canonical),
            Some(prefix) => {
                let text = with_colon(prefix);
                self.prefixes.others.push(OtherPrefix { id, attribute, text });
                OTHER
            }
            None => MISSING,
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
            self.repeated.leave(mark);
            self.row_tail.forget();
        }
    }

    /// Starts an element, declaring its namespace where it is not in scope. The caller leaves the scope at its end.
    #[inline(always)]
    pub(super) fn start(&mut self, row: &Row) -> Result<()> {
        let prefix = self.element_prefix(row.namespace);
        let own = row.kind == RowKind::Child && message(row.target).declares == Declares::Own;
        self.namespace = row.namespace;
        if prefix >= OTHER || own || !self.declarations.is_empty() {
            return self.start_unusual(row, prefix, own);
        }
        self.start_tag(row, prefix, 0);
        Ok(())
    }

    /// `<` and a name with the pool's prefix, after the `>` that the tag before may lack; then so many bytes of `>`.
    #[inline(always)]
    fn start_tag(&mut self, row: &Row, prefix: Prefix, end: usize) {
        let (at, lacks) = (self.out.len(), self.open);
        // In the pool stands `</` before the name: one copy, of which the first bytes are replaced.
        let before = usize::from(prefix) + 1 + usize::from(lacks);
        copy_pool(&mut self.out, row.name, before, before + usize::from(row.len) + end);
        match self.out.get_mut(at..) {
            Some([end, start, ..]) if lacks => (*end, *start) = (b'>', b'<'),
            Some([start, ..]) => *start = b'<',
            _ => {}
        }
        self.open = true;
    }

    /// A whole start tag without attributes, if its name is usual; whether it was.
    #[inline(always)]
    pub(super) fn bare_start(&mut self, row: &Row, table: &Message) -> bool {
        let prefix = self.element_prefix(row.namespace);
        if prefix >= OTHER || table.declares == Declares::Own || !self.declarations.is_empty() {
            return false;
        }
        self.start_tag(row, prefix, 1);
        self.open = false;
        true
    }

    #[cold]
    #[inline(never)]
    fn start_unusual(&mut self, row: &Row, prefix: Prefix, own: bool) -> Result<()> {
        if prefix == OTHER {
            self.settle();
            self.out.push(b'<');
            self.out.extend_from_slice(self.prefixes.other(row.namespace, false));
            self.out.extend_from_slice(row.local());
            self.open = true;
        } else {
            self.start_tag(row, prefix_width(canonical_prefix(row.namespace)), 0);
        }
        self.start_declarations(row.namespace, prefix == MISSING || (own && prefix != OTHER))
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
        if self.element_prefix(id) == OTHER { Ok(()) } else { self.start_declarations(id, true) }
    }

    /// The prefix, with its colon, of the element that a row names; it must be in scope.
    pub(super) fn child_prefix(&mut self, row: &Row) -> Box<[u8]> {
        match self.element_prefix(row.namespace) {
            OTHER => self.prefixes.other(row.namespace, false).into(),
            _ => with_colon(canonical_prefix(row.namespace)),
        }
    }

    /// Whether elements of a namespace are written without prefix.
    #[inline]
    pub(super) fn is_default(&mut self, id: u8) -> bool {
        self.element_prefix(id) == 0
    }

    /// Ends an element.
    #[inline(always)]
    pub(super) fn end(&mut self, row: &Row) {
        if self.open {
            self.end_empty();
        } else {
            self.end_tag(row);
        }
    }

    /// Ends an element without content, whose start tag is open.
    #[inline(always)]
    pub(super) fn end_empty(&mut self) {
        self.out.extend_from_slice(b"/>");
        self.open = false;
    }

    #[inline(always)]
    pub(super) fn end_tag(&mut self, row: &Row) {
        match self.element_prefix(row.namespace) {
            OTHER => {
                self.out.extend_from_slice(b"</");
                self.out.extend_from_slice(self.prefixes.other(row.namespace, false));
                self.out.extend_from_slice(row.local());
                self.out.push(b'>');
            }
            prefix => {
                let prefix = if prefix == MISSING { prefix_width(canonical_prefix(row.namespace)) } else { prefix };
                let before = usize::from(prefix) + 2;
                copy_pool(&mut self.out, row.name, before, before + usize::from(row.len) + 1);
            }
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
        let prefix = self.attribute_prefix(id);
        if prefix >= OTHER {
            return self.unusual_attribute(prefix, id, name, len);
        }
        let before = usize::from(prefix) + 1;
        copy_pool(&mut self.out, name, before, before + usize::from(len) + 2);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn unusual_attribute(&mut self, prefix: Prefix, id: u8, name: u32, len: u8) -> Result<()> {
        let length = usize::from(len) + 2;
        if prefix == OTHER {
            self.out.push(b' ');
            self.out.extend_from_slice(self.prefixes.other(id, true));
            copy_pool(&mut self.out, name, 0, length);
            return Ok(());
        }
        if id == self.namespace && self.element_prefix(id) == OTHER {
            return self.name_with_new_prefix(id, pool(name, 0, length));
        }
        let (prefix, uri) = (binding_prefix(id), canonical_uri(id, self.strict));
        self.declare(prefix, uri, 1);
        self.declaration(prefix, uri)?;
        let before = usize::from(prefix_width(prefix)) + 1;
        copy_pool(&mut self.out, name, before, before + length);
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

/// Bytes of one of the pool's prefixes and its colon.
#[inline]
fn prefix_width(prefix: &[u8]) -> Prefix {
    if prefix.is_empty() { 0 } else { prefix.len() as Prefix + 1 }
}
