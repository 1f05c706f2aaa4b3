//! Rules for files: package and namespaces.

use std::collections::BTreeMap;

use super::{Report, Violation};
use crate::options::{Namespace, Schema};

pub(super) fn check(schema: &Schema, violations: &mut Vec<Violation>) {
    let mut prefixes: BTreeMap<&str, (&Namespace, &str)> = BTreeMap::new();
    let mut uris: BTreeMap<&str, (&Namespace, &str)> = BTreeMap::new();
    for file in &schema.files {
        let mut report = Report { file: &file.name, violations };
        if !file.proto3 {
            report.add(1, "syntax", "must be \"proto3\"");
        }
        if file.package != "recto" && !file.package.starts_with("recto.") {
            report.add(1, "package", format!("is \"{}\"; must be \"recto\" or begin with \"recto.\"", file.package));
        }
        for namespace in &file.namespaces {
            check_namespace(namespace, &mut report);
            let (first, at) = uris.entry(&namespace.uri).or_insert((namespace, &file.name));
            if **first != *namespace {
                let text = format!("{} declares {} with another prefix, strict or default ({})", at, namespace.uri, first.prefix);
                report.add(1, subject(namespace), text);
            }
            let (first, at) = prefixes.entry(&namespace.prefix).or_insert((namespace, &file.name));
            if first.uri != namespace.uri {
                report.add(1, subject(namespace), format!("{} declares this prefix for {}", at, first.uri));
            }
        }
    }
}

fn subject(namespace: &Namespace) -> String {
    format!("namespace \"{}\"", namespace.prefix)
}

fn check_namespace(namespace: &Namespace, report: &mut Report<'_>) {
    if namespace.prefix.is_empty() || namespace.uri.is_empty() {
        report.add(1, subject(namespace), "has no prefix or no uri");
    }
    if namespace.prefix == "xml" || namespace.prefix == "xmlns" {
        report.add(1, subject(namespace), "is reserved; \"xml\" needs no declaration");
    }
    if namespace.strict == namespace.uri {
        report.add(1, subject(namespace), "strict repeats uri; leave it out");
    }
}
