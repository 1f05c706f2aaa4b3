//! Rules for content lists: a field bound to `*`, and the list message that it repeats.

use std::collections::BTreeMap;

use super::messages::subject;
use super::{MOST_ROWS, MOST_ROWS_AND_ITEMS, Report};
use crate::binding::{Binding, Name};
use crate::options::{Field, Kind, Message, Schema};

/// A list message.
pub(super) fn check(schema: &Schema, list: &Message, report: &mut Report<'_>) {
    for field in &list.fields {
        let mut add = |text: &str| report.add(field.line, subject(list, field), text);
        if field.oneof.as_deref() != Some("item") {
            add("a list message has nothing but its oneof item");
            continue;
        }
        match (&field.binding, field.kind) {
            (Some(Binding::Child(_)), Kind::Message(target)) if schema.messages[target].is_list() => {
                add("an item cannot itself be a list message");
            }
            (Some(Binding::Child(_)), Kind::Message(_)) => {}
            (Some(Binding::All), Kind::Message(_)) if schema.is_of(field, "recto.RawXml") => {}
            (None, _) if field.xml.is_some() => {}
            _ => add("an item is a message bound to a child element; the last one is RawXml other, bound to \"*\""),
        }
    }
    let is_other = |field: &Field| field.binding == Some(Binding::All) && schema.is_of(field, "recto.RawXml");
    let others = list.fields.iter().filter(|field| is_other(field)).count();
    let last = list.fields.last().is_some_and(|field| is_other(field) && field.name == "other");
    if !last || others != 1 {
        let text = "the last item must be RawXml other = …, bound to \"*\", and no other one is";
        report.add(list.line, list.short_name(), text);
    }
    if list.fields.len() > MOST_ROWS {
        report.add(list.line, list.short_name(), format!("has {} items; at most {MOST_ROWS}", list.fields.len()));
    }
}

/// The message that has a content list.
pub(super) fn check_parent(schema: &Schema, message: &Message, report: &mut Report<'_>) {
    let lists: Vec<&Field> = message.fields.iter().filter(|field| field.binding == Some(Binding::All)).collect();
    if let Some(second) = lists.get(1) {
        report.add(second.line, subject(message, second), "a message has at most one field bound to \"*\"");
    }
    for field in lists {
        let Kind::Message(target) = field.kind else { continue };
        let list = &schema.messages[target];
        if !field.repeated || !list.is_list() {
            let text = "\"*\" is for a repeated list message (one with a oneof item)";
            report.add(field.line, subject(message, field), text);
            continue;
        }
        check_names(schema, message, list, field, report);
        let rows = message.fields.iter().filter(|field| field.binding.is_some()).count() + list.fields.len();
        if rows > MOST_ROWS_AND_ITEMS {
            let text = format!("has {rows} bound fields and list items; at most {MOST_ROWS_AND_ITEMS}");
            report.add(message.line, message.short_name(), text);
        }
    }
}

/// No child is bound both by the message and by its list.
fn check_names(schema: &Schema, message: &Message, list: &Message, field: &Field, report: &mut Report<'_>) {
    let expanded = |message: &Message, name: &Name| {
        let namespaces = &schema.files[message.file].namespaces;
        let uri = namespaces.iter().find(|namespace| namespace.prefix == name.prefix).map(|namespace| namespace.uri.clone());
        (uri, name.local.clone())
    };
    let child = |field: &Field| field.binding.as_ref().and_then(|binding| binding.child().cloned());
    let items: BTreeMap<_, _> =
        list.fields.iter().filter_map(|item| Some((expanded(list, &child(item)?), item.name.as_str()))).collect();
    for own in &message.fields {
        let Some(item) = child(own).and_then(|name| items.get(&expanded(message, &name))) else { continue };
        let text = format!("is bound to the same element as the item {}.{item} of {}", list.short_name(), field.name);
        report.add(own.line, subject(message, own), text);
    }
}
