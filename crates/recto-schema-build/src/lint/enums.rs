//! Rules for enums.

use std::collections::BTreeMap;

use super::{LONGEST_TEXT, MOST_VALUES, Report, Violation};
use crate::options::{Enum, Schema};

pub(super) fn check(schema: &Schema, violations: &mut Vec<Violation>) {
    for declared in &schema.enums {
        let mut report = Report { file: &schema.files[declared.file].name, violations };
        check_declaration(declared, &mut report);
        check_values(declared, &mut report);
    }
}

fn check_declaration(declared: &Enum, report: &mut Report<'_>) {
    let name = declared.short_name();
    if !declared.documented {
        report.add(declared.line, name, "has no comment");
    }
    if declared.values.len() > MOST_VALUES + 1 {
        report.add(declared.line, name, format!("has more than {MOST_VALUES} values; make it a string"));
    }
    let zero = declared.values.first();
    if zero.is_none_or(|zero| zero.number != 0 || declared.stripped(zero) != Some("UNSPECIFIED")) {
        report.add(declared.line, name, "the first value must be the enum's name in capitals, _UNSPECIFIED, = 0");
    }
}

fn check_values(declared: &Enum, report: &mut Report<'_>) {
    let mut texts: BTreeMap<String, &str> = BTreeMap::new();
    for (index, value) in declared.values.iter().enumerate().skip(1) {
        let subject = || format!("{}.{}", declared.short_name(), value.name);
        if value.number != index as i32 {
            report.add(value.line, subject(), format!("must have the number {index}: values count from 1 without gaps"));
        }
        if declared.stripped(value).is_none() {
            report.add(value.line, subject(), "must begin with the enum's name in capitals");
        }
        let Some(text) = declared.text(value) else { continue };
        if text.len() > LONGEST_TEXT {
            report.add(value.line, subject(), format!("the text has more than {LONGEST_TEXT} bytes"));
        }
        if let Some(other) = texts.insert(text.clone(), &value.name) {
            report.add(value.line, subject(), format!("the text \"{text}\" is already that of {other}"));
        }
    }
}
