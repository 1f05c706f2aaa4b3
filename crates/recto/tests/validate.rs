//! What is found in files with one fault each, and that nothing is found in files without.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;
use std::io::Cursor;

use recto::Limits;
use recto::report::{FindingCode, Findings, validate, validate_bin, validate_bin_since};
use recto_testing::{Pack, fixtures};

fn findings(file: &[u8]) -> Findings {
    validate(file, &Limits::default()).unwrap()
}

fn codes(findings: &Findings) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.code.name()).collect()
}

fn lines(findings: &Findings) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

fn invalid(path: &str) -> Findings {
    let (fixture, _) = fixtures::invalid().into_iter().find(|(fixture, _)| fixture.path == path).unwrap();
    findings(&fixture.bytes)
}

#[test]
fn every_fault_is_found_and_nothing_else() {
    for (fixture, code) in fixtures::invalid() {
        let found = findings(&fixture.bytes);
        assert_eq!(codes(&found), BTreeSet::from([code]), "{}: {:?}", fixture.path, lines(&found));
    }
}

#[test]
fn valid_files_have_no_findings() {
    for fixture in fixtures::valid() {
        assert_eq!(lines(&findings(&fixture.bytes)), [""; 0], "{}", fixture.path);
    }
}

/// Most good files are valid too; the others were made to be read, not to be valid.
#[test]
fn good_files_are_valid_but_for_what_they_show() {
    for fixture in fixtures::good() {
        let expected: &[&str] = match fixture.path {
            "docx/deep.docx" => &["missing-element"],
            "docx/oddities.docx" => &[
                "invalid-value",
                "missing-element",
                "repeated-element",
                "undefined-style",
                "unexpected-attribute",
                "unexpected-element",
                "unexpected-text",
                "wrong-order",
            ],
            "docx/prefixes.docx" => &["unexpected-attribute"],
            "docx/unknown-root.docx" => &["wrong-content-type"],
            "xlsx/duplicates.xlsx" => &["duplicate-part", "missing-content-type"],
            "xlsx/excel-numbers.xlsx" | "xlsx/odd-cells.xlsx" => &["invalid-value"],
            "xlsx/large.xlsx" => &["undefined-format"],
            "xlsx/names.xlsx" => &["dangling-relationship"],
            "xlsx/no-references.xlsx" => &["invalid-value", "unordered-cells"],
            _ => &[],
        };
        assert_eq!(codes(&findings(&fixture.bytes)), expected.iter().copied().collect(), "{}", fixture.path);
    }
}

#[test]
fn a_bin_has_the_findings_of_its_package() {
    for fixture in fixtures::invalid().into_iter().map(|(fixture, _)| fixture).chain(fixtures::good()) {
        let (bin, _) = recto::parse_to_vec(&fixture.bytes, &Limits::default()).unwrap();
        let from_bin = validate_bin(Cursor::new(&bin)).unwrap();
        assert_eq!(lines(&from_bin), lines(&findings(&fixture.bytes)), "{}", fixture.path);
        // An encoder of another kind: fields in another order, the same content.
        let encoded = recto::Package::from_bin(&bin).unwrap().to_bin();
        assert_eq!(codes(&validate_bin(Cursor::new(&encoded)).unwrap()), codes(&from_bin), "{}", fixture.path);
    }
}

#[test]
fn findings_say_where_and_what_was_expected() {
    let found = invalid("invalid/enumeration.docx");
    let first = found.iter().next().unwrap();
    assert_eq!(first.code, FindingCode::InvalidValue);
    assert_eq!(first.part, "word/document.xml");
    assert_eq!(first.path, "/w:document/w:body/w:p[1]/w:pPr/w:jc/@w:val");
    assert!(first.message.starts_with("\"centre\" is not one of left, center, right, both, "), "{}", first.message);
    let place = |path: &str| invalid(path).iter().next().unwrap().path.clone();
    assert_eq!(place("invalid/empty-cell.docx"), "/w:document/w:body/w:tbl[1]/w:tr[1]/w:tc[1]");
    assert_eq!(place("invalid/cell-format.xlsx"), "/x:worksheet/x:sheetData/x:row[1]/x:c[2]/@s");
    assert_eq!(place("invalid/unknown-attribute.docx"), "/w:document/w:body/w:p[1]/w:r[1]/w:t[1]/@w:colour");
}

#[test]
fn against_the_original_only_what_is_new_remains() {
    let (valid, twice) = (&fixtures::valid()[0].bytes, invalid("invalid/style-type.docx"));
    let (fixture, _) = fixtures::invalid().into_iter().find(|(fixture, _)| fixture.path == "invalid/style-type.docx").unwrap();
    let (bin, _) = recto::parse_to_vec(fixture.bytes.as_slice(), &Limits::default()).unwrap();
    let since = |baseline: &Findings| validate_bin_since(Cursor::new(&bin), Some(baseline)).unwrap();
    assert_eq!(lines(&since(&findings(valid))), lines(&twice));
    assert!(since(&twice).is_empty());
}

#[test]
fn what_cannot_be_read_is_an_error() {
    for fixture in fixtures::bad() {
        assert!(validate(&fixture.bytes, &Limits::default()).is_err(), "{}", fixture.path);
        assert!(validate_bin(Cursor::new(&fixture.bytes)).is_err(), "{}", fixture.path);
    }
}

/// Excel reads these words as booleans, and repairs others.
#[test]
fn boolean_cells_may_say_true_or_false() {
    let book = |value: &str| {
        let sheet = format!(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>\
             <row r=\"1\"><c r=\"A1\" t=\"b\"><v>{value}</v></c></row></sheetData></worksheet>"
        );
        let main = "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
             xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
             <sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>";
        let pack = Pack::workbook(main);
        pack.related("xl/workbook.xml", "rId1", "worksheet", "xl/worksheets/sheet1.xml", sheet).bytes()
    };
    for value in ["true", "false", "1"] {
        assert_eq!(lines(&findings(&book(value))), [""; 0], "{value}");
    }
    assert_eq!(codes(&findings(&book("TRUE"))), BTreeSet::from(["invalid-value"]));
}
