//! Rules of workbooks: sheets and names, rows and cells, formats, strings, merged cells, tables and comments.

use std::collections::{BTreeMap, BTreeSet};

use recto_schema::{fields, messages};

use crate::transcode::references::{parse_cell, write_column};

use super::element::Element;
use super::finding::FindingCode;
use super::place::Place;

/// How long the name of a sheet may be, in UTF-16 units.
const LONGEST_NAME: usize = 31;

/// The first id of number formats that a workbook defines itself.
const FIRST_OWN_FORMAT: i64 = 164;

/// How many things of a kind a workbook has.
#[derive(Default)]
struct Counts {
    strings: u64,
    sheets: u64,
    cell_formats: u64,
    style_formats: u64,
    fonts: u64,
    fills: u64,
    borders: u64,
    differential_formats: u64,
}

/// What a workbook defines, and what its current part has had.
#[derive(Default)]
pub(super) struct Rules {
    counts: Counts,
    number_formats: BTreeSet<i64>,
    /// Names and ids of tables, in all parts.
    tables: BTreeSet<String>,
    part: Part,
}

/// What a part has had so far.
#[derive(Default)]
struct Part {
    /// The number of the last row, and the highest so far.
    row: i64,
    highest_row: i64,
    rows: BTreeSet<i64>,
    /// The number of the last cell's column, and the columns of the row as far as they are in order.
    column: i64,
    columns: Vec<i64>,
    authors: u64,
    comments: BTreeSet<String>,
}

impl Rules {
    /// Notes what the root of a part defines.
    pub(super) fn learn(&mut self, root: Element<'_>) {
        use fields::sheet as f;
        match root.message {
            messages::sheet::SHARED_STRINGS => self.counts.strings += root.count(f::shared_strings::STRINGS),
            messages::sheet::WORKBOOK => {
                self.counts.sheets = count(root, f::workbook::SHEETS, f::sheets::SHEETS);
            }
            messages::sheet::STYLESHEET => {
                use f::stylesheet as s;
                self.counts.cell_formats = count(root, s::CELL_FORMATS, f::cell_formats::FORMATS);
                self.counts.style_formats = count(root, s::CELL_STYLE_FORMATS, f::cell_style_formats::FORMATS);
                self.counts.fonts = count(root, s::FONTS, f::fonts::FONTS);
                self.counts.fills = count(root, s::FILLS, f::fills::FILLS);
                self.counts.borders = count(root, s::BORDERS, f::borders::BORDERS);
                self.counts.differential_formats = count(root, s::DIFFERENTIAL_FORMATS, f::differential_formats::FORMATS);
                let formats = root.children(s::NUMBER_FORMATS).flat_map(|list| list.children(f::number_formats::FORMATS));
                self.number_formats = formats.filter_map(|format| format.number(f::number_format::ID)).collect();
            }
            _ => {}
        }
    }

    pub(super) fn start_part(&mut self) {
        self.part = Part::default();
    }

    pub(super) fn enter(&mut self, element: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet as f;
        use messages::sheet as m;
        match element.message {
            m::CELL => self.cell(element, place),
            m::ROW => self.row(element, place),
            m::COLUMN => self.column(element, place),
            m::CELL_FORMAT => self.cell_format(element, place),
            m::CELL_STYLE => {
                self.index(element, f::cell_style::CELL_STYLE_FORMAT_ID, self.counts.style_formats, "cell style format", place);
            }
            m::CONDITIONAL_FORMATTING_RULE => {
                let field = f::conditional_formatting_rule::DIFFERENTIAL_FORMAT_ID;
                self.index(element, field, self.counts.differential_formats, "differential format", place);
            }
            m::MERGED_CELLS => merged_cells(element, place),
            m::SHEETS => sheets(element, place),
            m::DEFINED_NAMES => self.defined_names(element, place),
            m::WORKBOOK_VIEW => {
                for field in [f::workbook_view::FIRST_SHEET, f::workbook_view::ACTIVE_TAB] {
                    self.sheet_index(element, field, place);
                }
            }
            m::TABLE => self.table(element, place),
            m::COMMENT_AUTHORS => self.part.authors = element.count(f::comment_authors::AUTHORS),
            m::COMMENT => self.comment(element, place),
            _ => {}
        }
    }

    fn row(&mut self, row: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::row as f;
        let number = row.number(f::INDEX).unwrap_or(self.part.row + 1);
        self.part.row = number;
        self.part.column = 0;
        self.part.columns.clear();
        if !self.part.rows.insert(number) {
            place.report(FindingCode::DuplicateCell, format!("row {number} stands twice"));
        } else if number < self.part.highest_row {
            place.report(FindingCode::UnorderedCells, format!("row {number} must stand before row {}", self.part.highest_row));
        }
        self.part.highest_row = self.part.highest_row.max(number);
        self.format(row, f::STYLE, place);
    }

    fn cell(&mut self, cell: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::cell as f;
        let before = self.part.columns.last().copied().unwrap_or_default();
        let column = cell.number(f::COLUMN).unwrap_or(self.part.column + 1);
        if column > before {
            self.part.columns.push(column);
        } else if self.part.columns.binary_search(&column).is_ok() {
            place.report(FindingCode::DuplicateCell, format!("cell {} stands twice", self.name(column)));
        } else {
            let message = format!("cell {} must stand before {}", self.name(column), self.name(before));
            place.report(FindingCode::UnorderedCells, message);
        }
        self.part.column = column;
        self.format(cell, f::STYLE, place);
        if let Some(index) = cell.number(f::SHARED_STRING).filter(|index| !within(*index, self.counts.strings)) {
            let message = format!("cell {}: there is no shared string {index}, only {}", self.name(column), self.counts.strings);
            place.report(FindingCode::UndefinedString, message);
        }
    }

    /// The name of a cell in the current row.
    fn name(&self, column: i64) -> String {
        let mut name = Vec::new();
        write_column(u32::try_from(column).unwrap_or_default(), &mut name);
        format!("{}{}", String::from_utf8_lossy(&name), self.part.row)
    }

    fn column(&mut self, column: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::column as f;
        self.format(column, f::STYLE, place);
        if let (Some(first), Some(last)) = (column.number(f::FIRST), column.number(f::LAST)) {
            if first > last {
                place.report(FindingCode::InvalidReference, format!("column {first} is no beginning for columns up to {last}"));
            } else if first <= self.part.column {
                place.report(FindingCode::OverlappingRanges, format!("column {first} stands twice or out of order"));
            }
            self.part.column = self.part.column.max(last);
        }
    }

    fn format(&self, element: Element<'_>, field: u32, place: &mut Place<'_>) {
        // Without formats there is the default one.
        self.index(element, field, self.counts.cell_formats.max(1), "cell format", place);
    }

    fn index(&self, element: Element<'_>, field: u32, count: u64, kind: &str, place: &mut Place<'_>) {
        if let Some(index) = element.number(field).filter(|index| !within(*index, count)) {
            let message = format!("there is no {kind} {index}, only {count}");
            place.report_field(field, FindingCode::UndefinedFormat, message);
        }
    }

    fn cell_format(&self, format: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::cell_format as f;
        let Counts { fonts, fills, borders, style_formats, .. } = self.counts;
        for (field, count, kind) in [
            (f::FONT_ID, fonts, "font"),
            (f::FILL_ID, fills, "fill"),
            (f::BORDER_ID, borders, "border"),
            (f::CELL_STYLE_FORMAT_ID, style_formats, "cell style format"),
        ] {
            self.index(format, field, count.max(1), kind, place);
        }
        let own = format.number(f::NUMBER_FORMAT_ID).filter(|id| *id >= FIRST_OWN_FORMAT);
        if let Some(id) = own.filter(|id| !self.number_formats.contains(id)) {
            place.report_field(f::NUMBER_FORMAT_ID, FindingCode::UndefinedFormat, format!("there is no number format {id}"));
        }
    }

    fn sheet_index(&self, element: Element<'_>, field: u32, place: &mut Place<'_>) {
        if let Some(index) = element.number(field).filter(|index| !within(*index, self.counts.sheets)) {
            let message = format!("there is no sheet {index}, only {}", self.counts.sheets);
            place.report_field(field, FindingCode::UndefinedSheet, message);
        }
    }

    fn defined_names(&self, list: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::defined_name as f;
        let mut seen = BTreeSet::new();
        for name in list.children(fields::sheet::defined_names::NAMES) {
            let text = name.text(f::NAME).unwrap_or_default();
            let sheet = name.number(f::LOCAL_SHEET_ID);
            if !seen.insert((text.to_lowercase(), sheet)) {
                place.report(FindingCode::DuplicateName, format!("the name \"{text}\" is defined twice"));
            }
            if let Some(index) = sheet.filter(|index| !within(*index, self.counts.sheets)) {
                let message = format!("the name \"{text}\" is of sheet {index}, but there are only {}", self.counts.sheets);
                place.report(FindingCode::UndefinedSheet, message);
            }
        }
    }

    fn table(&mut self, table: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::table as f;
        let name = table.text(f::DISPLAY_NAME).unwrap_or_default();
        if !name.is_empty() && !self.tables.insert(format!("name {}", name.to_lowercase())) {
            place.report_field(f::DISPLAY_NAME, FindingCode::DuplicateName, format!("another table is named \"{name}\""));
        }
        if let Some(id) = table.number(f::ID).filter(|id| !self.tables.insert(format!("id {id}"))) {
            place.report_field(f::ID, FindingCode::DuplicateId, format!("another table has the id {id}"));
        }
        let Some(reference) = table.text(f::REFERENCE) else { return };
        let Some(range) = Range::parse(reference) else {
            return place.report_field(f::REFERENCE, FindingCode::InvalidReference, format!("\"{reference}\" is no range"));
        };
        let columns: Vec<Element<'_>> =
            table.children(f::COLUMNS).flat_map(|list| list.children(fields::sheet::table_columns::COLUMNS)).collect();
        if !columns.is_empty() && columns.len() as u64 != range.width() {
            let message = format!("the range has {} columns, the table {}", range.width(), columns.len());
            place.report_field(f::REFERENCE, FindingCode::InvalidReference, message);
        }
        let mut names = BTreeSet::new();
        for name in columns.iter().filter_map(|column| column.text(fields::sheet::table_column::NAME)) {
            if !names.insert(name.to_lowercase()) {
                place.report(FindingCode::DuplicateName, format!("two columns are named \"{name}\""));
            }
        }
    }

    fn comment(&mut self, comment: Element<'_>, place: &mut Place<'_>) {
        use fields::sheet::comment as f;
        if let Some(index) = comment.number(f::AUTHOR_ID).filter(|index| !within(*index, self.part.authors)) {
            let message = format!("there is no author {index}, only {}", self.part.authors);
            place.report_field(f::AUTHOR_ID, FindingCode::UndefinedAuthor, message);
        }
        let Some(reference) = comment.text(f::REFERENCE) else { return };
        if Range::parse(reference).is_none() {
            place.report_field(f::REFERENCE, FindingCode::InvalidReference, format!("\"{reference}\" is no cell"));
        } else if !self.part.comments.insert(reference.to_owned()) {
            place.report_field(f::REFERENCE, FindingCode::DuplicateCell, format!("cell {reference} has two comments"));
        }
    }
}

fn within(index: i64, count: u64) -> bool {
    u64::try_from(index).is_ok_and(|index| index < count)
}

/// How many items a list that may be absent has.
fn count(root: Element<'_>, list: u32, items: u32) -> u64 {
    root.children(list).map(|list| list.count(items)).sum()
}

fn sheets(list: Element<'_>, place: &mut Place<'_>) {
    use fields::sheet::sheet as f;
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for sheet in list.children(fields::sheet::sheets::SHEETS) {
        let name = sheet.text(f::NAME).unwrap_or_default();
        if !names.insert(name.to_lowercase()) {
            place.report(FindingCode::DuplicateName, format!("two sheets are named \"{name}\""));
        }
        if let Some(wrong) = wrong_sheet_name(name) {
            place.report(FindingCode::InvalidName, format!("the name of the sheet \"{name}\" {wrong}"));
        }
        if let Some(id) = sheet.number(f::ID).filter(|id| !ids.insert(*id)) {
            place.report(FindingCode::DuplicateId, format!("two sheets have the id {id}"));
        }
    }
}

/// What Excel does not accept about the name of a sheet.
fn wrong_sheet_name(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.encode_utf16().count() > LONGEST_NAME {
        Some("must have 1 to 31 characters")
    } else if name.contains(['[', ']', ':', '*', '?', '/', '\\']) {
        Some("must not contain any of []:*?/\\")
    } else if name.starts_with('\'') || name.ends_with('\'') {
        Some("must not begin or end with an apostrophe")
    } else {
        None
    }
}

/// Ranges of merged cells do not overlap.
fn merged_cells(list: Element<'_>, place: &mut Place<'_>) {
    let mut ranges = Vec::new();
    for cell in list.children(fields::sheet::merged_cells::RANGES) {
        let reference = cell.text(fields::sheet::merged_cell::REFERENCE).unwrap_or_default();
        match Range::parse(reference) {
            Some(range) => ranges.push((range, reference)),
            None => place.report(FindingCode::InvalidReference, format!("\"{reference}\" is no range")),
        }
    }
    ranges.sort();
    // From top to bottom, by their left edges: those that reach down to where we are have no columns in common.
    let mut open: BTreeMap<u32, (Range, &str)> = BTreeMap::new();
    for (range, reference) in ranges {
        match reaching(&mut open, range) {
            Some(other) => {
                place.report(FindingCode::OverlappingRanges, format!("the merged ranges {other} and {reference} overlap"));
            }
            None => {
                open.insert(range.left, (range, reference));
            }
        }
    }
}

/// The range that reaches down into another one, if any does. Those that end above it are dropped on the way.
fn reaching<'r>(open: &mut BTreeMap<u32, (Range, &'r str)>, range: Range) -> Option<&'r str> {
    while let Some((&left, &(other, reference))) = open.range(..=range.right).next_back() {
        if other.bottom >= range.top {
            return (other.right >= range.left).then_some(reference);
        }
        open.remove(&left);
    }
    None
}

/// A range of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    top: u32,
    left: u32,
    bottom: u32,
    right: u32,
}

impl Range {
    /// Of a text such as `B2:C10` or `B2`.
    fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let ((left, top), (right, bottom)) = (parse_cell(first.as_bytes())?, parse_cell(last.as_bytes())?);
        (left <= right && top <= bottom).then_some(Range { top, left, bottom, right })
    }

    fn width(self) -> u64 {
        u64::from(self.right - self.left) + 1
    }
}
