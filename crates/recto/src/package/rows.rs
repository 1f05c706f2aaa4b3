//! Structs of sheets with many rows.
//!
//! A cell is made in one step where it is of the usual kind, and a row's list of cells has room for just as many as there
//! are. Whatever else a message may hold is left to prost, and so is all that is not a row: the rows are taken out of the
//! wire before it is decoded.

use std::ops::Range;

use recto_schema::fields::{self, sheet as numbers};
use recto_schema::model::part::Content;
use recto_schema::model::{self, sheet};

use crate::error::Result;
use crate::transcode::cells::CellType;
use crate::transcode::usual_cell::{Span, UsualCell, Value};
use crate::wire::input::{Fields, invalid};
use crate::wire::{WireType, put_bytes};

/// Where the rows of a part stand.
struct RowsOfPart {
    /// Index of the part.
    part: usize,
    rows: Vec<Range<usize>>,
}

/// Decodes a package.
pub(super) fn package(bin: &[u8]) -> Result<model::Package> {
    let mut rows = Vec::new();
    let rest = without_rows(bin, &mut rows).unwrap_or_else(|_| {
        // What is wrong with the wire is for prost to say, which reads all of it then.
        rows.clear();
        Vec::new()
    });
    let rest = if rest.is_empty() { bin } else { &rest };
    let mut package = model::Package::decode_bin(rest).map_err(|_| invalid("not a recto package"))?;
    for RowsOfPart { part, rows } in rows {
        let content = package.parts.get_mut(part).and_then(|part| part.content.as_mut());
        let Some(Content::Worksheet(worksheet)) = content else { continue };
        let list = &mut worksheet.data.get_or_insert_default().rows;
        list.reserve_exact(rows.len());
        for row in rows {
            list.push(self::row(bin.get(row).unwrap_or_default())?);
        }
    }
    Ok(package)
}

/// A package without the rows of its worksheets; empty if there are none, or if it is no package.
fn without_rows(bin: &[u8], rows: &mut Vec<RowsOfPart>) -> Result<Vec<u8>> {
    let (mut out, mut copied, mut part) = (Vec::new(), 0, 0);
    let mut fields = Fields::new(bin);
    loop {
        let key = fields.at() as usize;
        let Some(field) = fields.advance()? else { break };
        if (field.number, field.wire_type) != (fields::package::PARTS, WireType::Bytes) {
            continue;
        }
        let (start, end) = (field.start as usize, field.end as usize);
        if has_one_worksheet(field.bytes(bin)) {
            let (mut found, mut rest) = (Vec::new(), Vec::new());
            copy_without(bin, start..end, &PATH, &mut rest, &mut found)?;
            if !found.is_empty() {
                out.extend_from_slice(bin.get(copied..key).unwrap_or_default());
                put_bytes(&mut out, field.number, &rest);
                copied = end;
                rows.push(RowsOfPart { part, rows: found });
            }
        }
        part += 1;
    }
    if copied > 0 {
        out.extend_from_slice(bin.get(copied..).unwrap_or_default());
    }
    Ok(out)
}

/// Where rows stand in a part.
const PATH: [u32; 3] = [fields::part::WORKSHEET, numbers::worksheet::DATA, numbers::sheet_data::ROWS];

/// Whether a part has one worksheet: of more, the last one may replace those before it.
fn has_one_worksheet(part: &[u8]) -> bool {
    let fields = Fields::new(part).map_while(Result::ok);
    fields.filter(|field| (field.number, field.wire_type) == (fields::part::WORKSHEET, WireType::Bytes)).count() == 1
}

/// Copies a message without the fields that a path of field numbers leads to; where these stand.
fn copy_without(bin: &[u8], message: Range<usize>, path: &[u32], out: &mut Vec<u8>, found: &mut Vec<Range<usize>>) -> Result<()> {
    let Some((&number, rest)) = path.split_first() else { return Ok(()) };
    let mut fields = Fields::within(bin, message.start as u64, message.end as u64);
    loop {
        let start = fields.at() as usize;
        let Some(field) = fields.advance()? else { return Ok(()) };
        let content = field.start as usize..field.end as usize;
        if (field.number, field.wire_type) != (number, WireType::Bytes) {
            out.extend_from_slice(bin.get(start..content.end).unwrap_or_default());
        } else if rest.is_empty() {
            found.push(content);
        } else {
            let mut inner = Vec::new();
            copy_without(bin, content, rest, &mut inner, found)?;
            put_bytes(out, number, &inner);
        }
    }
}

/// Decodes a row.
pub(super) fn row(wire: &[u8]) -> Result<sheet::Row> {
    let decoded = cells_after(wire).and_then(|(cells, count)| {
        let mut row = sheet::Row::decode_bin(wire.get(..cells)?).ok()?;
        row.cells.reserve_exact(count);
        let mut fields = Fields::within(wire, cells as u64, wire.len() as u64);
        while let Some(field) = fields.advance().ok()? {
            row.cells.push(cell(wire, field.start as usize..field.end as usize)?);
        }
        Some(row)
    });
    match decoded {
        Some(row) => Ok(row),
        None => sheet::Row::decode_bin(wire).map_err(|_| invalid("a row is none")),
    }
}

/// Where the cells of a row begin, and how many there are, if nothing stands behind them.
fn cells_after(wire: &[u8]) -> Option<(usize, usize)> {
    let mut fields = Fields::new(wire);
    let (mut begin, mut count) = (None, 0);
    loop {
        let at = fields.at() as usize;
        match fields.advance().ok()? {
            None => return Some((begin.unwrap_or(at), count)),
            Some(field) if (field.number, field.wire_type) == (numbers::row::CELLS, WireType::Bytes) => {
                begin = begin.or(Some(at));
                count += 1;
            }
            Some(_) if begin.is_some() => return None,
            Some(_) => {}
        }
    }
}

fn cell(wire: &[u8], message: Range<usize>) -> Option<sheet::Cell> {
    let usual = UsualCell::of(wire, message.start, message.end).and_then(|cell| usual_cell(wire, &cell));
    usual.or_else(|| sheet::Cell::decode_bin(wire.get(message)?).ok())
}

fn usual_cell(wire: &[u8], cell: &UsualCell) -> Option<sheet::Cell> {
    let formula = match cell.formula {
        None => None,
        Some(span) => Some(Box::new(match span.only_text_of_formula(wire) {
            Some(text) => sheet::Formula { text: string(wire, text)?, ..Default::default() },
            None => sheet::Formula::decode_bin(bytes(wire, span)).ok()?,
        })),
    };
    let value = match cell.value {
        Value::None => None,
        Value::Number(number) => Some(sheet::cell::Value::Number(number)),
        Value::SharedString(index) => Some(sheet::cell::Value::SharedString(index)),
        Value::Boolean(value) => Some(sheet::cell::Value::Boolean(value)),
        Value::Text(span) => {
            let text = string(wire, span)?;
            Some(match cell.head.value()? {
                CellType::Error => sheet::cell::Value::Error(text),
                CellType::Date => sheet::cell::Value::Date(text),
                _ => sheet::cell::Value::Text(text),
            })
        }
        Value::InlineString(span) => {
            Some(sheet::cell::Value::InlineString(Box::new(sheet::RichText::decode_bin(bytes(wire, span)).ok()?)))
        }
    };
    Some(sheet::Cell { column: Some(cell.head.column()), style: cell.head.style(), formula, value, ..Default::default() })
}

fn bytes(wire: &[u8], span: Span) -> &[u8] {
    wire.get(span.start..span.end).unwrap_or_default()
}

fn string(wire: &[u8], span: Span) -> Option<String> {
    std::str::from_utf8(bytes(wire, span)).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Option<sheet::cell::Value>> {
        use sheet::cell::Value;
        let text = "[a-z&é]{0,40}";
        let rich = text
            .prop_map(|value| sheet::RichText { text: Some(sheet::Text { value, ..Default::default() }), ..Default::default() });
        prop::option::of(prop_oneof![
            any::<f64>().prop_filter("equal to itself", |number| !number.is_nan()).prop_map(Value::Number),
            any::<u32>().prop_map(Value::SharedString),
            any::<bool>().prop_map(Value::Boolean),
            text.prop_map(Value::Error),
            text.prop_map(Value::Text),
            text.prop_map(Value::Date),
            rich.prop_map(|rich| Value::InlineString(Box::new(rich))),
        ])
    }

    fn any_formula() -> impl Strategy<Value = Option<Box<sheet::Formula>>> {
        prop::option::of((prop::option::of(any::<u32>()), "[A-Z0-9*]{0,200}")).prop_map(|formula| {
            formula.map(|(shared_index, text)| Box::new(sheet::Formula { shared_index, text, ..Default::default() }))
        })
    }

    fn any_cell() -> impl Strategy<Value = sheet::Cell> {
        let phonetic = prop::option::weighted(0.1, any::<bool>());
        (prop::option::of(0u32..20_000), prop::option::of(any::<u32>()), any_formula(), any_value(), phonetic).prop_map(
            |(column, style, formula, value, phonetic)| sheet::Cell {
                column,
                style,
                formula,
                value,
                phonetic,
                ..Default::default()
            },
        )
    }

    fn any_part() -> impl Strategy<Value = model::Part> {
        let row =
            (prop::option::of(any::<u32>()), prop::collection::vec(any_cell(), 0..6), prop::option::weighted(0.1, Just(())));
        let row = row.prop_map(|(index, cells, more)| {
            let extension_list = more.map(|()| Box::default());
            sheet::Row { index, cells, extension_list, ..Default::default() }
        });
        (prop::option::of(prop::collection::vec(row, 0..5)), any::<bool>()).prop_map(|(rows, is_sheet)| {
            let data = rows.map(|rows| sheet::SheetData { rows, ..Default::default() });
            let content = match is_sheet {
                true => Content::Worksheet(Box::new(sheet::Worksheet { data, ..Default::default() })),
                false => Content::Data(vec![1, 2]),
            };
            model::Part { name: "a".to_owned(), content: Some(content), ..Default::default() }
        })
    }

    proptest! {
        #[test]
        fn rows_decoded_apart_are_what_prost_decodes(
            parts in prop::collection::vec(any_part(), 0..4),
            damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        ) {
            let mut bin = model::Package { parts, ..Default::default() }.encode_bin();
            if let (Some((at, byte)), false) = (damage, bin.is_empty()) {
                let at = at.index(bin.len());
                bin[at] = byte;
            }
            let (ours, prosts) = (package(&bin).ok(), model::Package::decode_bin(&bin).ok());
            prop_assert_eq!(ours.map(|package| package.encode_bin()), prosts.map(|package| package.encode_bin()));
        }

        #[test]
        fn rows_are_not_doubled_where_unknown_groups_stand(parts in prop::collection::vec(any_part(), 1..4)) {
            let mut bin = model::Package { parts, ..Default::default() }.encode_bin();
            for bracket in [3, 4] {
                crate::wire::put_varint(&mut bin, 1000 << 3 | bracket);
            }
            prop_assert_eq!(package(&bin).unwrap(), model::Package::decode_bin(&bin).unwrap());
        }

        #[test]
        fn a_part_may_hold_several_roots(parts in prop::collection::vec(any_part(), 2..4)) {
            // Occurrences of the content in one part: the last one counts, or is merged with the one before.
            let mut part = Vec::new();
            for piece in &parts {
                let piece = model::Package { parts: vec![piece.clone()], ..Default::default() }.encode_bin();
                let field = Fields::new(&piece).next().unwrap().unwrap();
                part.extend_from_slice(field.bytes(&piece));
            }
            let mut bin = Vec::new();
            put_bytes(&mut bin, fields::package::PARTS, &part);
            prop_assert_eq!(package(&bin).unwrap(), model::Package::decode_bin(&bin).unwrap());
        }
    }
}
