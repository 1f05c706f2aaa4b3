//! Workbooks and documents to build packages of.

use recto::Package;
use recto::sheet::Cell;
use recto::sheet::cell::Value;
use recto::word::{self, Block, Paragraph, Run, block, inline, run_item};
use recto_testing::Pack;

pub const X: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
pub const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
pub const R: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
pub const VML: &str = "application/vnd.openxmlformats-officedocument.vmlDrawing";

/// Names of parts.
pub const DOCUMENT: &str = "word/document.xml";
pub const WORKBOOK: &str = "xl/workbook.xml";
pub const SHEET1: &str = "xl/worksheets/sheet1.xml";
pub const SHEET2: &str = "xl/worksheets/sheet2.xml";
pub const STYLES: &str = "xl/styles.xml";

/// A workbook with these sheets, "S1" and so on, whose relationships are `rId1` and so on; `rest` follows them in the
/// workbook part.
pub fn workbook(sheets: &[String], rest: &str) -> Pack {
    let list: String = (1..=sheets.len()).map(|n| format!("<sheet name=\"S{n}\" sheetId=\"{n}\" r:id=\"rId{n}\"/>")).collect();
    let main = format!("{DECLARATION}<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><sheets>{list}</sheets>{rest}</workbook>");
    with_sheets(Pack::workbook(main), sheets)
}

/// A workbook with one sheet.
pub fn one_sheet(sheet: String) -> Pack {
    workbook(&[sheet], "")
}

/// Adds sheets to a package that has the workbook part.
pub fn with_sheets(mut pack: Pack, sheets: &[String]) -> Pack {
    for (number, sheet) in (1..).zip(sheets) {
        let name = format!("xl/worksheets/sheet{number}.xml");
        pack = pack.related(WORKBOOK, &format!("rId{number}"), "worksheet", &name, sheet.as_str());
    }
    pack
}

/// A workbook with shared strings, from within their start tag.
pub fn with_strings(rows: &str, strings: &str) -> Pack {
    let table = format!("{DECLARATION}<sst xmlns=\"{X}\" {strings}</sst>");
    one_sheet(sheet(rows, "")).related(WORKBOOK, "rId2", "sharedStrings", "xl/sharedStrings.xml", table)
}

/// A sheet with these rows; `rest` follows them.
pub fn sheet(rows: &str, rest: &str) -> String {
    let data = if rows.is_empty() { "<sheetData/>".to_owned() } else { format!("<sheetData>{rows}</sheetData>") };
    format!("{DECLARATION}<worksheet xmlns=\"{X}\" xmlns:r=\"{R}\">{data}{rest}</worksheet>")
}

/// A sheet with the number 1 in its first cell, for edits; `rest` follows the rows.
pub fn sheet_of_one(rest: &str) -> String {
    sheet("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>", rest)
}

/// The cell of a sheet at a row and column of what is stored, from 0.
pub fn cell<'p>(package: &'p mut Package, sheet: &str, row: usize, column: usize) -> &'p mut Cell {
    let data = package.worksheet_mut(sheet).unwrap().data.as_mut().unwrap();
    &mut data.rows[row].cells[column]
}

/// Sets the first cell of a sheet of [`sheet_of_one`] to 2.
pub fn set_two(package: &mut Package, sheet: &str) {
    cell(package, sheet, 0, 0).value = Some(Value::Number(2.0));
}

/// A document with this body, whose root declares what Word declares.
pub fn document(body: &str) -> Pack {
    let root = "xmlns:cx1=\"http://schemas.microsoft.com/office/drawing/2015/9/8/chartex\" \
        xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
        xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:wp14=\"http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing\" \
        xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
        xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" \
        xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" mc:Ignorable=\"w14 wp14\"";
    Pack::document(format!("{DECLARATION}<w:document {root}><w:body>{body}</w:body></w:document>"))
}

/// The blocks of a document.
pub fn body(package: &mut Package) -> &mut Vec<Block> {
    &mut package.document_mut().unwrap().body.as_mut().unwrap().content
}

/// The paragraph that is the block with an index.
pub fn paragraph(blocks: &mut [Block], index: usize) -> &mut Paragraph {
    let Some(block::Item::Paragraph(paragraph)) = &mut blocks[index].item else { panic!() };
    paragraph
}

/// The run that comes first in a paragraph.
pub fn run(blocks: &mut [Block], index: usize) -> &mut Run {
    let Some(inline::Item::Run(run)) = &mut paragraph(blocks, index).content[0].item else { panic!() };
    run
}

/// The text that comes first in a run.
pub fn text(run: &mut Run) -> &mut word::Text {
    let Some(run_item::Item::Text(text)) = &mut run.content[0].item else { panic!() };
    text
}
