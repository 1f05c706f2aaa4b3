//! The files under `fixtures/`: that they are what the code makes, and what is said of each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use recto::error::{Foreign, LegacyFormat, LimitError, MarkupError, PackageError};
use recto::limits::Limit;
use recto::{DiagnosticCode, Error, ErrorKind, Limits};
use recto_testing::gates::Gates;
use recto_testing::{Rng, fixtures};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

#[test]
fn files_are_what_the_code_makes() {
    for fixture in fixtures::all() {
        let kept = std::fs::read(folder().join(fixture.path)).unwrap_or_else(|error| panic!("{}: {error}", fixture.path));
        assert!(kept == fixture.bytes, "{} differs; run make-fixtures", fixture.path);
    }
}

#[test]
fn the_list_names_every_file_and_no_other() {
    let list = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let mut listed: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next()).collect();
    let mut made: Vec<&str> = fixtures::all().iter().map(|fixture| fixture.path).collect();
    listed.sort_unstable();
    made.sort_unstable();
    assert_eq!(listed, made);
}

#[test]
fn good_files_pass_all_gates() {
    let gates = Gates::new();
    for fixture in fixtures::good() {
        for seed in 0..3 {
            let passed = gates.check(&fixture.bytes, &mut Rng::new(seed));
            assert_eq!(passed, Ok(()), "{} seed {seed}", fixture.path);
        }
    }
}

/// What only says which file a `.bin` came from, and in which encoding, differs; nothing else may.
#[test]
fn good_files_come_back_to_the_same_bin() {
    for fixture in fixtures::good() {
        let parsed = |bytes: &[u8]| {
            let (bin, _) = recto::parse_to_vec(bytes, &Limits::default()).unwrap();
            let mut package = recto::Package::from_bin(&bin).unwrap();
            package.header.get_or_insert_default().fingerprint = 0;
            for part in &mut package.parts {
                if let Some(markup) = &mut part.markup {
                    markup.encoding = None;
                }
            }
            (bin, package.to_bin())
        };
        let (bin, before) = parsed(&fixture.bytes);
        let written = recto::write_bin(&bin, Vec::new(), &recto::WriteOptions::default()).unwrap();
        assert!(before == parsed(&written).1, "{}", fixture.path);
    }
}

fn bytes(path: &str) -> Vec<u8> {
    fixtures::all().into_iter().find(|fixture| fixture.path == path).unwrap_or_else(|| panic!("no {path}")).bytes
}

fn refused(path: &str) -> Error {
    recto::parse_to_vec(bytes(path), &Limits::default()).expect_err(path)
}

fn package_error(path: &str) -> PackageError {
    match refused(path).into_kind() {
        ErrorKind::Package(error) => error,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn files_of_other_kinds_are_told_apart() {
    let foreign = |path, kind| assert_eq!(package_error(path), PackageError::NotAZip(kind), "{path}");
    foreign("bad/empty.docx", Foreign::Empty);
    foreign("bad/text.docx", Foreign::Text);
    foreign("bad/rich-text.docx", Foreign::Rtf);
    foreign("bad/page.xlsx", Foreign::Html);
    foreign("bad/flat-opc.docx", Foreign::FlatOpc);
    assert_eq!(package_error("bad/encrypted.docx"), PackageError::Encrypted);
    assert_eq!(package_error("bad/legacy.doc"), PackageError::LegacyBinary(LegacyFormat::Doc));
    assert_eq!(package_error("bad/legacy.xls"), PackageError::LegacyBinary(LegacyFormat::Xls));
    assert_eq!(package_error("bad/binary.xlsb"), PackageError::Xlsb);
    assert_eq!(package_error("bad/slides.pptx"), PackageError::Powerpoint);
    let odt = "application/vnd.oasis.opendocument.text".to_owned();
    assert_eq!(package_error("bad/open-document.odt"), PackageError::OpenDocument(odt));
    assert_eq!(package_error("bad/plain.zip"), PackageError::NoContentTypes);
}

#[test]
fn damaged_packages_say_what_is_damaged() {
    assert_eq!(package_error("bad/truncated.docx"), PackageError::Truncated);
    assert_eq!(package_error("bad/no-main-part.docx"), PackageError::MainPartMissing("word/document.xml".to_owned()));
    assert_eq!(package_error("bad/no-main-relationship.docx"), PackageError::NoMainPart);
    let error = refused("bad/damaged-entry.docx");
    assert_eq!(error.part(), Some("word/document.xml"));
    assert!(matches!(error.kind(), ErrorKind::Package(PackageError::EntryDamaged(_))), "{error}");
}

#[test]
fn malformed_parts_say_where() {
    let place = |path: &str, text: &str| {
        let error = refused(path);
        assert_eq!(error.part(), Some("word/document.xml"), "{path}");
        let main = recto::opc::Archive::open(bytes(path), &Limits::default()).unwrap();
        let main = String::from_utf8(main.zip().read_entry(main.main_entry()).unwrap()).unwrap();
        let expected = main.find(text).unwrap() as u64;
        assert_eq!(error.offset(), Some(expected), "{path}: {error}");
        match error.into_kind() {
            ErrorKind::Markup(error) => error,
            other => panic!("{path}: {other}"),
        }
    };
    assert!(matches!(place("bad/malformed.docx", "</w:r>"), MarkupError::Malformed(_)));
    assert_eq!(place("bad/undeclared-prefix.docx", "<x:p/>"), MarkupError::UndeclaredPrefix("x".to_owned()));
    assert_eq!(place("bad/dtd.docx", "<!DOCTYPE"), MarkupError::Doctype);
    assert!(matches!(place("bad/entity.docx", "&nbsp;"), MarkupError::Malformed(_)));
}

#[test]
fn bombs_meet_limits() {
    let limit = |path: &str, limit| match refused(path).into_kind() {
        ErrorKind::Limit(LimitError { limit: met, .. }) => assert_eq!(met, limit, "{path}"),
        other => panic!("{path}: {other}"),
    };
    limit("bad/depth-bomb.docx", Limit::Depth);
    limit("bad/size-bomb.docx", Limit::Ratio);
}

#[test]
fn what_is_tolerated_is_reported() {
    let codes = |path: &str| {
        let (_, parsed) = recto::parse_to_vec(bytes(path), &Limits::default()).unwrap();
        parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("docx/letter.docx"), []);
    assert_eq!(codes("xlsx/everything.xlsx"), []);
    assert!(codes("xlsx/names.xlsx").contains(&DiagnosticCode::DanglingRelationship));
    assert!(codes("xlsx/names.xlsx").contains(&DiagnosticCode::BackslashInName));
    assert!(codes("xlsx/duplicates.xlsx").contains(&DiagnosticCode::DuplicateEntry));
    assert!(codes("xlsx/malformed-extras.xlsx").contains(&DiagnosticCode::MalformedXml));
    assert_eq!(codes("docx/unknown-root.docx"), [DiagnosticCode::UnknownMarkup]);
    assert!(codes("docx/oddities.docx").contains(&DiagnosticCode::InvalidValue));
    assert!(codes("docx/deep.docx").contains(&DiagnosticCode::DeepNesting));
}
