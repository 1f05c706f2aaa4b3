//! The tables against themselves: everything in them is found under its own name, and under no other.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use recto_schema::tables::{
    Child, ENUMS, MESSAGE_NAMES, MESSAGES, Message, NAMESPACES, NO_NAMESPACE, POOL, ROOTS, Row, RowKind, VALUE_ATTRIBUTES,
    XML_NAMESPACE, enumeration, message, message_named, namespace, namespace_of, root, root_of_field,
};

fn messages() -> impl Iterator<Item = (&'static str, &'static Message)> {
    MESSAGE_NAMES.iter().copied().zip(MESSAGES.iter())
}

fn is_child(row: &Row) -> bool {
    matches!(row.kind, RowKind::Child | RowKind::Raw | RowKind::ChildValue | RowKind::ChildText)
}

#[test]
fn every_row_is_found_by_its_number() {
    for (name, message) in messages() {
        let mut bound = 0;
        for number in 0..=u32::from(message.highest) + 1 {
            let Some((slot, row)) = message.field(number) else { continue };
            assert_eq!((u32::from(row.field), std::ptr::eq(row, &message.rows()[slot])), (number, true), "{name}");
            bound += 1;
        }
        assert_eq!(bound, message.rows().len(), "{name}");
        assert!(message.field(u32::MAX).is_none());
    }
}

#[test]
fn every_attribute_is_found_by_its_name_alone() {
    for (name, message) in messages() {
        for (slot, row) in message.rows().iter().enumerate() {
            let found = message.attribute(row.namespace, row.local()).map(|(slot, _)| slot);
            let expected = if row.kind == RowKind::Attribute {
                Some(slot)
            } else {
                message.rows().iter().position(|other| {
                    other.kind == RowKind::Attribute && other.namespace == row.namespace && other.local() == row.local()
                })
            };
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn every_child_is_found_by_its_name() {
    for (name, parent) in messages() {
        for (slot, row) in parent.rows().iter().enumerate().filter(|(_, row)| is_child(row)) {
            match parent.child(row.namespace, row.local()) {
                Some(Child::Own(found, _)) => assert_eq!(found, slot, "{name}"),
                other => panic!("{name}: {other:?}"),
            }
        }
        let Some(list) = usize::from(parent.list).checked_sub(1) else { continue };
        let items = message(parent.rows()[list].target);
        assert!(items.other > 0, "{name}");
        for row in items.rows().iter().filter(|row| is_child(row)) {
            match parent.child(row.namespace, row.local()) {
                Some(Child::Item(found, item)) => assert!(found == list && std::ptr::eq(item, row), "{name}"),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

#[test]
fn other_names_are_not_found() {
    for (name, message) in messages() {
        for row in message.rows() {
            let mut longer = row.local().to_vec();
            longer.push(b'_');
            for (space, local) in [(row.namespace, longer.as_slice()), (u8::MAX, row.local()), (row.namespace, b"")] {
                assert!(message.attribute(space, local).is_none() && message.child(space, local).is_none(), "{name}");
            }
        }
    }
}

#[test]
fn rows_stand_in_schema_order() {
    for (name, message) in messages() {
        let (attributes, texts) = (usize::from(message.attributes), usize::from(message.texts));
        for (slot, row) in message.rows().iter().enumerate() {
            assert_eq!(row.kind == RowKind::Attribute, slot < attributes, "{name}");
            assert_eq!(row.kind == RowKind::Text, (attributes..attributes + texts).contains(&slot), "{name}");
            assert_eq!(row.kind == RowKind::List, usize::from(message.list) == slot + 1, "{name}");
            assert_eq!(row.kind == RowKind::Other, usize::from(message.other) == slot + 1, "{name}");
        }
        assert_eq!(message.text().is_some(), texts == 1, "{name}");
    }
}

/// Whether the pool has `before`, the local name at `at`, then `after`.
fn stands(at: u32, len: u8, before: &str, after: &str) -> bool {
    let (start, end) = (at as usize, at as usize + usize::from(len));
    POOL[..start].ends_with(before.as_bytes()) && POOL[end..].starts_with(after.as_bytes())
}

fn colon(prefix: &str) -> String {
    if prefix.is_empty() { String::new() } else { format!("{prefix}:") }
}

#[test]
fn whole_tags_stand_around_the_names() {
    for row in MESSAGES.iter().flat_map(|message| message.rows()).chain(&ROOTS) {
        let names = namespace(row.namespace);
        if is_child(row) {
            assert!(stands(row.name, row.len, &format!("</{}", colon(names.prefix)), ">"), "{row:?}");
        } else if row.kind == RowKind::Attribute {
            assert!(stands(row.name, row.len, &format!(" {}", colon(names.binding)), "=\""), "{row:?}");
        }
    }
    for value in &VALUE_ATTRIBUTES {
        let binding = namespace(value.namespace).binding;
        assert!(stands(value.name, value.len, &format!(" {}", colon(binding)), "=\""), "{value:?}");
    }
}

#[test]
fn every_enum_text_leads_to_its_number_and_back() {
    for declared in &ENUMS {
        for number in 1..=u64::from(declared.count) {
            let text = declared.text(number).unwrap();
            assert_eq!(declared.number(text), Some(number));
        }
        for number in [0, u64::from(declared.count) + 1, u64::MAX] {
            assert_eq!(declared.text(number), None);
        }
        assert_eq!(declared.number(b"no such text"), None);
    }
}

#[test]
fn targets_exist() {
    for row in MESSAGES.iter().flat_map(|message| message.rows()).chain(&ROOTS) {
        match row.kind {
            RowKind::Child | RowKind::List => assert!(usize::from(row.target) < MESSAGES.len()),
            RowKind::Raw | RowKind::Other => assert_eq!(MESSAGE_NAMES[usize::from(row.target)], "recto.RawXml"),
            _ if row.scalar == recto_schema::tables::Scalar::Enum => assert!(enumeration(row.target).is_some()),
            _ => {}
        }
        if row.kind == RowKind::ChildValue {
            assert!(usize::from(row.aux) < VALUE_ATTRIBUTES.len());
        }
        if row.kind == RowKind::Child {
            assert!(message(row.target).extras, "{}", MESSAGE_NAMES[usize::from(row.target)]);
        }
    }
}

#[test]
fn roots_are_found_by_name_and_number() {
    assert!(!ROOTS.is_empty());
    for row in &ROOTS {
        assert_eq!(root(row.namespace, row.local()).map(|row| row.field), Some(row.field));
        assert_eq!(root_of_field(u32::from(row.field)).map(|row| row.name), Some(row.name));
    }
    assert!(root(NO_NAMESPACE, b"no such root").is_none() && root_of_field(0).is_none());
}

#[test]
fn namespaces_are_found_by_both_uris() {
    for (index, known) in (0u8..).zip(&NAMESPACES).skip(1) {
        assert_eq!(namespace_of(known.uri.as_bytes()), Some((index, false)));
        if !known.strict.is_empty() {
            assert_eq!(namespace_of(known.strict.as_bytes()), Some((index, true)));
        }
    }
    assert_eq!((namespace_of(b""), namespace_of(b"urn:unknown")), (None, None));
    assert_eq!((namespace(NO_NAMESPACE).uri, namespace(XML_NAMESPACE).prefix), ("", "xml"));
}

#[test]
fn messages_are_found_by_name() {
    assert_eq!(message_named("recto.Package"), Some(recto_schema::messages::PACKAGE));
    assert_eq!(message_named("recto.Nothing"), None);
    let (_, rules) = message(recto_schema::messages::CONTENT_TYPES).field(2).unwrap();
    assert_eq!((rules.kind, rules.repeated), (RowKind::List, true));
}
