//! A workbook: orders, a summary with a chart, and a list that the orders choose from.
use recto::part::Content;
use recto::sheet::{self, Cell, Row, SheetData, Worksheet, cell::Value};
use recto::{Package, Result};

use super::{chart, properties};

/// Name of the main part.
const MAIN: &str = "xl/workbook.xml";

/// Prefix of content types.
const TYPES: &str = "application/vnd.openxmlformats-officedocument";

/// The regions that orders come from.
pub const REGIONS: [&str; 3] = ["North", "South", "West"];

/// Where an order comes from, how many units it is for, and the price of each.
const ORDERS: [(&str, f64, f64); 6] = [
    ("North", 12.0, 2.5),
    ("West", 4.0, 3.75),
    ("South", 10.0, 2.5),
    ("North", 6.0, 5.25),
    ("South", 8.0, 3.75),
    ("West", 20.0, 0.5),
];

/// Places of cell formats in the stylesheet.
const PLAIN: u32 = 0;
const HEADING: u32 = 1;
const MONEY: u32 = 2;
const SHARE: u32 = 3;
const SUM: u32 = 4;

/// Number of the first number format that is not built in.
const EUROS: u32 = 164;

/// The whole workbook.
pub fn workbook() -> Result<Package> {
    let mut package = Package::new_workbook();
    properties::add(&mut package, "Orders")?;
    let mut strings = Strings::default();
    let orders = orders(&mut strings);
    if let Some(sheet) = package.worksheet_mut("Sheet1") {
        *sheet = orders;
    }
    let summary = add_sheet(&mut package, "Summary", 2, summary(&mut strings))?;
    add_sheet(&mut package, "Lists", 3, lists(&mut strings))?;
    add_chart(&mut package, &summary)?;
    let styles = Content::Stylesheet(stylesheet().into());
    package.add_part(MAIN, "styles", "xl/styles.xml", &format!("{TYPES}.spreadsheetml.styles+xml"), styles)?;
    let content_type = format!("{TYPES}.spreadsheetml.sharedStrings+xml");
    let strings = Content::SharedStrings(strings.part().into());
    package.add_part(MAIN, "sharedStrings", "xl/sharedStrings.xml", &content_type, strings)?;
    if let Some(workbook) = package.workbook_mut() {
        if let Some(first) = workbook.sheets.get_or_insert_default().sheets.first_mut() {
            first.name = Some("Orders".to_owned());
        }
        let regions =
            sheet::DefinedName { name: Some("Regions".to_owned()), value: "Lists!$A$2:$A$4".to_owned(), ..Default::default() };
        workbook.views = Some(sheet::WorkbookViews { views: vec![Default::default()], ..Default::default() });
        workbook.defined_names = Some(sheet::DefinedNames { names: vec![regions], ..Default::default() });
    }
    Ok(package)
}

/// Adds a sheet after the others; the name of its part comes back.
fn add_sheet(package: &mut Package, name: &str, number: u32, sheet: Worksheet) -> Result<String> {
    let part = format!("xl/worksheets/sheet{number}.xml");
    let content_type = format!("{TYPES}.spreadsheetml.worksheet+xml");
    let id = package.add_part(MAIN, "worksheet", &part, &content_type, Content::Worksheet(sheet.into()))?;
    if let Some(workbook) = package.workbook_mut() {
        workbook.sheets.get_or_insert_default().sheets.push(sheet::Sheet {
            name: Some(name.to_owned()),
            id: Some(number),
            relationship_id: Some(id),
            ..Default::default()
        });
    }
    Ok(part)
}

/// Adds the chart to the sheet in the part `sheet`, by way of a drawing.
fn add_chart(package: &mut Package, sheet: &str) -> Result<()> {
    let name = "xl/drawings/drawing1.xml";
    let drawing = Content::SheetDrawing(Default::default());
    let drawing_id = package.add_part(sheet, "drawing", name, &format!("{TYPES}.drawing+xml"), drawing)?;
    let chart = Content::Chart(chart::chart(&totals()).into());
    let chart_id = package.add_part(name, "chart", "xl/charts/chart1.xml", &format!("{TYPES}.drawingml.chart+xml"), chart)?;
    if let Some(part) = package.part_mut(name) {
        part.content = Some(Content::SheetDrawing(chart::drawing(&chart_id)));
    }
    if let Some(Content::Worksheet(sheet)) = package.part_mut(sheet).and_then(|part| part.content.as_mut()) {
        sheet.drawing = Some(sheet::SheetDrawing { relationship_id: Some(drawing_id), ..Default::default() });
    }
    Ok(())
}

/// One row for each order, under headings that stay in view.
fn orders(strings: &mut Strings) -> Worksheet {
    let headings = ["Region", "Units", "Price", "Total"].map(|heading| strings.cell(HEADING, heading));
    let mut rows = vec![headings.to_vec()];
    for ((region, units, price), row) in ORDERS.into_iter().zip(2..) {
        rows.push(vec![
            strings.cell(PLAIN, region),
            number(PLAIN, units),
            number(MONEY, price),
            formula(MONEY, format!("B{row}*C{row}"), units * price),
        ]);
    }
    let pane = sheet::Pane {
        y_split: Some(1.0),
        top_left_cell: Some("A2".to_owned()),
        active_pane: Some(sheet::PanePosition::BottomLeft.into()),
        state: Some(sheet::PaneState::Frozen.into()),
        ..Default::default()
    };
    let view =
        sheet::SheetView { tab_selected: Some(true), workbook_view_id: Some(0), pane: Some(pane.into()), ..Default::default() };
    let choice = sheet::DataValidation {
        r#type: Some(sheet::ValidationType::List.into()),
        show_error_message: Some(true),
        error_title: Some("Region".to_owned()),
        error: Some("Choose one of the regions in the list.".to_owned()),
        ranges: Some("A2:A7".to_owned()),
        formula_1: Some("Regions".to_owned()),
        ..Default::default()
    };
    let validations = sheet::DataValidations { count: Some(1), validations: vec![choice], ..Default::default() };
    Worksheet {
        views: Some(sheet::SheetViews { views: vec![view], ..Default::default() }),
        data_validations: Some(validations),
        ..worksheet(&[16.0, 9.0, 12.0, 12.0], rows)
    }
}

/// What each region ordered, with formulas over the orders.
fn summary(strings: &mut Strings) -> Worksheet {
    let headings = ["Region", "Total", "Share"].map(|heading| strings.cell(HEADING, heading));
    let mut rows = vec![headings.to_vec()];
    let totals = totals();
    let sum = totals.iter().sum::<f64>();
    for ((region, total), row) in REGIONS.into_iter().zip(totals).zip(2..) {
        rows.push(vec![
            strings.cell(PLAIN, region),
            formula(MONEY, format!("SUMIF(Orders!$A$2:$A$7,A{row},Orders!$D$2:$D$7)"), total),
            formula(SHARE, format!("B{row}/B$5"), total / sum),
        ]);
    }
    rows.push(vec![strings.cell(SUM, "All"), formula(SUM, "SUM(B2:B4)".to_owned(), sum)]);
    worksheet(&[16.0, 12.0, 9.0], rows)
}

/// The regions to choose from.
fn lists(strings: &mut Strings) -> Worksheet {
    let regions = REGIONS.into_iter().map(|region| vec![strings.cell(PLAIN, region)]).collect::<Vec<_>>();
    let heading = vec![strings.cell(HEADING, "Regions")];
    worksheet(&[16.0], [vec![heading], regions].concat())
}

/// What each region ordered: the results that the formulas will have.
fn totals() -> [f64; 3] {
    REGIONS.map(|region| ORDERS.iter().filter(|order| order.0 == region).map(|(_, units, price)| units * price).sum())
}

/// A sheet with columns of given widths, in characters, and its rows, whose cells stand side by side from column A on.
fn worksheet(widths: &[f64], rows: Vec<Vec<Cell>>) -> Worksheet {
    let columns = widths.iter().zip(1..).map(|(width, number)| sheet::Column {
        first: Some(number),
        last: Some(number),
        width: Some(*width),
        custom_width: Some(true),
        ..Default::default()
    });
    let rows = rows.into_iter().zip(1..).map(|(cells, index)| {
        let cells = cells.into_iter().zip(1..).map(|(cell, column)| Cell { column: Some(column), ..cell });
        Row { index: Some(index), cells: cells.collect(), ..Default::default() }
    });
    Worksheet {
        columns: Some(sheet::Columns { columns: columns.collect(), ..Default::default() }),
        data: Some(SheetData { rows: rows.collect(), ..Default::default() }),
        ..Default::default()
    }
}

fn number(style: u32, value: f64) -> Cell {
    Cell { style: Some(style), value: Some(Value::Number(value)), ..Default::default() }
}

/// A formula and its result, which readers show without calculating.
fn formula(style: u32, text: String, result: f64) -> Cell {
    let formula = sheet::Formula { text, ..Default::default() };
    Cell { formula: Some(formula.into()), ..number(style, result) }
}

/// The strings of all cells, each once.
#[derive(Default)]
struct Strings {
    list: Vec<&'static str>,
    /// How many cells have one.
    uses: u32,
}

impl Strings {
    fn cell(&mut self, style: u32, text: &'static str) -> Cell {
        let place = self.list.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.list.push(text);
            self.list.len() - 1
        });
        self.uses += 1;
        let value = Value::SharedString(u32::try_from(place).unwrap_or(u32::MAX));
        Cell { style: Some(style), value: Some(value), ..Default::default() }
    }

    fn part(self) -> sheet::SharedStrings {
        let string = |value: &str| sheet::RichText {
            text: Some(sheet::Text { value: value.to_owned(), ..Default::default() }),
            ..Default::default()
        };
        sheet::SharedStrings {
            count: Some(self.uses),
            unique_count: u32::try_from(self.list.len()).ok(),
            strings: self.list.into_iter().map(string).collect(),
            ..Default::default()
        }
    }
}

fn stylesheet() -> sheet::Stylesheet {
    let euros = sheet::NumberFormat { id: Some(EUROS), code: Some("#,##0.00\\ \"€\"".to_owned()), ..Default::default() };
    let fonts = vec![font(false, None), font(true, Some("FFFFFFFF")), font(true, None)];
    let pattern = |pattern: sheet::PatternType, rgb: Option<&str>| sheet::Fill {
        pattern: Some(sheet::PatternFill {
            r#type: Some(pattern.into()),
            foreground_color: rgb.map(|rgb| color(rgb).into()),
            ..Default::default()
        }),
        ..Default::default()
    };
    // The first two are the same in every workbook.
    let fills = vec![
        pattern(sheet::PatternType::None, None),
        pattern(sheet::PatternType::Gray125, None),
        pattern(sheet::PatternType::Solid, Some("FF2E7D4F")),
    ];
    let line = |style: Option<sheet::BorderStyle>| {
        let color = style.map(|_| color("FF808080").into());
        Some(sheet::BorderLine { style: style.map(Into::into), color, ..Default::default() })
    };
    let border = |top, bottom| sheet::Border {
        left: line(None),
        right: line(None),
        top: line(top),
        bottom: line(bottom),
        diagonal: line(None),
        ..Default::default()
    };
    let borders = vec![
        border(None, None),
        border(None, Some(sheet::BorderStyle::Thin)),
        border(Some(sheet::BorderStyle::Thin), Some(sheet::BorderStyle::Double)),
    ];
    let centered = sheet::CellAlignment { horizontal: Some(sheet::HorizontalAlignment::Center.into()), ..Default::default() };
    let heading = sheet::CellFormat { apply_alignment: Some(true), alignment: Some(centered), ..format(0, 1, 2, 1) };
    // In the order of their constants; 9 is the built-in format of whole per cents.
    let formats = vec![format(0, 0, 0, 0), heading, format(EUROS, 0, 0, 0), format(9, 0, 0, 0), format(EUROS, 2, 0, 2)];
    let base = sheet::CellFormat { cell_style_format_id: None, ..format(0, 0, 0, 0) };
    let normal = sheet::CellStyle {
        name: Some("Normal".to_owned()),
        cell_style_format_id: Some(0),
        built_in_id: Some(0),
        ..Default::default()
    };
    sheet::Stylesheet {
        number_formats: Some(sheet::NumberFormats { count: Some(1), formats: vec![euros], ..Default::default() }),
        fonts: Some(sheet::Fonts { count: Some(3), fonts, ..Default::default() }),
        fills: Some(sheet::Fills { count: Some(3), fills, ..Default::default() }),
        borders: Some(sheet::Borders { count: Some(3), borders, ..Default::default() }),
        cell_style_formats: Some(sheet::CellStyleFormats { count: Some(1), formats: vec![base], ..Default::default() }),
        cell_formats: Some(sheet::CellFormats { count: Some(5), formats, ..Default::default() }),
        cell_styles: Some(sheet::CellStyles { count: Some(1), styles: vec![normal], ..Default::default() }),
        ..Default::default()
    }
}

/// A cell format, of entries of the stylesheet's other lists.
fn format(number_format: u32, font: u32, fill: u32, border: u32) -> sheet::CellFormat {
    let applied = |id: u32| (id != 0).then_some(true);
    sheet::CellFormat {
        number_format_id: Some(number_format),
        font_id: Some(font),
        fill_id: Some(fill),
        border_id: Some(border),
        cell_style_format_id: Some(0),
        apply_number_format: applied(number_format),
        apply_font: applied(font),
        apply_fill: applied(fill),
        apply_border: applied(border),
        ..Default::default()
    }
}

fn font(bold: bool, rgb: Option<&str>) -> sheet::Font {
    sheet::Font {
        bold: bold.then_some(true),
        size: Some(11.0),
        color: rgb.map(|rgb| color(rgb).into()),
        name: Some("Calibri".to_owned()),
        family: Some(2),
        ..Default::default()
    }
}

fn color(rgb: &str) -> sheet::Color {
    sheet::Color { rgb: Some(rgb.to_owned()), ..Default::default() }
}
