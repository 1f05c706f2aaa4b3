//! Elements as the wire has them: messages with the tables that say what their fields are.

use recto_schema::fields;
use recto_schema::tables::{Message, Row, message};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};

/// Field number of `Extras` in every message that has it.
pub(super) const EXTRAS: u32 = 1;

/// An element of a typed part.
#[derive(Clone, Copy)]
pub(super) struct Element<'w> {
    /// Index of its message.
    pub message: u16,
    /// Its own name.
    pub name: &'static [u8],
    wire: &'w [u8],
}

impl<'w> Element<'w> {
    /// The element of a row.
    pub(super) fn of(row: &'static Row, wire: &'w [u8]) -> Self {
        Element { message: row.target, name: row.local(), wire }
    }

    /// Its table.
    pub(super) fn table(self) -> &'static Message {
        message(self.message)
    }

    /// Its bytes.
    pub(super) fn wire(self) -> &'w [u8] {
        self.wire
    }

    /// Its fields as they come.
    pub(super) fn fields(self) -> Fields<'w> {
        Fields::new(self.wire)
    }

    fn all(self, number: u32) -> impl Iterator<Item = Field> + use<'w> {
        self.fields().map_while(Result::ok).filter(move |field| field.number == number)
    }

    /// How often it has a field.
    pub(super) fn count(self, number: u32) -> u64 {
        self.all(number).count() as u64
    }

    /// The number that a field holds; the last one counts.
    pub(super) fn number(self, number: u32) -> Option<i64> {
        self.all(number).filter(|field| field.wire_type == WireType::Varint).last().map(|field| field.value as i64)
    }

    /// The text that a field holds.
    pub(super) fn text(self, number: u32) -> Option<&'w str> {
        let last = self.all(number).filter(|field| field.wire_type == WireType::Bytes).last()?;
        std::str::from_utf8(last.bytes(self.wire)).ok()
    }

    /// The message of a field that the table does not bind.
    pub(super) fn unbound(self, number: u32, message: u16) -> Option<Element<'w>> {
        let field = self.all(number).last()?;
        Some(Element { message, name: b"", wire: field.bytes(self.wire) })
    }

    /// Its children of a field; a single child that an encoder split into pieces counts for one each.
    pub(super) fn children(self, number: u32) -> impl Iterator<Item = Element<'w>> + use<'w> {
        let row = self.table().field(number).map(|(_, row)| row);
        self.all(number).filter_map(move |field| Some(Element::of(row?, field.bytes(self.wire))))
    }

    /// Whether a field is the first of its number.
    pub(super) fn is_first(self, field: &Field) -> bool {
        self.all(field.number).next().is_some_and(|first| first.start == field.start)
    }

    /// All pieces of a child that may stand once: decoders merge them.
    pub(super) fn merged(self, number: u32) -> Vec<u8> {
        self.all(number).flat_map(|field| field.bytes(self.wire).iter().copied()).collect()
    }

    /// What a content list holds: of each item, its number and the element, if it is a typed one.
    pub(super) fn items(self, list: u32) -> impl Iterator<Item = (u32, Element<'w>)> + use<'w> {
        self.children(list).filter_map(|item| {
            let field = item.fields().next()?.ok()?;
            let (_, row) = item.table().field(field.number)?;
            Some((field.number, Element::of(row, field.bytes(item.wire))))
        })
    }
}

/// Which fields a message has, by slot.
#[derive(Clone, Copy, Default)]
pub(super) struct Slots(u128);

impl Slots {
    pub(super) fn insert(&mut self, slot: usize) -> bool {
        let bit = 1u128.checked_shl(slot as u32).unwrap_or_default();
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }

    pub(super) fn has(self, slot: usize) -> bool {
        self.0 & 1u128.checked_shl(slot as u32).unwrap_or_default() != 0
    }
}

/// An attribute that no field stands for.
pub(super) struct ExtraAttribute<'w> {
    /// The field on whose flattened child it stands, or 0.
    pub field: u32,
    pub name: &'w [u8],
    pub value: &'w [u8],
    pub namespace: Option<&'w [u8]>,
}

/// What the fields of an element cannot say.
#[derive(Default)]
pub(super) struct Extras<'w> {
    pub namespaces: Vec<(&'w [u8], &'w [u8])>,
    pub attributes: Vec<ExtraAttribute<'w>>,
    /// Wire of `RawXml`.
    pub placed: Vec<&'w [u8]>,
    /// Field, and text or nothing.
    pub lexical: Vec<(u32, Option<&'w [u8]>)>,
    pub order: Vec<u32>,
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
                fields::extras::PLACED => {
                    self.placed.extend(last(bytes, fields::placed::NODE)?.map(|field| field.bytes(bytes)));
                }
                fields::extras::LEXICAL => {
                    let number = last(bytes, fields::lexical::FIELD)?.map_or(0, |field| field.value as u32);
                    let text = last(bytes, fields::lexical::TEXT)?.map(|field| field.bytes(bytes));
                    self.lexical.push((number, text));
                }
                fields::extras::ORDER if field.wire_type == WireType::Varint => self.order.push(field.value as u32),
                fields::extras::ORDER => self.add_order(bytes)?,
                _ => return Err(invalid("an unknown field in extras")),
            }
        }
        Ok(())
    }

    /// Packed field numbers.
    fn add_order(&mut self, bytes: &[u8]) -> Result<()> {
        let mut value = 0u32;
        let mut shift = 0;
        for &byte in bytes {
            let bits = u32::from(byte & 0x7f).checked_shl(shift).ok_or_else(|| invalid("a varint is too long"))?;
            value |= bits;
            shift += 7;
            if byte < 0x80 {
                self.order.push(value);
                (value, shift) = (0, 0);
            }
        }
        Ok(())
    }
}

/// The last occurrence of a field.
fn last(wire: &[u8], number: u32) -> Result<Option<Field>> {
    let mut found = None;
    for field in Fields::new(wire) {
        let field = field?;
        if field.number == number {
            found = Some(field);
        }
    }
    Ok(found)
}

/// The bytes of a field, or none.
fn bytes_of(wire: &[u8], number: u32) -> Result<&[u8]> {
    Ok(last(wire, number)?.map_or(&[], |field| field.bytes(wire)))
}

/// Prefix and URI of a `NamespaceDecl`.
pub(super) fn declaration(wire: &[u8]) -> Result<(&[u8], &[u8])> {
    Ok((bytes_of(wire, fields::namespace_decl::PREFIX)?, bytes_of(wire, fields::namespace_decl::URI)?))
}

fn attribute(wire: &[u8]) -> Result<ExtraAttribute<'_>> {
    Ok(ExtraAttribute {
        field: last(wire, fields::extra_attribute::FIELD)?.map_or(0, |field| field.value as u32),
        name: bytes_of(wire, fields::extra_attribute::NAME)?,
        value: bytes_of(wire, fields::extra_attribute::VALUE)?,
        namespace: last(wire, fields::extra_attribute::NAMESPACE)?.map(|field| field.bytes(wire)),
    })
}
