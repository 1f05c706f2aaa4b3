//! Messages that grow with the document, read piece by piece.

use recto_schema::tables::{Message, Row, RowKind, message};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Input, invalid};

use super::Writer;
use super::extras::{EXTRAS, Extras};
use super::indexed::Index;
use super::message::{Shape, Skim};

/// What a first pass over a streamed message finds.
struct Survey {
    /// Attributes, one after the other as on the wire.
    attributes: Vec<u8>,
    /// All occurrences of the extras, merged.
    extras: Vec<u8>,
    has_extras: bool,
    shape: Shape,
}

impl Writer<'_> {
    /// Writes a message that stands from `start` to `end` of the input.
    pub(super) fn streamed(&mut self, input: &mut Input<'_>, start: u64, end: u64, name: &'static Row, depth: u32) -> Result<()> {
        let table = message(name.target);
        if !table.streamed {
            let (wire, at) = input.piece(start, end)?;
            self.message(wire, at, at + (end - start), name, depth)?;
            return self.hand_on();
        }
        let survey = survey(input, start, end, table)?;
        if survey.has_extras || survey.shape == Shape::Irregular {
            return self.streamed_index(input, start, end, name, &survey, depth);
        }
        let scope = self.enter();
        self.start(name)?;
        let mut written = 0;
        for field in crate::wire::input::Fields::new(&survey.attributes) {
            let field = field?;
            if let Some((_, row)) = table.field(field.number) {
                self.attribute(&survey.attributes, row, &field)?;
                written += 1;
                self.declarations_before(written)?;
            }
        }
        self.declarations_before(u32::MAX)?;
        let last = self.supply.as_ref().filter(|supply| std::ptr::eq(message(supply.owner), table)).map(|supply| supply.items);
        let last = last.and_then(|items| table.field(items)).map(|(slot, _)| slot);
        let mut at = start;
        while at < end {
            let field = input.field(at, end)?;
            at = field.end;
            if let Some((slot, row)) = table.field(field.number).filter(|(_, row)| row.kind != RowKind::Attribute) {
                if last.is_some_and(|last| slot > last) {
                    self.supplied_items(table, depth)?;
                }
                self.streamed_child(input, row, &field, depth)?;
            }
        }
        if last.is_some() {
            self.supplied_items(table, depth)?;
        }
        self.end(name);
        self.leave(scope);
        self.hand_on()
    }

    /// Writes the items that come from elsewhere, once.
    fn supplied_items(&mut self, table: &'static Message, depth: u32) -> Result<()> {
        let Some(supply) = self.supply.take() else { return Ok(()) };
        let Some((_, row)) = table.field(supply.items) else { return Ok(()) };
        let mut wire = Vec::new();
        while (supply.next)(&mut wire)? {
            let end = wire.len() as u64;
            let whole = Field { number: supply.items, wire_type: WireType::Bytes, value: 0, start: 0, end };
            self.child(&wire, row, &whole, depth)?;
            self.hand_on()?;
            wire.clear();
        }
        Ok(())
    }

    #[inline(always)]
    fn streamed_child(&mut self, input: &mut Input<'_>, row: &'static Row, field: &Field, depth: u32) -> Result<()> {
        if row.kind == RowKind::Child && !message(row.target).streamed {
            field.expect(WireType::Bytes)?;
            let (wire, at) = input.piece(field.start, field.end)?;
            self.message(wire, at, at + (field.end - field.start), row, depth + 1)?;
            return self.hand_on();
        }
        self.other_streamed_child(input, row, field, depth)
    }

    #[inline(never)]
    fn other_streamed_child(&mut self, input: &mut Input<'_>, row: &'static Row, field: &Field, depth: u32) -> Result<()> {
        if row.kind == RowKind::Child {
            field.expect(WireType::Bytes)?;
            return self.streamed(input, field.start, field.end, row, depth + 1);
        }
        let (wire, inner) = match field.wire_type {
            WireType::Bytes => {
                let (wire, at) = input.piece(field.start, field.end)?;
                (wire, Field { start: at, end: at + (field.end - field.start), ..*field })
            }
            _ => (&[][..], Field { start: 0, end: 0, ..*field }),
        };
        self.child(wire, row, &inner, depth)?;
        self.hand_on()
    }

    /// A streamed message with extras or in another order: only the places of its children are kept in memory.
    #[cold]
    fn streamed_index(
        &mut self,
        input: &mut Input<'_>,
        start: u64,
        end: u64,
        name: &'static Row,
        survey: &Survey,
        depth: u32,
    ) -> Result<()> {
        let table = message(name.target);
        let mut extras = Extras::default();
        extras.add(&survey.extras)?;
        let mut attributes = Vec::new();
        for field in crate::wire::input::Fields::new(&survey.attributes) {
            let field = field?;
            if let Some((slot, _)) = table.field(field.number) {
                attributes.push((slot, field));
            }
        }
        let scope = self.enter();
        let head = Index::new(extras, attributes, table);
        self.start_indexed(&survey.attributes, name, table, &head)?;
        let children = children(input, start, end, table)?;
        let index = Index::new(head.extras, children, table);
        self.in_order(table, &index, |writer, slot, row, nth| {
            let fields = index.slot(slot);
            match row.kind {
                RowKind::ChildValue | RowKind::ChildText => {
                    let field = index.last(slot);
                    let (start, end) = match field {
                        Some(field) if field.wire_type == WireType::Bytes => (field.start, field.end),
                        _ => (0, 0),
                    };
                    let wire = input.bytes(start, end)?;
                    let inner = field.map(|field| Field { start: 0, end: wire.len() as u64, ..*field });
                    writer.indexed_value(wire, row, inner.as_ref(), &index.extras)
                }
                _ if !row.repeated && fields.len() > 1 => {
                    let mut merged = Vec::new();
                    for (_, field) in fields {
                        field.expect(WireType::Bytes)?;
                        merged.extend_from_slice(input.bytes(field.start, field.end)?);
                    }
                    let number = u32::from(row.field);
                    let whole = Field { number, wire_type: WireType::Bytes, value: 0, start: 0, end: merged.len() as u64 };
                    writer.streamed_child(&mut Input::Slice(&merged), row, &whole, depth)
                }
                _ => match fields.get(nth) {
                    Some((_, field)) => writer.streamed_child(input, row, field, depth),
                    None => Ok(()),
                },
            }
        })?;
        self.end(name);
        self.leave(scope);
        self.hand_on()
    }
}

fn survey(input: &mut Input<'_>, start: u64, end: u64, table: &'static Message) -> Result<Survey> {
    let mut survey = Survey { attributes: Vec::new(), extras: Vec::new(), has_extras: false, shape: Shape::Regular };
    let mut skim = Skim::new(table);
    let mut at = start;
    let mut list = 0;
    while at < end {
        let field = input.field(at, end)?;
        if field.number == list {
            at = field.end;
            continue;
        }
        let (row, shape) = skim.next(field)?;
        // The same again and again cannot make a difference.
        list = match row {
            Some(row) if row.repeated && row.kind != RowKind::Attribute && shape == Shape::Regular => field.number,
            _ => 0,
        };
        if shape == Shape::Irregular && field.number != EXTRAS {
            survey.shape = shape;
        }
        match row {
            Some(row) if row.kind == RowKind::Attribute => {
                survey.attributes.extend_from_slice(input.bytes(at, field.end)?);
            }
            None => {
                survey.has_extras = true;
                survey.extras.extend_from_slice(input.bytes(field.start, field.end)?);
            }
            _ => {}
        }
        at = field.end;
    }
    Ok(survey)
}

fn children(input: &mut Input<'_>, start: u64, end: u64, table: &'static Message) -> Result<Vec<(usize, Field)>> {
    let mut children = Vec::new();
    let mut at = start;
    while at < end {
        let field = input.field(at, end)?;
        at = field.end;
        match table.field(field.number) {
            Some((slot, row)) if row.kind != RowKind::Attribute => children.push((slot, field)),
            None if field.number != EXTRAS => return Err(invalid("an unknown field")),
            _ => {}
        }
    }
    Ok(children)
}
