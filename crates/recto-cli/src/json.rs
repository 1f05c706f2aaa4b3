//! Reports as JSON.

use recto::Diagnostics;
use recto::report::{Count, Coverage, Difference, DifferentEntry, EntryDifference, Findings, Share, Vocabulary};
use serde_json::{Value, json};

/// A document as printed.
pub fn text(value: &Value) -> String {
    let text = format!("{value:#}\n");
    let commands = |char: char| matches!(char, '\u{7f}'..='\u{9f}');
    if !text.contains(commands) {
        return text;
    }
    // JSON takes these as they are; a terminal would obey them.
    text.chars().map(|char| if commands(char) { format!("\\u{:04x}", u32::from(char)) } else { char.into() }).collect()
}

pub fn count(count: Count) -> Value {
    json!({ "elements": count.elements, "attributes": count.attributes })
}

pub fn share(share: Share) -> Value {
    json!({ "typed": count(share.typed), "untyped": count(share.untyped), "percent": share.percent() })
}

pub fn diagnostics(list: &Diagnostics) -> Value {
    let items = list.iter().map(|diagnostic| {
        json!({
            "code": diagnostic.code.name(),
            "part": diagnostic.part,
            "offset": diagnostic.offset,
            "path": diagnostic.path,
            "message": diagnostic.message,
        })
    });
    items.collect()
}

pub fn differences(list: &[Difference]) -> Value {
    let items = list.iter().map(|difference| {
        json!({
            "kind": difference.kind.name(),
            "part": difference.part,
            "path": difference.path,
            "left": difference.left,
            "right": difference.right,
        })
    });
    items.collect()
}

pub fn entries(list: &[DifferentEntry]) -> Value {
    let items = list.iter().map(|entry| {
        let (what, offset) = match entry.what {
            EntryDifference::Name => ("name", None),
            EntryDifference::Content(offset) => ("content", Some(offset)),
            EntryDifference::Method => ("method", None),
            _ => ("unreadable", None),
        };
        json!({ "name": entry.name, "what": what, "offset": offset })
    });
    items.collect()
}

pub fn findings(list: &Findings) -> Value {
    let items = list.iter().map(|finding| {
        json!({
            "code": finding.code.name(),
            "part": finding.part,
            "path": finding.path,
            "message": finding.message,
        })
    });
    items.collect()
}

/// Typed shares by vocabulary, and of everything that counts.
pub fn shares(coverage: &Coverage) -> Value {
    let mut map = serde_json::Map::new();
    for vocabulary in Vocabulary::COUNTED {
        map.insert(vocabulary.name().to_owned(), share(coverage.of(vocabulary)));
    }
    map.insert("Everything".to_owned(), share(coverage.everything()));
    map.insert("Excluded".to_owned(), count(coverage.excluded()));
    Value::Object(map)
}

/// All namespaces with the names that are not typed.
pub fn namespaces(coverage: &Coverage) -> Value {
    let items = coverage.namespaces().map(|(uri, found)| {
        json!({
            "uri": uri,
            "vocabulary": Vocabulary::of_namespace(uri).name(),
            "share": share(found.share),
            "untyped_elements": found.untyped_elements,
            "untyped_attributes": found.untyped_attributes,
        })
    });
    items.collect()
}
