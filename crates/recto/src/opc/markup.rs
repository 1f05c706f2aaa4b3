//! Just enough XML to read the two lists that a package needs before anything else: content types and relationships.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::encoding;
use crate::error::{Error, MarkupError, Result};
use crate::limits::{Limit, Limits};

/// Attributes without namespace: local names and values.
#[derive(Default)]
pub(super) struct Attributes<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl Attributes<'_> {
    /// Takes the value of an attribute.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.0.iter_mut().find(|attribute| attribute.0 == name).map(|attribute| std::mem::take(&mut attribute.1).into_owned())
    }
}

/// Calls `each` for the children of the root that are in its namespace, which must be `namespace`, as the root must be `root`.
pub(super) fn read_list(
    bytes: &[u8],
    (namespace, root): (&str, &str),
    limits: &Limits,
    mut each: impl FnMut(&str, &mut Attributes<'_>),
) -> Result<()> {
    if limits.max_depth >= 2 && limits.max_attributes as usize >= MOST_USUAL {
        let list = std::str::from_utf8(bytes).ok().and_then(|text| usual(text, (namespace, root)));
        if let Some(list) = list {
            list.into_iter().for_each(|(name, mut attributes)| each(name, &mut attributes));
            return Ok(());
        }
    }
    let (text, _) = encoding::decode(bytes)?;
    let mut reader = NsReader::from_str(&text);
    let mut depth = 0_u32;
    let mut seen_root = false;
    loop {
        let offset = reader.buffer_position();
        let at = |error: Error| error.at(offset);
        let (found, event) = reader.read_resolved_event().map_err(|error| at(malformed(&error)))?;
        if let ResolveResult::Unknown(prefix) = &found {
            return Err(at(MarkupError::UndeclaredPrefix(prefix.clone()).into()));
        }
        let ours = matches!(&found, ResolveResult::Bound(bound) if bound.0 == namespace);
        let mut element = |start: &BytesStart<'_>, depth: u32| -> Result<()> {
            let name = start.local_name();
            if depth == 0 {
                if seen_root || !ours || name.as_ref() != root {
                    return Err(MarkupError::UnexpectedRoot(expanded(&found, name.as_ref())).into());
                }
                seen_root = true;
            } else if depth == 1 && ours {
                each(name.as_ref(), &mut attributes(start, limits)?);
            }
            limits.check(Limit::Depth, u64::from(depth) + 1)
        };
        match event {
            Event::Start(start) => {
                element(&start, depth).map_err(at)?;
                depth += 1;
            }
            Event::Empty(start) => element(&start, depth).map_err(at)?,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::DocType(_) => return Err(at(MarkupError::Doctype.into())),
            Event::Eof => break,
            _ => {}
        }
    }
    match seen_root && depth == 0 {
        true => Ok(()),
        false => Err(MarkupError::Malformed("it ends before its root element does".to_owned()).into()),
    }
}

/// The declarations of usual lists.
const DECLARATIONS: [&str; 3] = [
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
];

/// The most attributes that an element of a usual list has.
const MOST_USUAL: usize = 8;

/// Reads a list in the spelling that nearly all have: no prefixes, no references, no comments, empty elements in double quotes.
/// There is nothing in it on which [`read_list`] could come to another result. Nothing for any other list.
fn usual<'a>(text: &'a str, (namespace, root): (&str, &str)) -> Option<Vec<(&'a str, Attributes<'a>)>> {
    let text = DECLARATIONS.iter().find_map(|declaration| text.strip_prefix(declaration)).unwrap_or(text);
    let start = text.trim_ascii_start().strip_prefix('<')?.strip_prefix(root)?.strip_prefix(" xmlns=\"")?;
    let mut rest = start.strip_prefix(namespace)?.strip_prefix("\">")?;
    let mut list = Vec::new();
    loop {
        let tag = rest.trim_ascii_start().strip_prefix('<')?;
        if let Some(end) = tag.strip_prefix('/') {
            let after = end.strip_prefix(root)?.strip_prefix('>')?;
            return after.trim_ascii_start().is_empty().then_some(list);
        }
        let (tag, after) = split(tag, b'>')?;
        let (name, attributes) = split(tag.strip_suffix('/')?, b' ')?;
        if !is_usual_name(name) {
            return None;
        }
        list.push((name, usual_attributes(attributes)?));
        rest = after;
    }
}

/// What stands before and after the first of some ASCII character.
fn split(text: &str, at: u8) -> Option<(&str, &str)> {
    let index = memchr::memchr(at, text.as_bytes())?;
    Some((text.get(..index)?, text.get(index + 1..)?))
}

fn usual_attributes(list: &str) -> Option<Attributes<'_>> {
    let mut attributes = Vec::<(Cow<'_, str>, Cow<'_, str>)>::with_capacity(4);
    let mut rest = list.trim_ascii();
    while !rest.is_empty() {
        let (name, after) = split(rest, b'=')?;
        let (value, after) = split(after.strip_prefix('"')?, b'"')?;
        let known = attributes.iter().any(|attribute| attribute.0 == name);
        if known || attributes.len() == MOST_USUAL || !is_usual_name(name) || name == "xmlns" || !is_usual_value(value) {
            return None;
        }
        attributes.push((name.into(), value.into()));
        rest = after.trim_ascii_start();
        if !rest.is_empty() && rest.len() == after.len() {
            return None;
        }
    }
    Some(Attributes(attributes))
}

fn is_usual_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_usual_value(value: &str) -> bool {
    // Without branches, so that the compiler takes many bytes at once.
    !value.bytes().fold(false, |found, byte| found | (byte < b' ') | (byte == b'&') | (byte == b'<'))
}

fn attributes(start: &BytesStart<'_>, limits: &Limits) -> Result<Attributes<'static>> {
    let mut list = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| malformed(&error))?;
        limits.check(Limit::Attributes, list.len() as u64 + 1)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| malformed(&error))?;
        list.push((attribute.key.as_ref().to_owned().into(), value.into_owned().into()));
    }
    Ok(Attributes(list))
}

fn expanded(namespace: &ResolveResult<'_>, name: &str) -> String {
    match namespace {
        ResolveResult::Bound(namespace) => format!("{{{}}}{name}", namespace.0),
        _ => name.to_owned(),
    }
}

fn malformed(error: &dyn std::fmt::Display) -> Error {
    MarkupError::Malformed(error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "urn:list";

    fn found(read: impl FnOnce(&mut dyn FnMut(&str, &mut Attributes<'_>))) -> Vec<(String, Vec<(String, String)>)> {
        let mut list = Vec::new();
        read(&mut |name, attributes| {
            let attributes = attributes.0.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            list.push((name.to_owned(), attributes));
        });
        list
    }

    #[test]
    fn usual_lists_read_alike_both_ways() {
        for items in [
            "",
            "\r\n<Item a=\"1\" b=\"ä/x\" />\n<Other c=\"\"/> ",
            "<Item a=\"1\"/><Item a=\"2\"  b='no'/>",
            "<Item a=\"&amp;\"/>",
            "<Item a=\"1\" a=\"2\"/>",
            "<Item a=\"1\"b=\"2\"/>",
            "<Item a=\"1>\"/>",
            "<Item a=\"1\"></Item>",
            "<p:Item a=\"1\"/>",
            "<Item xmlns=\"urn:x\"/>",
            "<!-- --><Item a=\"1\"/>",
        ] {
            for start in ["", DECLARATIONS[0], "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n", "\n"] {
                let text = format!("{start}<List xmlns=\"{URI}\">{items}</List>\r\n");
                let list = usual(&text, (URI, "List"));
                let is_usual = list.is_some();
                let quick =
                    found(|each| list.into_iter().flatten().for_each(|(name, mut attributes)| each(name, &mut attributes)));
                // A limit keeps lists from the short way.
                let mut limits = Limits::default();
                let both = found(|each| _ = read_list(text.as_bytes(), (URI, "List"), &limits, each));
                limits.max_attributes = MOST_USUAL as u32 - 1;
                let mut result = Ok(());
                let long = found(|each| result = read_list(text.as_bytes(), (URI, "List"), &limits, each));
                assert_eq!(both, long, "{text}");
                assert!(!is_usual || (result.is_ok() && quick == long), "{text}");
                assert_eq!(is_usual, items.is_empty() || items.starts_with('\r'), "{text}");
            }
        }
    }
}
