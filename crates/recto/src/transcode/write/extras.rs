//! The `Extras` of a message, and what they add to its element.

use std::collections::BTreeMap;

use recto_schema::fields;
use recto_schema::tables::{Row, RowKind, Scalar, XML_NAMESPACE};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};
use crate::xml::names;
use crate::xml::namespaces::canonical_uri;

use super::Writer;
use super::raw::Raw;
use super::values;

/// Field number of `Extras` in every message that has it.
pub(super) const EXTRAS: u32 = 1;

/// An attribute without field.
#[derive(Clone, Copy)]
pub(super) struct ExtraAttribute<'w> {
    pub field: u32,
    pub name: &'w [u8],
    pub value: &'w [u8],
    pub namespace: Option<&'w [u8]>,
}

/// A namespace declaration.
#[derive(Clone, Copy)]
pub(super) struct Declaration<'w> {
    pub prefix: &'w [u8],
    pub uri: &'w [u8],
    /// How many attributes stand before it.
    pub after: u32,
}

/// The extras of one message; its texts stay on the wire.
#[derive(Clone, Default)]
pub(super) struct Extras<'w> {
    pub namespaces: Vec<Declaration<'w>>,
    pub attributes: Vec<ExtraAttribute<'w>>,
    pub lexical: Vec<(u32, Option<&'w [u8]>)>,
    pub order: Vec<u32>,
    /// Nodes by the field and the number of its children that they follow.
    pub placed: BTreeMap<(u32, u32), Vec<Raw<'w>>>,
}

impl<'w> Extras<'w> {
    /// Adds one occurrence of the field.
    pub(super) fn add(&mut self, wire: &'w [u8]) -> Result<()> {
        for field in Fields::new(wire) {
            let field = field?;
            let bytes = field.bytes(wire);
            match field.number {
                fields::extras::NAMESPACES => self.namespaces.push(declaration(bytes)?),
                fields::extras::ATTRIBUTES => self.attributes.push(attribute(bytes)?),
                fields::extras::PLACED => self.place(bytes)?,
                fields::extras::LEXICAL => self.lexical.push(lexical(bytes)?),
                fields::extras::ORDER if field.wire_type == WireType::Bytes => self.order_of(bytes)?,
                fields::extras::ORDER => self.order.push(field.value as u32),
                _ => return Err(invalid("an unknown field in extras")),
            }
        }
        Ok(())
    }

    /// Packed field numbers.
    fn order_of(&mut self, bytes: &[u8]) -> Result<()> {
        let mut value = 0u64;
        let mut shift = 0;
        for &byte in bytes {
            if shift > 63 {
                return Err(invalid("a varint is too long"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                self.order.push(value as u32);
                (value, shift) = (0, 0);
            }
        }
        if shift == 0 { Ok(()) } else { Err(invalid("a varint is truncated")) }
    }

    fn place(&mut self, wire: &'w [u8]) -> Result<()> {
        let mut key = (0, 0);
        let mut node = Raw::default();
        for field in Fields::new(wire) {
            let field = field?;
            match field.number {
                fields::placed::AFTER => key.0 = field.value as u32,
                fields::placed::INDEX => key.1 = field.value as u32,
                fields::placed::NODE => node.add(field.bytes(wire))?,
                _ => return Err(invalid("an unknown field in extras")),
            }
        }
        self.placed.entry(key).or_default().push(node);
        Ok(())
    }

    /// The text that a field is written with instead of its value's: it must still mean the same. The inner `None` is
    /// a child without its value attribute.
    pub(super) fn text_for(&self, row: &Row, field: Option<&Field>) -> Option<Option<&'w [u8]>> {
        let number = u32::from(row.field);
        let (_, text) = self.lexical.iter().rfind(|(of, _)| *of == number)?;
        let current = field.map(|field| values::bits(row, field));
        let means = match text {
            None if row.kind == RowKind::ChildValue => (row.scalar == Scalar::Bool).then_some(1),
            None => return None,
            Some(_) if row.scalar == Scalar::String => return None,
            Some(text) => values::parse(row, text),
        };
        (means == current).then_some(*text)
    }

    /// Attributes on the message's element (0) or on the flattened child of a field.
    pub(super) fn attributes_of(&self, field: u32) -> impl Iterator<Item = &ExtraAttribute<'w>> {
        self.attributes.iter().filter(move |attribute| attribute.field == field)
    }
}

/// Reads a `NamespaceDecl`.
pub(super) fn declaration(wire: &[u8]) -> Result<Declaration<'_>> {
    let (mut prefix, mut uri, mut after): (&[u8], &[u8], u32) = (b"", b"", 0);
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::namespace_decl::PREFIX => prefix = field.bytes(wire),
            fields::namespace_decl::URI => uri = field.bytes(wire),
            fields::namespace_decl::AFTER => after = field.value as u32,
            _ => return Err(invalid("an unknown field in a namespace declaration")),
        }
    }
    let fit = match prefix {
        b"" => true,
        b"xml" => uri == canonical_uri(XML_NAMESPACE, false),
        _ => names::is_ncname(prefix) && prefix != b"xmlns" && !uri.is_empty(),
    };
    if fit { Ok(Declaration { prefix, uri, after }) } else { Err(invalid("a namespace declaration has no valid prefix")) }
}

fn attribute(wire: &[u8]) -> Result<ExtraAttribute<'_>> {
    let mut attribute = ExtraAttribute { field: 0, name: b"", value: b"", namespace: None };
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::extra_attribute::FIELD => attribute.field = field.value as u32,
            fields::extra_attribute::NAME => attribute.name = field.bytes(wire),
            fields::extra_attribute::VALUE => attribute.value = field.bytes(wire),
            fields::extra_attribute::NAMESPACE => attribute.namespace = Some(field.bytes(wire)),
            _ => return Err(invalid("an unknown field in an attribute")),
        }
    }
    Ok(attribute)
}

fn lexical(wire: &[u8]) -> Result<(u32, Option<&[u8]>)> {
    let mut lexical = (0, None);
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::lexical::FIELD => lexical.0 = field.value as u32,
            fields::lexical::TEXT => lexical.1 = Some(field.bytes(wire)),
            _ => return Err(invalid("an unknown field in extras")),
        }
    }
    Ok(lexical)
}

impl Writer<'_> {
    /// Brings the extras' declarations into scope, before the element's own name is written; its start tag will get them.
    pub(super) fn extra_scope(&mut self, extras: &Extras<'_>) -> Result<()> {
        let before = self.scope.mark();
        for Declaration { prefix, uri, .. } in &extras.namespaces {
            if self.scope.since(before).any(|binding| binding.prefix == *prefix) {
                return Err(invalid("a prefix is declared twice on an element"));
            }
            self.declare(prefix, uri, 1);
        }
        let owned = |it: &Declaration<'_>| (it.prefix.to_vec(), it.uri.to_vec(), it.after);
        self.declarations.extend(extras.namespaces.iter().map(owned));
        Ok(())
    }

    /// Writes the declarations that stand before the attribute of this index into the open start tag.
    pub(super) fn declarations_before(&mut self, attribute: u32) -> Result<()> {
        while let Some((prefix, uri, _)) = self.declarations.pop_front_if(|(_, _, after)| *after <= attribute) {
            self.declaration(&prefix, &uri)?;
        }
        Ok(())
    }

    /// Writes an attribute without field.
    pub(super) fn extra_attribute(&mut self, attribute: &ExtraAttribute<'_>) -> Result<()> {
        let Some((prefix, _)) = names::split(attribute.name) else {
            return Err(invalid("an attribute has no valid name"));
        };
        if prefix == b"xmlns" || attribute.name == b"xmlns" {
            return Err(invalid("a declaration among the attributes"));
        }
        if !prefix.is_empty() && prefix != b"xml" {
            self.ensure(prefix, attribute.namespace)?;
        }
        let start = self.out.len();
        self.out.push(b' ');
        self.out.extend_from_slice(attribute.name);
        self.out.extend_from_slice(b"=\"");
        if self.is_repeated(start) {
            return Err(invalid("an attribute stands twice on an element"));
        }
        self.escaped(attribute.value, true)?;
        self.out.push(b'"');
        Ok(())
    }

    /// Makes sure that a prefix means a namespace (by default, what it means on the root), declaring it in the open
    /// start tag where it does not.
    fn ensure(&mut self, prefix: &[u8], namespace: Option<&[u8]>) -> Result<()> {
        let Some(wanted) = self.meant(prefix, namespace) else { return Err(invalid("an undeclared prefix")) };
        if self.scope.find(prefix).is_some_and(|binding| binding.uri == wanted) {
            return Ok(());
        }
        self.declare(prefix, &wanted, 1);
        self.declaration(prefix, &wanted)
    }

    /// The namespace that a prefix stands for in what was kept as written.
    pub(super) fn meant(&self, prefix: &[u8], namespace: Option<&[u8]>) -> Option<Vec<u8>> {
        match namespace {
            Some(uri) => Some(uri.to_vec()),
            None => self
                .scope
                .since(0)
                .take(self.root_scope)
                .find(|binding| binding.prefix == prefix)
                .map(|binding| binding.uri.clone()),
        }
    }
}
