//! Workbooks: the parts around the sheets, and sheets of every size.

use std::fmt::Write as _;
use std::io::Write;

use super::builder::{Builder, RELATIONSHIPS};
use super::rng::Rng;
use super::theme::theme;
use crate::Result;

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// What fills the cells of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Numbers with 15 to 17 digits.
    Numbers,
    /// Shared strings, dates, formulas with numbers and with text, shared formulas, booleans and formats.
    Mixed,
    /// Short numbers: what a long sheet needs to be long.
    Short,
    /// A format and nothing else.
    Empty,
}

/// A workbook whose sheets are alike.
#[derive(Clone, Copy, Debug)]
pub struct Workbook {
    /// What its cells hold.
    pub cells: Cells,
    /// Number of sheets.
    pub sheets: u32,
    /// Rows of each sheet.
    pub rows: u32,
    /// Cells of each row, at most 26.
    pub columns: u8,
}

/// Number of different shared strings in a mixed workbook with many cells.
const STRINGS: u32 = 50_000;

impl Workbook {
    /// Writes all its entries.
    pub fn write<W: Write>(&self, out: &mut Builder<W>) -> Result {
        let mut types = vec![("xl/workbook.xml".to_owned(), "officedocument.spreadsheetml.sheet.main")];
        let mut list = Vec::new();
        let mut sheets = String::new();
        for sheet in 1..=self.sheets {
            types.push((format!("xl/worksheets/sheet{sheet}.xml"), "officedocument.spreadsheetml.worksheet"));
            list.push(("worksheet", format!("worksheets/sheet{sheet}.xml")));
            write!(sheets, "<sheet name=\"Sheet{sheet}\" sheetId=\"{sheet}\" r:id=\"rId{sheet}\"/>")?;
        }
        for (name, kind, content_type) in [
            ("theme/theme1", "theme", "officedocument.theme"),
            ("styles", "styles", "officedocument.spreadsheetml.styles"),
            ("sharedStrings", "sharedStrings", "officedocument.spreadsheetml.sharedStrings"),
        ] {
            types.push((format!("xl/{name}.xml"), content_type));
            list.push((kind, format!("{name}.xml")));
        }
        types.push(("docProps/core.xml".to_owned(), "package.core-properties"));
        types.push(("docProps/app.xml".to_owned(), "officedocument.extended-properties"));
        out.content_types(&types)?;
        out.package_relationships("xl/workbook.xml")?;
        out.part("xl/workbook.xml", &workbook(&sheets, ""))?;
        out.relationships("xl/_rels/workbook.xml.rels", &list)?;
        for sheet in 1..=self.sheets {
            out.stream(&format!("xl/worksheets/sheet{sheet}.xml"), |out| self.sheet(u64::from(sheet), out))?;
        }
        out.part("xl/theme/theme1.xml", &theme()?)?;
        out.part("xl/styles.xml", &styles()?)?;
        let count = if self.cells == Cells::Mixed { STRINGS } else { 0 };
        out.part("xl/sharedStrings.xml", &shared_strings(count, self.sheets * self.rows * 2)?)?;
        out.properties("Microsoft Excel", "")
    }

    fn sheet(&self, seed: u64, out: &mut dyn Write) -> Result {
        let mut rng = Rng::new(seed);
        let last = char::from(b'A' + self.columns - 1);
        let mut text = sheet_start(&format!("A1:{last}{}", self.rows));
        for row in 1..=self.rows {
            write!(text, "<row r=\"{row}\" spans=\"1:{}\" x14ac:dyDescent=\"0.25\">", self.columns)?;
            for column in 0..self.columns {
                self.cell(&mut rng, row, column, &mut text)?;
            }
            text.push_str("</row>");
            if text.len() > 1 << 16 {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        text.push_str("</sheetData>");
        text.push_str(SHEET_END);
        Ok(out.write_all(text.as_bytes())?)
    }

    fn cell(&self, rng: &mut Rng, row: u32, column: u8, text: &mut String) -> Result {
        let name = char::from(b'A' + column);
        match self.cells {
            Cells::Numbers => {
                let size = 10_f64.powi(column.into());
                write!(text, "<c r=\"{name}{row}\"><v>{}</v></c>", excel_number((0.1 + 0.9 * rng.fraction()) * size))?;
            }
            Cells::Short => {
                let whole = rng.below(100_000);
                match column % 2 {
                    0 => write!(text, "<c r=\"{name}{row}\"><v>{whole}</v></c>")?,
                    _ => write!(text, "<c r=\"{name}{row}\" s=\"2\"><v>{whole}.{}</v></c>", 1 + rng.below(9))?,
                }
            }
            Cells::Empty => write!(text, "<c r=\"{name}{row}\" s=\"{}\"/>", 1 + column % 4)?,
            Cells::Mixed => mixed_cell(rng, (row, self.rows), column, text)?,
        }
        Ok(())
    }
}

/// A cell of a table of orders, as people keep them, in one row out of so many.
fn mixed_cell(rng: &mut Rng, (row, rows): (u32, u32), column: u8, text: &mut String) -> Result {
    match column % 10 {
        0 | 1 => {
            let name = char::from(b'A' + column);
            write!(text, "<c r=\"{name}{row}\" s=\"1\" t=\"s\"><v>{}</v></c>", rng.below(STRINGS.into()))?;
        }
        2 => write!(text, "<c r=\"C{row}\" s=\"3\"><v>{}</v></c>", 43_831 + rng.below(1_500))?,
        3 => write!(text, "<c r=\"D{row}\" s=\"2\"><v>{}.{}</v></c>", rng.below(1_000), 1 + rng.below(9))?,
        4 => write!(text, "<c r=\"E{row}\"><v>{}</v></c>", 1 + rng.below(500))?,
        5 => write!(
            text,
            "<c r=\"F{row}\" s=\"2\"><f>D{row}*E{row}</f><v>{}</v></c>",
            excel_number(rng.below(10_000) as f64 + 0.5)
        )?,
        6 if row == 1 => {
            write!(text, "<c r=\"G1\" s=\"2\"><f t=\"shared\" ref=\"G1:G{rows}\" si=\"0\">F1*1.19</f><v>1</v></c>")?;
        }
        6 => write!(
            text,
            "<c r=\"G{row}\" s=\"2\"><f t=\"shared\" si=\"0\"/><v>{}</v></c>",
            excel_number((0.1 + rng.fraction()) * 1e4)
        )?,
        7 => write!(text, "<c r=\"H{row}\" t=\"b\"><v>{}</v></c>", rng.below(2))?,
        8 => write!(
            text,
            "<c r=\"I{row}\" s=\"4\" t=\"str\"><f>IF(H{row},\"paid &amp; closed\",\"\")</f><v>{}</v></c>",
            rng.pick(&["paid &amp; closed", "open", "late"])
        )?,
        _ => write!(text, "<c r=\"J{row}\" s=\"4\"><v>{}</v></c>", excel_number((0.1 + 0.9 * rng.fraction()) * 1e3))?,
    }
    Ok(())
}

/// A number from 0.1 up to 1E16 as Excel writes it where a short form does not do: 17 significant digits.
fn excel_number(number: f64) -> String {
    let text = format!("{number:.16e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = digits.replace('.', "");
    let digits = digits.trim_end_matches('0');
    match exponent.parse::<i32>().unwrap_or(0) {
        exponent @ 0.. => {
            let whole = exponent as usize + 1;
            match digits.split_at_checked(whole) {
                Some((whole, "")) => whole.to_owned(),
                Some((whole, rest)) => format!("{whole}.{rest}"),
                None => format!("{digits:0<whole$}"),
            }
        }
        exponent => format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
    }
}

/// The text of the workbook part; `more` stands after the sheets.
pub(super) fn workbook(sheets: &str, more: &str) -> String {
    format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" mc:Ignorable=\"x15\" \
         xmlns:x15=\"http://schemas.microsoft.com/office/spreadsheetml/2010/11/main\">\
         <fileVersion appName=\"xl\" lastEdited=\"7\" lowestEdited=\"7\" rupBuild=\"22228\"/>\
         <workbookPr defaultThemeVersion=\"166925\"/><bookViews><workbookView xWindow=\"0\" yWindow=\"0\" windowWidth=\"28800\" \
         windowHeight=\"12210\"/></bookViews><sheets>{sheets}</sheets>{more}<calcPr calcId=\"191029\"/></workbook>"
    )
}

/// A sheet from its beginning to the first row.
pub(super) fn sheet_start(dimension: &str) -> String {
    format!(
        "<worksheet xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONSHIPS}\" \
         xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" mc:Ignorable=\"x14ac\" \
         xmlns:x14ac=\"http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac\"><dimension ref=\"{dimension}\"/><sheetViews>\
         <sheetView tabSelected=\"1\" workbookViewId=\"0\"/></sheetViews><sheetFormatPr defaultRowHeight=\"15\" \
         x14ac:dyDescent=\"0.25\"/><cols><col min=\"1\" max=\"2\" width=\"18.7109375\" customWidth=\"1\"/></cols><sheetData>"
    )
}

/// The end of a sheet after its data, except for what names other parts.
pub(super) const SHEET_MARGINS: &str =
    "<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/>";

const SHEET_END: &str =
    "<pageMargins left=\"0.7\" right=\"0.7\" top=\"0.75\" bottom=\"0.75\" header=\"0.3\" footer=\"0.3\"/></worksheet>";

/// A shared string table; one string in eight has formatted runs.
pub(super) fn shared_strings(unique: u32, count: u32) -> Result<String> {
    let mut rng = Rng::new(7);
    let mut text = format!("<sst xmlns=\"{MAIN}\" count=\"{count}\" uniqueCount=\"{unique}\">");
    for index in 0..unique {
        let words = rng.words(1, 4);
        match index % 8 {
            7 => write!(
                text,
                "<si><r><t xml:space=\"preserve\">{words} </t></r><r><rPr><b/><sz val=\"11\"/><color theme=\"1\"/>\
                 <rFont val=\"Calibri\"/><family val=\"2\"/><scheme val=\"minor\"/></rPr><t>{index}</t></r></si>"
            )?,
            _ => write!(text, "<si><t>{words} {index}</t></si>")?,
        }
    }
    text.push_str("</sst>");
    Ok(text)
}

/// A style sheet with the cell formats that the cells use, and Excel's usual named styles.
pub(super) fn styles() -> Result<String> {
    let mut text =
        format!("<styleSheet xmlns=\"{MAIN}\"><numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"#,##0.00\"/>");
    write!(text, "</numFmts><fonts count=\"{}\">", NAMED_STYLES.len())?;
    for index in 0..NAMED_STYLES.len() {
        let bold = if index % 4 == 3 { "<b/>" } else { "" };
        write!(
            text,
            "<font>{bold}<sz val=\"{}\"/><color theme=\"{}\"/><name val=\"Calibri\"/><family val=\"2\"/><scheme val=\"minor\"/></font>",
            11 + index % 3,
            index % 10
        )?;
    }
    text.push_str(
        "</fonts><fills count=\"3\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/>\
         </fill><fill><patternFill patternType=\"solid\"><fgColor theme=\"4\" tint=\"0.79998168889431442\"/><bgColor indexed=\"65\"/>\
         </patternFill></fill></fills><borders count=\"2\"><border><left/><right/><top/><bottom/><diagonal/></border><border>\
         <left style=\"thin\"><color indexed=\"64\"/></left><right/><top/><bottom style=\"thin\"><color auto=\"1\"/></bottom>\
         <diagonal/></border></borders>",
    );
    write!(text, "<cellStyleXfs count=\"{}\">", NAMED_STYLES.len())?;
    for index in 0..NAMED_STYLES.len() {
        write!(text, "<xf numFmtId=\"0\" fontId=\"{index}\" fillId=\"0\" borderId=\"0\" applyNumberFormat=\"0\"/>")?;
    }
    text.push_str("</cellStyleXfs><cellXfs count=\"5\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>");
    for (format, fill) in [(0, 2), (164, 0), (14, 0), (0, 0)] {
        write!(
            text,
            "<xf numFmtId=\"{format}\" fontId=\"0\" fillId=\"{fill}\" borderId=\"1\" xfId=\"0\" applyNumberFormat=\"1\" \
             applyFill=\"1\" applyBorder=\"1\"><alignment horizontal=\"center\" vertical=\"top\" wrapText=\"1\"/></xf>"
        )?;
    }
    write!(text, "</cellXfs><cellStyles count=\"{}\">", NAMED_STYLES.len())?;
    for (index, (name, id)) in NAMED_STYLES.iter().enumerate() {
        write!(text, "<cellStyle name=\"{name}\" xfId=\"{index}\" builtinId=\"{id}\"/>")?;
    }
    text.push_str("</cellStyles><dxfs count=\"4\">");
    for color in ["FFFFC7CE", "FFC6EFCE", "FFFFEB9C", "FFBDD7EE"] {
        write!(
            text,
            "<dxf><font><b/><color rgb=\"FF9C0006\"/></font><fill><patternFill><bgColor rgb=\"{color}\"/></patternFill></fill></dxf>"
        )?;
    }
    text.push_str(
        "</dxfs><tableStyles count=\"0\" defaultTableStyle=\"TableStyleMedium2\" defaultPivotStyle=\"PivotStyleLight16\"/></styleSheet>",
    );
    Ok(text)
}

const NAMED_STYLES: [(&str, u8); 16] = [
    ("Normal", 0),
    ("Good", 26),
    ("Bad", 27),
    ("Neutral", 28),
    ("Title", 15),
    ("Heading 1", 16),
    ("Heading 2", 17),
    ("Heading 3", 18),
    ("Input", 20),
    ("Output", 21),
    ("Calculation", 22),
    ("Check Cell", 23),
    ("Linked Cell", 24),
    ("Total", 25),
    ("Percent", 5),
    ("Comma", 3),
];
