//! Documents and workbooks made for tests.

use std::io::Cursor;

use recto::opc::zip::{Method, ZipWriter};

const RELATIONSHIPS: &str = "application/vnd.openxmlformats-package.relationships+xml";
const OFFICE_DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";

/// A package whose main part is the first of these, with its content type, and that has other parts.
pub fn package(main: (&str, &str, &[u8]), others: &[(&str, &[u8])]) -> Vec<u8> {
    let (name, content_type, content) = main;
    let types = format!(
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"{RELATIONSHIPS}\"/><Default Extension=\"bin\" ContentType=\"x/y\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/{name}\" ContentType=\"{content_type}\"/></Types>"
    );
    let relationships = relationships(&[(OFFICE_DOCUMENT, name)]);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8]| writer.write_entry(name, Method::default(), bytes).unwrap();
    add("[Content_Types].xml", types.as_bytes());
    add("_rels/.rels", relationships.as_bytes());
    add(name, content);
    for (name, bytes) in others {
        add(name, bytes);
    }
    writer.finish().unwrap().into_inner()
}

/// A list of relationships.
pub fn relationships(list: &[(&str, &str)]) -> String {
    let mut text = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">".to_owned();
    for (index, (kind, target)) in list.iter().enumerate() {
        text += &format!("<Relationship Id=\"rId{index}\" Type=\"{kind}\" Target=\"{target}\"/>");
    }
    text + "</Relationships>"
}

/// The XML of a document with one paragraph, whose run holds this.
pub fn document_xml(run: &str) -> String {
    format!(
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r>{run}</w:r></w:p>\
         </w:body></w:document>"
    )
}

/// A document whose main part is this.
pub fn document_of(xml: &[u8], others: &[(&str, &[u8])]) -> Vec<u8> {
    let kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    package(("word/document.xml", kind, xml), others)
}

/// A document with one paragraph of text.
pub fn document(text: &str) -> Vec<u8> {
    document_of(document_xml(&format!("<w:t>{text}</w:t>")).as_bytes(), &[("word/blob.bin", b"\0\x01\x02")])
}

/// A document with an element that nobody knows.
pub fn odd_document() -> Vec<u8> {
    document_of(document_xml("<w:odd w:val=\"1\"/>").as_bytes(), &[])
}

/// A document with a relationship that leads nowhere.
pub fn dangling_document() -> Vec<u8> {
    let list = relationships(&[("http://example.org/kind", "nowhere.xml")]);
    document_of(document_xml("").as_bytes(), &[("word/_rels/document.xml.rels", list.as_bytes())])
}

/// A document whose main part is not well-formed.
pub fn malformed_document() -> Vec<u8> {
    document_of(b"<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>", &[])
}

/// A workbook with one sheet of one cell.
pub fn workbook() -> Vec<u8> {
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
    let main = "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
                xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
                <sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"rId0\"/></sheets></workbook>";
    let sheet = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>\
                 <row r=\"1\"><c r=\"A1\"><v>42</v></c></row></sheetData></worksheet>";
    let kind_of_sheet = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let list = relationships(&[(kind_of_sheet, "worksheets/sheet1.xml")]);
    let others = [("xl/_rels/workbook.xml.rels", list.as_bytes()), ("xl/worksheets/sheet1.xml", sheet.as_bytes())];
    package(("xl/workbook.xml", kind, main.as_bytes()), &others)
}
