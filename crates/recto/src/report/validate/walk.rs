//! The walk over the elements of a part: what the tables say is checked on the way, and every element is shown to the rules.

use recto_schema::tables::{Message, Row, RowKind, VALUE_ATTRIBUTES, message, namespace_of};

use crate::error::Result;
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};

use super::element::{EXTRAS, Element, Extras, Slots};
use super::finding::FindingCode;
use super::markup::Scope;
use super::package::Links;
use super::place::Place;
use super::rules::Rules;

/// How deep messages nest at most; decoders stop at 100.
const MAX_DEPTH: u32 = 128;

/// Namespace of attributes that name a relationship.
const RELATIONSHIPS: &[u8] = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A walk over one part.
pub(super) struct Walk<'a, 'f> {
    pub place: Place<'f>,
    pub scope: Scope,
    /// The relationships of the part.
    links: &'a Links,
    rules: &'a mut Rules,
    /// How many children of which field the open elements have had.
    counts: Vec<((u32, u32), u32)>,
    /// Index of the namespace of attributes that name a relationship.
    relationships: Option<u8>,
}

/// What a first look at an element finds.
pub(super) struct Seen<'w> {
    pub slots: Slots,
    pub twice: Slots,
    pub extras: Extras<'w>,
}

impl<'w> Seen<'w> {
    fn of(element: Element<'w>, table: &'static Message) -> Result<Self> {
        let mut seen = Seen { slots: Slots::default(), twice: Slots::default(), extras: Extras::default() };
        for field in element.fields() {
            let field = field?;
            if field.number == EXTRAS && table.extras {
                seen.extras.add(field.bytes(element.wire()))?;
            } else if let Some((slot, row)) = table.field(field.number)
                && !seen.slots.insert(slot)
                && !row.repeated
            {
                seen.twice.insert(slot);
            }
        }
        Ok(seen)
    }
}

impl<'a, 'f> Walk<'a, 'f> {
    pub(super) fn new(place: Place<'f>, scope: Scope, links: &'a Links, rules: &'a mut Rules) -> Self {
        let relationships = namespace_of(RELATIONSHIPS).map(|(index, _)| index);
        Walk { place, scope, links, rules, counts: Vec::new(), relationships }
    }

    /// Walks over a part from its root.
    ///
    /// # Errors
    /// If it is not what a `.bin` holds.
    pub(super) fn root(&mut self, row: &'static Row, wire: &[u8]) -> Result<()> {
        self.rules.start_part();
        self.child(row, wire, 0, 0)?;
        self.rules.end_part(&mut self.place);
        Ok(())
    }

    fn child(&mut self, row: &'static Row, wire: &[u8], nth: u32, depth: u32) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(invalid("messages are nested too deeply"));
        }
        self.place.enter(row, nth);
        self.element(Element::of(row, wire), depth)?;
        self.place.leave();
        Ok(())
    }

    fn element(&mut self, element: Element<'_>, depth: u32) -> Result<()> {
        let table = element.table();
        let seen = Seen::of(element, table)?;
        let (declared, counted) = (self.scope.mark(), self.counts.len());
        for (prefix, uri) in &seen.extras.namespaces {
            self.scope.declare(prefix, uri);
        }
        self.check(element, table, &seen)?;
        self.rules.enter(element, &mut self.place);
        for field in element.fields() {
            self.field(element, table, &seen, field?, (counted, depth))?;
        }
        self.counts.truncate(counted);
        self.scope.leave(declared);
        Ok(())
    }

    fn field(
        &mut self,
        element: Element<'_>,
        table: &'static Message,
        seen: &Seen<'_>,
        field: Field,
        (counted, depth): (usize, u32),
    ) -> Result<()> {
        let Some((slot, row)) = table.field(field.number) else { return Ok(()) };
        let bytes = field.bytes(element.wire());
        match row.kind {
            RowKind::Child => {
                field.expect(WireType::Bytes)?;
                let nth = if row.repeated { self.count(counted, (field.number, 0)) } else { 0 };
                match seen.twice.has(slot) {
                    false => self.child(row, bytes, nth, depth + 1),
                    true if element.is_first(&field) => self.child(row, &element.merged(field.number), 0, depth + 1),
                    true => Ok(()),
                }
            }
            RowKind::List => {
                field.expect(WireType::Bytes)?;
                self.item(table, message(row.target), bytes, field.number, (counted, depth))
            }
            RowKind::Attribute | RowKind::ChildValue => {
                self.check_link(row, bytes);
                Ok(())
            }
            RowKind::Text | RowKind::Raw | RowKind::ChildText | RowKind::Other => Ok(()),
        }
    }

    /// One item of a content list.
    fn item(
        &mut self,
        parent: &'static Message,
        list: &'static Message,
        wire: &[u8],
        number: u32,
        (counted, depth): (usize, u32),
    ) -> Result<()> {
        for field in Fields::new(wire) {
            let field = field?;
            let Some((_, row)) = list.field(field.number) else { continue };
            field.expect(WireType::Bytes)?;
            match row.kind {
                RowKind::Child => {
                    let nth = self.count(counted, (number, field.number));
                    self.child(row, field.bytes(wire), nth, depth + 2)?;
                }
                RowKind::Other => self.check_unknown(parent, None, field.bytes(wire))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The place of one more child among those of its kind, from 1.
    fn count(&mut self, from: usize, key: (u32, u32)) -> u32 {
        let known = self.counts.get_mut(from..).and_then(|counts| counts.iter_mut().find(|(known, _)| *known == key));
        match known {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((key, 1));
                1
            }
        }
    }

    /// The id of a relationship must be one of the part's.
    fn check_link(&mut self, row: &'static Row, id: &[u8]) {
        let namespace = match row.kind {
            RowKind::ChildValue => VALUE_ATTRIBUTES.get(usize::from(row.aux)).map(|attribute| attribute.namespace),
            _ => Some(row.namespace),
        };
        if namespace.is_none() || namespace != self.relationships || id.is_empty() {
            return;
        }
        let id = String::from_utf8_lossy(id);
        if !self.links.has(&id) {
            let message = format!("the part has no relationship \"{id}\"");
            self.place.report_row(row, FindingCode::UndefinedRelationship, message);
        }
    }
}
