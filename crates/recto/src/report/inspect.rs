//! What a package consists of, part by part, and how much of each part is typed.

use std::io::{self, Read, Seek, SeekFrom, Write};

use recto_schema::tables::{Row, XML_NAMESPACE, message, namespace, root};
use recto_schema::{fields, messages};

use super::coverage::{Counter, Coverage, Share, Vocabulary};
use crate::diagnostics::Diagnostics;
use crate::error::{ErrorFamily, Result};
use crate::limits::Limits;
use crate::opc::encoding::Utf8Reader;
use crate::opc::zip::ReadAt;
use crate::opc::{Archive, Kind, names};
use crate::package::{WriteOptions, is_unmarked_vml, looks_like_xml, parse, write};
use crate::transcode::observe::Item;
use crate::transcode::read::{Content, PartXml, Reader};
use crate::wire::output::{Output, Sink};
use crate::xml::namespaces::Scope;
use crate::xml::tokens::{Tag, Token, Tokens};

/// A package, part by part.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// Document or workbook.
    pub kind: Kind,
    /// Whether it is of the Strict conformance class.
    pub strict: bool,
    /// The zip's entries in their order, without folders.
    pub parts: Vec<PartInspection>,
    /// What is typed, by namespace and name.
    pub coverage: Coverage,
    /// What was wrong with it and was tolerated.
    pub diagnostics: Diagnostics,
}

impl Inspection {
    /// Number of messages that carry extras.
    pub fn extras(&self) -> u64 {
        self.parts.iter().map(|part| part.extras).sum()
    }
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartInspection {
    /// Name, as the zip spells it.
    pub name: String,
    /// The content type that it ends up with.
    pub content_type: Option<String>,
    /// Size in bytes.
    pub size: u64,
    /// Size in the zip, in bytes.
    pub compressed_size: u64,
    /// Name of the root element with the usual prefix, if it is typed. Other parts are opaque: kept as bytes.
    pub root: Option<String>,
    /// How many elements and attributes are typed; none in parts that are no XML.
    pub share: Share,
    /// Number of messages that carry extras.
    pub extras: u64,
}

/// Inspects a package.
///
/// # Errors
/// As [`crate::parse()`].
pub fn inspect<S: ReadAt>(source: S, limits: &Limits) -> Result<Inspection> {
    let diagnostics = parse(&source, Discard, limits)?.diagnostics;
    let archive = Archive::open(&source, limits)?;
    let (parts, coverage) = measure(&archive, limits)?;
    Ok(Inspection { kind: archive.kind(), strict: archive.is_strict(), parts, coverage, diagnostics })
}

/// Inspects the package that a `.bin` holds, as it would be written.
///
/// # Errors
/// As [`crate::write()`].
pub fn inspect_bin<R: Read + Seek>(bin: R, limits: &Limits) -> Result<Inspection> {
    let package = write(bin, Vec::new(), &WriteOptions::default().with_level(1))?;
    inspect(package, limits)
}

/// Counts what is typed in each part of an archive.
///
/// # Errors
/// As [`crate::parse()`].
pub fn measure<S: ReadAt>(archive: &Archive<S>, limits: &Limits) -> Result<(Vec<PartInspection>, Coverage)> {
    let mut parts = Vec::new();
    let mut total = Coverage::default();
    for (index, entry) in archive.zip().entries().iter().enumerate().filter(|(_, entry)| !entry.is_directory()) {
        let content_type = archive.content_types().of(&entry.name);
        let measured = measure_part(archive, index, content_type, limits).map_err(|error| error.in_part(&*entry.name))?;
        total.merge(&measured.coverage);
        parts.push(PartInspection {
            name: entry.name.clone(),
            content_type: content_type.map(str::to_owned),
            size: entry.size,
            compressed_size: entry.compressed_size,
            root: measured.root.map(qualified),
            share: measured.coverage.total(),
            extras: measured.extras,
        });
    }
    Ok((parts, total))
}

/// How many bytes tell whether a part may be XML.
const HEAD: u64 = 16;

/// What was counted in a part.
#[derive(Default)]
struct Measured {
    root: Option<&'static Row>,
    coverage: Coverage,
    extras: u64,
}

/// The usual name of a row's element.
fn qualified(row: &'static Row) -> String {
    let local = String::from_utf8_lossy(row.local());
    match row.namespace().binding {
        "" => local.into_owned(),
        prefix => format!("{prefix}:{local}"),
    }
}

fn measure_part<S: ReadAt>(archive: &Archive<S>, entry: usize, content_type: Option<&str>, limits: &Limits) -> Result<Measured> {
    let mut head = Vec::new();
    archive.zip().open_entry(entry)?.take(HEAD).read_to_end(&mut head)?;
    if !looks_like_xml(&head) {
        return Ok(Measured::default());
    }
    let stays_opaque = is_unmarked_vml(&head, content_type) && entry != archive.main_entry();
    if !stays_opaque && let Some(typed) = measure_typed(archive, entry, content_type, limits)? {
        return Ok(typed);
    }
    let coverage = match Utf8Reader::new(archive.zip().open_entry(entry)?) {
        Ok(text) => measure_opaque(text, content_type, limits),
        Err(_) => Coverage::default(),
    };
    Ok(Measured { coverage, ..Measured::default() })
}

/// Reads a part as the parser does; `None` if it stays opaque.
fn measure_typed<S: ReadAt>(
    archive: &Archive<S>,
    entry: usize,
    content_type: Option<&str>,
    limits: &Limits,
) -> Result<Option<Measured>> {
    let xml = part_xml(archive, entry);
    // A part in an unknown encoding that had to be typed was refused when the package was parsed.
    let Ok(mut text) = Utf8Reader::new(archive.zip().open_entry(entry)?) else { return Ok(None) };
    let Some((coverage, extras)) = count_typed(&mut text, xml, content_type, limits)? else { return Ok(None) };
    let root = match xml.root {
        Some(row) => Some(row),
        None => root_of(Utf8Reader::new(archive.zip().open_entry(entry)?)?, limits),
    };
    Ok(Some(Measured { root, coverage, extras }))
}

/// Reads the text of a part and counts; `None` if it stays opaque.
fn count_typed(
    text: &mut dyn Read,
    xml: PartXml,
    content_type: Option<&str>,
    limits: &Limits,
) -> Result<Option<(Coverage, u64)>> {
    let mut counter = Counter::new();
    let mut sink = Discard;
    let mut reader = Reader::new(Output::to(&mut sink), &mut counter, limits);
    match reader.part(text, 0, true, xml) {
        Ok(Content::Typed) => {
            let extras = reader.findings.extras;
            Ok(Some((counter.finish(), extras)))
        }
        Ok(Content::Untyped) => Ok(None),
        Err(error) if error.family() == ErrorFamily::Markup && reader.tolerates(content_type) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How the parser reads an entry: the content types and relationships that belong to a part have one possible root.
fn part_xml<S: ReadAt>(archive: &Archive<S>, entry: usize) -> PartXml {
    let name = archive.zip().entry(entry).map_or("", |entry| &entry.name);
    let has_source = |source: &str| source.is_empty() || archive.find(source).is_some();
    let is_relationships = archive.find(name) == Some(entry) && names::source_of(name).is_some_and(|name| has_source(&name));
    let only = |part, field| PartXml { root: message(part).field(field).map(|(_, row)| row), ..PartXml::PART };
    if entry == archive.content_types_entry() {
        only(messages::CONTENT_TYPES_PART, fields::content_types_part::TYPES)
    } else if is_relationships {
        only(messages::RELATIONSHIPS_PART, fields::relationships_part::LIST)
    } else {
        PartXml::PART
    }
}

/// The typed root of a part.
fn root_of<R: Read>(text: R, limits: &Limits) -> Option<&'static Row> {
    let mut tokens = Tokens::new(text, limits);
    loop {
        match tokens.next().ok()?.token {
            Token::Start(tag) => {
                let mut scope = Scope::new();
                declare(&mut scope, &tag, 0);
                return root(scope.element(tag.prefix())?, tag.local());
            }
            Token::Eof => return None,
            _ => {}
        }
    }
}

/// Counts what is in a part that is kept as bytes, as far as it is well-formed.
fn measure_opaque<R: Read>(text: R, content_type: Option<&str>, limits: &Limits) -> Coverage {
    let mut tokens = Tokens::new(text, limits);
    let mut coverage = Coverage::default();
    let mut scope = Scope::new();
    let mut marks = Vec::new();
    let mut counts = has_own_type(content_type);
    let mut is_root = true;
    while let Ok(event) = tokens.next() {
        match event.token {
            Token::Start(tag) => {
                let mark = scope.mark();
                declare(&mut scope, &tag, marks.len() as u32);
                let uri = uri_of(&mut scope, tag.prefix());
                if std::mem::take(&mut is_root) {
                    counts &= Vocabulary::of_namespace(&String::from_utf8_lossy(&uri)) != Vocabulary::Excluded;
                }
                coverage.add_untyped(Item::Element, &uri, tag.local());
                count_attributes(&mut coverage, &mut scope, &tag, &uri);
                match tag.empty {
                    true => scope.leave(mark),
                    false => marks.push(mark),
                }
            }
            Token::End => scope.leave(marks.pop().unwrap_or_default()),
            Token::Eof => break,
            _ => {}
        }
    }
    if counts { coverage } else { coverage.exclude() }
}

fn count_attributes(coverage: &mut Coverage, scope: &mut Scope, tag: &Tag<'_>, element: &[u8]) {
    for attribute in tag.attributes().map_while(Result::ok).filter(|attribute| attribute.declares().is_none()) {
        match attribute.prefix() {
            [] => coverage.add_untyped(Item::Attribute, element, attribute.local()),
            prefix => coverage.add_untyped(Item::Attribute, &uri_of(scope, prefix), attribute.local()),
        }
    }
}

/// Whether a content type says more than that it is XML.
fn has_own_type(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase();
    !matches!(essence.as_str(), "" | "application/xml" | "text/xml")
}

fn declare(scope: &mut Scope, tag: &Tag<'_>, depth: u32) {
    for attribute in tag.attributes().map_while(Result::ok) {
        if let Some(prefix) = attribute.declares() {
            scope.declare(prefix, attribute.value, depth);
        }
    }
}

/// What a prefix stands for; nothing for one that is not declared.
fn uri_of(scope: &mut Scope, prefix: &[u8]) -> Vec<u8> {
    match scope.find(prefix) {
        Some(binding) => binding.uri.clone(),
        None if prefix == b"xml" => namespace(XML_NAMESPACE).uri.as_bytes().to_vec(),
        None => Vec::new(),
    }
}

/// An output that forgets what it gets: only the counts matter.
struct Discard;

impl Sink for Discard {
    fn write(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn patch(&mut self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Write for Discard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Discard {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opc::zip::{Method, ZipWriter};
    use crate::wire::input::Fields;

    const TYPES: &str = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>\
        <Default Extension='rels' ContentType='application/vnd.openxmlformats-package.relationships+xml'/>\
        <Default Extension='xml' ContentType='application/xml'/><Default Extension='odd' ContentType='x/odd+xml'/>\
        <Override PartName='/word/document.xml' \
        ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>";
    const RELATIONSHIPS: &str = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
        <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
        Target='word/document.xml'/></Relationships>";
    const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

    fn package() -> Vec<u8> {
        let document = format!("<w:document xmlns:w='{W}'><w:body><w:p w:odd='1'/></w:body></w:document>");
        let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, text) in [
            ("[Content_Types].xml", TYPES),
            ("_rels/.rels", RELATIONSHIPS),
            ("word/", ""),
            ("word/document.xml", &document),
            // It belongs to no part, so that it is one itself.
            ("word/_rels/gone.xml.rels", RELATIONSHIPS),
            (
                "word/_rels/document.xml.rels",
                "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'/>",
            ),
            ("customXml/item1.xml", &format!("<w:data xmlns:w='{W}' w:a=''/>")),
            ("word/own.odd", &format!("<w:data xmlns:w='{W}' w:a='' b=''><w:p><!-- --></w:p></w:data>")),
            ("word/foreign.odd", &format!("<data xmlns:w='{W}'><w:p/></data>")),
            ("word/cut.odd", &format!("<w:data xmlns:w='{W}'><w:p><w:r></w:p>")),
            (
                "docProps/core.xml",
                "<cp:coreProperties xmlns:cp='http://schemas.openxmlformats.org/package/2006/metadata/core-properties'>",
            ),
            ("word/blob", "\0<w:p/>"),
        ] {
            writer.write_entry(name, Method::Stored, text.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn part<'i>(inspection: &'i Inspection, name: &str) -> &'i PartInspection {
        inspection.parts.iter().find(|part| part.name == name).unwrap()
    }

    #[test]
    fn opaque_parts_are_those_that_the_parser_keeps_as_bytes() {
        let inspection = inspect(package(), &Limits::default()).unwrap();
        let (bin, _) = crate::package::parse_to_vec(package(), &Limits::default()).unwrap();
        let mut kept = Vec::new();
        for field in Fields::new(&bin).map(Result::unwrap).filter(|field| field.number == fields::package::PARTS) {
            let part: Vec<_> = Fields::new(field.bytes(&bin)).map(Result::unwrap).collect();
            let find = |number: u32| part.iter().find(|field| field.number == number);
            if find(fields::part::DATA).is_some() {
                kept.push(String::from_utf8(find(fields::part::NAME).unwrap().bytes(field.bytes(&bin)).to_vec()).unwrap());
            }
        }
        kept.retain(|name| name != "word/");
        let opaque = inspection.parts.iter().filter(|part| part.root.is_none());
        assert_eq!(opaque.map(|part| part.name.clone()).collect::<Vec<_>>(), kept);
        assert_eq!(kept.len(), 7, "{kept:?}");
    }

    #[test]
    fn each_part_has_its_numbers() {
        let inspection = inspect(package(), &Limits::default()).unwrap();
        assert_eq!((inspection.kind, inspection.strict, inspection.parts.len()), (Kind::Document, false, 11));
        assert_eq!(inspection.diagnostics.iter().filter(|found| found.part.as_deref() == Some("docProps/core.xml")).count(), 1);
        let document = part(&inspection, "word/document.xml");
        assert_eq!(document.root.as_deref(), Some("w:document"));
        assert_eq!((document.share.typed, document.share.untyped), (count(3, 0), count(0, 1)));
        assert_eq!((document.extras, inspection.extras()), (1, 1));
        let types = part(&inspection, "[Content_Types].xml");
        assert_eq!((types.root.as_deref(), types.share.typed), (Some("ct:Types"), count(5, 8)));
        assert_eq!(part(&inspection, "word/_rels/document.xml.rels").root.as_deref(), Some("rel:Relationships"));
        assert_eq!(part(&inspection, "word/_rels/gone.xml.rels").share.untyped, count(2, 3));
        assert_eq!(part(&inspection, "word/cut.odd").share.untyped, count(3, 0));
        assert_eq!(part(&inspection, "word/blob").share, Share::default());
    }

    #[test]
    fn data_and_foreign_parts_do_not_count() {
        let coverage = inspect(package(), &Limits::default()).unwrap().coverage;
        let share = coverage.of(Vocabulary::Wordprocessing);
        assert_eq!((share.typed, share.untyped), (count(3, 0), count(5, 3)));
        // Custom XML data, a part of nobody's, and a part whose content type says as little as that of data.
        assert_eq!(coverage.excluded(), count(4, 1));
    }

    fn count(elements: u64, attributes: u64) -> crate::report::Count {
        crate::report::Count { elements, attributes }
    }
}
