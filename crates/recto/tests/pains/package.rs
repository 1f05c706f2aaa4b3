//! What other producers write into packages: names, targets, encodings, conformance classes.

use recto::opc::zip::Method;
use recto::part::Content;
use recto::sheet::cell::Value;
use recto::{DiagnosticCode, ErrorFamily, ErrorKind, Limits, Package, error::MarkupError};
use recto_testing::Pack;
use recto_testing::pack::{self, zip};

use crate::books::{
    DECLARATION, DOCUMENT, R, SHEET1, SHEET2, W, WORKBOOK, X, body, cell, document, one_sheet, run, set_two, sheet, sheet_of_one,
    text, with_strings, workbook,
};
use crate::trip::{diagnostics, edited, identical, refused};

const SHEET_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";
const STRICT_R: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships";

/// P29: absolute targets were ignored, or resolved to `xl/xl/...`.
#[test]
fn absolute_targets_lead_to_their_parts_and_stay_absolute() {
    let table = |id: u8| {
        format!(
            "{DECLARATION}<table xmlns=\"{X}\" id=\"{id}\" name=\"T{id}\" displayName=\"T{id}\" ref=\"A1:A2\"><tableColumns count=\"1\"><tableColumn id=\"1\" name=\"a\"/></tableColumns></table>"
        )
    };
    let table_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml";
    let main = format!(
        "{DECLARATION}<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let pack = Pack::workbook(main)
        .link(WORKBOOK, "rId1", "worksheet", "/xl/worksheets/sheet1.xml")
        .part(SHEET1, SHEET_TYPE, sheet_of_one(""))
        .link(SHEET1, "rId1", "table", "/xl/tables/table1.xml")
        .link(SHEET1, "rId2", "table", "../tables/table2.xml")
        .part("xl/tables/table1.xml", table_type, table(1))
        .part("xl/tables/table2.xml", table_type, table(2));
    assert_eq!(diagnostics(&pack), []);
    let trip = identical(&pack);
    let targets: Vec<_> = trip.written().relationships_of(SHEET1).unwrap().unwrap().into_iter().map(|link| link.target).collect();
    assert_eq!(targets, ["/xl/tables/table1.xml", "../tables/table2.xml"]);
    let package = trip.package();
    assert_eq!(package.related(SHEET1, "rId1").unwrap().name, "xl/tables/table1.xml");
    assert_eq!(package.related(SHEET1, "rId2").unwrap().name, "xl/tables/table2.xml");
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P30: a part whose name differs from its relationship's target in case only was not found.
#[test]
fn part_names_are_found_in_any_case_and_keep_theirs() {
    let strings = format!("{DECLARATION}<sst xmlns=\"{X}\" count=\"1\" uniqueCount=\"1\"><si><t>found</t></si></sst>");
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml";
    let pack = one_sheet(sheet("<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>", ""))
        .link(WORKBOOK, "rId2", "sharedStrings", "sharedStrings.xml")
        .part("xl/SharedStrings.xml", kind, strings);
    assert_eq!(diagnostics(&pack), []);
    let trip = identical(&pack);
    assert!(trip.written().zip().entries().iter().any(|entry| entry.name == "xl/SharedStrings.xml"));
    let package = trip.package();
    assert_eq!(package.shared_string(0).as_deref(), Some("found"));
    assert_eq!(package.related(WORKBOOK, "rId2").unwrap().name, "xl/SharedStrings.xml");
}

/// P31: Word Online calls the main part `word/document2.xml`, and it was not found.
#[test]
fn the_main_part_is_found_by_its_relationship() {
    let main =
        format!("{DECLARATION}<w:document xmlns:w=\"{W}\"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>");
    let trip = identical(&Pack::new("word/document2.xml", pack::DOCUMENT, main));
    assert_eq!(trip.written().main_part(), "word/document2.xml");
    assert_eq!(text(run(body(&mut trip.package()), 0)).value, "Hello");
}

/// P32: a picture whose target is "NULL" kept the whole document from being opened.
#[test]
fn targets_that_lead_nowhere_are_kept_and_reported() {
    let pack = document("<w:p/>").link(DOCUMENT, "rId4", "image", "NULL").link(DOCUMENT, "rId5", "image", "../NULL");
    let found: Vec<_> =
        diagnostics(&pack).into_iter().map(|found| (found.code, found.part.unwrap(), found.path.unwrap())).collect();
    let dangling = |id: &str| (DiagnosticCode::DanglingRelationship, DOCUMENT.to_owned(), id.to_owned());
    assert_eq!(found, [dangling("rId4"), dangling("rId5")]);
    identical(&pack);
    edited(&pack, |package| body(package).clear()).check_only(DOCUMENT, "<w:body><w:p/></w:body>", "<w:body/>");
}

/// P33: links that are no valid URIs kept the package from being opened.
#[test]
fn external_targets_are_never_interpreted() {
    let targets = ["mailto:one@", "file:///\\\\$X$\\y", "quic:\\\\1234\\456", "http://", "http://[::1", "%zz", "../a b#c#d"];
    let mut pack = document("<w:p/>");
    for (number, target) in targets.iter().enumerate() {
        pack = pack.external(DOCUMENT, &format!("rId{number}"), "hyperlink", target);
    }
    assert_eq!(diagnostics(&pack), []);
    let written = identical(&pack).written().relationships_of(DOCUMENT).unwrap().unwrap();
    assert_eq!(written.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), targets);
    assert!(written.iter().all(|link| link.external));
}

/// P34: a link with an empty target could be saved but not opened again.
#[test]
fn an_empty_external_target_is_kept_and_reported() {
    let pack = document("<w:p/>").external(DOCUMENT, "rId1", "hyperlink", "");
    let [found] = &diagnostics(&pack)[..] else { panic!() };
    assert_eq!(found.to_string(), "word/document.xml, rId1: the external target is empty [empty-target]");
    identical(&pack);
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// P35: a byte order mark in content types or relationships gave an error, or no sheets and no error.
#[test]
fn byte_order_marks_are_read_in_every_part() {
    let mut entries =
        with_strings("<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>", "count=\"1\"><si><t>a</t></si>").entries();
    for (_, bytes, _) in &mut entries {
        bytes.splice(0..0, BYTE_ORDER_MARK.iter().copied());
    }
    let bytes = zip(&entries);
    let mut package = identical(bytes.clone()).package();
    assert_eq!(cell(&mut package, "S1", 0, 0).value, Some(Value::SharedString(0)));
    assert_eq!(package.shared_string(0).as_deref(), Some("a"));
}

/// P36: a byte order mark in each part, which some viewers do not read.
#[test]
fn no_byte_order_mark_is_added() {
    let created = [Package::new_document(), Package::new_workbook()].map(|package| package.to_vec().unwrap());
    for bytes in
        created.into_iter().chain([edited(&one_sheet(sheet_of_one("")), |package| set_two(package, "S1")).file().to_vec()])
    {
        let archive = recto::opc::Archive::open(bytes, &Limits::default()).unwrap();
        for (index, entry) in archive.zip().entries().iter().enumerate() {
            assert!(!archive.zip().read_entry(index).unwrap().starts_with(BYTE_ORDER_MARK), "{}", entry.name);
        }
    }
}

/// P37: a workbook of the Strict class was read as empty, or became a transitional one.
#[test]
fn strict_workbooks_are_read_and_stay_strict() {
    let x = "http://purl.oclc.org/ooxml/spreadsheetml/main";
    let main = format!(
        "{DECLARATION}<workbook xmlns=\"{x}\" xmlns:r=\"{STRICT_R}\" conformance=\"strict\"><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let pack = Pack::default()
        .link("", "rId1", &format!("{STRICT_R}/officeDocument"), WORKBOOK)
        .part(WORKBOOK, pack::WORKBOOK, main)
        .link(WORKBOOK, "rId1", &format!("{STRICT_R}/worksheet"), "worksheets/sheet1.xml")
        .part(SHEET1, SHEET_TYPE, sheet_of_one("").replace(X, x).replace(R, STRICT_R));
    let trip = identical(&pack);
    assert!(trip.written().is_strict());
    assert_eq!(trip.package().workbook().unwrap().conformance(), recto::sheet::ConformanceClass::Strict);
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P38: a Strict document was reported to have no text.
#[test]
fn strict_documents_have_their_text() {
    let main = format!(
        "{DECLARATION}<w:document xmlns:w=\"http://purl.oclc.org/ooxml/wordprocessingml/main\" w:conformance=\"strict\"><w:body><w:p><w:r><w:t>strict</w:t></w:r></w:p></w:body></w:document>"
    );
    let pack =
        Pack::default().link("", "rId1", &format!("{STRICT_R}/officeDocument"), DOCUMENT).part(DOCUMENT, pack::DOCUMENT, main);
    assert_eq!(text(run(body(&mut identical(&pack).package()), 0)).value, "strict");
    edited(&pack, |package| text(run(body(package), 0)).value = "new".to_owned()).check_only(DOCUMENT, "<w:t>strict", "<w:t>new");
}

/// P38, for a main part of no known namespace: it must not pass for an empty document.
#[test]
fn a_main_part_of_an_unknown_namespace_is_no_empty_document() {
    let pack = Pack::document("<w:document xmlns:w=\"urn:unknown\"><w:body><w:p/></w:body></w:document>");
    let [found] = &diagnostics(&pack)[..] else { panic!() };
    assert_eq!((found.code, found.part.as_deref()), (DiagnosticCode::UnknownMarkup, Some(DOCUMENT)));
    assert!(found.message.contains("the main part is not known"), "{found}");
    assert!(identical(&pack).package().document().is_none());
}

/// P39: ZIP64 where none is needed, which Excel rejects, or none where it is.
#[test]
fn more_entries_than_a_plain_zip_counts_make_a_zip64() {
    let has_zip64 = |bytes: &[u8]| bytes.windows(4).any(|window| window == b"PK\x06\x06" || window == b"PK\x06\x07");
    let mut entries = document("<w:p/>").extension("png", "image/png").entries();
    assert!(!has_zip64(identical(zip(&entries)).file()));
    entries.extend((0..70_000).map(|number| (format!("word/media/image{number}.png"), Vec::new(), Method::Stored)));
    let bytes = zip(&entries);
    let (bin, parsed) = recto::parse_to_vec(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.parts, 70_001);
    let written = recto::write_bin(&bin, Vec::new(), &recto::WriteOptions::default()).unwrap();
    assert!(has_zip64(&written));
    let archive = recto::opc::Archive::open(written, &Limits::default()).unwrap();
    assert_eq!(archive.zip().entries().len(), entries.len());
    assert!(archive.find("word/media/image69999.png").is_some());
}

/// P40: equal shared strings were merged, or wrong counts gave an error.
#[test]
fn equal_shared_strings_and_wrong_counts_are_kept() {
    let rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>2</v></c><c r=\"B1\" t=\"s\"><v>0</v></c></row>";
    let equal = "<si><t>same</t></si>".repeat(3);
    for counts in ["count=\"9\" uniqueCount=\"1\"", "count=\"0\"", "uniqueCount=\"4000000000\""] {
        let pack = with_strings(rows, &format!("{counts}>{equal}"));
        let mut package = identical(&pack).package();
        assert_eq!(cell(&mut package, "S1", 0, 0).value, Some(Value::SharedString(2)));
        assert_eq!((package.shared_string(2).as_deref(), package.shared_string(3)), (Some("same"), None));
        edited(&pack, |package| cell(package, "S1", 0, 0).value = Some(Value::SharedString(1)))
            .check_only(SHEET1, "<v>2</v>", "<v>1</v>");
    }
}

/// P41: several relationships to one part became one, and ids that another part uses too clashed.
#[test]
fn every_relationship_keeps_its_id_and_its_place() {
    let drawing = "<xdr:wsDr xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\"/>";
    let pack = workbook(&[sheet_of_one(""), sheet_of_one("")], "")
        .extension("png", "image/png")
        .related(SHEET1, "rId7", "drawing", "xl/drawings/drawing1.xml", drawing)
        .link(SHEET1, "rId1", "drawing", "../drawings/drawing1.xml")
        .related(SHEET1, "rId3", "image", "xl/media/image1.png", "png")
        .link(SHEET2, "rId1", "image", "../media/image1.png");
    let trip = identical(&pack);
    let ids =
        |part: &str| trip.written().relationships_of(part).unwrap().unwrap().into_iter().map(|link| link.id).collect::<Vec<_>>();
    assert_eq!(
        (ids(SHEET1), ids(SHEET2)),
        (vec!["rId7".to_owned(), "rId1".to_owned(), "rId3".to_owned()], vec!["rId1".to_owned()])
    );
    let package = trip.package();
    assert_eq!(package.related(SHEET1, "rId7").unwrap().name, package.related(SHEET1, "rId1").unwrap().name);
    assert_eq!(package.related(SHEET2, "rId1").unwrap().content, Some(Content::Data(b"png".to_vec())));
}

/// P42: entities that multiply, entities from outside, and such in the list of content types.
#[test]
fn document_type_declarations_are_refused_wherever_they_stand() {
    let bomb = "<!DOCTYPE w [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let outside = "<!DOCTYPE w [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>";
    let sheet = sheet("<row r=\"1\"><c r=\"A1\" t=\"str\"><v>&b;</v></c></row>", "").replace(DECLARATION, bomb);
    check_doctype(&one_sheet(sheet).bytes(), SHEET1);
    let main = format!("{outside}<w:document xmlns:w=\"{W}\"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>");
    check_doctype(&Pack::document(main).bytes(), DOCUMENT);
    for list in ["[Content_Types].xml", "_rels/.rels"] {
        let mut entries = document("<w:p/>").entries();
        let (_, bytes, _) = entries.iter_mut().find(|entry| entry.0 == list).unwrap();
        bytes.splice(0..DECLARATION.len(), bomb.bytes());
        check_doctype(&zip(&entries), list);
    }
}

fn check_doctype(bytes: &[u8], part: &str) {
    let error = refused(bytes);
    assert_eq!((error.family(), error.part()), (ErrorFamily::Markup, Some(part)));
    assert!(error.to_string().ends_with(": document type declaration"), "{error}");
    assert!(matches!(error.into_kind(), ErrorKind::Markup(MarkupError::Doctype)));
}
