//! Just enough XML to read the two lists that a package needs before anything else: content types and relationships.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::encoding;
use crate::error::{Error, MarkupError, Result};
use crate::limits::{Limit, Limits};

/// Attributes without namespace: local names and values.
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// Takes the value of an attribute.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.0.iter_mut().find(|attribute| attribute.0 == name).map(|attribute| std::mem::take(&mut attribute.1))
    }
}

/// Calls `each` for the children of the root that are in its namespace, which must be `namespace`, as the root must be `root`.
pub(super) fn read_list(
    bytes: &[u8],
    (namespace, root): (&str, &str),
    limits: &Limits,
    mut each: impl FnMut(&str, Attributes),
) -> Result<()> {
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
                each(name.as_ref(), attributes(start, limits)?);
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

fn attributes(start: &BytesStart<'_>, limits: &Limits) -> Result<Attributes> {
    let mut list = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| malformed(&error))?;
        limits.check(Limit::Attributes, list.len() as u64 + 1)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| malformed(&error))?;
        list.push((attribute.key.as_ref().to_owned(), value.into_owned()));
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
