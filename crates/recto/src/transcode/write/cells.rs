//! Cells: `t` and `v` follow from the kind of value.

use recto_schema::fields;
use recto_schema::tables::{Message, Row, message};

use crate::error::Result;
use crate::transcode::cells::{CellType, value_slot};
use crate::transcode::forms::{NUMBER_EXCEL, NUMBER_TYPE_EXPLICIT};
use crate::transcode::numbers;
use crate::transcode::references::{COLUMNS, parse_cell, write_column};
use crate::wire::WireType;
use crate::wire::input::{Field, Fields, invalid};
use crate::xml::append_cut;
use crate::xml::escapes::{self, Place};
use crate::xml::names::is_space;

use super::Writer;
use super::extras::{EXTRAS, Extras};
use super::indexed::Index;

/// How a cell's value is written.
#[derive(Clone, Copy, Default)]
struct NumberText<'w> {
    form: u64,
    raw: Option<&'w [u8]>,
}

/// The fields of a cell that its table does not bind.
#[derive(Default)]
struct Contents<'w> {
    value: Option<(CellType, Field)>,
    number_text: NumberText<'w>,
    /// Pieces of rich text: more than one where an encoder split it.
    rich: Vec<Field>,
}

impl Writer<'_> {
    /// Writes a cell.
    #[inline(never)]
    pub(super) fn cell(&mut self, wire: &[u8], start: u64, end: u64, name: &'static Row, depth: u32) -> Result<()> {
        if self.has_usual_cells(name) && self.regular_cell(wire, start, end, name, depth)? {
            return Ok(());
        }
        self.any_cell(wire.get(start as usize..end as usize).unwrap_or_default(), name, depth)
    }

    #[inline(never)]
    fn any_cell(&mut self, wire: &[u8], name: &'static Row, depth: u32) -> Result<()> {
        let table = message(name.target);
        let mut contents = Contents::default();
        let mut extras = Extras::default();
        let mut bound = Vec::new();
        for field in Fields::new(wire) {
            let field = field?;
            if let Some(kind) = CellType::of_field(field.number) {
                field.expect(kind.layout())?;
                let split = kind == CellType::InlineString && matches!(contents.value, Some((CellType::InlineString, _)));
                if !split {
                    contents.rich.clear();
                }
                contents.rich.push(field);
                contents.value = Some((kind, field));
            } else if field.number == fields::sheet::cell::NUMBER_TEXT {
                number_text(field.bytes(wire), &mut contents.number_text)?;
            } else if field.number == EXTRAS {
                extras.add(field.bytes(wire))?;
            } else if let Some((slot, _)) = table.field(field.number) {
                bound.push((slot, field));
            } else {
                return Err(invalid("an unknown field"));
            }
        }
        let index = Index::new(extras, bound, table);
        let scope = self.enter();
        self.extra_scope(&index.extras)?;
        self.start(name)?;
        self.declarations_before(u32::MAX)?;
        self.cell_attributes(wire, table, &index, &contents)?;
        self.cell_children(wire, table, &index, &contents, depth)?;
        self.end(name);
        self.leave(scope);
        Ok(())
    }

    fn cell_attributes(
        &mut self,
        wire: &[u8],
        table: &'static Message,
        index: &Index<'_>,
        contents: &Contents<'_>,
    ) -> Result<()> {
        // In the order of the wire, which is that of the source; the type comes where Excel writes it, after the style.
        let mut fields: Vec<&(usize, Field)> =
            index.fields.iter().filter(|(slot, _)| *slot < usize::from(table.attributes)).collect();
        fields.sort_by_key(|(_, field)| field.start);
        let first = |row: &Row| matches!(u32::from(row.field), fields::sheet::cell::COLUMN | fields::sheet::cell::STYLE);
        let mut typed = false;
        for (slot, field) in fields {
            let Some(row) = table.rows().get(*slot) else { continue };
            if index.last(*slot).is_none_or(|last| last.start != field.start) {
                continue;
            }
            if !first(row) && !typed {
                typed = true;
                self.cell_type(index, contents)?;
            }
            match u32::from(row.field) {
                fields::sheet::cell::COLUMN => self.cell_reference(row, Some(field), &index.extras)?,
                _ => self.indexed_attribute(wire, row, Some(field), &index.extras)?,
            }
        }
        if !typed {
            self.cell_type(index, contents)?;
        }
        self.invalid_cell_attributes(wire, table, index)?;
        for attribute in index.extras.attributes_of(0).filter(|attribute| attribute.name != b"t") {
            self.extra_attribute(attribute)?;
        }
        Ok(())
    }

    fn invalid_cell_attributes(&mut self, wire: &[u8], table: &'static Message, index: &Index<'_>) -> Result<()> {
        let column = table.field(fields::sheet::cell::COLUMN);
        if let Some((_, row)) = column.filter(|(slot, _)| index.last(*slot).is_none())
            && index.extras.lexical.iter().any(|(number, _)| *number == u32::from(row.field))
        {
            self.cell_reference(row, None, &index.extras)?;
        }
        self.invalid_attributes(wire, table, index, &mut 0)
    }

    fn cell_reference(&mut self, row: &Row, field: Option<&Field>, extras: &Extras<'_>) -> Result<()> {
        let column = field.map(|field| field.value as u32);
        let unusual =
            extras.lexical.iter().rfind(|(number, _)| *number == fields::sheet::cell::COLUMN).and_then(|(_, text)| *text);
        let unusual = unusual.filter(|text| parse_cell(text).map(|(column, _)| column) == column);
        if column.is_none() && unusual.is_none() {
            return Ok(());
        }
        self.attribute_name(row)?;
        match (unusual, column) {
            (Some(text), _) => self.escaped(text, true)?,
            (None, column) => {
                let column = column.filter(|column| (1..=COLUMNS).contains(column));
                write_column(column.ok_or_else(|| invalid("a cell's column is out of range"))?, &mut self.out);
                let (row, len) = self.row.end_of_reference();
                append_cut(&mut self.out, row, len.into());
                return Ok(());
            }
        }
        self.end_value();
        Ok(())
    }

    /// The `t` attribute: what the value implies; where there is none, what was kept.
    fn cell_type(&mut self, index: &Index<'_>, contents: &Contents<'_>) -> Result<()> {
        let kept = index.extras.attributes_of(0).find(|attribute| attribute.name == b"t").map(|kept| kept.value);
        let unknown = kept.filter(|kept| CellType::parse(kept).is_none());
        let unusual = |kind: CellType| index.extras.lexical.iter().find(|(field, _)| *field == kind.field());
        let implied = match contents.value {
            None => kept,
            Some((CellType::Number, _)) => {
                let explicit = self.forms.number_types == NUMBER_TYPE_EXPLICIT && unusual(CellType::Number).is_none();
                let explicit = explicit || kept.is_some_and(|kept| kept == CellType::Number.text());
                unknown.or(explicit.then_some(CellType::Number.text()))
            }
            Some((kind @ CellType::InlineString, _)) => match unusual(kind) {
                Some((_, text)) => text.or(unknown),
                None => Some(kind.text()),
            },
            Some((kind, _)) => Some(kind.text()),
        };
        if let Some(text) = implied {
            self.out.extend_from_slice(b" t=\"");
            self.escaped(text, true)?;
            self.out.push(b'"');
        }
        Ok(())
    }

    fn cell_children(
        &mut self,
        wire: &[u8],
        table: &'static Message,
        index: &Index<'_>,
        contents: &Contents<'_>,
        depth: u32,
    ) -> Result<()> {
        let value_at = value_slot(table);
        let raw = self.raw_value(index, contents);
        let has_value = contents.value.is_some() || raw.is_some();
        let regular = index.extras.order.is_empty() && index.extras.placed.is_empty();
        if regular {
            for (slot, row) in table.rows().iter().enumerate().skip(usize::from(table.attributes)) {
                if Some(slot) == value_at {
                    if has_value {
                        self.cell_value(wire, row, index, contents, raw, depth)?;
                    }
                    continue;
                }
                for nth in 0..index.count(slot, row) {
                    self.cell_child(wire, index, slot, row, nth, depth)?;
                }
            }
            return Ok(());
        }
        self.cell_in_order(wire, table, index, contents, raw, depth)
    }

    /// Children among raw nodes or in an unusual order: the value stands for its slot.
    #[cold]
    fn cell_in_order(
        &mut self,
        wire: &[u8],
        table: &'static Message,
        index: &Index<'_>,
        contents: &Contents<'_>,
        raw: Option<&[u8]>,
        depth: u32,
    ) -> Result<()> {
        let value_at = value_slot(table);
        let mut fields = index.fields.clone();
        let number = contents.value.map(|(kind, _)| kind.field());
        if let (Some(slot), true) = (value_at, number.is_some() || raw.is_some()) {
            let (_, row) = table.rows().iter().enumerate().nth(slot).ok_or_else(|| invalid("an unknown field"))?;
            let field = u32::from(row.field);
            fields.push((slot, Field { number: field, wire_type: WireType::Bytes, value: 0, start: 0, end: 0 }));
        }
        let value_row = value_at.and_then(|slot| table.rows().get(slot));
        let value_field = u32::from(value_row.map_or(0, |row| row.field));
        let mut extras = index.extras.clone();
        if let (Some((kind, _)), Some(row), true) = (contents.value, value_row, extras.order.is_empty()) {
            let prefix = self.child_prefix(row);
            for (&(after, _), nodes) in &mut extras.placed {
                nodes.retain(|node| !(is_of_another_value(after, kind) && is_value(node.text(), &prefix)));
            }
        }
        for order in extras.order.iter_mut().filter(|order| CellType::of_field(**order).is_some()) {
            *order = value_field;
        }
        extras.placed = std::mem::take(&mut extras.placed)
            .into_iter()
            .map(|((field, nth), nodes)| match CellType::of_field(field) {
                Some(_) => ((value_field, nth), nodes),
                None => ((field, nth), nodes),
            })
            .collect();
        let whole = Index::new(extras, fields, table);
        self.in_order(table, &whole, |writer, slot, row, nth| {
            if Some(slot) == value_at {
                return writer.cell_value(wire, row, &whole, contents, raw, depth);
            }
            writer.cell_child(wire, &whole, slot, row, nth, depth)
        })
    }

    fn cell_child(
        &mut self,
        wire: &[u8],
        index: &Index<'_>,
        slot: usize,
        row: &'static Row,
        nth: usize,
        depth: u32,
    ) -> Result<()> {
        let fields = index.slot(slot);
        if !row.repeated && fields.len() > 1 {
            return self.merged_child(wire, row, fields.iter().map(|(_, field)| field), depth);
        }
        match fields.get(nth) {
            Some((_, field)) => self.child(wire, row, field, depth),
            None => Ok(()),
        }
    }

    fn merged_child<'f>(
        &mut self,
        wire: &[u8],
        row: &'static Row,
        pieces: impl Iterator<Item = &'f Field>,
        depth: u32,
    ) -> Result<()> {
        let mut merged = Vec::new();
        for piece in pieces {
            piece.expect(WireType::Bytes)?;
            merged.extend_from_slice(piece.bytes(wire));
        }
        let number = u32::from(row.field);
        let whole = Field { number, wire_type: WireType::Bytes, value: 0, start: 0, end: merged.len() as u64 };
        self.child(&merged, row, &whole, depth)
    }

    /// The text of `v` where it is not what the value gives: it must mean the same.
    fn raw_value<'w>(&self, index: &Index<'_>, contents: &Contents<'w>) -> Option<&'w [u8]> {
        let raw = contents.number_text.raw?;
        let same = match contents.value {
            Some((CellType::Number, field)) => numbers::parse_double(raw).map(f64::to_bits) == Some(field.value),
            Some((CellType::SharedString, field)) => numbers::parse_u32(raw).map(|(index, _)| index) == Some(field.value as u32),
            Some(_) => false,
            None => {
                let kept = index.extras.attributes_of(0).find(|attribute| attribute.name == b"t");
                match kept.map_or(Some(CellType::Number), |kept| CellType::parse(kept.value)) {
                    Some(CellType::Number) => numbers::parse_double(raw).is_none(),
                    Some(CellType::SharedString) => numbers::parse_u32(raw).is_none(),
                    Some(CellType::Boolean) => !matches!(raw, b"0" | b"1"),
                    _ => true,
                }
            }
        };
        same.then_some(raw)
    }

    fn cell_value(
        &mut self,
        wire: &[u8],
        row: &'static Row,
        index: &Index<'_>,
        contents: &Contents<'_>,
        raw: Option<&[u8]>,
        depth: u32,
    ) -> Result<()> {
        if let Some((CellType::InlineString, field)) = contents.value {
            return match contents.rich.len() {
                0 | 1 => self.child(wire, row, &field, depth),
                _ => self.merged_child(wire, row, contents.rich.iter(), depth),
            };
        }
        let kind = contents.value.map_or_else(|| kept_type(index), |(kind, _)| kind);
        // `v` is in the cell's own namespace, as rich text is.
        let prefix = self.child_prefix(row);
        self.settle();
        self.out.push(b'<');
        self.out.extend_from_slice(&prefix);
        self.out.push(b'v');
        self.open = true;
        let scope = self.scope.mark();
        for attribute in index.extras.attributes_of(kind.field()) {
            self.extra_attribute(attribute)?;
        }
        self.settle();
        match (raw, contents.value) {
            (Some(raw), _) => self.escaped(raw, false)?,
            (None, Some((kind, field))) => self.cell_text(wire, kind, &field, contents.number_text.form)?,
            (None, None) => {}
        }
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(&prefix);
        self.out.extend_from_slice(b"v>");
        self.leave(scope);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn cell_text(&mut self, wire: &[u8], kind: CellType, field: &Field, form: u64) -> Result<()> {
        match kind {
            CellType::Number => match form {
                0 => self.number(f64::from_bits(field.value)),
                form if form == u64::from(NUMBER_EXCEL) => numbers::write_excel(f64::from_bits(field.value), &mut self.out),
                _ => numbers::write_shortest(f64::from_bits(field.value), &mut self.out),
            },
            CellType::SharedString => numbers::write_u64(u64::from(field.value as u32), &mut self.out),
            CellType::Boolean => self.out.push(if field.value != 0 { b'1' } else { b'0' }),
            _ => escapes::escape_piece(wire, field.start as usize, field.end as usize, Place::Text, &mut self.out)?,
        }
        Ok(())
    }
}

/// Whether a second value, kept after a field, came with a value of another kind than the cell has now. Such a cell was
/// edited, and the old value goes with all that said it: readers keep a value before the typed one only where that is
/// rich text, and one behind it under its kind.
fn is_of_another_value(after: u32, kind: CellType) -> bool {
    match CellType::of_field(after) {
        Some(before) => before != kind,
        None => matches!(after, 0 | fields::sheet::cell::FORMULA) && kind != CellType::InlineString,
    }
}

/// Whether raw XML is a cell's `v` without elements in it, or its `is`.
fn is_value(xml: &[u8], prefix: &[u8]) -> bool {
    let tag = xml.split(|&byte| byte == b'>').next().unwrap_or_default();
    let name = tag.strip_prefix(b"<").and_then(|tag| tag.strip_prefix(prefix)).unwrap_or_default();
    match name.split(|&byte| is_space(byte) || byte == b'/').next() {
        Some(b"v") => memchr::memchr_iter(b'<', xml).count() <= 2 && memchr::memmem::find(tag, b"xmlns").is_none(),
        Some(b"is") => memchr::memmem::find(tag, b"xmlns").is_none(),
        _ => false,
    }
}

fn kept_type(index: &Index<'_>) -> CellType {
    let kept = index.extras.attributes_of(0).find(|attribute| attribute.name == b"t");
    kept.and_then(|kept| CellType::parse(kept.value)).unwrap_or(CellType::Number)
}

fn number_text<'w>(wire: &'w [u8], text: &mut NumberText<'w>) -> Result<()> {
    for field in Fields::new(wire) {
        let field = field?;
        match field.number {
            fields::sheet::number_text::FORM => *text = NumberText { form: field.value, raw: None },
            fields::sheet::number_text::RAW => *text = NumberText { form: 0, raw: Some(field.bytes(wire)) },
            _ => return Err(invalid("an unknown field in a number's text")),
        }
    }
    Ok(())
}
