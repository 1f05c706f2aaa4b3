//! The static tables, as Rust source: what `recto-schema`'s `tables.rs` declares the types of and includes.

mod emit;
mod hash;
mod pool;

use std::collections::BTreeMap;

use crate::Error;
use crate::binding::{Binding, Name};
use crate::lint::{CODECS, DECLARES};
use crate::options::{Enum, Facet, Field, File, Kind, Message, Schema};
use hash::{Key, Scope, Slots};
use pool::{Namespaces, Pool};

/// One line of the table of a message; the fields are those of `Row`.
#[derive(Clone, Debug)]
struct Row {
    name: usize,
    local: String,
    field: i32,
    target: usize,
    aux: usize,
    namespace: u8,
    kind: &'static str,
    scalar: &'static str,
    repeated: bool,
    facet: usize,
}

/// A message's own figures; the fields are those of `Message`.
#[derive(Debug)]
struct Entry {
    rows: usize,
    fields: usize,
    attributes: usize,
    texts: usize,
    count: usize,
    list: usize,
    other: usize,
    highest: i32,
    streamed: bool,
    extras: bool,
    tolerant: bool,
    codec: &'static str,
    declares: &'static str,
    unordered: bool,
    open: bool,
    attribute_scope: Scope,
    child_scope: Scope,
}

/// An enum's figures; the fields are those of `Enum`.
#[derive(Debug)]
struct Values {
    texts: usize,
    count: usize,
    scope: Scope,
}

/// An attribute of flattened children.
#[derive(Debug)]
struct ValueAttribute {
    name: usize,
    local: String,
    namespace: u8,
}

/// Everything that is emitted.
struct Tables {
    pool: Pool,
    namespaces: Namespaces,
    slots: Slots,
    rows: Vec<Row>,
    field_slots: Vec<u8>,
    messages: Vec<Entry>,
    enums: Vec<Values>,
    enum_texts: Vec<(usize, usize)>,
    value_attributes: Vec<ValueAttribute>,
    value_attribute_index: BTreeMap<(u8, String), usize>,
    roots: Vec<Row>,
    /// All that occur, nothing in particular first.
    facets: Vec<Facet>,
}

/// The Rust source of the tables of a schema that keeps all rules.
///
/// # Errors
///
/// If two names of one message have the same hash, or an index does not fit its type.
pub fn source(schema: &Schema) -> Result<String, Error> {
    let mut tables = Tables {
        pool: Pool::default(),
        namespaces: Namespaces::new(schema)?,
        slots: Slots::new(),
        rows: Vec::new(),
        field_slots: Vec::new(),
        messages: Vec::new(),
        enums: Vec::new(),
        enum_texts: Vec::new(),
        value_attributes: Vec::new(),
        value_attribute_index: BTreeMap::new(),
        roots: Vec::new(),
        facets: vec![Facet::default()],
    };
    let rows: Vec<Vec<Row>> = schema.messages.iter().map(|message| tables.rows_of(schema, message)).collect();
    for (message, own) in schema.messages.iter().zip(&rows) {
        tables.add_message(schema, message, own, &rows)?;
    }
    for declared in &schema.enums {
        tables.add_enum(declared)?;
    }
    if tables.rows.len() > usize::from(u16::MAX) || tables.messages.len() > usize::from(u16::MAX) {
        return Err(Error::Tables("more than 65535 rows or messages".to_owned()));
    }
    if tables.facets.len() > usize::from(u8::MAX) {
        return Err(Error::Tables("more than 255 combinations of what is valid".to_owned()));
    }
    Ok(emit::source(schema, &tables))
}

impl Tables {
    /// The rows of a message in schema order. Those of `Part` become roots instead.
    fn rows_of(&mut self, schema: &Schema, message: &Message) -> Vec<Row> {
        let file = &schema.files[message.file];
        let bound = message.fields.iter().filter_map(|field| field.binding.as_ref().map(|binding| (field, binding)));
        let mut rows: Vec<(u8, Row)> =
            bound.map(|(field, binding)| (binding.rank(), self.row(schema, message, file, field, binding))).collect();
        // Declared in this order but for messages with a codec.
        rows.sort_by_key(|(rank, _)| *rank);
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        if message.name == "recto.Part" {
            self.roots = rows;
            return Vec::new();
        }
        rows
    }

    fn row(&mut self, schema: &Schema, message: &Message, file: &File, field: &Field, binding: &Binding) -> Row {
        let raw = schema.is_of(field, "recto.RawXml");
        let (kind, name, aux) = match binding {
            Binding::Attribute(name) => ("Attribute", Some(name), 0),
            Binding::Text => ("Text", None, 0),
            Binding::Child(name) => (if raw { "Raw" } else { "Child" }, Some(name), 0),
            Binding::ChildValue(name, value) => ("ChildValue", Some(name), self.value_attribute(file, value)),
            Binding::ChildText(name) => ("ChildText", Some(name), 0),
            Binding::All => (if message.is_list() { "Other" } else { "List" }, None, 0),
        };
        let (scalar, target) = match field.kind {
            Kind::Scalar(name) => (scalar(name), 0),
            Kind::Enum(index) => ("Enum", index),
            Kind::Message(index) => ("String", index),
            Kind::Foreign => ("String", 0),
        };
        let namespace = name.map_or(0, |name| self.namespaces.index(file, name));
        let at = match (name, binding) {
            (Some(name), Binding::Attribute(_)) => {
                self.pool.add_attribute(self.namespaces.attribute_prefix(namespace), &name.local)
            }
            (Some(name), _) => self.pool.add_element(self.namespaces.element_prefix(namespace), &name.local),
            (None, _) => 0,
        };
        let local = name.map(|name| name.local.clone()).unwrap_or_default();
        let facet = self.facet(field.facet);
        Row { name: at, local, field: field.number, target, aux, namespace, kind, scalar, repeated: field.repeated, facet }
    }

    fn facet(&mut self, facet: Facet) -> usize {
        self.facets.iter().position(|known| *known == facet).unwrap_or_else(|| {
            self.facets.push(facet);
            self.facets.len() - 1
        })
    }

    fn value_attribute(&mut self, file: &File, name: &Name) -> usize {
        let namespace = self.namespaces.index(file, name);
        let next = self.value_attributes.len();
        let index = *self.value_attribute_index.entry((namespace, name.local.clone())).or_insert(next);
        if index == next {
            let at = self.pool.add_attribute(self.namespaces.attribute_prefix(namespace), &name.local);
            self.value_attributes.push(ValueAttribute { name: at, local: name.local.clone(), namespace });
        }
        index
    }

    fn add_message(&mut self, schema: &Schema, message: &Message, own: &[Row], all: &[Vec<Row>]) -> Result<(), Error> {
        let list = own.iter().position(|row| row.kind == "List");
        let items = list.map_or(&[][..], |list| &all[own[list].target]);
        let attributes: Vec<Key> = keys(own, 0, |row| row.kind == "Attribute");
        let mut children = keys(own, 0, is_child);
        children.extend(keys(items, own.len(), is_child));

        let highest = message.fields.iter().map(|field| field.number).max().unwrap_or(0);
        let fields = self.field_slots.len();
        self.field_slots.resize(fields + highest as usize + 1, 0);
        for (row, slot) in own.iter().zip(1..) {
            self.field_slots[fields + row.field as usize] = slot;
        }
        let declares = message.declares.as_deref().and_then(|value| DECLARES.iter().find(|(name, _)| *name == value));
        let codec = message.codec.as_deref().and_then(|codec| CODECS.iter().find(|(name, _)| *name == codec));
        let entry = Entry {
            rows: self.rows.len(),
            fields,
            attributes: attributes.len(),
            texts: own.iter().filter(|row| row.kind == "Text").count(),
            count: own.len(),
            list: list.map_or(0, |slot| slot + 1),
            other: own.iter().position(|row| row.kind == "Other").map_or(0, |slot| slot + 1),
            highest,
            streamed: message.streamed,
            extras: message.fields.first().is_some_and(|field| field.number == 1 && schema.is_of(field, "recto.Extras")),
            tolerant: message.tolerant,
            codec: codec.map_or("None", |(_, variant)| variant),
            declares: declares.map_or("Nothing", |(_, variant)| variant),
            unordered: message.unordered,
            open: message.open,
            attribute_scope: self.slots.add(&message.name, &attributes)?,
            child_scope: self.slots.add(&message.name, &children)?,
        };
        self.messages.push(entry);
        self.rows.extend_from_slice(own);
        Ok(())
    }

    fn add_enum(&mut self, declared: &Enum) -> Result<(), Error> {
        let texts: Vec<String> = declared.values.iter().skip(1).filter_map(|value| declared.text(value)).collect();
        let keys: Vec<Key> = texts.iter().zip(1..).map(|(text, value)| Key { namespace: 0, name: text.clone(), value }).collect();
        let scope = self.slots.add(&declared.name, &keys)?;
        self.enums.push(Values { texts: self.enum_texts.len(), count: texts.len(), scope });
        for text in &texts {
            self.enum_texts.push((self.pool.add(text), text.len()));
        }
        Ok(())
    }
}

fn is_child(row: &Row) -> bool {
    matches!(row.kind, "Child" | "Raw" | "ChildValue" | "ChildText")
}

/// Keys of the rows that are wanted; the value is the row's index, counted on from `first`, plus one.
fn keys(rows: &[Row], first: usize, wanted: impl Fn(&Row) -> bool) -> Vec<Key> {
    let numbered = rows.iter().enumerate().filter(|(_, row)| wanted(row));
    let value = |index: usize| u8::try_from(first + index + 1).expect("the lint limits rows and items to 250");
    numbered.map(|(index, row)| Key { namespace: row.namespace, name: row.local.clone(), value: value(index) }).collect()
}

fn scalar(name: &str) -> &'static str {
    match name {
        "bool" => "Bool",
        "uint32" => "Uint32",
        "int32" => "Int32",
        "int64" => "Int64",
        "uint64" => "Uint64",
        "double" => "Double",
        _ => "String",
    }
}
