//! OOXML to `.bin`.

use std::io::{Read, Seek, Write};

use recto_schema::tables::{Row, message};
use recto_schema::{fields, messages};

use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::error::{Error, ErrorFamily, MarkupError, Result};
use crate::layout;
use crate::limits::Limits;
use crate::opc::encoding::{self, Encoding, Utf8Reader};
use crate::opc::zip::ReadAt;
use crate::opc::{Archive, Kind, names, relationships};
use crate::transcode::observe::{Ignore, Observer};
use crate::transcode::read::{Content, Findings, PartXml, Reader};
use crate::transcode::write::{PartText, Writer};
use crate::wire::input::{Fields, Input};
use crate::wire::output::{Mark, Output, Sink, put_message};
use crate::wire::{WireType, put_bytes, put_key, put_uint};

use super::sinks::Seeking;
use super::{FORMAT_VERSION, ahead};

/// Bytes at the start of a part that tell whether it may be XML.
const HEAD: usize = 16;

/// How to parse.
///
/// ```
/// let options = recto::ParseOptions::default().with_threads(1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseOptions {
    /// What a file may ask for.
    pub limits: Limits,
    /// Threads that may work at the same time; 0, the default: as many as there are processors. With two, long parts are
    /// inflated in one and read in another. The bytes and the errors are the same.
    pub threads: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions::from(&Limits::default())
    }
}

impl From<&Limits> for ParseOptions {
    fn from(limits: &Limits) -> Self {
        ParseOptions { limits: limits.clone(), threads: 0 }
    }
}

impl ParseOptions {
    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Whether there may be more than one thread. Asking the system takes longer than parsing a short part.
    fn has_threads(&self) -> bool {
        match self.threads {
            0 => std::thread::available_parallelism().is_ok_and(|count| count.get() > 1),
            count => count > 1,
        }
    }
}

/// What was noticed while a package was parsed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// Document or workbook.
    pub kind: Kind,
    /// What was wrong with the file and was tolerated.
    pub diagnostics: Diagnostics,
    /// Number of parts, without content types and relationships.
    pub parts: usize,
}

/// Parses a package and writes it as `.bin`. Memory is bounded by the largest part that is not streamed; rows of sheets
/// and blocks of documents are handed on as they come.
///
/// ```no_run
/// # fn main() -> recto::Result<()> {
/// let source = recto::opc::zip::Seekable::new(std::fs::File::open("report.docx")?)?;
/// let bin = std::fs::File::create("report.bin")?;
/// let parsed = recto::parse(source, bin, &recto::Limits::default())?;
/// println!("{} parts", parsed.parts);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A package error that says what the file is if it is not a document or workbook; a markup error with the part and
/// offset where a typed part's XML is malformed; a limit error; an I/O error.
pub fn parse<S: ReadAt, W: Write + Seek>(source: S, output: W, limits: &Limits) -> Result<Parsed> {
    parse_with(source, output, &ParseOptions::from(limits))
}

/// As [`parse`], with options.
///
/// # Errors
/// As [`parse`].
pub fn parse_with<S: ReadAt, W: Write + Seek>(source: S, output: W, options: &ParseOptions) -> Result<Parsed> {
    parse_into(&Archive::open(&source as Source<'_>, &options.limits)?, &mut Seeking::new(output)?, options)
}

/// Whatever the caller reads from, so that the engine is compiled once and not for every kind of source.
pub(crate) type Source<'s> = &'s dyn ReadAt;

fn parse_into(archive: &Archive<Source<'_>>, sink: &mut dyn Sink, options: &ParseOptions) -> Result<Parsed> {
    let mut observer = Ignore;
    let mut parser = Parser::new(archive, Output::to(sink), &mut observer, options);
    parser.package()?;
    parser.reader.out.flush()?;
    Ok(parser.finish().0)
}

/// As [`parse`], into memory.
///
/// # Errors
/// As [`parse`].
pub fn parse_to_vec<S: ReadAt>(source: S, limits: &Limits) -> Result<(Vec<u8>, Parsed)> {
    parse_to_vec_with(source, &ParseOptions::from(limits))
}

/// As [`parse_to_vec`], with options.
///
/// # Errors
/// As [`parse`].
pub fn parse_to_vec_with<S: ReadAt>(source: S, options: &ParseOptions) -> Result<(Vec<u8>, Parsed)> {
    parse_in_memory(&Archive::open(&source as Source<'_>, &options.limits)?, options)
}

fn parse_in_memory(archive: &Archive<Source<'_>>, options: &ParseOptions) -> Result<(Vec<u8>, Parsed)> {
    let mut observer = Ignore;
    let mut parser = Parser::new(archive, Output::in_memory(Vec::new()), &mut observer, options);
    parser.package()?;
    let (parsed, bytes) = parser.finish();
    Ok((bytes, parsed))
}

/// The entries of an archive, by what they are in the model.
struct Entries {
    /// For each entry the entry of its relationships.
    relationships: Vec<Option<usize>>,
    /// Whether an entry is no part of its own.
    special: Vec<bool>,
    package_relationships: Option<usize>,
}

impl Entries {
    fn of(archive: &Archive<Source<'_>>) -> Self {
        let entries = archive.zip().entries();
        let mut special = vec![false; entries.len()];
        let mut take = |entry: Option<usize>| {
            let place = special.get_mut(entry?)?;
            (!std::mem::replace(place, true)).then_some(entry?)
        };
        take(Some(archive.content_types_entry()));
        let package_relationships = take(archive.find(names::PACKAGE_RELATIONSHIPS));
        let relationships = entries
            .iter()
            .map(|entry| {
                let is_list = names::source_of(&entry.name).is_some();
                if entry.is_directory() || is_list { None } else { take(archive.find(&names::relationships_of(&entry.name))) }
            })
            .collect();
        Entries { relationships, special, package_relationships }
    }
}

struct Parser<'a, O> {
    archive: &'a Archive<Source<'a>>,
    reader: Reader<'a, O>,
    options: &'a ParseOptions,
    diagnostics: Diagnostics,
    parts: usize,
    /// What small entries are inflated into.
    content: Vec<u8>,
}

impl<'a, O: Observer> Parser<'a, O> {
    fn new(archive: &'a Archive<Source<'a>>, out: Output<'a>, observer: &'a mut O, options: &'a ParseOptions) -> Self {
        let reader = Reader::new(out, observer, &options.limits);
        Parser { archive, reader, options, diagnostics: archive.diagnostics().clone(), parts: 0, content: Vec::new() }
    }

    fn finish(self) -> (Parsed, Vec<u8>) {
        let parsed = Parsed { kind: self.archive.kind(), diagnostics: self.diagnostics, parts: self.parts };
        (parsed, self.reader.out.bytes)
    }

    fn package(&mut self) -> Result<()> {
        let entries = Entries::of(self.archive);
        self.header();
        self.content_types()?;
        if let Some(entry) = entries.package_relationships {
            self.relationships(fields::package::RELATIONSHIPS, "", entry)?;
        }
        for entry in 0..self.archive.zip().entries().len() {
            if entries.special.get(entry) == Some(&false) {
                let relationships = entries.relationships.get(entry).copied().flatten();
                let name = self.name(entry).to_owned();
                self.part(entry, relationships).map_err(|error| error.in_part(name))?;
                self.parts += 1;
            }
        }
        Ok(())
    }

    fn name(&self, entry: usize) -> &'a str {
        let archive: &'a Archive<Source<'a>> = self.archive;
        archive.zip().entry(entry).map_or("", |entry| &*entry.name)
    }

    fn header(&mut self) {
        let kind = match self.archive.kind() {
            Kind::Document => recto_schema::enums::kind::DOCUMENT,
            Kind::Workbook => recto_schema::enums::kind::WORKBOOK,
        };
        let fingerprint = self.archive.zip().fingerprint();
        put_message(&mut self.reader.out.bytes, fields::package::HEADER, |out| {
            put_uint(out, fields::header::FORMAT_VERSION, u64::from(FORMAT_VERSION));
            put_uint(out, fields::header::KIND, kind);
            if fingerprint != 0 {
                put_key(out, fields::header::FINGERPRINT, WireType::Fixed64);
                out.extend_from_slice(&fingerprint.to_le_bytes());
            }
        });
    }

    fn content_types(&mut self) -> Result<()> {
        let entry = self.archive.content_types_entry();
        let mark = self.reader.out.begin(fields::package::CONTENT_TYPES);
        let out = &mut self.reader.out.bytes;
        put_uint(out, fields::content_types_part::ENTRY, entry as u64);
        if self.name(entry) != names::CONTENT_TYPES {
            let name = self.name(entry);
            put_bytes(&mut self.reader.out.bytes, fields::content_types_part::NAME, name.as_bytes());
        }
        let xml = PartXml {
            markup: fields::content_types_part::MARKUP,
            epilog: fields::content_types_part::EPILOG,
            layout: fields::content_types_part::LAYOUT,
            root: special_root(messages::CONTENT_TYPES_PART, fields::content_types_part::TYPES),
        };
        let length = self.load(entry)?;
        self.special(entry, length, mark, xml, fields::content_types_part::STORED)
    }

    /// The relationships of a part, or of the package for an empty name.
    fn relationships(&mut self, field: u32, source: &str, entry: usize) -> Result<()> {
        let length = self.load(entry)?;
        let bytes = self.content.get(..length).unwrap_or_default();
        let list = relationships::parse(bytes, &self.options.limits).map_err(|error| error.in_part(self.name(entry)))?;
        if !source.is_empty() {
            relationships::check(source, &list, |part| self.archive.find(part).is_some(), &mut self.diagnostics);
        }
        let mark = self.reader.out.begin(field);
        put_uint(&mut self.reader.out.bytes, fields::relationships_part::ENTRY, entry as u64);
        if self.name(entry) != names::relationships_of(source) {
            let name = self.name(entry);
            put_bytes(&mut self.reader.out.bytes, fields::relationships_part::NAME, name.as_bytes());
        }
        let xml = PartXml {
            markup: fields::relationships_part::MARKUP,
            epilog: fields::relationships_part::EPILOG,
            layout: fields::relationships_part::LAYOUT,
            root: special_root(messages::RELATIONSHIPS_PART, fields::relationships_part::LIST),
        };
        self.special(entry, length, mark, xml, fields::relationships_part::STORED)
    }

    /// Reads an entry into memory, however long it is: its length.
    fn load(&mut self, entry: usize) -> Result<usize> {
        if let Some(list) = self.archive.list(entry) {
            let room = self.content.get_mut(..list.len());
            match room {
                Some(room) => room.copy_from_slice(list),
                None => self.content = list.to_vec(),
            }
            return Ok(list.len());
        }
        if let Some(length) = self.archive.zip().read_small(entry, &mut self.content) {
            return Ok(length);
        }
        self.content = self.archive.zip().read_entry(entry)?;
        Ok(self.content.len())
    }

    /// The content of a part that has only one possible root.
    fn special(&mut self, entry: usize, length: usize, mark: Mark, xml: PartXml, stored: u32) -> Result<()> {
        let name = self.name(entry);
        let start = self.reader.out.position();
        let (content, encoding) = self.whole(entry, length, xml).map_err(|error| error.in_part(name))?;
        if content == Content::Untyped {
            return Err(Error::from(MarkupError::UnexpectedRoot(String::new())).in_part(name));
        }
        if self.archive.zip().entry(entry).is_some_and(|entry| entry.is_stored()) {
            put_uint(&mut self.reader.out.bytes, stored, 1);
        }
        self.layout(entry, start, encoding, xml, Some(length))?;
        self.reader.out.end(mark)
    }

    fn part(&mut self, entry: usize, relationships: Option<usize>) -> Result<()> {
        let name = self.name(entry);
        let content_type = self.archive.content_types().of(name);
        let mark = self.reader.out.begin_wide(fields::package::PARTS);
        put_bytes(&mut self.reader.out.bytes, fields::part::NAME, name.as_bytes());
        if let Some(content_type) = content_type {
            put_bytes(&mut self.reader.out.bytes, fields::part::CONTENT_TYPE, content_type.as_bytes());
        }
        if let Some(relationships) = relationships {
            self.relationships(fields::part::RELATIONSHIPS, name, relationships)?;
        }
        let Some(directory) = self.archive.zip().entry(entry) else { return Ok(()) };
        if directory.is_stored() {
            put_uint(&mut self.reader.out.bytes, fields::part::STORED, 1);
        }
        let small = self.archive.zip().read_small(entry, &mut self.content);
        if directory.is_directory() || !self.typed(entry, content_type, small)? {
            match small.and_then(|length| self.content.get(..length)) {
                Some(bytes) => put_bytes(&mut self.reader.out.bytes, fields::part::DATA, bytes),
                None => put_bytes(&mut self.reader.out.bytes, fields::part::DATA, &self.archive.zip().read_entry(entry)?),
            }
        }
        self.reader.out.end(mark)?;
        self.reader.out.flush_at(1 << 16)
    }

    /// Writes a part as a typed one, if it is. A small one is in memory: so many bytes.
    fn typed(&mut self, entry: usize, content_type: Option<&str>, small: Option<usize>) -> Result<bool> {
        let mut head = [0; HEAD];
        if let Some(length) = small {
            _ = self.content.as_slice().take(length as u64).read(&mut head)?;
            if !self.may_be_typed(entry, content_type, &head) {
                return Ok(false);
            }
            return self.attempt(entry, content_type, small, |parser| parser.whole(entry, length, PartXml::PART));
        }
        let mut raw = self.archive.zip().open_entry(entry)?;
        let (filled, failure) = ahead::fill(&mut raw, &mut head);
        if let Some(error) = failure {
            return Err(error.into());
        }
        if !self.may_be_typed(entry, content_type, &head) {
            return Ok(false);
        }
        let large = self.is_large(entry);
        self.attempt(entry, content_type, None, |parser| {
            if ahead::is_worth_it(parser.archive.zip(), entry) && parser.options.has_threads() {
                ahead::read(parser.archive.zip(), entry, |source| parser.xml(source, large, PartXml::PART))
            } else {
                parser.xml(&mut head.get(..filled).unwrap_or_default().chain(raw), large, PartXml::PART)
            }
        })
    }

    /// Whether a part that starts with these bytes may be a typed one.
    fn may_be_typed(&mut self, entry: usize, content_type: Option<&str>, head: &[u8]) -> bool {
        if entry == self.archive.main_entry() {
            return true;
        }
        if is_unmarked_vml(head, content_type) {
            return false;
        }
        let is_xml = looks_like_xml(head);
        if !is_xml && content_type.is_some_and(|kind| kind.ends_with("+xml")) {
            let text = "no xml, although its content type says so";
            self.diagnostics.push(Diagnostic::new(DiagnosticCode::MalformedXml, text).in_part(self.name(entry)));
        }
        is_xml
    }

    /// Writes what `read` makes of a part, unless it turns out not to be a typed one.
    fn attempt(
        &mut self,
        entry: usize,
        content_type: Option<&str>,
        small: Option<usize>,
        read: impl FnOnce(&mut Self) -> Result<(Content, Encoding)>,
    ) -> Result<bool> {
        let is_main = entry == self.archive.main_entry();
        self.reader.reset();
        let before = self.reader.out.position();
        let findings = self.reader.findings;
        match read(self) {
            Ok((Content::Typed, encoding)) => {
                self.report(entry, findings);
                self.layout(entry, before, encoding, PartXml::PART, small)?;
                Ok(true)
            }
            Ok((Content::Untyped, _)) => {
                if is_main {
                    let text = "the root element of the main part is not known: nothing in it is typed";
                    self.diagnostics.push(Diagnostic::new(DiagnosticCode::UnknownMarkup, text).in_part(self.name(entry)));
                }
                Ok(false)
            }
            Err(error) if error.family() == ErrorFamily::Markup && !is_main && self.reader.tolerates(content_type) => {
                self.reader.out.truncate(before);
                let mut diagnostic =
                    Diagnostic::new(DiagnosticCode::MalformedXml, error.kind().to_string()).in_part(self.name(entry));
                diagnostic.offset = error.offset();
                self.diagnostics.push(diagnostic);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether an entry's content may be handed on piece by piece.
    fn is_large(&self, entry: usize) -> bool {
        self.archive.zip().entry(entry).is_none_or(|entry| entry.size > layout::LARGEST)
    }

    /// Appends the layout of the part that was written from `start` on, if it is not the usual one. Its text is still in memory
    /// if it is known how long it is.
    fn layout(&mut self, entry: usize, start: u64, encoding: Encoding, xml: PartXml, length: Option<usize>) -> Result<()> {
        let ours = matches!(encoding, Encoding::Utf8 | Encoding::Utf8Bom);
        if !ours || self.is_large(entry) || !self.reader.unusual {
            return Ok(());
        }
        let start = self.reader.out.index(start);
        let wire = self.reader.out.bytes.get(start..).unwrap_or_default();
        let Some(usual) = self.reader.root.and_then(|root| usual_text(wire, root, xml).ok()) else { return Ok(()) };
        let limits = &self.options.limits;
        let layout = match length.and_then(|length| self.content.get(..length)) {
            Some(text) => layout::learn(Utf8Reader::new(text)?, &usual, limits),
            None => layout::learn(Utf8Reader::new(self.archive.zip().open_entry(entry)?)?, &usual, limits),
        };
        if let Ok(Some(layout)) = layout {
            layout::put(&layout, &mut self.reader.out.bytes, xml.layout);
        }
        Ok(())
    }

    /// Reads XML that is in memory.
    fn whole(&mut self, entry: usize, length: usize, xml: PartXml) -> Result<(Content, Encoding)> {
        let large = self.is_large(entry);
        let text = self.content.get(..length).unwrap_or_default();
        let is_plain = !large && length as u64 <= self.options.limits.max_token_size && encoding::is_plain(text);
        if is_plain && let Some(content) = self.reader.whole(&mut self.content, length, xml) {
            return Ok((content?, Encoding::Utf8));
        }
        let content = std::mem::take(&mut self.content);
        let read = self.xml(&mut content.get(..length).unwrap_or_default(), large, xml);
        self.content = content;
        read
    }

    fn xml(&mut self, source: &mut dyn Read, large: bool, xml: PartXml) -> Result<(Content, Encoding)> {
        let mut source = Utf8Reader::new(source)?;
        let encoding = source.encoding();
        Ok((self.reader.part(&mut source, number_of(encoding), large, xml)?, encoding))
    }

    fn report(&mut self, entry: usize, before: Findings) {
        let now = self.reader.findings;
        let name = self.name(entry);
        if now.invalid > before.invalid {
            let text = format!("{} values are not valid for their type", now.invalid - before.invalid);
            self.diagnostics.push(Diagnostic::new(DiagnosticCode::InvalidValue, text).in_part(name));
        }
        if now.deep > before.deep {
            let text = format!("{} elements are nested too deeply to be typed", now.deep - before.deep);
            self.diagnostics.push(Diagnostic::new(DiagnosticCode::DeepNesting, text).in_part(name));
        }
    }
}

/// The row of the root that a special part has.
fn special_root(part: u16, field: u32) -> Option<&'static Row> {
    message(part).field(field).map(|(_, row)| row)
}

/// What would be written for a part.
fn usual_text(wire: &[u8], root: &'static Row, xml: PartXml) -> Result<Vec<u8>> {
    let (mut markup, mut epilog): (&[u8], &[u8]) = (&[], &[]);
    let mut roots = Vec::new();
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            number if number == xml.markup => markup = field.bytes(wire),
            number if number == xml.epilog => epilog = field.bytes(wire),
            number if number == u32::from(root.field) => roots.push(field),
            _ => {}
        }
    }
    let mut text = Vec::new();
    Writer::new(&mut text, Vec::new()).part(&mut Input::Slice(wire), &PartText { markup, root, roots: &roots, epilog })?;
    Ok(text)
}

/// Whether bytes may be XML: markup after white space and a byte order mark, in any encoding.
pub(crate) fn looks_like_xml(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let head = head.strip_prefix(b"\xFF\xFE").or(head.strip_prefix(b"\xFE\xFF")).unwrap_or(head);
    head.iter().find(|byte| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n')) == Some(&b'<')
}

/// Whether the root is the one of VML, which has no namespace, and the content type does not say that it is VML.
pub(crate) fn is_unmarked_vml(head: &[u8], content_type: Option<&str>) -> bool {
    head.starts_with(b"<xml") && !content_type.is_some_and(|kind| kind.to_ascii_lowercase().ends_with("vmldrawing"))
}

/// The number of an encoding in `Markup.encoding`.
fn number_of(encoding: Encoding) -> u8 {
    use recto_schema::enums::encoding as numbers;
    let number = match encoding {
        Encoding::Utf8 => 0,
        Encoding::Utf8Bom => numbers::UTF8_BOM,
        Encoding::Utf16Le => numbers::UTF16_LE,
        Encoding::Utf16Be => numbers::UTF16_BE,
        Encoding::Latin1 => numbers::LATIN1,
    };
    number as u8
}
