//! Values, texts, and what an edit leaves as it was.

use recto::part::Content;
use recto::sheet::cell::Value;
use recto::sheet::{FormulaType, RichText};
use recto::word::Space;
use recto::{Limits, Package};
use recto_testing::Pack;

use crate::books::{
    DECLARATION, DOCUMENT, R, SHEET1, WORKBOOK, X, body, cell, document, one_sheet, paragraph, run, set_two, sheet, sheet_of_one,
    text, with_sheets, with_strings, workbook,
};
use crate::trip::{edited, identical, unchanged};

fn set(package: &mut Package, row: usize, column: usize, value: Value) {
    cell(package, "S1", row, column).value = Some(value);
}

/// P43: shared formulas were shifted from their range and not from the first cell; cells with an empty `f` or without a
/// value were dropped.
#[test]
fn shared_formulas_keep_their_indexes_masters_and_missing_values() {
    let rows = "<row r=\"2\"><c r=\"C2\"><f t=\"shared\" ref=\"C2:C4\" si=\"3\">A2+B2</f><v>1</v></c><c r=\"D2\"><f t=\"shared\" ref=\"D1:D3\" si=\"0\">A2*2</f></c></row>\
        <row r=\"3\"><c r=\"C3\"><f t=\"shared\" si=\"3\"/><v>7</v></c><c r=\"D3\"><f t=\"shared\" si=\"0\"/></c></row>\
        <row r=\"4\"><c r=\"C4\"><f t=\"shared\" si=\"3\"/></c><c r=\"D4\"><f>NOW()</f></c></row>";
    let pack = one_sheet(sheet(rows, ""));
    let mut package = identical(&pack).package();
    let master = cell(&mut package, "S1", 0, 1).formula.clone().unwrap();
    assert_eq!((master.shared_index, master.reference.as_deref()), (Some(0), Some("D1:D3")));
    let other = cell(&mut package, "S1", 2, 0);
    let formula = other.formula.as_ref().unwrap();
    assert_eq!((formula.r#type(), formula.shared_index, formula.text.as_str()), (FormulaType::Shared, Some(3), ""));
    assert_eq!(other.value, None);
    edited(&pack, |package| set(package, 1, 0, Value::Number(8.0))).check_only(SHEET1, "<v>7</v>", "<v>8</v>");
    // The master's cell loses its formula: no other cell may lose its own.
    edited(&pack, |package| cell(package, "S1", 0, 1).formula = None).check_only(
        SHEET1,
        "<c r=\"D2\"><f t=\"shared\" ref=\"D1:D3\" si=\"0\">A2*2</f></c>",
        "<c r=\"D2\"/>",
    );
}

/// P44: a calculation chain that no longer fits makes Excel remove formulas; one that fits must be left alone.
#[test]
fn the_calculation_chain_stays_while_formulas_stay() {
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1+1</f><v>2</v></c></row>";
    let chain = format!("{DECLARATION}<calcChain xmlns=\"{X}\"><c r=\"B1\" i=\"1\" l=\"1\"/></calcChain>");
    let pack = one_sheet(sheet(rows, "")).related(WORKBOOK, "rId2", "calcChain", "xl/calcChain.xml", chain);
    let package = identical(&pack).package();
    assert!(matches!(package.related(WORKBOOK, "rId2").unwrap().content, Some(Content::CalculationChain(_))));
    edited(&pack, |package| set(package, 0, 0, Value::Number(5.0))).check_only(SHEET1, "<v>1</v>", "<v>5</v>");
}

/// P45: dates of workbooks that count from 1904 moved by 1,462 days.
#[test]
fn workbooks_that_count_from_1904_do_so_still() {
    let main = format!(
        "{DECLARATION}<workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><workbookPr date1904=\"1\"/><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let rows = "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\" s=\"1\"><v>39813.5</v></c></row>";
    let pack = with_sheets(Pack::workbook(main), &[sheet(rows, "")]);
    let mut package = identical(&pack).package();
    assert_eq!(package.workbook().unwrap().properties.as_ref().unwrap().date_1904, Some(true));
    assert_eq!(cell(&mut package, "S1", 0, 1).value, Some(Value::Number(39813.5)));
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<v>1</v>", "<v>2</v>");
}

/// P46: written numbers differed in their last digits.
#[test]
fn numbers_come_back_as_the_same_doubles_and_untouched_ones_as_the_same_text() {
    let numbers = [f64::from(29.4_f32), 1.0 / 3.0, 0.1 + 0.2, 29.4, 5e-324, f64::MAX, -0.0, 1e21, 123_456_789.123_456_79, 1e-7];
    let texts = ["29.399999618530273", "0.10000000000000001", "0.1", "1.50", "1E3", "12345678901234567890"];
    let cells: String = texts.iter().map(|text| format!("<c><v>{text}</v></c>")).collect();
    let pack = one_sheet(sheet(
        &format!("<row r=\"1\">{}</row><row r=\"2\">{cells}</row>", "<c><v>0</v></c>".repeat(numbers.len())),
        "",
    ));
    identical(&pack);
    let trip = edited(&pack, |package| {
        for (column, number) in numbers.iter().enumerate() {
            set(package, 0, column, Value::Number(*number));
        }
    });
    assert!(trip.text(SHEET1).contains(&cells), "{}", trip.text(SHEET1));
    let mut package = trip.package();
    for (column, number) in numbers.iter().enumerate() {
        let Some(Value::Number(found)) = cell(&mut package, "S1", 0, column).value else { panic!("{number}") };
        assert_eq!(found.to_bits(), number.to_bits(), "{number}");
    }
}

/// P47: white space at the ends of texts was lost, and words were glued where `xml:space` was missing.
#[test]
fn white_space_at_the_ends_of_texts_survives() {
    let runs = [
        "<w:t>This</w:t>",
        "<w:t> by-law</w:t>",
        "<w:t xml:space=\"preserve\">\tx\n</w:t>",
        "<w:t xml:space=\"preserve\">&#13;\n</w:t>",
        "<w:t> </w:t>",
    ];
    let paragraphs: String = runs.iter().map(|text| format!("<w:p><w:r>{text}</w:r></w:p>")).collect();
    let pack = document(&paragraphs);
    let mut package = identical(&pack).package();
    let texts: Vec<_> = (0..runs.len()).map(|index| text(run(body(&mut package), index)).value.clone()).collect();
    assert_eq!(texts, ["This", " by-law", "\tx\n", "\r\n", " "]);
    let trip = edited(&pack, |package| {
        let text = text(run(body(package), 0));
        (text.value, text.space) = (" a\r\tb ".to_owned(), Some(Space::Preserve.into()));
    });
    trip.check_only(DOCUMENT, "<w:t>This</w:t>", "<w:t xml:space=\"preserve\"> a&#13;\tb </w:t>");
    assert_eq!(text(run(body(&mut trip.package()), 0)).value, " a\r\tb ");
}

/// P47, in shared strings.
#[test]
fn white_space_in_shared_strings_survives() {
    let strings = "<si><t xml:space=\"preserve\"> a </t></si><si><t>b </t></si><si><t>c_x000D_\nd</t></si><si><t/></si>";
    let pack =
        with_strings("<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c></row>", &format!("count=\"4\" uniqueCount=\"4\">{strings}"));
    let package = identical(&pack).package();
    let texts: Vec<_> = (0..4).map(|index| package.shared_string(index).unwrap()).collect();
    assert_eq!(texts, [" a ", "b ", "c_x000D_\nd", ""]);
}

/// The text of a cell that has its own.
fn inline(package: &mut Package, column: usize) -> RichText {
    let Some(Value::InlineString(text)) = &cell(package, "S1", 0, column).value else { panic!() };
    (**text).clone()
}

/// P48: texts in cells were read in some forms only, and an edit left the old value beside the new one.
#[test]
fn an_edited_cell_keeps_nothing_of_its_old_value() {
    let forms = [
        "<c r=\"A1\" t=\"inlineStr\"><is><t>plain</t></is></c>",
        "<c r=\"B1\" t=\"inlineStr\"><is><t>first</t><r><rPr><b/></rPr><t> then rich</t></r></is></c>",
        "<c r=\"C1\" t=\"inlineStr\"><v>0</v><is><t>both</t></is></c>",
        "<c r=\"D1\" t=\"inlineStr\"><is><t><![CDATA[a < b]]></t></is></c>",
        "<c r=\"E1\" t=\"inlineStr\"><v>value only</v></c>",
        "<c r=\"F1\" t=\"s\"><v>0</v><is><t>other</t></is></c>",
        "<c r=\"G1\" t=\"inlineStr\"><is><t>both</t></is><v>0</v></c>",
        "<c r=\"H1\" t=\"d\"><v>not a date</v></c>",
        "<c r=\"I1\" t=\"str\"><f>A1</f><v>result</v></c>",
    ];
    let pack = one_sheet(sheet(&format!("<row r=\"1\">{}</row>", forms.concat()), ""));
    let mut package = unchanged(&pack).package();
    assert_eq!(inline(&mut package, 0).text.unwrap().value, "plain");
    let rich = inline(&mut package, 1);
    assert_eq!((rich.text.unwrap().value.as_str(), rich.runs[0].text.as_ref().unwrap().value.as_str()), ("first", " then rich"));
    assert_eq!(inline(&mut package, 3).text.unwrap().value, "a < b");
    let trip = edited(&pack, |package| {
        for column in 0..forms.len() {
            set(package, 0, column, Value::Number(4.0));
        }
    });
    let text = trip.text(SHEET1);
    let row = text.split_once("<row r=\"1\">").unwrap().1.split_once("</row>").unwrap().0;
    let expected: String = ('A'..='H').map(|column| format!("<c r=\"{column}1\"><v>4</v></c>")).collect();
    assert_eq!(row, format!("{expected}<c r=\"I1\"><f>A1</f><v>4</v></c>"));
}

/// P49: a workbook part in UTF-16 gave no sheets, and no error.
#[test]
fn a_workbook_part_in_utf_16_has_its_sheets() {
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let main = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><workbook xmlns=\"{X}\" xmlns:r=\"{R}\"><sheets><sheet name=\"S1\" sheetId=\"1\" r:id=\"rId1\"/><sheet name=\"Übersicht\" sheetId=\"2\" r:id=\"rId2\"/></sheets></workbook>"
    );
    for (mark, bytes) in [
        ("\u{feff}", u16::to_be_bytes as fn(u16) -> [u8; 2]),
        ("", u16::to_be_bytes),
        ("\u{feff}", u16::to_le_bytes),
        ("", u16::to_le_bytes),
    ] {
        let pack = with_sheets(Pack::workbook(wide(&format!("{mark}{main}"), bytes)), &[sheet_of_one(""), sheet_of_one("")]);
        let trip = unchanged(&pack);
        assert!(trip.package().worksheet("Übersicht").is_some());
        let text = trip.text(WORKBOOK);
        let declaration = text.split_once("?>").unwrap().0;
        assert!(declaration.starts_with("<?xml") && !declaration.contains("UTF-16"), "{declaration}");
    }
}

/// P50: memory went with what a sheet declares, not with what it has.
#[test]
fn empty_cells_take_a_few_bytes_and_declared_ranges_none() {
    let (rows, columns) = (20, 1000);
    let cells = "<c s=\"1\"/>".repeat(columns);
    let rows_of_cells: String = (1..=rows).map(|row| format!("<row r=\"{row}\">{cells}</row>")).collect();
    let rows_without: String = (rows + 1..=rows + 1000).map(|row| format!("<row r=\"{row}\"/>")).collect();
    let wide = format!(
        "{DECLARATION}<worksheet xmlns=\"{X}\"><dimension ref=\"A1:XFD1048576\"/><cols><col min=\"1\" max=\"16384\" width=\"9\" style=\"1\"/></cols><sheetData>{rows_of_cells}{rows_without}<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row></sheetData></worksheet>"
    );
    let pack = one_sheet(wide);
    let package = identical(&pack).package();
    let sheet = package.worksheet("S1").unwrap();
    assert_eq!(sheet.columns.as_ref().unwrap().columns.len(), 1);
    let stored = &sheet.data.as_ref().unwrap().rows;
    assert_eq!((stored.len(), stored[0].cells.len(), stored[rows].cells.len()), (rows + 1001, columns, 0));
    let (bin, _) = recto::parse_to_vec(pack.bytes(), &Limits::default()).unwrap();
    assert!(bin.len() < rows * columns * 5 + 1001 * 8 + 2000, "{} bytes", bin.len());
}

/// P51: replacing a text over several runs put all of it into the first, without the format of the others.
#[test]
fn an_edited_run_changes_neither_its_format_nor_its_neighbours() {
    let runs = "<w:p><w:r><w:t>{{fi</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>rst_na</w:t></w:r><w:r><w:t>me}}</w:t></w:r></w:p>";
    let trip = edited(&document(runs), |package| {
        let Some(recto::word::inline::Item::Run(bold)) = &mut paragraph(body(package), 0).content[1].item else { panic!() };
        text(bold).value = "Ada".to_owned();
    });
    trip.check_only(DOCUMENT, "<w:t>rst_na</w:t>", "<w:t>Ada</w:t>");
}

/// P52: after an edit, ranges and formulas elsewhere in the sheet no longer fitted together.
#[test]
fn ranges_and_formulas_all_over_the_sheet_survive_a_cell_edit() {
    let names = "<definedNames><definedName name=\"_xlnm.Print_Area\" localSheetId=\"0\">'S1'!$A$1:$D$9</definedName><definedName name=\"rate\">'S1'!$B$2</definedName></definedNames>";
    let pack = workbook(&[sheet(RANGE_ROWS, RANGES)], names);
    identical(&pack);
    edited(&pack, |package| set_two(package, "S1")).check_only(SHEET1, "<c r=\"A1\"><v>1</v>", "<c r=\"A1\"><v>2</v>");
}

const RANGE_ROWS: &str =
    "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"5\"><c r=\"A5\"><f>SUM(A1:A4)</f><v>1</v></c></row>";

const RANGES: &str = r#"<mergeCells count="1"><mergeCell ref="A6:B7"/></mergeCells><conditionalFormatting sqref="A2:C9"><cfRule type="expression" dxfId="0" priority="1"><formula>$C2&gt;5</formula></cfRule></conditionalFormatting><dataValidations count="1"><dataValidation type="list" allowBlank="1" sqref="D2:D9"><formula1>INDIRECT(B2)</formula1></dataValidation></dataValidations><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/><rowBreaks count="1" manualBreakCount="1"><brk id="4" max="16383" man="1"/></rowBreaks><extLst><ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"><x14:sparklineGroup displayEmptyCellsAs="gap"><x14:colorSeries rgb="FF376092"/><x14:sparklines><x14:sparkline><xm:f>'S1'!A1:A4</xm:f><xm:sqref>E5</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>"#;
