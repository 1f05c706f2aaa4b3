//! Attributes and namespace declarations of elements that are messages.

use recto_schema::fields;
use recto_schema::tables::{Codec, Declares, Message, NO_NAMESPACE, Row, XML_NAMESPACE, namespace_of};

use crate::error::Result;
use crate::limits::Limit;
use crate::transcode::observe::{Item, Observer};
use crate::xml::escapes;
use crate::xml::malformed;
use crate::xml::namespaces::{Binding, UNKNOWN, binding_prefix, canonical_prefix, canonical_uri};
use crate::xml::tokens::{Attribute, Tag};

use super::Reader;
use super::capture::undeclared;
use super::frame::Held;
use super::values::{Place, Value};

impl<O: Observer> Reader<'_, O> {
    /// Brings a tag's declarations into scope; whether there are any.
    #[inline]
    pub(super) fn declare(&mut self, tag: &Tag<'_>, depth: u32) -> Result<bool> {
        if tag.attributes.len() < 8 || memchr::memmem::find(tag.attributes, b"xmlns").is_none() {
            return Ok(false);
        }
        self.declare_all(tag, depth)
    }

    #[cold]
    fn declare_all(&mut self, tag: &Tag<'_>, depth: u32) -> Result<bool> {
        let before = self.scope.mark();
        let mut after = 0;
        for attribute in tag.attributes() {
            let attribute = attribute?;
            let Some(prefix) = attribute.declares() else {
                after += 1;
                continue;
            };
            let mut uri = Vec::new();
            escapes::unescape_attribute(attribute.value, &mut uri)?;
            if self.scope.since(before).any(|binding| binding.prefix == prefix) {
                return Err(malformed("duplicate attribute"));
            }
            let reserved = prefix == b"xmlns" || (prefix == b"xml") != (uri == canonical_uri(XML_NAMESPACE, false));
            if reserved || (uri.is_empty() && !prefix.is_empty()) {
                return Err(malformed("a namespace declaration that is not allowed"));
            }
            self.limits.check(Limit::Attributes, (self.scope.mark() - before) as u64 + 1)?;
            self.scope.declare_after(prefix, &uri, depth, after);
        }
        Ok(self.scope.mark() > before)
    }

    /// Writes the innermost frame's attributes; whether white space in its element counts.
    pub(super) fn attributes(&mut self, tag: &Tag<'_>, owner: &'static Message, namespace: u8) -> Result<bool> {
        let mut seen = 0u128;
        let (mut preserves, mut without_value) = (false, false);
        let mut unknown: Vec<(Vec<u8>, &[u8])> = Vec::new();
        let (mut invalid, mut moved) = (Vec::new(), false);
        let mut count = 0;
        for attribute in tag.attributes() {
            let attribute = attribute?;
            count += 1;
            if attribute.declares().is_some() {
                continue;
            }
            let Some(id) = self.scope.attribute(attribute.prefix()) else { return Err(undeclared(attribute.prefix())) };
            preserves |= Self::says_preserve(id, attribute.local(), attribute.value);
            let known = if id == UNKNOWN { None } else { owner.attribute(id, attribute.local()) };
            // Those without value are written after the others.
            moved |= without_value && known.is_some();
            let Some((slot, row)) = known else {
                without_value = true;
                self.unknown_attribute(&attribute, id, owner, namespace, &mut unknown)?;
                continue;
            };
            if seen & 1 << slot != 0 {
                return Err(malformed("duplicate attribute"));
            }
            seen |= 1 << slot;
            let counted = if id == NO_NAMESPACE { namespace } else { id };
            if owner.codec == Codec::Cell && u32::from(row.field) == fields::sheet::cell::COLUMN {
                if !self.cell_reference(attribute.value)? {
                    without_value = true;
                    invalid.push(u32::from(row.field));
                }
                self.observer.typed(Item::Attribute, counted);
                continue;
            }
            match self.scalar(row, attribute.value, Place::Attribute)? {
                Value::Typed(value) => {
                    if owner.codec == Codec::Row && u32::from(row.field) == fields::sheet::row::INDEX {
                        self.row = value;
                    }
                    self.observer.typed(Item::Attribute, counted);
                }
                Value::Invalid => {
                    without_value = true;
                    invalid.push(u32::from(row.field));
                    self.observer.untyped(Item::Attribute, self.uri_of(counted), attribute.local());
                }
            }
        }
        self.limits.check(Limit::Attributes, count)?;
        if moved {
            self.unusual = true;
            self.lexical_last(&invalid);
        }
        Ok(preserves)
    }

    #[cold]
    fn unknown_attribute<'t>(
        &mut self,
        attribute: &Attribute<'t>,
        id: u8,
        owner: &'static Message,
        namespace: u8,
        unknown: &mut Vec<(Vec<u8>, &'t [u8])>,
    ) -> Result<()> {
        let prefix = attribute.prefix();
        let uri = match prefix {
            [] => Vec::new(),
            _ => self.scope.find(prefix).map(|binding| binding.uri.clone()).unwrap_or_default(),
        };
        if unknown.iter().any(|(known, local)| *known == uri && *local == attribute.local()) {
            return Err(malformed("duplicate attribute"));
        }
        if owner.codec == Codec::Cell && id == NO_NAMESPACE && attribute.local() == b"t" && self.cell_type(attribute.value) {
            self.observer.typed(Item::Attribute, namespace);
        } else {
            let mut value = Vec::new();
            escapes::unescape_attribute(attribute.value, &mut value)?;
            self.extra_attribute(0, attribute.name, &value, prefix);
            let counted = if prefix.is_empty() { self.uri_of(namespace) } else { &uri };
            self.observer.untyped(Item::Attribute, counted, attribute.local());
        }
        unknown.push((uri, attribute.local()));
        Ok(())
    }

    /// Notes the declarations of the innermost frame that the writer would not place by itself: it declares the
    /// namespaces of the element and of its typed attributes where they are not in scope.
    #[cold]
    pub(super) fn declarations(&mut self, tag: &Tag<'_>, owner: &'static Message, own: u8, around: usize) -> Result<()> {
        let declared: Vec<(Vec<u8>, Vec<u8>, u8, u32)> = self
            .scope
            .since(around)
            .map(|binding| (binding.prefix.clone(), binding.uri.clone(), binding.id, binding.after))
            .collect();
        let attributes = self.attribute_namespaces(tag, owner)?;
        // One that counts as unknown only because of another must find that one in scope again.
        let ambiguous = declared.iter().any(|(_, uri, id, _)| *id == UNKNOWN && namespace_of(uri).is_some());
        let mut held = Vec::new();
        let count = tag.attributes().filter(|it| it.as_ref().is_ok_and(|it| it.declares().is_none())).count() as u32;
        let inner = self.scope.hide(around);
        for (prefix, uri, id, after) in &declared {
            let (prefix, uri, id, after) = (prefix.as_slice(), uri.as_slice(), *id, *after);
            // Of two prefixes for one namespace the writer would find one and not place the other.
            let alone = declared.iter().filter(|(_, _, other, _)| *other == id).count() == 1;
            let regular = id != UNKNOWN && alone && !ambiguous && uri == canonical_uri(id, self.strict);
            let for_element = id == own && prefix == canonical_prefix(id) && self.scope.element_prefix(id).is_none();
            let other_than_element = id != own || prefix != canonical_prefix(id);
            let for_attribute = other_than_element
                && attributes.contains(&id)
                && prefix == binding_prefix(id)
                && self.scope.attribute_prefix(id).is_none();
            let usual = prefix == canonical_prefix(id)
                && match self.scope.element_prefix(id) {
                    Some(known) => known == prefix && self.scope.find(prefix).is_some_and(|binding| binding.uri == uri),
                    None => true,
                };
            let again = owner.declares == Declares::Own && id == own && usual;
            let may_be_child = owner.declares == Declares::Child && id != own && usual;
            let extra = !again && !(regular && (for_element || for_attribute));
            // A child's namespace is declared after the attributes, the element's own before them.
            self.unusual |= if regular && may_be_child { after != count } else { !extra && (after > 0 || for_attribute) };
            if regular && may_be_child {
                held.push(Held { prefix: prefix.to_vec(), uri: uri.to_vec(), id, after });
            } else if extra {
                self.extra_namespace(prefix, uri, after);
            }
        }
        self.scope.unhide(inner);
        if let Some(frame) = self.frames.last_mut().filter(|_| !held.is_empty()) {
            frame.aside.get_or_insert_default().held = held;
        }
        Ok(())
    }

    /// Whether the declarations since a mark are only that which the writer places by itself on the flattened child that a row
    /// names.
    #[cold]
    pub(super) fn declares_itself(&mut self, row: &Row, around: usize) -> bool {
        let id = row.namespace;
        let is_usual = |binding: &Binding| {
            let (prefix, uri) = (canonical_prefix(id), canonical_uri(id, self.strict));
            binding.id == id && binding.after == 0 && binding.prefix == prefix && binding.uri == uri
        };
        let inner = self.scope.hide(around);
        let usual = matches!(&inner[..], [only] if is_usual(only)) && self.scope.element_prefix(id).is_none();
        self.scope.unhide(inner);
        usual
    }

    /// Notes the declarations that were held back, but for that of the first typed child.
    #[cold]
    pub(super) fn release(&mut self, child: Option<u8>) {
        let aside = self.frames.last_mut().and_then(|frame| frame.aside.as_mut());
        for declaration in aside.map(|aside| std::mem::take(&mut aside.held)).unwrap_or_default() {
            if child != Some(declaration.id) {
                self.extra_namespace(&declaration.prefix, &declaration.uri, declaration.after);
            }
        }
    }

    /// Namespaces of the typed attributes of a tag.
    fn attribute_namespaces(&mut self, tag: &Tag<'_>, owner: &'static Message) -> Result<Vec<u8>> {
        let mut ids = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute?;
            let id = self.scope.attribute(attribute.prefix()).unwrap_or(UNKNOWN);
            if id != UNKNOWN && owner.attribute(id, attribute.local()).is_some() {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// The URI by which a namespace of the schema is reported.
    pub(super) fn uri_of(&self, id: u8) -> &'static [u8] {
        canonical_uri(id, false)
    }
}

/// Whether a URI belongs to the Strict conformance class.
pub(super) fn is_strict(uri: &[u8]) -> bool {
    namespace_of(uri).is_some_and(|(_, strict)| strict)
}
