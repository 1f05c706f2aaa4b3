//! What the tables say of an element: what must be there, which values, in which order, and nothing else.

use recto_schema::tables::{Child, Codec, Facet, Message, NAMESPACES, Row, RowKind, Scalar, enumeration, namespace_of};
use recto_schema::{fields, messages};

use crate::error::Result;
use crate::transcode::cells::CellType;

use super::element::{Element, ExtraAttribute, Slots};
use super::finding::FindingCode;
use super::markup::{COMPATIBILITY, Raw, local_of, prefix_of};
use super::place::{element_name, is_compatibility, value_name};
use super::traits::{Traits, is_vml, is_vml_table, names_prefixes};
use super::walk::{Seen, Walk};

/// How many of an enumeration's values a message names.
const MOST_NAMED: usize = 12;

impl Walk<'_, '_> {
    /// Checks an element by itself.
    pub(super) fn check(&mut self, element: Element<'_>, table: &'static Message, seen: &Seen<'_>) -> Result<()> {
        let traits = Traits::of(element.message);
        if traits.compatibility {
            self.check_ignorable(element, table, seen);
        }
        if traits.vml {
            return Ok(());
        }
        let mut present = seen.slots;
        for raw in &seen.extras.placed {
            self.check_unknown(table, Some(&mut present), raw)?;
        }
        for (slot, _) in seen.extras.lexical.iter().filter_map(|(field, _)| table.field(*field)) {
            present.insert(slot);
        }
        if traits.facets {
            self.check_facets(element, table, present, seen)?;
        }
        for (field, text) in &seen.extras.lexical {
            if let Some((_, row)) = table.field(*field).filter(|(slot, _)| !seen.slots.has(*slot)) {
                self.check_lexical(element.message, row, *text);
            }
        }
        if element.message == messages::sheet::CELL {
            self.check_cell(element, seen);
        }
        for attribute in &seen.extras.attributes {
            self.check_attribute(element.message, table, attribute);
        }
        if !table.unordered {
            self.check_order(table, &seen.extras.order);
        }
        Ok(())
    }

    /// What is required is there, and numbers are in their range.
    fn check_facets(&mut self, element: Element<'_>, table: &'static Message, present: Slots, seen: &Seen<'_>) -> Result<()> {
        for (slot, row) in table.rows().iter().enumerate().filter(|(_, row)| row.facet != 0) {
            let facet = row.facet();
            if facet.required && !present.has(slot) {
                self.check_missing(table, row, seen)?;
            }
            if facet.minimum.is_some() || facet.maximum.is_some() {
                self.check_range(element, row, facet);
            }
        }
        Ok(())
    }

    /// A required attribute or child is absent. The child may stand in an `mc:AlternateContent` beside the others.
    fn check_missing(&mut self, table: &'static Message, row: &'static Row, seen: &Seen<'_>) -> Result<()> {
        if row.kind != RowKind::Attribute && self.has_alternatives(table, seen)? {
            return Ok(());
        }
        let (code, what) = match row.kind {
            RowKind::Attribute => (FindingCode::MissingAttribute, "the attribute is required"),
            _ if row.repeated => (FindingCode::MissingElement, "at least one such element is required"),
            _ => (FindingCode::MissingElement, "the element is required"),
        };
        self.place.report_row(row, code, what);
        Ok(())
    }

    fn has_alternatives(&self, table: &'static Message, seen: &Seen<'_>) -> Result<bool> {
        let typed = table.rows().iter().enumerate();
        let mut typed = typed.filter(|(_, row)| row.kind == RowKind::Child && is_compatibility(row));
        let mut has = typed.any(|(slot, _)| seen.slots.has(slot));
        for raw in &seen.extras.placed {
            has |= matches!(Raw::of(raw, &self.scope)?, Raw::Element(_, Some(uri)) if uri == COMPATIBILITY);
        }
        Ok(has)
    }

    fn check_range(&mut self, element: Element<'_>, row: &'static Row, facet: Facet) {
        let Some(number) = element.number(row.field.into()) else { return };
        if facet.minimum.is_some_and(|least| number < least) || facet.maximum.is_some_and(|most| number > most) {
            self.place.report_row(row, FindingCode::OutOfRange, format!("{number} is not {}", expected_number(facet)));
        }
    }

    /// A value that is written but has no typed value.
    fn check_lexical(&mut self, message: u16, row: &'static Row, text: Option<&[u8]>) {
        if message == messages::sheet::CELL && CellType::of_field(row.field.into()).is_some() {
            return;
        }
        let facet = row.facet();
        match text {
            None if row.scalar == Scalar::Bool || facet.bare => {}
            None => {
                let message = format!("the attribute {} is required", value_name(row));
                self.place.report_row(row, FindingCode::MissingAttribute, message);
            }
            Some(text) if row.scalar != Scalar::Enum && is_measure(text) => {}
            Some(text) => {
                let message = format!("\"{}\" is not {}", String::from_utf8_lossy(text), expected(row, facet));
                self.place.report_row(row, FindingCode::InvalidValue, message);
            }
        }
    }

    /// A value that does not fit the type of its cell.
    fn check_cell(&mut self, cell: Element<'_>, seen: &Seen<'_>) {
        let has_value = cell.fields().map_while(Result::ok).any(|field| CellType::of_field(field.number).is_some());
        let raw = cell.unbound(fields::sheet::cell::NUMBER_TEXT, messages::sheet::NUMBER_TEXT);
        let raw = raw.and_then(|text| text.text(fields::sheet::number_text::RAW));
        if let Some(text) = raw.filter(|text| !has_value && !text.is_empty()) {
            let kind = seen.extras.attributes.iter().find(|attribute| attribute.field == 0 && attribute.name == b"t");
            let kind = kind.and_then(|attribute| CellType::parse(attribute.value));
            if kind == Some(CellType::Boolean) && matches!(text, "true" | "false") {
                // Excel reads these words, too.
                return;
            }
            let expected = match kind {
                Some(CellType::SharedString) => "the index of a shared string",
                Some(CellType::Boolean) => "0 or 1",
                Some(CellType::InlineString) => "allowed: a text in the cell stands in an element of its own",
                _ => "a number",
            };
            self.place.report(FindingCode::InvalidValue, format!("\"{text}\" is not {expected}"));
        }
    }

    fn check_attribute(&mut self, message: u16, table: &'static Message, attribute: &ExtraAttribute<'_>) {
        let (prefix, local) = (prefix_of(attribute.name), local_of(attribute.name));
        let is_type = message == messages::sheet::CELL && attribute.field == 0 && attribute.name == b"t";
        if is_type && CellType::parse(attribute.value).is_some() {
            return;
        }
        if !prefix.is_empty() {
            let Some(uri) = attribute.namespace.or_else(|| self.scope.find(prefix)) else { return };
            if uri == COMPATIBILITY {
                let value = attribute.value.to_vec();
                return self.check_compatibility(local, &value);
            }
            if prefix == b"xml" || self.scope.is_ignorable(uri) || is_vml(uri) {
                return;
            }
        }
        if table.open {
            return;
        }
        let name = String::from_utf8_lossy(attribute.name);
        let on = table.field(attribute.field).map(|(_, row)| format!("/{}", element_name(row))).unwrap_or_default();
        let path = format!("{}{on}/@{name}", self.place.path());
        if is_type {
            let value = String::from_utf8_lossy(attribute.value);
            self.place.report_at(path, FindingCode::InvalidValue, format!("\"{value}\" is not a type of cells"));
        } else {
            self.place.report_at(path, FindingCode::UnexpectedAttribute, "the element has no such attribute");
        }
    }

    /// The `mc:Ignorable` of an element, where it is typed.
    fn check_ignorable(&mut self, element: Element<'_>, table: &'static Message, seen: &Seen<'_>) {
        let attributes = table.rows().iter().enumerate().filter(|(slot, row)| names_prefixes(row) && seen.slots.has(*slot));
        for (_, row) in attributes {
            let value = element.text(row.field.into()).unwrap_or_default();
            self.check_compatibility(row.local(), value.as_bytes());
        }
    }

    /// An attribute of markup compatibility, or the `Requires` of a choice: prefixes, or names with prefixes.
    fn check_compatibility(&mut self, local: &[u8], value: &[u8]) {
        for word in value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
            let prefix = word.split(|&byte| byte == b':').next().unwrap_or_default();
            let uri = self.scope.find(prefix).or_else(|| self.implied(prefix)).map(<[u8]>::to_vec);
            match uri {
                Some(uri) if local == b"Ignorable" => self.scope.ignore(&uri),
                Some(_) => {}
                None => {
                    let (local, prefix) = (String::from_utf8_lossy(local), String::from_utf8_lossy(prefix));
                    let message = format!("the prefix \"{prefix}\" in {local} is not declared");
                    self.place.report(FindingCode::UndeclaredPrefix, message);
                }
            }
        }
    }

    /// The namespace of a prefix that the writer declares by itself on an element within a part, so that no declaration is kept.
    fn implied(&self, prefix: &[u8]) -> Option<&'static [u8]> {
        let known = NAMESPACES.iter().find(|namespace| namespace.binding.as_bytes() == prefix)?;
        self.place.is_within_root().then_some(known.uri.as_bytes())
    }

    /// What is kept raw among the children of an element. A child that the table knows is so too where it declares
    /// other namespaces than its own or has what its field cannot say: then it counts among the fields that are `present`.
    pub(super) fn check_unknown(&mut self, table: &'static Message, present: Option<&mut Slots>, wire: &[u8]) -> Result<()> {
        let (name, uri) = match Raw::of(wire, &self.scope)? {
            Raw::Nothing => return Ok(()),
            Raw::Text if table.open || is_vml_table(table) => return Ok(()),
            Raw::Text => {
                self.place.report(FindingCode::UnexpectedText, "only elements may stand here");
                return Ok(());
            }
            Raw::Element(name, uri) => (name, uri.unwrap_or_default().to_vec()),
        };
        if uri == COMPATIBILITY || self.scope.is_ignorable(&uri) || is_vml(&uri) {
            return Ok(());
        }
        let known = namespace_of(&uri).and_then(|(id, _)| table.child(id, local_of(name)));
        let path = format!("{}/{}", self.place.path(), String::from_utf8_lossy(name));
        match known {
            Some(Child::Item(..)) => {}
            Some(Child::Own(slot, row)) => {
                let is_first = present.is_none_or(|slots| slots.insert(slot));
                if !is_first && !row.repeated && !table.unordered {
                    self.place.report_at(path, FindingCode::RepeatedElement, "the element may stand once only");
                }
            }
            None if table.open || is_vml_table(table) => {}
            None if table.codec == Codec::Cell && local_of(name) == b"v" => {}
            None => self.place.report_at(path, FindingCode::UnexpectedElement, "the element may not stand here"),
        }
        Ok(())
    }

    fn check_order(&mut self, table: &'static Message, order: &[u32]) {
        let mut last: Option<(usize, &'static Row)> = None;
        for (slot, row) in order.iter().filter_map(|field| table.field(*field)) {
            if let Some((_, before)) = last.filter(|(before, _)| *before > slot) {
                let message = format!("the element must stand before {}", shown(before));
                self.place.report_row(row, FindingCode::WrongOrder, message);
                return;
            }
            last = Some((slot, row));
        }
    }
}

/// How a row is called in a message.
fn shown(row: &Row) -> String {
    if row.kind == RowKind::List { "the content".to_owned() } else { element_name(row) }
}

/// A length with its unit, or a share in percent: strings that stand for numbers.
fn is_measure(text: &[u8]) -> bool {
    const UNITS: [&[u8]; 7] = [b"mm", b"cm", b"in", b"pt", b"pc", b"pi", b"%"];
    UNITS.iter().any(|unit| text.strip_suffix(*unit).is_some_and(is_decimal))
}

fn is_decimal(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    !digits.is_empty() && digits.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.')
}

/// What a value should be.
fn expected(row: &Row, facet: Facet) -> String {
    match row.scalar {
        Scalar::Enum => expected_text(row),
        Scalar::Bool => "true or false, 1 or 0".to_owned(),
        Scalar::Double => "a number".to_owned(),
        Scalar::String => "a text".to_owned(),
        _ => expected_number(facet),
    }
}

fn expected_text(row: &Row) -> String {
    let Some(values) = enumeration(row.target) else { return "valid".to_owned() };
    let texts = (1..=u64::from(values.count)).filter_map(|number| values.text(number)).map(String::from_utf8_lossy);
    let named: Vec<_> = texts.take(MOST_NAMED).collect();
    let rest = if usize::from(values.count) > MOST_NAMED { ", …" } else { "" };
    format!("one of {}{rest}", named.join(", "))
}

fn expected_number(facet: Facet) -> String {
    match (facet.minimum, facet.maximum) {
        (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
        (Some(least), None) => format!("a whole number of at least {least}"),
        (None, Some(most)) => format!("a whole number of at most {most}"),
        (None, None) => "a whole number".to_owned(),
    }
}
