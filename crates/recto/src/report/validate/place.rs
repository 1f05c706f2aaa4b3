//! Where a check is, and what it says there.

use std::fmt::Write;

use recto_schema::tables::{Row, RowKind, VALUE_ATTRIBUTES, namespace};

use super::finding::{Finding, FindingCode, Findings};
use super::markup::COMPATIBILITY;

/// A step from an element to a child.
#[derive(Clone, Copy)]
struct Step {
    row: &'static Row,
    /// Which of several, from 1; 0 for a child that stands once.
    nth: u32,
}

/// A place in a part.
pub(super) struct Place<'f> {
    /// Name of the part.
    pub part: &'f str,
    steps: Vec<Step>,
    findings: &'f mut Findings,
}

impl<'f> Place<'f> {
    /// Before the root of a part.
    pub(super) fn new(part: &'f str, findings: &'f mut Findings) -> Self {
        Place { part, steps: Vec::new(), findings }
    }

    pub(super) fn enter(&mut self, row: &'static Row, nth: u32) {
        self.steps.push(Step { row, nth });
    }

    pub(super) fn leave(&mut self) {
        self.steps.pop();
    }

    /// Whether the current element is not the root of its part.
    pub(super) fn is_within_root(&self) -> bool {
        self.steps.len() > 1
    }

    /// Whether the current element is within an `mc:Fallback`: what stands there repeats what stands in a choice.
    pub(super) fn is_fallback(&self) -> bool {
        self.steps.iter().any(|step| step.row.local() == b"Fallback" && is_compatibility(step.row))
    }

    /// The path of the current element.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            path.push('/');
            path += &element_name(step.row);
            if step.nth > 0 {
                let _ = write!(path, "[{}]", step.nth);
            }
        }
        path
    }

    /// The current element is not valid.
    pub(super) fn report(&mut self, code: FindingCode, message: impl Into<String>) {
        self.report_at(self.path(), code, message);
    }

    /// Something at a path is not valid.
    pub(super) fn report_at(&mut self, path: String, code: FindingCode, message: impl Into<String>) {
        self.findings.push(Finding { code, part: self.part.to_owned(), path, message: message.into() });
    }

    /// What a row stands for is not valid: an attribute of the current element, a child, or the value of a child.
    pub(super) fn report_row(&mut self, row: &Row, code: FindingCode, message: impl Into<String>) {
        let path = self.path() + &path_of(row);
        self.report_at(path, code, message);
    }

    /// The value of a field of the current element is not valid.
    pub(super) fn report_field(&mut self, field: u32, code: FindingCode, message: impl Into<String>) {
        let row = self.steps.last().and_then(|step| recto_schema::tables::message(step.row.target).field(field));
        match row {
            Some((_, row)) => self.report_row(row, code, message),
            None => self.report(code, message),
        }
    }
}

/// Whether a row's name is one of markup compatibility (ECMA-376 part 3).
pub(super) fn is_compatibility(row: &Row) -> bool {
    row.namespace().uri.as_bytes() == COMPATIBILITY
}

/// The usual name of a row's element or attribute.
pub(super) fn element_name(row: &Row) -> String {
    qualified(row.namespace().binding, row.local())
}

/// The usual name of a flattened child's attribute.
pub(super) fn value_name(row: &Row) -> String {
    match VALUE_ATTRIBUTES.get(usize::from(row.aux)) {
        Some(attribute) => qualified(namespace(attribute.namespace).binding, attribute.local()),
        None => String::new(),
    }
}

fn qualified(prefix: &str, local: &[u8]) -> String {
    let local = String::from_utf8_lossy(local);
    if prefix.is_empty() { local.into_owned() } else { format!("{prefix}:{local}") }
}

/// The steps from an element to the value of a row.
fn path_of(row: &Row) -> String {
    match row.kind {
        RowKind::Attribute => format!("/@{}", element_name(row)),
        RowKind::ChildValue => format!("/{}/@{}", element_name(row), value_name(row)),
        RowKind::Text | RowKind::List | RowKind::Other => String::new(),
        RowKind::Child | RowKind::Raw | RowKind::ChildText => format!("/{}", element_name(row)),
    }
}
