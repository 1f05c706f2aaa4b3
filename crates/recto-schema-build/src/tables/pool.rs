//! The string pool and the namespaces.

use std::collections::BTreeMap;

use crate::Error;
use crate::binding::Name;
use crate::options::{File, Namespace, Schema};

/// All tags, attribute names and enum texts; equal ones are kept once.
#[derive(Debug, Default)]
pub(super) struct Pool {
    bytes: Vec<u8>,
    known: BTreeMap<String, usize>,
}

impl Pool {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Offset of a text.
    pub fn add(&mut self, text: &str) -> usize {
        if let Some(&at) = self.known.get(text) {
            return at;
        }
        let at = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.known.insert(text.to_owned(), at);
        at
    }

    /// Offset of the local name in `</w:rPr>`.
    pub fn add_element(&mut self, prefix: &str, local: &str) -> usize {
        let colon = if prefix.is_empty() { "" } else { ":" };
        self.add(&format!("</{prefix}{colon}{local}>")) + "</".len() + prefix.len() + colon.len()
    }

    /// Offset of the local name in ` w:val="`.
    pub fn add_attribute(&mut self, prefix: &str, local: &str) -> usize {
        let colon = if prefix.is_empty() { "" } else { ":" };
        self.add(&format!(" {prefix}{colon}{local}=\"")) + " ".len() + prefix.len() + colon.len()
    }
}

/// The namespaces of all files: none, that of `xml`, then the others as they are first declared.
#[derive(Debug)]
pub(super) struct Namespaces {
    all: Vec<Namespace>,
}

impl Namespaces {
    pub fn new(schema: &Schema) -> Result<Namespaces, Error> {
        let xml = "http://www.w3.org/XML/1998/namespace";
        let mut all = vec![Namespace::default(), Namespace { prefix: "xml".into(), uri: xml.into(), ..Default::default() }];
        for namespace in schema.files.iter().flat_map(|file| &file.namespaces) {
            if all.iter().all(|known| known.uri != namespace.uri) {
                all.push(namespace.clone());
            }
        }
        if all.len() > usize::from(u8::MAX) {
            return Err(Error::Tables("more than 255 namespaces".to_owned()));
        }
        Ok(Namespaces { all })
    }

    pub fn all(&self) -> &[Namespace] {
        &self.all
    }

    /// Index of the namespace of a name in a file.
    pub fn index(&self, file: &File, name: &Name) -> u8 {
        let uri = match name.prefix.as_str() {
            "" => return 0,
            "xml" => return 1,
            prefix => file.namespaces.iter().find(|namespace| namespace.prefix == prefix).map(|namespace| &namespace.uri),
        };
        let position = uri.and_then(|uri| self.all.iter().position(|known| known.uri == *uri));
        u8::try_from(position.expect("the lint found the prefix declared")).expect("there are at most 255")
    }

    /// The prefix that the writer gives an element of the namespace.
    pub fn element_prefix(&self, index: u8) -> &str {
        let namespace = &self.all[usize::from(index)];
        if namespace.default { "" } else { &namespace.prefix }
    }

    /// The prefix that the writer gives an attribute of the namespace.
    pub fn attribute_prefix(&self, index: u8) -> &str {
        &self.all[usize::from(index)].prefix
    }
}
