//! A part that is inflated in a thread of its own gives the same bytes and the same errors.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fmt::Write;
use std::io::Cursor;

use recto::opc::zip::{Method, ZipWriter};
use recto::{Limits, ParseOptions, parse_to_vec_with, parse_with};

const TYPES: &str = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>\
    <Default Extension='rels' ContentType='application/vnd.openxmlformats-package.relationships+xml'/>\
    <Default Extension='xml' ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml'/>\
    <Override PartName='/xl/workbook.xml' \
    ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/></Types>";
const RELATIONSHIPS: &str = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\
    <Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
    Target='xl/workbook.xml'/></Relationships>";
const WORKBOOK: &str = "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'/>";

/// Rows of numbers that hardly compress: more than half a megabyte when deflated.
fn rows() -> String {
    let (mut rows, mut number) = (String::new(), 1u64);
    for row in 1..=8_000 {
        write!(rows, "<row r=\"{row}\">").unwrap();
        for column in "ABCDEFGH".chars() {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(rows, "<c r=\"{column}{row}\"><v>0.{}</v></c>", number >> 20).unwrap();
        }
        rows += "</row>";
    }
    rows
}

fn sheet(rows: &str) -> String {
    let namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    format!("<worksheet xmlns=\"{namespace}\"><sheetData>{rows}</sheetData></worksheet>")
}

fn package(sheet: &str) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let parts =
        [("[Content_Types].xml", TYPES), ("_rels/.rels", RELATIONSHIPS), ("xl/workbook.xml", WORKBOOK), ("xl/sheet.xml", sheet)];
    for (name, text) in parts {
        writer.write_entry(name, Method::Deflated(1), text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The `.bin`, or the error, with a number of threads.
fn parse(package: &[u8], limits: &Limits, threads: usize) -> Result<Vec<u8>, String> {
    let options = ParseOptions::default().with_limits(limits.clone()).with_threads(threads);
    let mut stream = Cursor::new(Vec::new());
    let streamed = parse_with(package, &mut stream, &options).map(|_| stream.into_inner()).map_err(|error| error.to_string());
    let in_memory = parse_to_vec_with(package, &options).map(|(bin, _)| bin).map_err(|error| error.to_string());
    assert!(streamed == in_memory, "{threads} threads");
    in_memory
}

/// What both ways give.
fn same(package: &[u8], limits: &Limits) -> Result<Vec<u8>, String> {
    let alone = parse(package, limits, 1);
    for threads in [0, 2, 3] {
        let together = parse(package, limits, threads);
        assert_eq!(together.as_ref().err(), alone.as_ref().err(), "{threads} threads");
        assert!(together == alone, "{threads} threads");
    }
    alone
}

#[test]
fn the_same_bytes() {
    let package = package(&sheet(&rows()));
    assert!(package.len() > 512 << 10);
    assert!(same(&package, &Limits::default()).unwrap().len() > 500_000);
}

#[test]
fn the_same_errors() {
    let rows = rows();
    let limits = Limits::default();
    let malformed = same(&package(&sheet(&format!("{rows}<row></c>"))), &limits).unwrap_err();
    assert!(malformed.contains("end tag"), "{malformed}");
    let long = same(&package(&sheet(&rows)), &limits.clone().with_max_entry_size(1 << 20)).unwrap_err();
    assert!(long.contains("max_entry_size"), "{long}");
    let mut damaged = package(&sheet(&rows));
    let directory = damaged.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    damaged[directory + 16] ^= 1;
    let damaged = same(&damaged, &limits).unwrap_err();
    assert!(damaged.contains("crc-32"), "{damaged}");
    let mut cut = package(&sheet(&rows));
    let middle = cut.len() / 2;
    cut[middle..middle + 64].fill(0xff);
    same(&cut, &limits).unwrap_err();
}
