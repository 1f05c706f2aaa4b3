//! Messages in memory whose fields stand in schema order, without extras.

use recto_schema::tables::{Codec, Declares, Message, Row, RowKind, message};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};

use super::Writer;
use super::extras::EXTRAS;

/// How deep messages may nest in a `.bin`.
const MAX_DEPTH: u32 = 100;

/// What a skim tells about a message's wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Fields in schema order, singular ones once, no extras: it can be written as it comes.
    Regular,
    /// Anything else.
    Irregular,
}

/// Follows the fields of a message to tell its shape.
pub(super) struct Skim {
    message: &'static Message,
    named: usize,
    last: usize,
    seen: u128,
}

impl Skim {
    pub(super) fn new(message: &'static Message) -> Self {
        let named = usize::from(message.attributes) + usize::from(message.texts);
        Skim { message, named, last: 0, seen: 0 }
    }

    /// Takes the next field; the slot of its row, or `None` for extras.
    #[inline]
    pub(super) fn next(&mut self, field: &Field) -> Result<(Option<(usize, &'static Row)>, Shape)> {
        let Some((slot, row)) = self.message.field(field.number) else {
            if field.number == EXTRAS && self.message.extras {
                field.expect(WireType::Bytes)?;
                return Ok((None, Shape::Irregular));
            }
            return Err(invalid("an unknown field"));
        };
        let bit = 1 << slot;
        let twice = !row.repeated && self.seen & bit != 0;
        self.seen |= bit;
        // Attributes may come in any order among themselves: that is the order in which they were written.
        let late = if slot < self.named {
            self.last > 0 && (self.last > self.named || slot < usize::from(self.message.attributes))
        } else {
            slot + 1 < self.last
        };
        if slot >= usize::from(self.message.attributes) {
            self.last = slot + 1;
        }
        Ok((Some((slot, row)), if twice || late { Shape::Irregular } else { Shape::Regular }))
    }
}

impl Writer<'_> {
    /// Writes a message in memory as the element that `name` says.
    pub(super) fn message(&mut self, wire: &[u8], name: &'static Row, depth: u32) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(invalid("messages are nested too deeply"));
        }
        let table = message(name.target);
        match table.codec {
            Codec::Cell => return self.cell(wire, name, table, depth),
            Codec::Row => self.row += 1,
            Codec::None => {}
        }
        if !self.declarations.is_empty() {
            return self.indexed(wire, name, depth);
        }
        let mut skim = Skim::new(table);
        for field in Fields::new(wire) {
            if skim.next(&field?)?.1 == Shape::Irregular {
                return self.indexed(wire, name, depth);
            }
        }
        self.regular(wire, name, table, depth)
    }

    fn regular(&mut self, wire: &[u8], name: &'static Row, table: &'static Message, depth: u32) -> Result<()> {
        let scope = self.enter();
        self.start(name)?;
        for field in Fields::new(wire) {
            let field = field?;
            let Some((_, row)) = table.field(field.number) else { continue };
            if row.kind == RowKind::Attribute {
                self.note_row(table, row, &field);
                self.attribute(wire, row, &field)?;
            } else {
                if table.declares == Declares::Child && self.open {
                    self.declare_child(wire, name, row, &field)?;
                }
                self.child(wire, row, &field, depth)?;
            }
        }
        self.end(name);
        self.leave(scope);
        Ok(())
    }

    /// Declares the namespace of the first typed child in the open start tag.
    #[cold]
    pub(super) fn declare_child(&mut self, wire: &[u8], name: &Row, row: &'static Row, field: &Field) -> Result<()> {
        let child = match row.kind {
            RowKind::Child => Some(row),
            RowKind::List => {
                let item = Fields::new(field.bytes(wire)).last().transpose()?;
                item.and_then(|item| message(row.target).field(item.number)).map(|(_, item)| item)
            }
            _ => None,
        };
        match child.filter(|child| child.kind == RowKind::Child) {
            Some(child) if child.namespace != name.namespace => self.declare_own(child.namespace),
            Some(_) => Ok(()),
            None => Ok(()),
        }
    }

    /// Cells refer to the number of their row.
    #[inline]
    pub(super) fn note_row(&mut self, table: &Message, row: &Row, field: &Field) {
        if table.codec == Codec::Row && u32::from(row.field) == recto_schema::fields::sheet::row::INDEX {
            self.row = u64::from(field.value as u32);
        }
    }

    /// Writes a text or child of a message.
    #[inline]
    pub(super) fn child(&mut self, wire: &[u8], row: &'static Row, field: &Field, depth: u32) -> Result<()> {
        match row.kind {
            RowKind::Child => {
                field.expect(WireType::Bytes)?;
                self.message(field.bytes(wire), row, depth + 1)
            }
            RowKind::List => {
                field.expect(WireType::Bytes)?;
                self.item(field.bytes(wire), message(row.target), depth + 1)
            }
            RowKind::ChildValue | RowKind::ChildText => {
                let scope = self.enter();
                self.start(row)?;
                self.child_value(wire, row, field)?;
                self.end(row);
                self.leave(scope);
                Ok(())
            }
            RowKind::Text => {
                field.expect(WireType::Bytes)?;
                if field.start < field.end {
                    self.settle();
                    self.escaped(field.bytes(wire), false)?;
                }
                Ok(())
            }
            RowKind::Raw | RowKind::Other => {
                field.expect(WireType::Bytes)?;
                self.raw_wire(field.bytes(wire))
            }
            RowKind::Attribute => Err(invalid("an attribute among the children")),
        }
    }

    /// Writes an item of a content list: a wrapper with one field.
    #[inline]
    fn item(&mut self, wire: &[u8], wrapper: &'static Message, depth: u32) -> Result<()> {
        let mut fields = Fields::new(wire);
        let Some(field) = fields.next() else { return Ok(()) };
        let field = field?;
        if field.end < wire.len() as u64 {
            return self.merged_item(wire, wrapper, depth);
        }
        let Some((_, row)) = wrapper.field(field.number) else { return Err(invalid("an unknown item")) };
        self.child(wire, row, &field, depth)
    }

    /// A wrapper with several fields: of a `oneof` the last one counts, and its occurrences merge.
    #[cold]
    fn merged_item(&mut self, wire: &[u8], wrapper: &'static Message, depth: u32) -> Result<()> {
        let (mut number, mut merged) = (0, Vec::new());
        for field in Fields::new(wire) {
            let field = field?;
            field.expect(WireType::Bytes)?;
            if field.number != number {
                number = field.number;
                merged.clear();
            }
            merged.extend_from_slice(field.bytes(wire));
        }
        let Some((_, row)) = wrapper.field(number) else { return Err(invalid("an unknown item")) };
        let whole = Field { number, wire_type: WireType::Bytes, value: 0, start: 0, end: merged.len() as u64 };
        self.child(&merged, row, &whole, depth)
    }
}
