//! A short workbook with the parts that Excel writes.

use std::fmt::Write as _;
use std::io::Write;

use super::builder::Builder;
use super::rng::Rng;
use super::theme::theme;
use super::workbook::{SHEET_MARGINS, shared_strings, sheet_start, styles, workbook};
use crate::Result;

const SHEETS: u32 = 3;
const ROWS: u32 = 50;
const STRINGS: u32 = 60;

/// Writes all entries, 15 in number: three sheets, one with a table.
pub fn write<W: Write>(out: &mut Builder<W>) -> Result {
    let mut types = vec![("xl/workbook.xml".to_owned(), "officedocument.spreadsheetml.sheet.main")];
    let mut list = Vec::new();
    let mut sheets = String::new();
    for sheet in 1..=SHEETS {
        types.push((format!("xl/worksheets/sheet{sheet}.xml"), "officedocument.spreadsheetml.worksheet"));
        list.push(("worksheet", format!("worksheets/sheet{sheet}.xml")));
        write!(sheets, "<sheet name=\"Quarter {sheet}\" sheetId=\"{sheet}\" r:id=\"rId{sheet}\"/>")?;
    }
    for (name, kind, content_type) in [
        ("theme/theme1", "theme", "officedocument.theme"),
        ("styles", "styles", "officedocument.spreadsheetml.styles"),
        ("sharedStrings", "sharedStrings", "officedocument.spreadsheetml.sharedStrings"),
        ("calcChain", "calcChain", "officedocument.spreadsheetml.calcChain"),
    ] {
        types.push((format!("xl/{name}.xml"), content_type));
        list.push((kind, format!("{name}.xml")));
    }
    types.push(("xl/tables/table1.xml".to_owned(), "officedocument.spreadsheetml.table"));
    types.push(("docProps/core.xml".to_owned(), "package.core-properties"));
    types.push(("docProps/app.xml".to_owned(), "officedocument.extended-properties"));
    out.content_types(&types)?;
    out.package_relationships("xl/workbook.xml")?;
    let names = "<definedNames><definedName name=\"_xlnm.Print_Area\" localSheetId=\"0\">'Quarter 1'!$A$1:$F$50</definedName>\
                 </definedNames>";
    out.part("xl/workbook.xml", &workbook(&sheets, names))?;
    out.relationships("xl/_rels/workbook.xml.rels", &list)?;
    for sheet in 1..=SHEETS {
        out.part(&format!("xl/worksheets/sheet{sheet}.xml"), &worksheet(sheet)?)?;
    }
    out.relationships("xl/worksheets/_rels/sheet1.xml.rels", &[("table", "../tables/table1.xml".to_owned())])?;
    out.part("xl/tables/table1.xml", &table()?)?;
    out.part("xl/theme/theme1.xml", &theme()?)?;
    out.part("xl/styles.xml", &styles()?)?;
    out.part("xl/sharedStrings.xml", &shared_strings(STRINGS, SHEETS * ROWS * 2)?)?;
    out.part("xl/calcChain.xml", &calculation_chain()?)?;
    out.properties("Microsoft Excel", "")
}

fn worksheet(number: u32) -> Result<String> {
    let mut rng = Rng::new(number.into());
    let mut text = sheet_start(&format!("A1:F{ROWS}"));
    for row in 1..=ROWS {
        write!(text, "<row r=\"{row}\" spans=\"1:6\" x14ac:dyDescent=\"0.25\">")?;
        for column in ['A', 'B'] {
            write!(text, "<c r=\"{column}{row}\" s=\"1\" t=\"s\"><v>{}</v></c>", rng.below(STRINGS.into()))?;
        }
        write!(text, "<c r=\"C{row}\" s=\"3\"><v>{}</v></c>", 45_000 + rng.below(300))?;
        write!(text, "<c r=\"D{row}\" s=\"2\"><v>{}.{}</v></c>", rng.below(1_000), 1 + rng.below(9))?;
        write!(text, "<c r=\"E{row}\"><v>{}</v></c>", rng.below(100))?;
        write!(text, "<c r=\"F{row}\" s=\"2\"><f>D{row}*E{row}</f><v>{}</v></c></row>", rng.below(100_000))?;
    }
    text.push_str(
        "</sheetData><conditionalFormatting sqref=\"E1:E50\"><cfRule type=\"cellIs\" dxfId=\"0\" priority=\"1\" \
         operator=\"greaterThan\"><formula>50</formula></cfRule></conditionalFormatting>",
    );
    text.push_str(SHEET_MARGINS);
    if number == 1 {
        text.push_str("<tableParts count=\"1\"><tablePart r:id=\"rId1\"/></tableParts>");
    }
    text.push_str("</worksheet>");
    Ok(text)
}

fn table() -> Result<String> {
    let mut text = format!(
        "<table xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" id=\"1\" name=\"Orders\" displayName=\"Orders\" \
         ref=\"A1:F{ROWS}\" totalsRowShown=\"0\"><autoFilter ref=\"A1:F{ROWS}\"/><tableColumns count=\"6\">"
    );
    for (index, name) in ["Customer", "Item", "Date", "Price", "Count", "Total"].iter().enumerate() {
        write!(text, "<tableColumn id=\"{}\" name=\"{name}\" dataDxfId=\"{}\"/>", index + 1, index % 4)?;
    }
    text.push_str(
        "</tableColumns><tableStyleInfo name=\"TableStyleMedium2\" showFirstColumn=\"0\" showLastColumn=\"0\" showRowStripes=\"1\" \
         showColumnStripes=\"0\"/></table>",
    );
    Ok(text)
}

fn calculation_chain() -> Result<String> {
    let mut text = String::from("<calcChain xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">");
    for sheet in 1..=SHEETS {
        for row in 1..=ROWS {
            write!(text, "<c r=\"F{row}\" i=\"{sheet}\"/>")?;
        }
    }
    text.push_str("</calcChain>");
    Ok(text)
}
