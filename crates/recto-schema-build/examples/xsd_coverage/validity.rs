//! What the XSD files say is valid: what must be there, in which order, and which numbers.

use std::collections::BTreeMap;

use recto_schema_build::options::{Facet, Field, Kind, Message};

use crate::model::{Form, Slot, Slots};
use crate::xsd::{Child, Content, Name, Schemas, Type};

/// What is valid of a message in all the types that it stands for.
#[derive(Default)]
pub struct Validity {
    /// By number of the field.
    pub facets: BTreeMap<i32, Facet>,
    /// Whether some type lets its children stand in any order.
    pub unordered: bool,
    /// Whether some type has room for any element.
    pub open: bool,
}

impl Validity {
    /// What one type says of a message with these fields.
    pub fn new(schemas: &Schemas<'_>, slots: &Slots<'_>, content: &Content<'_>) -> Validity {
        let mut facets = BTreeMap::new();
        for (name, field) in &slots.attributes {
            let declared = content.attributes.iter().find(|attribute| attribute.name == *name);
            let facet =
                declared.map(|attribute| Facet { required: attribute.required, ..range(schemas, field, attribute.type_) });
            facets.insert(field.number, facet.unwrap_or_default());
        }
        for (name, slot) in slots.children.iter().filter(|(_, slot)| slot.place.is_some()) {
            facets.insert(slot.field.number, child(schemas, slot, content.children.iter().filter(|child| child.name == *name)));
        }
        Validity { facets, unordered: unordered(slots, content), open: content.open }
    }

    /// What holds in either case.
    pub fn or(mut self, other: Validity) -> Validity {
        for (number, theirs) in other.facets {
            let ours = self.facets.entry(number).or_insert(theirs);
            ours.required &= theirs.required;
            ours.bare |= theirs.bare;
            ours.minimum = ours.minimum.zip(theirs.minimum).map(|(one, other)| one.min(other));
            ours.maximum = ours.maximum.zip(theirs.maximum).map(|(one, other)| one.max(other));
        }
        self.unordered |= other.unordered;
        self.open |= other.open;
        self
    }

    /// What the schema says otherwise: a field or nothing for the message itself, and what it should say.
    pub fn differences<'m>(&self, message: &'m Message) -> Vec<(Option<&'m Field>, String)> {
        let mut found = Vec::new();
        for (said, meant, word) in [(message.unordered, self.unordered, "unordered"), (message.open, self.open, "open")] {
            if said != meant {
                found.push((None, flag(word, meant)));
            }
        }
        for field in &message.fields {
            let Some(meant) = self.facets.get(&field.number) else { continue };
            let said = field.facet;
            let flags = [(said.required, meant.required, "required"), (said.bare, meant.bare, "bare")];
            let flags = flags.into_iter().filter(|(said, meant, _)| said != meant).map(|(_, meant, word)| flag(word, meant));
            let limits = [(said.minimum, meant.minimum, "minimum"), (said.maximum, meant.maximum, "maximum")];
            let limits = limits.into_iter().filter(|(said, meant, _)| said != meant).map(|(_, meant, word)| match meant {
                Some(number) => format!("{word} {number}"),
                None => format!("no {word}"),
            });
            found.extend(flags.chain(limits).map(|text| (Some(field), text)));
        }
        found
    }
}

fn flag(word: &str, set: bool) -> String {
    if set { word.to_owned() } else { format!("not {word}") }
}

/// What is valid of a child that may be declared in several places of a type.
fn child<'c, 'a: 'c>(schemas: &Schemas<'a>, slot: &Slot<'_>, places: impl Iterator<Item = &'c Child<'a>>) -> Facet {
    let mut facet = None;
    for place in places {
        let mut own = value(schemas, slot, place.type_);
        own.required = place.required || facet.is_some_and(|known: Facet| known.required);
        facet = Some(own);
    }
    facet.unwrap_or_default()
}

/// What is valid of the value of a flattened child.
fn value<'a>(schemas: &Schemas<'a>, slot: &Slot<'_>, type_: Option<Type<'a>>) -> Facet {
    match &slot.form {
        Form::Value(name) => {
            let content = type_.map(|type_| schemas.content(type_)).unwrap_or_default();
            let Some(attribute) = content.attributes.iter().find(|attribute| attribute.name == *name) else {
                return Facet::default();
            };
            let bare = !attribute.required && slot.field.kind != Kind::Scalar("bool");
            Facet { bare, ..range(schemas, slot.field, attribute.type_) }
        }
        Form::Text => range(schemas, slot.field, type_),
        Form::Message(_) | Form::Raw => Facet::default(),
    }
}

/// The numbers that a type allows, as far as the type of the field allows more.
fn range<'a>(schemas: &Schemas<'a>, field: &Field, type_: Option<Type<'a>>) -> Facet {
    let (least, most) = match field.kind {
        Kind::Scalar("uint32") => (0, i64::from(u32::MAX)),
        Kind::Scalar("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Kind::Scalar("uint64") => (0, i64::MAX),
        Kind::Scalar("int64") => (i64::MIN, i64::MAX),
        _ => return Facet::default(),
    };
    let (minimum, maximum) = type_.map(|type_| schemas.range(type_)).unwrap_or_default();
    Facet {
        minimum: minimum.filter(|minimum| *minimum > least),
        maximum: maximum.filter(|maximum| *maximum < most),
        ..Facet::default()
    }
}

/// Whether two children that have fields of their own may stand either way round.
fn unordered(slots: &Slots<'_>, content: &Content<'_>) -> bool {
    let has_place = |name: &Name| slots.children.get(name).is_some_and(|slot| slot.place.is_some());
    let children: Vec<&Child<'_>> = content.children.iter().filter(|child| has_place(&child.name)).collect();
    let pairs = children.iter().enumerate().flat_map(|(at, one)| children.iter().skip(at + 1).map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.name != other.name).any(|(one, other)| {
        let mut places = one.place.iter().zip(&other.place);
        places.find_map(|(one, other)| (one.any_order || one.index != other.index).then_some(one.any_order)) == Some(true)
    })
}
