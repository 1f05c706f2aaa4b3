//! Writes the tables as Rust source.

use std::fmt::{Display, Write};

use super::hash::Scope;
use super::{Entry, Row, Tables};
use crate::options::{Facet, Namespace, Schema};

pub(super) fn source(schema: &Schema, tables: &Tables) -> String {
    let mut out = String::new();
    // Names are compared eight bytes at a time, so that many must follow the last one.
    bytes(&mut out, "POOL", "Names and texts, one after another.", &[tables.pool.bytes(), &[0; 8]].concat());
    bytes(&mut out, "SLOTS", "The places of all scopes: index or number plus one, 0 for none.", tables.slots.places());
    bytes(
        &mut out,
        "FIELD_SLOTS",
        "For each message, by field number: slot of the row plus one, 0 for none.",
        &tables.field_slots,
    );
    list(&mut out, "ROWS", "Row", "The rows of all messages.", tables.rows.iter().map(row));
    list(&mut out, "ROOTS", "Row", "The roots of typed parts.", tables.roots.iter().map(row));
    list(&mut out, "MESSAGES", "Message", "All messages.", tables.messages.iter().map(message));
    let names = schema.messages.iter().map(|message| format!("{:?}", message.name));
    list(&mut out, "MESSAGE_NAMES", "&str", "Full names of the messages, for diagnostics.", names);
    let enums = tables
        .enums
        .iter()
        .map(|values| format!("Enum {{ texts: {}, count: {}, scope: {} }}", values.texts, values.count, scope(values.scope)));
    list(&mut out, "ENUMS", "Enum", "All enums.", enums);
    let texts = tables.enum_texts.iter().map(|(at, len)| format!("Text {{ at: {at}, len: {len} }}"));
    list(&mut out, "ENUM_TEXTS", "Text", "The texts of all enums.", texts);
    list(&mut out, "FACETS", "Facet", "What makes rows valid.", tables.facets.iter().map(facet));
    let attributes = tables.value_attributes.iter().map(|attribute| {
        let (name, len, namespace) = (attribute.name, attribute.local.len(), attribute.namespace);
        format!("ValueAttribute {{ name: {name}, len: {len}, namespace: {namespace} }}")
    });
    list(&mut out, "VALUE_ATTRIBUTES", "ValueAttribute", "The attributes of flattened children.", attributes);
    list(&mut out, "NAMESPACES", "Namespace", "All namespaces.", tables.namespaces.all().iter().map(namespace));
    out
}

fn list(out: &mut String, name: &str, kind: &str, doc: &str, items: impl Iterator<Item = impl Display>) {
    let items: Vec<String> = items.map(|item| format!("    {item},\n")).collect();
    let _ = write!(out, "/// {doc}\npub static {name}: [{kind}; {}] = [\n{}];\n", items.len(), items.concat());
}

fn bytes(out: &mut String, name: &str, doc: &str, bytes: &[u8]) {
    let _ = writeln!(out, "/// {doc}\npub static {name}: [u8; {}] = *b\"{}\";", bytes.len(), bytes.escape_ascii());
}

fn row(row: &Row) -> String {
    let Row { name, local, field, target, aux, namespace, kind, scalar, repeated, facet } = row;
    let len = local.len();
    format!(
        "Row {{ name: {name}, field: {field}, target: {target}, aux: {aux}, len: {len}, namespace: {namespace}, \
         kind: RowKind::{kind}, scalar: Scalar::{scalar}, repeated: {repeated}, facet: {facet} }}"
    )
}

fn facet(facet: &Facet) -> String {
    let Facet { required, bare, minimum, maximum } = facet;
    format!("Facet {{ required: {required}, bare: {bare}, minimum: {minimum:?}, maximum: {maximum:?} }}")
}

fn message(message: &Entry) -> String {
    let Entry {
        rows,
        fields,
        attributes,
        texts,
        count,
        list,
        other,
        highest,
        streamed,
        extras,
        tolerant,
        codec,
        declares,
        unordered,
        open,
        ..
    } = message;
    let (attribute_scope, child_scope) = (scope(message.attribute_scope), scope(message.child_scope));
    format!(
        "Message {{ rows: {rows}, fields: {fields}, attributes: {attributes}, texts: {texts}, count: {count}, list: {list}, \
         other: {other}, highest: {highest}, streamed: {streamed}, extras: {extras}, tolerant: {tolerant}, \
         codec: Codec::{codec}, declares: Declares::{declares}, unordered: {unordered}, open: {open}, attribute_scope: {attribute_scope}, child_scope: {child_scope} }}"
    )
}

fn scope(scope: Scope) -> String {
    format!("Scope {{ multiplier: {:#x}, slots: {}, shift: {} }}", scope.multiplier, scope.slots, scope.shift)
}

fn namespace(namespace: &Namespace) -> String {
    let Namespace { prefix, uri, strict, default } = namespace;
    let written = if *default { "" } else { prefix };
    format!("Namespace {{ prefix: {written:?}, binding: {prefix:?}, uri: {uri:?}, strict: {strict:?} }}")
}
