//! Opens a package as far as finding its main part.

use std::collections::BTreeMap;

use super::content_types::ContentTypes;
use super::names;
use super::relationships::{self, OFFICE_DOCUMENT, OFFICE_DOCUMENT_STRICT, Relationship};
use super::zip::{ReadAt, Zip};
use crate::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::error::{Error, PackageError, Result};
use crate::limits::Limits;

/// What a package holds, by the content type of its main part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// WordprocessingML: .docx, .docm, .dotx, .dotm.
    Document,
    /// SpreadsheetML: .xlsx, .xlsm, .xltx, .xltm, .xlam.
    Workbook,
}

/// A package whose main part has been found.
#[derive(Debug)]
pub struct Archive<S> {
    zip: Zip<S>,
    limits: Limits,
    index: Index,
    content_types: ContentTypes,
    content_types_entry: usize,
    relationships: Vec<Relationship>,
    /// The bytes of the two lists, for they are read again when the package is parsed.
    lists: [(usize, Vec<u8>); 2],
    main: usize,
    kind: Kind,
    strict: bool,
    diagnostics: Diagnostics,
}

impl<S: ReadAt> Archive<S> {
    /// Reads the zip directory, the content types and the package's relationships, and finds the main part.
    ///
    /// # Errors
    /// A package error that says what the file is, if it is not a document or workbook; a markup error in
    /// `[Content_Types].xml` or `_rels/.rels`; a limit error; an I/O error.
    pub fn open(source: S, limits: &Limits) -> Result<Self> {
        let zip = Zip::open(source, limits)?;
        let mut diagnostics = Diagnostics::new();
        let index = Index::new(&zip, &mut diagnostics);
        let Some(content_types_entry) = index.find(&zip, names::CONTENT_TYPES) else {
            return Err(stranger(&zip, &index)?.into());
        };
        let (content_types, types_text) = read(&zip, content_types_entry, |bytes| ContentTypes::parse(bytes, limits))?;
        let Some(relationships_entry) = index.find(&zip, names::PACKAGE_RELATIONSHIPS) else {
            return Err(PackageError::NoMainPart.into());
        };
        let (relationships, links_text) = read(&zip, relationships_entry, |bytes| relationships::parse(bytes, limits))?;
        let lists = [(content_types_entry, types_text), (relationships_entry, links_text)];
        let (main, strict) = find_main(&zip, &index, &relationships)?;
        let kind = kind_of(content_types.of(name(&zip, main)).unwrap_or_default())
            .map_err(|error| Error::from(error).in_part(name(&zip, main)))?;
        relationships::check("", &relationships, |part| index.find(&zip, part).is_some(), &mut diagnostics);
        report_untyped(&zip, content_types_entry, &content_types, &mut diagnostics);
        let limits = limits.clone();
        Ok(Archive {
            zip,
            limits,
            index,
            content_types,
            content_types_entry,
            relationships,
            lists,
            main,
            kind,
            strict,
            diagnostics,
        })
    }

    /// The zip file.
    pub fn zip(&self) -> &Zip<S> {
        &self.zip
    }

    /// Whether it is a document or a workbook.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the package relates to its main part in the way of Strict packages.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Index of the main part's entry.
    pub fn main_entry(&self) -> usize {
        self.main
    }

    /// Name of the main part, as the zip spells it.
    pub fn main_part(&self) -> &str {
        name(&self.zip, self.main)
    }

    /// The rules of `[Content_Types].xml`.
    pub fn content_types(&self) -> &ContentTypes {
        &self.content_types
    }

    /// Index of the entry with the content types.
    pub fn content_types_entry(&self) -> usize {
        self.content_types_entry
    }

    /// The package's own relationships.
    pub fn relationships(&self) -> &[Relationship] {
        &self.relationships
    }

    /// The entry of a part, in any spelling of its name; of two entries with the same spelling, the first.
    pub fn find(&self, part: &str) -> Option<usize> {
        self.index.find(&self.zip, part)
    }

    /// The relationships of a part, in order; none if it has no .rels part.
    ///
    /// # Errors
    /// As reading an entry and [`relationships::parse`].
    pub fn relationships_of(&self, part: &str) -> Result<Option<Vec<Relationship>>> {
        match self.find(&names::relationships_of(part)) {
            Some(entry) => {
                let (list, _) = read(&self.zip, entry, |bytes| relationships::parse(bytes, &self.limits))?;
                Ok(Some(list))
            }
            None => Ok(None),
        }
    }

    /// The bytes of an entry, if it had to be read to open the package.
    pub(crate) fn list(&self, entry: usize) -> Option<&[u8]> {
        self.lists.iter().find(|list| list.0 == entry).map(|list| &*list.1)
    }

    /// What was wrong with the package but did not keep it from being opened.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }
}

/// Entries by the key of their names.
#[derive(Debug)]
struct Index {
    first: BTreeMap<String, usize>,
    /// Entries whose key another entry has before them.
    duplicates: Vec<usize>,
}

impl Index {
    fn new<S: ReadAt>(zip: &Zip<S>, diagnostics: &mut Diagnostics) -> Self {
        let mut index = Index { first: BTreeMap::new(), duplicates: Vec::new() };
        report_surroundings(zip, diagnostics);
        for (number, entry) in zip.entries().iter().enumerate() {
            let mut report = |code, message: &str| diagnostics.push(Diagnostic::new(code, message).in_part(&*entry.name));
            if entry.name.contains('\\') {
                report(DiagnosticCode::BackslashInName, "the name has backslashes for slashes");
            }
            if entry.name_is_invalid {
                report(DiagnosticCode::NameEncoding, "the name is not utf-8 as it claims");
            }
            if entry.is_directory() {
                continue;
            }
            match index.first.entry(names::key(&entry.name)) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(number);
                }
                std::collections::btree_map::Entry::Occupied(_) => {
                    report(DiagnosticCode::DuplicateEntry, "an entry before has the same name");
                    index.duplicates.push(number);
                }
            }
        }
        index
    }

    fn find<S: ReadAt>(&self, zip: &Zip<S>, part: &str) -> Option<usize> {
        let first = *self.first.get(&*names::look_up_key(part))?;
        let exact = |number: &usize| zip.entry(*number).is_some_and(|entry| entry.name == part);
        if exact(&first) {
            return Some(first);
        }
        Some(self.duplicates.iter().copied().find(exact).unwrap_or(first))
    }
}

fn report_surroundings<S: ReadAt>(zip: &Zip<S>, diagnostics: &mut Diagnostics) {
    if zip.leading_bytes() > 0 {
        let message = format!("{} bytes stand before the zip data", zip.leading_bytes());
        diagnostics.push(Diagnostic::new(DiagnosticCode::BytesBeforeZip, message));
    }
    if zip.trailing_bytes() > 0 {
        let message = format!("{} bytes stand after the zip data", zip.trailing_bytes());
        diagnostics.push(Diagnostic::new(DiagnosticCode::BytesAfterZip, message));
    }
}

fn report_untyped<S: ReadAt>(zip: &Zip<S>, skip: usize, types: &ContentTypes, diagnostics: &mut Diagnostics) {
    for (number, entry) in zip.entries().iter().enumerate() {
        if number != skip && !entry.is_directory() && types.of(&entry.name).is_none() {
            let message = "[Content_Types].xml gives the part no type";
            diagnostics.push(Diagnostic::new(DiagnosticCode::MissingContentType, message).in_part(&*entry.name));
        }
    }
}

fn name<S: ReadAt>(zip: &Zip<S>, entry: usize) -> &str {
    zip.entry(entry).map_or("", |entry| &entry.name)
}

/// Reads an entry and parses it; errors name it.
fn read<S: ReadAt, T>(zip: &Zip<S>, entry: usize, parse: impl FnOnce(&[u8]) -> Result<T>) -> Result<(T, Vec<u8>)> {
    let bytes = zip.read_entry(entry)?;
    let parsed = parse(&bytes).map_err(|error| error.in_part(name(zip, entry)))?;
    Ok((parsed, bytes))
}

/// What a zip file without content types is.
fn stranger<S: ReadAt>(zip: &Zip<S>, index: &Index) -> Result<PackageError> {
    const LONGEST: u64 = 256;
    let entry = index.find(zip, "mimetype").filter(|&entry| zip.entry(entry).is_some_and(|entry| entry.size <= LONGEST));
    let Some(entry) = entry else { return Ok(PackageError::NoContentTypes) };
    let media_type = String::from_utf8_lossy(&zip.read_entry(entry)?).trim().to_owned();
    Ok(match media_type.starts_with("application/vnd.oasis.opendocument.") {
        true => PackageError::OpenDocument(media_type),
        false => PackageError::NoContentTypes,
    })
}

/// The main part's entry, and whether its relationship is a Strict one.
fn find_main<S: ReadAt>(zip: &Zip<S>, index: &Index, relationships: &[Relationship]) -> Result<(usize, bool)> {
    let mut missing = None;
    for relationship in relationships.iter().filter(|relationship| !relationship.external) {
        let strict = relationship.kind == OFFICE_DOCUMENT_STRICT;
        if !strict && relationship.kind != OFFICE_DOCUMENT {
            continue;
        }
        match relationship.resolve("").and_then(|part| index.find(zip, &part)) {
            Some(entry) => return Ok((entry, strict)),
            None => missing = missing.or(Some(&relationship.target)),
        }
    }
    Err(match missing {
        Some(target) => PackageError::MainPartMissing(target.clone()).into(),
        None => PackageError::NoMainPart.into(),
    })
}

/// The kind of package whose main part has this content type.
fn kind_of(content_type: &str) -> std::result::Result<Kind, PackageError> {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        | "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"
        | "application/vnd.ms-word.document.macroenabled.main+xml"
        | "application/vnd.ms-word.template.macroenabledtemplate.main+xml" => Ok(Kind::Document),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
        | "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml"
        | "application/vnd.ms-excel.sheet.macroenabled.main+xml"
        | "application/vnd.ms-excel.template.macroenabled.main+xml"
        | "application/vnd.ms-excel.addin.macroenabled.main+xml" => Ok(Kind::Workbook),
        "application/vnd.ms-excel.sheet.binary.macroenabled.main" => Err(PackageError::Xlsb),
        _ if essence.contains("presentationml") || essence.starts_with("application/vnd.ms-powerpoint") => {
            Err(PackageError::Powerpoint)
        }
        _ => Err(PackageError::UnsupportedMainPart(content_type.to_owned())),
    }
}
