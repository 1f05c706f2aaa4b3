//! Packages put together from texts.

use std::fmt::Write as _;

use recto::opc::names;
use recto::opc::zip::{Method, ZipWriter};

use crate::kinds;

const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";

/// Content type of a document's main part.
pub const DOCUMENT: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
/// Content type of a workbook's main part.
pub const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";

/// A package: its parts, from which content types and relationships follow.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    overrides: Vec<(String, String)>,
    defaults: Vec<(String, String)>,
    links: Vec<(String, String)>,
    entries: Vec<(String, Vec<u8>, Method)>,
}

impl Pack {
    /// With one main part.
    pub fn new(name: &str, content_type: &str, main: impl Into<Vec<u8>>) -> Self {
        Pack::default().link("", "rId1", "officeDocument", name).part(name, content_type, main)
    }

    /// A document with this main part.
    pub fn document(main: impl Into<Vec<u8>>) -> Self {
        Pack::new("word/document.xml", DOCUMENT, main)
    }

    /// A workbook with this main part.
    pub fn workbook(main: impl Into<Vec<u8>>) -> Self {
        Pack::new("xl/workbook.xml", WORKBOOK, main)
    }

    /// Adds a part with a content type of its own.
    #[must_use]
    pub fn part(mut self, name: &str, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.overrides.push((format!("/{name}"), content_type.to_owned()));
        self.entry(name, bytes)
    }

    /// Adds an entry and nothing else.
    #[must_use]
    pub fn entry(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.entries.push((name.to_owned(), bytes.into(), Method::Deflated(6)));
        self
    }

    /// Adds an entry without compression.
    #[must_use]
    pub fn stored(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.entries.push((name.to_owned(), bytes.into(), Method::Stored));
        self
    }

    /// Adds the content type of an extension.
    #[must_use]
    pub fn extension(mut self, extension: &str, content_type: &str) -> Self {
        self.defaults.push((extension.to_owned(), content_type.to_owned()));
        self
    }

    /// Adds a part to which a relationship of `source` leads, of a kind that Office knows by the last word of the
    /// relationship's type: "worksheet", "pivotTable". Its content type is that of the kind, or of the name's extension.
    #[must_use]
    pub fn related(self, source: &str, id: &str, kind: &str, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let (relationship, content_type) = kinds::of(kind);
        let linked = self.link(source, id, &relationship, &kinds::target(source, name));
        match content_type {
            Some(content_type) => linked.part(name, content_type, bytes),
            None => linked.entry(name, bytes),
        }
    }

    /// Adds a relationship of a part, or of the package for an empty source. A type without colon is one of Office's.
    #[must_use]
    pub fn link(self, source: &str, id: &str, kind: &str, target: &str) -> Self {
        self.relationship(source, id, kind, &format!("Target=\"{target}\""))
    }

    /// Adds a relationship to something outside the package.
    #[must_use]
    pub fn external(self, source: &str, id: &str, kind: &str, target: &str) -> Self {
        self.relationship(source, id, kind, &format!("Target=\"{target}\" TargetMode=\"External\""))
    }

    fn relationship(mut self, source: &str, id: &str, kind: &str, target: &str) -> Self {
        let kind = if kind.contains(':') { kind.to_owned() } else { format!("{OFFICE}{kind}") };
        self.links.push((source.to_owned(), format!("<Relationship Id=\"{id}\" Type=\"{kind}\" {target}/>")));
        self
    }

    /// All entries in the order of the zip: content types, relationships, parts.
    pub fn entries(&self) -> Vec<(String, Vec<u8>, Method)> {
        let mut entries = vec![(names::CONTENT_TYPES.to_owned(), self.content_types().into_bytes(), Method::Deflated(6))];
        let mut sources: Vec<&str> = Vec::new();
        for (source, _) in &self.links {
            if !sources.contains(&source.as_str()) {
                sources.push(source);
            }
        }
        for source in sources {
            let mut text = format!("{DECLARATION}<Relationships xmlns=\"{RELATIONSHIPS}\">");
            text.extend(self.links.iter().filter(|(from, _)| from == source).map(|(_, link)| link.as_str()));
            text += "</Relationships>";
            entries.push((names::relationships_of(source), text.into_bytes(), Method::Deflated(6)));
        }
        entries.extend(self.entries.iter().cloned());
        entries
    }

    fn content_types(&self) -> String {
        let mut text = format!(
            "{DECLARATION}<Types xmlns=\"{TYPES}\">\
             <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
             <Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        );
        for (extension, content_type) in &self.defaults {
            write!(text, "<Default Extension=\"{extension}\" ContentType=\"{content_type}\"/>").unwrap();
        }
        for (name, content_type) in &self.overrides {
            write!(text, "<Override PartName=\"{name}\" ContentType=\"{content_type}\"/>").unwrap();
        }
        text + "</Types>"
    }

    /// The zip file.
    pub fn bytes(&self) -> Vec<u8> {
        zip(&self.entries())
    }
}

impl From<&Pack> for Vec<u8> {
    fn from(pack: &Pack) -> Self {
        pack.bytes()
    }
}

/// A zip file of some entries.
pub fn zip(entries: &[(String, Vec<u8>, Method)]) -> Vec<u8> {
    let mut writer = ZipWriter::streaming(Vec::new());
    for (name, bytes, method) in entries {
        writer.write_entry(name, *method, bytes).unwrap();
    }
    writer.finish().unwrap()
}
