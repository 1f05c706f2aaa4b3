//! Messages whose fields stand in any order, are split, or have extras.

use recto_schema::tables::{Codec, Declares, Message, Row, RowKind, message};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};

use super::Writer;
use super::extras::{EXTRAS, Extras};

/// The fields of a message by slot.
pub(super) struct Index<'w> {
    pub extras: Extras<'w>,
    /// All fields but extras, by slot; within a slot in the order of the wire.
    pub fields: Vec<(usize, Field)>,
    /// For each slot where its fields begin in `fields`; one more entry for the end.
    starts: Vec<usize>,
}

impl<'w> Index<'w> {
    /// Sorts fields by slot.
    pub(super) fn new(extras: Extras<'w>, mut fields: Vec<(usize, Field)>, table: &Message) -> Self {
        fields.sort_by_key(|(slot, _)| *slot);
        let starts = (0..=usize::from(table.count)).map(|slot| fields.partition_point(|(of, _)| *of < slot)).collect();
        Index { extras, fields, starts }
    }

    fn of_wire(wire: &'w [u8], table: &'static Message) -> Result<Self> {
        let mut extras = Extras::default();
        let mut fields = Vec::new();
        for field in Fields::new(wire) {
            let field = field?;
            match table.field(field.number) {
                Some((slot, _)) => fields.push((slot, field)),
                None if field.number == EXTRAS && table.extras => extras.add(field.bytes(wire))?,
                None => return Err(invalid("an unknown field")),
            }
        }
        Ok(Index::new(extras, fields, table))
    }

    /// The fields of a slot.
    pub(super) fn slot(&self, slot: usize) -> &[(usize, Field)] {
        let range = self.starts.get(slot).copied().unwrap_or(0)..self.starts.get(slot + 1).copied().unwrap_or(0);
        self.fields.get(range).unwrap_or_default()
    }

    /// The last field of a slot, which is the one that counts for a scalar.
    pub(super) fn last(&self, slot: usize) -> Option<&Field> {
        self.slot(slot).last().map(|(_, field)| field)
    }

    /// How many children a slot has.
    pub(super) fn count(&self, slot: usize, row: &Row) -> usize {
        let fields = self.slot(slot).len();
        match row.kind {
            _ if row.repeated => fields,
            _ if fields > 0 => 1,
            RowKind::ChildValue | RowKind::ChildText if self.extras.text_for(row, None).is_some() => 1,
            RowKind::ChildValue if self.is_bare(row) => 1,
            _ => 0,
        }
    }

    /// Whether a child that has no value stood there without its attribute.
    fn is_bare(&self, row: &Row) -> bool {
        row.scalar != recto_schema::tables::Scalar::Bool
            && self.extras.lexical.iter().any(|(field, text)| *field == u32::from(row.field) && text.is_none())
    }
}

impl Writer<'_> {
    /// Writes a message of any shape.
    #[cold]
    pub(super) fn indexed(&mut self, wire: &[u8], name: &'static Row, depth: u32) -> Result<()> {
        let table = message(name.target);
        let index = Index::of_wire(wire, table)?;
        let scope = self.enter();
        self.start_indexed(wire, name, table, &index)?;
        if table.texts > 0 {
            let slot = usize::from(table.attributes);
            if let (Some(row), Some(field)) = (table.text(), index.last(slot)) {
                self.child(wire, row, field, depth)?;
            }
        }
        self.in_order(table, &index, |writer, slot, row, nth| writer.indexed_child(wire, &index, (slot, row, nth, name), depth))?;
        self.end(name);
        self.leave(scope);
        Ok(())
    }

    /// The start tag with all attributes.
    pub(super) fn start_indexed(
        &mut self,
        wire: &[u8],
        name: &'static Row,
        table: &'static Message,
        index: &Index<'_>,
    ) -> Result<()> {
        self.extra_scope(&index.extras)?;
        self.start(name)?;
        // Attributes come in the order of the wire, which is that of the source; those without a value come last.
        let mut fields: Vec<&(usize, Field)> =
            index.fields.iter().filter(|(slot, _)| *slot < usize::from(table.attributes)).collect();
        fields.sort_by_key(|(_, field)| field.start);
        let mut written = 0;
        for (slot, field) in fields {
            let Some(row) = table.rows().get(*slot) else { continue };
            if index.last(*slot).is_some_and(|last| last.start == field.start) {
                self.note_row(table, row, field);
                self.indexed_attribute(wire, row, Some(field), &index.extras)?;
                written += 1;
                self.declarations_before(written)?;
            }
        }
        self.invalid_attributes(wire, table, index, &mut written)?;
        for attribute in index.extras.attributes_of(0) {
            self.extra_attribute(attribute)?;
            written += 1;
            self.declarations_before(written)?;
        }
        self.declarations_before(u32::MAX)
    }

    /// Attributes whose text is not valid, so that they have no value.
    /// `written` counts the attributes of the tag.
    pub(super) fn invalid_attributes(
        &mut self,
        wire: &[u8],
        table: &'static Message,
        index: &Index<'_>,
        written: &mut u32,
    ) -> Result<()> {
        for (at, (number, _)) in index.extras.lexical.iter().enumerate() {
            let Some((slot, row)) = table.field(*number).filter(|(_, row)| row.kind == RowKind::Attribute) else { continue };
            if table.codec == Codec::Cell && *number == recto_schema::fields::sheet::cell::COLUMN {
                continue;
            }
            let again = index.extras.lexical.iter().take(at).any(|(earlier, _)| earlier == number);
            if !again && index.last(slot).is_none() {
                let before = self.out.len();
                self.indexed_attribute(wire, row, None, &index.extras)?;
                *written += u32::from(self.out.len() > before);
                self.declarations_before(*written)?;
            }
        }
        Ok(())
    }

    /// An attribute, in an unusual spelling if there is one for its value.
    pub(super) fn indexed_attribute(&mut self, wire: &[u8], row: &Row, field: Option<&Field>, extras: &Extras<'_>) -> Result<()> {
        match (extras.text_for(row, field), field) {
            (Some(Some(text)), _) => {
                self.attribute_name(row)?;
                self.escaped(text, true)?;
                self.out.push(b'"');
                Ok(())
            }
            (_, Some(field)) => self.attribute(wire, row, field),
            _ => Ok(()),
        }
    }

    /// Calls `child` for every child in its order, with the slot, the row and which of the slot's children it is, and
    /// writes raw nodes at their places.
    pub(super) fn in_order(
        &mut self,
        table: &'static Message,
        index: &Index<'_>,
        mut child: impl FnMut(&mut Self, usize, &'static Row, usize) -> Result<()>,
    ) -> Result<()> {
        let first = usize::from(table.attributes) + usize::from(table.texts);
        let rows = table.rows();
        let counts: Vec<usize> = rows.iter().enumerate().map(|(slot, row)| index.count(slot, row)).collect();
        let mut done = vec![0usize; rows.len()];
        let mut placed: Vec<(u32, u32)> = index.extras.placed.keys().copied().collect();
        self.placed_at(&index.extras, &mut placed, 0, 0)?;
        let mut one = |writer: &mut Self, slot: usize, row: &'static Row, done: &mut Vec<usize>, placed: &mut _| -> Result<()> {
            let nth = done.get(slot).copied().unwrap_or(0);
            child(writer, slot, row, nth)?;
            if let Some(done) = done.get_mut(slot) {
                *done += 1;
            }
            writer.placed_at(&index.extras, placed, u32::from(row.field), nth as u32 + 1)
        };
        for &number in &index.extras.order {
            let Some((slot, row)) = table.field(number) else { continue };
            if slot >= first && done.get(slot) < counts.get(slot) {
                one(self, slot, row, &mut done, &mut placed)?;
            }
        }
        for (slot, row) in rows.iter().enumerate().skip(first) {
            while done.get(slot) < counts.get(slot) {
                one(self, slot, row, &mut done, &mut placed)?;
            }
            // Nodes whose neighbour was removed come where it would be.
            let number = u32::from(row.field);
            while let Some(&(_, nth)) = placed.iter().find(|(field, _)| *field == number) {
                self.placed_at(&index.extras, &mut placed, number, nth)?;
            }
        }
        while let Some(&(field, nth)) = placed.first() {
            self.placed_at(&index.extras, &mut placed, field, nth)?;
        }
        Ok(())
    }

    fn placed_at(&mut self, extras: &Extras<'_>, left: &mut Vec<(u32, u32)>, field: u32, nth: u32) -> Result<()> {
        let Ok(at) = left.binary_search(&(field, nth)) else { return Ok(()) };
        left.remove(at);
        for node in extras.placed.get(&(field, nth)).into_iter().flatten() {
            self.raw(node)?;
        }
        Ok(())
    }

    fn indexed_child(
        &mut self,
        wire: &[u8],
        index: &Index<'_>,
        (slot, row, nth, name): (usize, &'static Row, usize, &'static Row),
        depth: u32,
    ) -> Result<()> {
        let fields = index.slot(slot);
        if message(name.target).declares == Declares::Child
            && self.open
            && let Some((_, field)) = fields.get(nth)
        {
            self.declare_child(wire, name, row, field)?;
        }
        match row.kind {
            RowKind::ChildValue | RowKind::ChildText => self.indexed_value(wire, row, index.last(slot), &index.extras),
            _ if !row.repeated && fields.len() > 1 => {
                // A message that comes in several pieces is all of them.
                let mut merged = Vec::new();
                for (_, field) in fields {
                    field.expect(WireType::Bytes)?;
                    merged.extend_from_slice(field.bytes(wire));
                }
                let number = u32::from(row.field);
                let whole = Field { number, wire_type: WireType::Bytes, value: 0, start: 0, end: merged.len() as u64 };
                self.child(&merged, row, &whole, depth)
            }
            _ => match fields.get(nth) {
                Some((_, field)) => self.child(wire, row, field, depth),
                None => Ok(()),
            },
        }
    }

    /// A flattened child with what the extras add to it.
    pub(super) fn indexed_value(
        &mut self,
        wire: &[u8],
        row: &'static Row,
        field: Option<&Field>,
        extras: &Extras<'_>,
    ) -> Result<()> {
        let scope = self.enter();
        self.start(row)?;
        let text = extras.text_for(row, field);
        let in_text = row.kind == RowKind::ChildText;
        if !in_text {
            match (text, field) {
                (Some(Some(text)), _) => self.value_text(row, text)?,
                (None, Some(field)) => self.child_value(wire, row, field)?,
                _ => {}
            }
        }
        for attribute in extras.attributes_of(u32::from(row.field)) {
            self.extra_attribute(attribute)?;
        }
        if in_text {
            match (text, field) {
                (Some(Some(text)), _) => {
                    self.settle();
                    self.escaped(text, false)?;
                }
                (_, Some(field)) if field.wire_type != WireType::Bytes || field.start < field.end => {
                    self.child_value(wire, row, field)?;
                }
                _ => {}
            }
        }
        self.end(row);
        self.leave(scope);
        Ok(())
    }

    fn value_text(&mut self, row: &Row, text: &[u8]) -> Result<()> {
        let attribute =
            recto_schema::tables::VALUE_ATTRIBUTES.get(usize::from(row.aux)).ok_or_else(|| invalid("an unknown attribute"))?;
        self.value_attribute_name(attribute)?;
        self.escaped(text, true)?;
        self.out.push(b'"');
        Ok(())
    }
}
