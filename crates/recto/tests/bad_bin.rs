//! What is not a `.bin`, or not one that makes a package: its own error, and never a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Cursor;

use recto::error::PackageError;
use recto::{Error, ErrorFamily, ErrorKind, Limits, WriteOptions};
use recto_testing::{Rng, fixtures};

fn write(bin: &[u8]) -> Result<Vec<u8>, Error> {
    // What is no package is none to a check either.
    let checked = recto::report::validate_bin(Cursor::new(bin));
    assert!(checked.is_ok() || checked.is_err_and(|error| error.family() == ErrorFamily::Package));
    let written = recto::write_bin(bin, Vec::new(), &WriteOptions::default().with_level(0));
    let streamed = recto::write(Cursor::new(bin), Vec::new(), &WriteOptions::default().with_level(0));
    assert_eq!(written.is_ok(), streamed.is_ok());
    written
}

fn bin_of(path: &str) -> Vec<u8> {
    let fixture = fixtures::good().into_iter().find(|fixture| fixture.path == path).unwrap();
    recto::parse_to_vec(fixture.bytes, &Limits::default()).unwrap().0
}

fn invalid(bin: &[u8]) -> &'static str {
    match write(bin).expect_err("a package").into_kind() {
        ErrorKind::Package(PackageError::InvalidBin(reason)) => reason,
        other => panic!("{other}"),
    }
}

/// Field `number` with these bytes.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    assert!(number < 16 && content.len() < 128);
    [&[number << 3 | 2, content.len() as u8], content].concat()
}

#[test]
fn cut_anywhere() {
    for path in ["docx/prefixes.docx", "xlsx/odd-cells.xlsx"] {
        let bin = bin_of(path);
        let mut whole = 0;
        for end in 0..bin.len() {
            match write(&bin[..end]) {
                // Between two parts it is a package with fewer of them.
                Ok(_) => whole += 1,
                Err(error) => assert_eq!(error.family(), ErrorFamily::Package, "{path} cut at {end}: {error}"),
            }
        }
        assert!(whole < 4, "{path}: {whole} prefixes were accepted");
    }
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.bits() as u8).collect();
        let error = write(&bytes).expect_err("random bytes are no package");
        assert_eq!(error.family(), ErrorFamily::Package, "{error}");
    }
}

#[test]
fn every_bit_flipped() {
    let bin = bin_of("docx/prefixes.docx");
    for place in 0..bin.len() {
        for bit in 0..8 {
            let mut flipped = bin.clone();
            flipped[place] ^= 1 << bit;
            if let Err(error) = write(&flipped) {
                // Markup: a text with a character that XML cannot hold.
                let expected = matches!(error.family(), ErrorFamily::Package | ErrorFamily::Markup);
                assert!(expected, "bit {bit} of byte {place}: {error}");
            }
        }
    }
}

#[test]
fn documents_instead_of_a_bin() {
    for fixture in fixtures::all() {
        let error = write(&fixture.bytes).expect_err(fixture.path);
        assert_eq!(error.family(), ErrorFamily::Package, "{}: {error}", fixture.path);
    }
}

#[test]
fn newer_versions_are_refused() {
    let mut bin = bin_of("docx/strict.docx");
    assert_eq!(bin[..4], [0x0a, 13, 0x08, 1], "the header comes first, and in it the version");
    bin[3] = 2;
    let error = write(&bin).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Package(PackageError::NewerFormat { version: 2 })), "{error}");
    assert!(recto::Package::from_bin(&bin).is_err());
    bin[3] = 0;
    invalid(&bin);
}

#[test]
fn messages_that_are_no_package() {
    let header = field(1, &[0x08, 1, 0x10, 1]);
    let part = |content: &[u8]| [header.clone(), field(4, content)].concat();
    let name = field(1, b"a.xml");
    let data = field(6, b"x");
    invalid(&[]);
    invalid(&header);
    invalid(&part(&[]));
    invalid(&part(&name));
    invalid(&part(&data));
    // An unknown field, in the package and in a part; a part that is a number; a typed root that is a number.
    invalid(&[part(&[name.clone(), data.clone()].concat()), field(15, b"x")].concat());
    invalid(&part(&[name.clone(), data.clone(), field(15, b"x")].concat()));
    invalid(&[header.clone(), vec![4 << 3, 1]].concat());
    invalid(&part(&[name.clone(), vec![0xa0, 0x01, 1]].concat()));
    // A name that is not UTF-8.
    invalid(&part(&[field(1, b"\xff\xfe"), data.clone()].concat()));
    write(&part(&[name, data].concat())).expect("the least that is a package");
}

/// `content` inside so many messages, each in the second field of the one around it.
fn nested(levels: usize) -> Vec<u8> {
    let mut content = Vec::new();
    for _ in 0..levels {
        content = [vec![0x12], varint(content.len()), content].concat();
    }
    content
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[test]
fn deep_messages_do_not_exhaust_the_stack() {
    // A document's body, its blocks, and in these customXml elements, which contain such elements again.
    let levels = 20_000;
    let mut content: Vec<u8> = Vec::new();
    for _ in 0..levels {
        content = [vec![0x1a], varint(content.len()), content].concat();
        content = [vec![0x12], varint(content.len()), content].concat();
    }
    for document in [content, nested(50_000)] {
        // Field 20 of a part: the document.
        let part = [field(1, b"word/document.xml"), vec![0xa2, 0x01], varint(document.len()), document].concat();
        let bin = [field(1, &[0x08, 1, 0x10, 1]), vec![0x22], varint(part.len()), part].concat();
        assert!(write(&bin).is_err());
    }
}
