//! The list of content types that is written: what the model holds, and a rule for every part that it lacks.

use std::collections::BTreeMap;

use recto_schema::fields;

use crate::error::Result;
use crate::opc::names;
use crate::wire::input::{Fields, invalid};
use crate::wire::output::put_message;
use crate::wire::put_bytes;

use super::plan::PartPlan;

/// Content type of .rels parts.
const RELATIONSHIPS_TYPE: &str = "application/vnd.openxmlformats-package.relationships+xml";

/// The rules of a list on the wire.
#[derive(Default)]
struct Rules {
    /// Content types by extension, in lower case.
    extensions: BTreeMap<String, String>,
    /// Content types by the key of the part's name.
    parts: BTreeMap<String, String>,
}

/// Completes the wire of a `ContentTypes` message so that every part gets the type that it has in the model. A list that
/// says so already comes back unchanged.
pub(super) fn complete(mut list: Vec<u8>, parts: &[PartPlan]) -> Result<Vec<u8>> {
    let rules = Rules::of(&list)?;
    let mut missing = BTreeMap::new();
    for part in parts {
        if let Some(wanted) = &part.content_type
            && rules.of_part(&part.name) != Some(wanted.as_str())
        {
            missing.insert(names::key(&part.name), (part.name.as_str(), wanted.as_str()));
        }
    }
    if list.is_empty() {
        put_default(&mut list, "rels", RELATIONSHIPS_TYPE);
        put_default(&mut list, "xml", "application/xml");
    } else if missing.keys().any(|key| rules.parts.contains_key(key)) {
        list = without(&list, |part| missing.contains_key(&names::key(part)))?;
    }
    for (name, content_type) in missing.values() {
        put_override(&mut list, name, content_type);
    }
    Ok(list)
}

impl Rules {
    fn of(list: &[u8]) -> Result<Self> {
        let mut rules = Rules::default();
        for rule in Fields::new(list) {
            let rule = rule?;
            if rule.number != fields::content_types::RULES {
                continue;
            }
            if let Some((key, content_type)) = pair(rule.bytes(list), fields::content_type_rule::EXTENSION)? {
                rules.extensions.insert(key.to_ascii_lowercase(), content_type);
            }
            if let Some((part, content_type)) = pair(rule.bytes(list), fields::content_type_rule::PART)? {
                rules.parts.insert(names::key(&part), content_type);
            }
        }
        Ok(rules)
    }

    fn of_part(&self, name: &str) -> Option<&str> {
        let by_extension = || self.extensions.get(&names::extension(name)?.to_ascii_lowercase());
        self.parts.get(&names::key(name)).or_else(by_extension).map(String::as_str)
    }
}

/// The two strings of a default or override, if the rule is of that kind.
fn pair(rule: &[u8], kind: u32) -> Result<Option<(String, String)>> {
    const { assert!(fields::default_content_type::EXTENSION == fields::override_content_type::PART_NAME) };
    const { assert!(fields::default_content_type::CONTENT_TYPE == fields::override_content_type::CONTENT_TYPE) };
    let mut found = None;
    for item in Fields::new(rule) {
        let item = item?;
        if item.number != kind {
            continue;
        }
        let wire = item.bytes(rule);
        let (key, content_type) = found.get_or_insert_with(|| (String::new(), String::new()));
        for field in Fields::new(wire) {
            let field = field?;
            let text = || std::str::from_utf8(field.bytes(wire)).map_err(|_| invalid("a string is not UTF-8"));
            match field.number {
                fields::override_content_type::PART_NAME => *key = text()?.to_owned(),
                fields::override_content_type::CONTENT_TYPE => *content_type = text()?.to_owned(),
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The list without the overrides of some parts.
fn without(list: &[u8], drop: impl Fn(&str) -> bool) -> Result<Vec<u8>> {
    let mut kept = Vec::with_capacity(list.len());
    let mut at = 0;
    for field in Fields::new(list) {
        let field = field?;
        let dropped = field.number == fields::content_types::RULES
            && pair(field.bytes(list), fields::content_type_rule::PART)?.is_some_and(|(part, _)| drop(&part));
        if !dropped {
            kept.extend_from_slice(list.get(at..field.end as usize).unwrap_or_default());
        }
        at = field.end as usize;
    }
    Ok(kept)
}

fn put_default(list: &mut Vec<u8>, extension: &str, content_type: &str) {
    put_message(list, fields::content_types::RULES, |rule| {
        put_message(rule, fields::content_type_rule::EXTENSION, |out| {
            put_bytes(out, fields::default_content_type::EXTENSION, extension.as_bytes());
            put_bytes(out, fields::default_content_type::CONTENT_TYPE, content_type.as_bytes());
        });
    });
}

fn put_override(list: &mut Vec<u8>, part: &str, content_type: &str) {
    put_message(list, fields::content_types::RULES, |rule| {
        put_message(rule, fields::content_type_rule::PART, |out| {
            let name = format!("/{}", part.trim_start_matches('/'));
            put_bytes(out, fields::override_content_type::PART_NAME, name.as_bytes());
            put_bytes(out, fields::override_content_type::CONTENT_TYPE, content_type.as_bytes());
        });
    });
}
