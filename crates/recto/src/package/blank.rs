//! Packages from nothing.

use recto_schema::model::part::Content;
use recto_schema::model::{Header, Kind, Part, Relationship, Relationships, RelationshipsPart, sheet, word};

use super::FORMAT_VERSION;
use super::typed::Package;

/// Prefix of the types of relationships.
pub(super) const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";

/// Prefix of the content types of parts.
const TYPES: &str = "application/vnd.openxmlformats-officedocument.";

impl Package {
    /// A document with one empty paragraph. It has no styles part, so Word's defaults apply.
    ///
    /// ```
    /// # fn main() -> recto::Result<()> {
    /// let docx = recto::Package::new_document().to_vec()?;
    /// assert!(docx.starts_with(b"PK"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new_document() -> Self {
        let paragraph = word::Block { item: Some(word::block::Item::Paragraph(Box::default())) };
        let body = word::Body { content: vec![paragraph], ..Default::default() };
        let document = word::Document { body: Some(body), ..Default::default() };
        let content_type = format!("{TYPES}wordprocessingml.document.main+xml");
        let main = typed_part("word/document.xml", content_type, Content::Document(document.into()));
        package(Kind::Document, main, Vec::new())
    }

    /// A workbook with one empty sheet, "Sheet1".
    pub fn new_workbook() -> Self {
        let sheet = sheet::Sheet {
            name: Some("Sheet1".to_owned()),
            id: Some(1),
            relationship_id: Some("rId1".to_owned()),
            ..Default::default()
        };
        let sheets = sheet::Sheets { sheets: vec![sheet], ..Default::default() };
        let workbook = sheet::Workbook { sheets: Some(sheets), ..Default::default() };
        let content_type = format!("{TYPES}spreadsheetml.sheet.main+xml");
        let mut main = typed_part("xl/workbook.xml", content_type, Content::Workbook(workbook.into()));
        main.relationships = Some(relationships("worksheet", "worksheets/sheet1.xml").into());
        let worksheet = sheet::Worksheet { data: Some(sheet::SheetData::default()), ..Default::default() };
        let content_type = format!("{TYPES}spreadsheetml.worksheet+xml");
        let first = typed_part("xl/worksheets/sheet1.xml", content_type, Content::Worksheet(worksheet.into()));
        package(Kind::Workbook, main, vec![first])
    }
}

fn typed_part(name: &str, content_type: String, content: Content) -> Part {
    Part { name: name.to_owned(), content_type: Some(content_type), content: Some(content), ..Default::default() }
}

/// A list with one relationship, `rId1`.
fn relationships(kind: &str, target: &str) -> RelationshipsPart {
    let relationship = Relationship {
        id: Some("rId1".to_owned()),
        r#type: Some(format!("{OFFICE}{kind}")),
        target: Some(target.to_owned()),
        ..Default::default()
    };
    let list = Relationships { relationships: vec![relationship], ..Default::default() };
    RelationshipsPart { list: Some(list), ..Default::default() }
}

fn package(kind: Kind, main: Part, others: Vec<Part>) -> Package {
    let relationships = relationships("officeDocument", &main.name);
    let mut parts = vec![main];
    parts.extend(others);
    recto_schema::model::Package {
        header: Some(Header { format_version: FORMAT_VERSION, kind: kind.into(), ..Default::default() }),
        relationships: Some(relationships.into()),
        parts,
        ..Default::default()
    }
    .into()
}
