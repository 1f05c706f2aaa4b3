//! Rows and blocks one after the other are those of the whole model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use recto::error::ErrorFamily;
use recto::opc::Archive;
use recto::{Limits, Package, PackageWriter, Result, WriteOptions, sheet, word};

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(kind);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn sheet_names(package: &Package) -> Vec<String> {
    let sheets = package.workbook().and_then(|book| book.sheets.as_ref());
    sheets.into_iter().flat_map(|sheets| &sheets.sheets).filter_map(|sheet| sheet.name.clone()).collect()
}

/// A number that is none does not equal itself, but its bytes do.
fn bytes(rows: &[sheet::Row]) -> Vec<Vec<u8>> {
    rows.iter().map(sheet::Row::encode_bin).collect()
}

#[test]
fn rows_are_those_of_the_model() {
    let limits = Limits::default();
    let mut compared = 0;
    for path in fixtures("xlsx") {
        let file = std::fs::read(&path).unwrap();
        let package = Package::read(Cursor::new(&file)).unwrap();
        let archive = Archive::open(file.as_slice(), &limits).unwrap();
        for name in sheet_names(&package) {
            let Some(sheet) = package.worksheet(&name) else { continue };
            let expected = sheet.data.as_ref().map_or(&[][..], |data| &data.rows);
            let streamed: Vec<sheet::Row> = recto::rows(&archive, &name, &limits).unwrap().collect::<Result<_>>().unwrap();
            assert!(bytes(&streamed) == bytes(expected), "{} {name}", path.display());
            let mut bin = Cursor::new(package.to_bin());
            let streamed: Vec<sheet::Row> = recto::rows_of_bin(&mut bin, &name).unwrap().collect::<Result<_>>().unwrap();
            assert!(bytes(&streamed) == bytes(expected), "{} {name}, .bin", path.display());
            compared += expected.len();
        }
    }
    assert!(compared > 1000, "{compared} rows");
}

#[test]
fn blocks_are_those_of_the_model() {
    let limits = Limits::default();
    let mut compared = 0;
    for path in fixtures("docx") {
        let file = std::fs::read(&path).unwrap();
        let package = Package::read(Cursor::new(&file)).unwrap();
        let Some(document) = package.document() else { continue };
        let expected = document.body.as_ref().map_or(&[][..], |body| &body.content);
        let archive = Archive::open(file.as_slice(), &limits).unwrap();
        let streamed: Vec<word::Block> = recto::blocks(&archive, &limits).unwrap().collect::<Result<_>>().unwrap();
        assert!(streamed == expected, "{}", path.display());
        let mut bin = Cursor::new(package.to_bin());
        let streamed: Vec<word::Block> = recto::blocks_of_bin(&mut bin).unwrap().collect::<Result<_>>().unwrap();
        assert!(streamed == expected, "{}, .bin", path.display());
        compared += expected.len();
    }
    assert!(compared > 1000, "{compared} blocks");
}

fn row(index: u32) -> sheet::Row {
    let cell = |column: u32| sheet::Cell {
        column: Some(column),
        value: Some(sheet::cell::Value::Number(f64::from(index) + f64::from(column) / 4.0)),
        ..Default::default()
    };
    sheet::Row { index: Some(index), cells: (1..=10).map(cell).collect(), ..Default::default() }
}

fn long_workbook() -> Vec<u8> {
    let rows = (1..=20_000).map(|index| Ok(row(index)));
    let writer = PackageWriter::new(Package::new_workbook()).rows("Sheet1", rows).unwrap();
    writer.write(Vec::new(), &WriteOptions::default()).unwrap()
}

#[test]
fn written_rows_are_the_same_as_those_of_a_whole_model() {
    let mut package = Package::new_workbook();
    package.worksheet_mut("Sheet1").unwrap().data.get_or_insert_default().rows = (1..=20_000).map(row).collect();
    assert!(package.to_vec().unwrap() == long_workbook());
}

#[test]
fn written_blocks_come_before_the_last_section() {
    let paragraph = |text: &str| {
        let text =
            word::RunItem { item: Some(word::run_item::Item::Text(word::Text { value: text.to_owned(), ..Default::default() })) };
        let run = word::Run { content: vec![text], ..Default::default() };
        let inline = word::Inline { item: Some(word::inline::Item::Run(run.into())) };
        let paragraph = word::Paragraph { content: vec![inline], ..Default::default() };
        word::Block { item: Some(word::block::Item::Paragraph(paragraph.into())) }
    };
    let mut package = Package::new_document();
    package.document_mut().unwrap().body.get_or_insert_default().section = Some(word::SectionProperties::default().into());
    let writer = PackageWriter::new(package.clone()).blocks(["a", "b"].map(|text| Ok(paragraph(text)))).unwrap();
    let written = Package::read(Cursor::new(writer.write(Vec::new(), &WriteOptions::default()).unwrap())).unwrap();
    let body = package.document_mut().unwrap().body.get_or_insert_default();
    body.content.extend(["a", "b"].map(paragraph));
    assert_eq!(written.document(), package.document());
}

/// Counts what is read from the compressed file.
struct Counting<'f>(&'f [u8], std::sync::atomic::AtomicU64);

impl recto::opc::zip::ReadAt for Counting<'_> {
    fn size(&self) -> std::io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.get(offset as usize..).unwrap_or_default().read(buffer)?;
        self.1.fetch_add(count as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(count)
    }
}

#[test]
fn what_follows_the_wanted_row_is_not_read() {
    let file = long_workbook();
    let limits = Limits::default();
    let source = Counting(&file, 0.into());
    let archive = Archive::open(&source, &limits).unwrap();
    let third = recto::rows(&archive, "Sheet1", &limits).unwrap().nth(2).unwrap().unwrap();
    assert_eq!(third, row(3));
    let read = source.1.load(std::sync::atomic::Ordering::Relaxed);
    assert!(read < file.len() as u64 / 2, "{read} of {} bytes", file.len());
}

#[test]
fn there_are_no_rows_where_there_is_no_such_sheet() {
    let limits = Limits::default();
    let book = Package::new_workbook().to_vec().unwrap();
    let archive = Archive::open(book.as_slice(), &limits).unwrap();
    assert_eq!(recto::rows(&archive, "Sheet2", &limits).err().unwrap().family(), ErrorFamily::Usage);
    assert_eq!(recto::blocks(&archive, &limits).err().unwrap().family(), ErrorFamily::Usage);
    let mut bin = Cursor::new(Package::new_document().to_bin());
    assert_eq!(recto::rows_of_bin(&mut bin, "Sheet1").err().unwrap().family(), ErrorFamily::Usage);
    assert!(PackageWriter::new(Package::new_document()).rows("Sheet1", []).is_err());
    let twice = PackageWriter::new(Package::new_workbook()).rows("Sheet1", []).unwrap().rows("Sheet1", []);
    assert!(twice.is_err());
}

#[test]
fn an_error_among_the_rows_ends_the_writing() {
    let rows = [Ok(row(1)), Err(std::io::Error::other("no more").into())];
    let writer = PackageWriter::new(Package::new_workbook()).rows("Sheet1", rows).unwrap();
    assert_eq!(writer.write(Vec::new(), &WriteOptions::default()).unwrap_err().family(), ErrorFamily::Io);
}

#[test]
fn malformed_rows_are_an_error_at_their_place() {
    let mut book = Package::new_workbook();
    let data = book.worksheet_mut("Sheet1").unwrap().data.get_or_insert_default();
    data.rows = (1..=3).map(row).collect();
    let limits = Limits::default();
    let file = book.to_vec().unwrap();
    let archive = Archive::open(file.as_slice(), &limits).unwrap();
    let entry = archive.find("xl/worksheets/sheet1.xml").unwrap();
    let xml = String::from_utf8(archive.zip().read_entry(entry).unwrap()).unwrap();
    let entries: Vec<_> = (0..archive.zip().entries().len())
        .map(|index| {
            let name = archive.zip().entry(index).unwrap().name.clone();
            let broken = xml.replacen("<row r=\"3\"", "<row r=3", 1).into_bytes();
            let content = if index == entry { broken } else { archive.zip().read_entry(index).unwrap() };
            (name, content, recto::opc::zip::Method::Stored)
        })
        .collect();
    let file = recto_testing::pack::zip(&entries);
    let archive = Archive::open(file.as_slice(), &limits).unwrap();
    let mut rows = recto::rows(&archive, "Sheet1", &limits).unwrap();
    assert!(rows.next().unwrap().is_ok() && rows.next().unwrap().is_ok());
    assert_eq!(rows.next().unwrap().unwrap_err().family(), ErrorFamily::Markup);
    assert!(rows.next().is_none());
}
