//! Packages that code made from nothing are valid, and come back as they were made.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../examples/build/chart.rs"]
mod chart;
#[path = "../examples/build/properties.rs"]
mod properties;
#[path = "../examples/build/report.rs"]
mod report;
#[path = "../examples/build/workbook.rs"]
mod workbook;

use recto::part::Content;
use recto::report::{inspect, validate, validate_bin};
use recto::{Limits, Package, Part, Relationship, RelationshipsPart};

fn built() -> [(&'static str, Package); 4] {
    [
        ("report.docx", report::report().unwrap()),
        ("workbook.xlsx", workbook::workbook().unwrap()),
        ("minimal.docx", Package::new_document()),
        ("minimal.xlsx", Package::new_workbook()),
    ]
}

fn links(relationships: &Option<Box<RelationshipsPart>>) -> &[Relationship] {
    relationships.as_ref().and_then(|part| part.list.as_ref()).map_or(&[], |list| &list.relationships)
}

/// What a part says, without how its XML is written.
fn said(part: &Part) -> (&str, Option<&str>, &[Relationship], Option<&Content>) {
    (&part.name, part.content_type.as_deref(), links(&part.relationships), part.content.as_ref())
}

#[test]
fn they_are_valid() {
    for (name, package) in built() {
        let file = package.to_vec().unwrap();
        let lines = |findings: recto::report::Findings| findings.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(lines(validate(&file[..], &Limits::default()).unwrap()), [""; 0], "{name}");
        let bin = package.to_bin();
        assert_eq!(lines(validate_bin(std::io::Cursor::new(&bin)).unwrap()), [""; 0], "{name} as .bin");
    }
}

#[test]
fn they_come_back_as_they_were_made() {
    for (name, package) in built() {
        let file = package.to_vec().unwrap();
        let read = Package::read(std::io::Cursor::new(&file)).unwrap();
        assert_eq!(links(&read.relationships), links(&package.relationships), "{name}");
        assert_eq!(read.parts.len(), package.parts.len(), "{name}");
        for part in &package.parts {
            let again = read.part(&part.name).unwrap();
            assert_eq!(said(again), said(part), "{name}: {}", part.name);
        }
        assert_eq!(read.to_vec().unwrap(), file, "{name}");
    }
}

/// All that they say has a field, and is written in the form that needs no note of how it is written.
#[test]
fn they_need_no_extras() {
    for (name, package) in built() {
        let file = package.to_vec().unwrap();
        let inspection = inspect(&file[..], &Limits::default()).unwrap();
        assert_eq!(inspection.extras(), 0, "{name}");
        assert!(inspection.diagnostics.is_empty(), "{name}: {:?}", inspection.diagnostics);
        let read = Package::read(std::io::Cursor::new(&file)).unwrap();
        for part in &read.parts {
            assert!(part.layout.is_none() && part.epilog.is_none(), "{name}: {}", part.name);
            assert_eq!(matches!(part.content, Some(Content::Data(_))), part.name.ends_with(".png"), "{name}: {}", part.name);
        }
    }
}
