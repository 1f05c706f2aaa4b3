//! Which parts may be malformed, and which not: as in Office, properties and foreign parts may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Cursor;

use recto::opc::zip::{Method, ZipWriter};
use recto::{DiagnosticCode, Limits, Result, parse_to_vec};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const STYLES: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml";
const CORE: &str = "application/vnd.openxmlformats-package.core-properties+xml";
const DOCUMENT: &str = "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'/>";
const PROPERTIES: &str =
    "<cp:coreProperties xmlns:cp='http://schemas.openxmlformats.org/package/2006/metadata/core-properties'/>";

/// Codes and parts of the diagnostics of a document with these parts after its main part: name, content type, content.
fn parse(others: &[(&str, &str, &str)]) -> Result<Vec<(DiagnosticCode, String)>> {
    let mut types = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>\
        <Default Extension='rels' ContentType='application/vnd.openxmlformats-package.relationships+xml'/>"
        .to_owned();
    for (name, kind, _) in [("word/document.xml", MAIN, "")].iter().chain(others) {
        types += &format!("<Override PartName='/{name}' ContentType='{kind}'/>");
    }
    types += "</Types>";
    let relationships = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship \
        Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
        Target='word/document.xml'/></Relationships>";
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, text: &str| writer.write_entry(name, Method::Stored, text.as_bytes());
    add("[Content_Types].xml", &types)?;
    add("_rels/.rels", relationships)?;
    add("word/document.xml", DOCUMENT)?;
    others.iter().try_for_each(|(name, _, text)| add(name, text))?;
    let (_, parsed) = parse_to_vec(writer.finish()?.into_inner(), &Limits::default())?;
    Ok(parsed.diagnostics.into_iter().map(|found| (found.code, found.part.unwrap_or_default())).collect())
}

fn tolerated(name: &str) -> Vec<(DiagnosticCode, String)> {
    vec![(DiagnosticCode::MalformedXml, name.to_owned())]
}

const UNKNOWN_ENCODING: &str = "<?xml version='1.0' encoding='klingon'?><a/>";

#[test]
fn an_unknown_encoding_is_judged_by_its_own_part() {
    let after_document = parse(&[("customXml/item1.xml", "application/xml", UNKNOWN_ENCODING)]);
    assert_eq!(after_document.unwrap(), tolerated("customXml/item1.xml"));
    let after_properties = parse(&[("core.xml", CORE, PROPERTIES), ("word/styles.xml", STYLES, UNKNOWN_ENCODING)]);
    assert_eq!(after_properties.unwrap_err().part(), Some("word/styles.xml"));
}

/// Word opens documents whose embedded files have the content type of a document and are something else.
#[test]
fn what_should_be_xml_and_is_not_is_noticed() {
    for text in ["\u{feff}xyz", "PK\u{3}", ""] {
        assert_eq!(parse(&[("word/chunk.dat", MAIN, text)]).unwrap(), tolerated("word/chunk.dat"));
    }
    assert_eq!(parse(&[("word/media.png", "image/png", "\u{1}PNG"), ("data.xml", "application/xml", "xyz")]).unwrap(), []);
}

#[test]
fn a_malformed_xml_declaration_is_not_taken_for_a_prolog() {
    let styles = "<w:styles xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'/>";
    for declaration in ["<?xml version=1.0?>", "<?xml encoding='UTF-8'?>", "<?xml version='1.0' standalone='maybe'?>", "<?xml?>"]
    {
        let found = parse(&[("word/styles.xml", STYLES, &format!("{declaration}{styles}"))]);
        assert_eq!(found.unwrap_err().part(), Some("word/styles.xml"), "{declaration}");
    }
    for declaration in ["", "<?xml version='1.0'?>", "<?xml version=\"1.1\"  encoding=\"UTF-8\" standalone='no' ?>"] {
        let found = parse(&[("word/styles.xml", STYLES, &format!("{declaration}{styles}"))]);
        assert_eq!(found.unwrap(), Vec::new(), "{declaration}");
    }
}
