//! Packages: how the main part is found, and what is said of files that are something else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Cursor;

use recto::error::{Error, ErrorKind, LegacyFormat, MarkupError, PackageError};
use recto::limits::Limits;
use recto::opc::zip::{Method, ZipWriter};
use recto::opc::{Archive, Kind};

const DOCUMENT: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
const OFFICE_DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
const STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument";

/// A package with one main part.
struct Sample {
    content_types: String,
    relationships: String,
    entries: Vec<(String, Vec<u8>)>,
}

impl Sample {
    fn new(content_type: &str, main: &str) -> Self {
        Sample {
            content_types: format!(
                "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Override PartName=\"/{main}\" ContentType=\"{content_type}\"/></Types>"
            ),
            relationships: relationships(&[("rId1", OFFICE_DOCUMENT, main)]),
            entries: vec![(main.to_owned(), b"<main/>".to_vec())],
        }
    }

    fn with(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.entries.push((name.to_owned(), bytes.into()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let lists = [("[Content_Types].xml", &self.content_types), ("_rels/.rels", &self.relationships)];
        let lists = lists.iter().map(|(name, text)| (*name, text.as_bytes()));
        zip_of(lists.chain(self.entries.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))))
    }

    fn open(&self) -> Result<Archive<Vec<u8>>, Error> {
        Archive::open(self.bytes(), &Limits::default())
    }
}

fn relationships(list: &[(&str, &str, &str)]) -> String {
    let mut text = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">".to_owned();
    for (id, kind, target) in list {
        text += &format!("<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"{target}\"/>");
    }
    text + "</Relationships>"
}

fn zip_of<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.write_entry(name, Method::default(), bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn refused(result: Result<Archive<Vec<u8>>, Error>) -> PackageError {
    match result.unwrap_err().into_kind() {
        ErrorKind::Package(error) => error,
        other => panic!("{other:?}"),
    }
}

fn codes(archive: &Archive<Vec<u8>>) -> Vec<&'static str> {
    archive.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect()
}

#[test]
fn kind_follows_from_the_content_type() {
    for (content_type, kind) in [
        (DOCUMENT, Kind::Document),
        ("application/vnd.ms-word.template.macroEnabledTemplate.main+xml", Kind::Document),
        (WORKBOOK, Kind::Workbook),
        ("APPLICATION/vnd.ms-excel.addin.macroEnabled.main+xml; charset=utf-8", Kind::Workbook),
    ] {
        let archive = Sample::new(content_type, "a/main.xml").open().unwrap();
        assert_eq!((archive.kind(), archive.main_part(), archive.is_strict()), (kind, "a/main.xml", false));
        assert!(archive.diagnostics().is_empty());
    }
}

#[test]
fn p31_main_part_by_relationship_type_never_by_name() {
    let sample = Sample::new(DOCUMENT, "word/document2.xml").with("word/document.xml", "<decoy/>");
    assert_eq!(sample.open().unwrap().main_part(), "word/document2.xml");
}

#[test]
fn p29_absolute_target_of_the_main_part() {
    let mut sample = Sample::new(WORKBOOK, "xl/workbook.xml");
    sample.relationships = relationships(&[("rId1", OFFICE_DOCUMENT, "/xl/workbook.xml")]);
    assert_eq!(sample.open().unwrap().main_part(), "xl/workbook.xml");
}

#[test]
fn p30_names_differ_in_case_or_have_backslashes() {
    let mut sample = Sample::new(WORKBOOK, "XL\\Workbook.xml").with("xl/SharedStrings.xml", "<sst/>");
    sample.relationships = relationships(&[("rId1", OFFICE_DOCUMENT, "xl/workbook.xml")]);
    let archive = sample.open().unwrap();
    assert_eq!(archive.main_part(), "XL\\Workbook.xml");
    assert_eq!(archive.find("/xl/sharedStrings.xml"), Some(3));
    assert_eq!(codes(&archive), ["backslash-in-name", "missing-content-type"]);
}

#[test]
fn duplicate_parts_are_reported_and_the_spelling_decides() {
    let sample = Sample::new(WORKBOOK, "xl/workbook.xml").with("xl/Workbook.xml", "<b/>").with("xl/workbook.xml", "<c/>");
    let archive = sample.open().unwrap();
    assert_eq!(archive.zip().entries().len(), 5);
    assert_eq!((archive.main_entry(), archive.find("xl/Workbook.xml"), archive.find("xl/WORKBOOK.xml")), (2, Some(3), Some(2)));
    assert_eq!(codes(&archive), ["duplicate-entry", "duplicate-entry"]);
}

#[test]
fn p32_dangling_relationships_do_not_keep_it_closed() {
    let mut sample = Sample::new(DOCUMENT, "word/document.xml");
    sample.relationships = relationships(&[("rId9", "urn:image", "../NULL"), ("rId1", OFFICE_DOCUMENT, "word/document.xml")]);
    let archive = sample.open().unwrap();
    let diagnostic = archive.diagnostics().iter().next().unwrap();
    assert_eq!(diagnostic.to_string(), "rId9: no part is at the target \"../NULL\" [dangling-relationship]");
    assert_eq!(archive.relationships()[0].target, "../NULL");
}

#[test]
fn p35_byte_order_marks_and_utf16_in_the_lists() {
    let mut sample = Sample::new(DOCUMENT, "word/document.xml");
    sample.content_types.insert(0, '\u{feff}');
    sample.relationships.insert(0, '\u{feff}');
    assert_eq!(sample.open().unwrap().kind(), Kind::Document);
    let wide: Vec<u8> = sample.relationships.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let main = [("word/document.xml", b"".as_slice())];
    let lists = [("_rels/.rels", wide.as_slice()), ("[content_types].XML", sample.content_types.as_bytes())];
    let archive = Archive::open(zip_of(main.into_iter().chain(lists)), &Limits::default()).unwrap();
    assert_eq!((archive.main_entry(), archive.content_types_entry()), (0, 2));
}

#[test]
fn p37_strict_packages() {
    let mut sample = Sample::new(WORKBOOK, "xl/workbook.xml");
    sample.relationships = relationships(&[("rId1", STRICT, "xl/workbook.xml")]);
    assert!(sample.open().unwrap().is_strict());
}

#[test]
fn p41_relationships_of_a_part() {
    let list = relationships(&[("rId1", "urn:a", "styles.xml"), ("rId2", "urn:a", "styles.xml")]);
    let sample = Sample::new(DOCUMENT, "word/document.xml").with("word/_rels/document.xml.rels", list);
    let archive = sample.open().unwrap();
    let list = archive.relationships_of("word/document.xml").unwrap().unwrap();
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].resolve("word/document.xml").as_deref(), Some("word/styles.xml"));
    assert_eq!(archive.relationships_of("word/styles.xml").unwrap(), None);
}

#[test]
fn p42_dtd_in_the_lists_is_refused() {
    let mut sample = Sample::new(DOCUMENT, "word/document.xml");
    sample.content_types.insert_str(21, "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>");
    let error = sample.open().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Markup(MarkupError::Doctype)));
    assert_eq!(error.part(), Some("[Content_Types].xml"));
}

#[test]
fn other_office_files_say_what_they_are() {
    let kind = |content_type| refused(Sample::new(content_type, "main.xml").open());
    assert_eq!(kind("application/vnd.ms-excel.sheet.binary.macroEnabled.main"), PackageError::Xlsb);
    let presentation = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml";
    assert_eq!(kind(presentation), PackageError::Powerpoint);
    assert_eq!(kind("application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml"), PackageError::Powerpoint);
    assert_eq!(kind("image/png"), PackageError::UnsupportedMainPart("image/png".to_owned()));
    let odt = "application/vnd.oasis.opendocument.text";
    let open = |bytes| refused(Archive::open(bytes, &Limits::default()));
    assert_eq!(open(zip_of([("mimetype", odt.as_bytes())])), PackageError::OpenDocument(odt.to_owned()));
    assert_eq!(open(zip_of([("mimetype", b"application/epub+zip".as_slice())])), PackageError::NoContentTypes);
    assert_eq!(open(zip_of([("test.txt", b"x".as_slice())])), PackageError::NoContentTypes);
}

#[test]
fn main_part_that_is_not_there() {
    let mut sample = Sample::new(DOCUMENT, "word/document.xml");
    sample.relationships = relationships(&[]);
    assert_eq!(refused(sample.open()), PackageError::NoMainPart);
    sample.relationships = relationships(&[("rId1", OFFICE_DOCUMENT, "word/other.xml")]);
    assert_eq!(refused(sample.open()), PackageError::MainPartMissing("word/other.xml".to_owned()));
    sample.relationships = relationships(&[("rId1", OFFICE_DOCUMENT, "")]);
    assert_eq!(refused(sample.open()), PackageError::MainPartMissing(String::new()));
    sample.relationships = "CORRUPTED".to_owned();
    assert!(matches!(sample.open().unwrap_err().kind(), ErrorKind::Markup(MarkupError::Malformed(_))));
}

#[test]
fn legacy_file_with_a_zip_at_its_end() {
    let mut file = vec![0; 512];
    file[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    let mut directory = vec![0; 512];
    for (place, unit) in directory.chunks_exact_mut(2).zip("Workbook".encode_utf16()) {
        place.copy_from_slice(&unit.to_le_bytes());
    }
    directory[64] = 18;
    file.extend(directory);
    file.extend(Sample::new(DOCUMENT, "word/document.xml").bytes());
    let result = Archive::open(file, &Limits::default());
    assert_eq!(refused(result), PackageError::LegacyBinary(LegacyFormat::Xls));
}

#[test]
fn no_byte_makes_it_panic() {
    let plain = Sample::new(DOCUMENT, "word/document.xml").bytes();
    for place in 0..plain.len() {
        for value in [0, 0xff, plain[place] ^ 0x20] {
            let mut bytes = plain.clone();
            bytes[place] = value;
            let _ = Archive::open(bytes, &Limits::default());
        }
    }
}
