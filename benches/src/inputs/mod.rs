//! The files that are measured. They are made here from fixed seeds, so that they are the same everywhere, and kept in
//! `target/bench-inputs`.

mod builder;
mod document;
mod rng;
mod small_workbook;
mod theme;
mod workbook;

use std::fs::{self, File};
use std::path::PathBuf;

use recto::opc::zip::ZipWriter;

use crate::Result;
use builder::Builder;
use document::Document;
use workbook::{Cells, Workbook};

/// Changes whenever a file made here would differ from before.
const VERSION: u32 = 2;

/// A file to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, as given on command lines.
    pub name: &'static str,
    /// What it is, for readers of the table.
    pub about: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Workbook { cells: Cells, sheets: u32, rows: u32, columns: u8 },
    Document { paragraphs: u32 },
    SmallWorkbook,
}

const fn workbook(name: &'static str, about: &'static str, cells: Cells, sheets: u32, rows: u32, columns: u8) -> Input {
    Input { name, about, kind: Kind::Workbook { cells, sheets, rows, columns } }
}

const fn document(name: &'static str, about: &'static str, paragraphs: u32) -> Input {
    Input { name, about, kind: Kind::Document { paragraphs } }
}

/// All files.
pub const INPUTS: [Input; 14] = [
    workbook("numbers", "xlsx, 1 million numbers of 15 to 17 digits", Cells::Numbers, 1, 100_000, 10),
    workbook("mixed", "xlsx, 1 million cells of all kinds", Cells::Mixed, 1, 100_000, 10),
    workbook("sheets", "xlsx, 1 million cells of all kinds in 4 sheets", Cells::Mixed, 4, 25_000, 10),
    document("document", "docx, 50,000 paragraphs with run properties, and tables", 50_000),
    Input { name: "small-xlsx", about: "xlsx as Excel writes it, 15 parts", kind: Kind::SmallWorkbook },
    document("small-docx", "docx as Word writes it, 16 parts", 30),
    workbook("empties", "xlsx, 4 million cells that have only a format", Cells::Empty, 1, 200_000, 20),
    workbook("cells-1m", "xlsx, 1 million short numbers", Cells::Short, 1, 50_000, 20),
    workbook("cells-5m", "xlsx, 5 million short numbers", Cells::Short, 1, 250_000, 20),
    workbook("cells-10m", "xlsx, 10 million short numbers", Cells::Short, 1, 500_000, 20),
    workbook("cells-20m", "xlsx, 20 million short numbers", Cells::Short, 1, 1_000_000, 20),
    workbook("guard-numbers", "xlsx, 20,000 numbers, for counting instructions", Cells::Numbers, 1, 2_000, 10),
    workbook("guard-mixed", "xlsx, 20,000 cells of all kinds, for counting instructions", Cells::Mixed, 1, 2_000, 10),
    document("guard-document", "docx, 1,000 paragraphs, for counting instructions", 1_000),
];

impl Input {
    /// The file with a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        INPUTS.into_iter().find(|input| input.name == name).ok_or_else(|| format!("no input is called {name}").into())
    }

    /// The path of the file, which is made if it is not there yet.
    ///
    /// # Errors
    /// I/O errors.
    pub fn path(&self) -> Result<PathBuf> {
        let extension = if self.is_document() { "docx" } else { "xlsx" };
        let path = folder()?.join(format!("{}-v{VERSION}.{extension}", self.name));
        if !path.exists() {
            let partial = path.with_extension("partial");
            self.make(File::create(&partial)?)?;
            fs::rename(partial, &path)?;
        }
        Ok(path)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// I/O errors.
    pub fn read(&self) -> Result<Vec<u8>> {
        Ok(fs::read(self.path()?)?)
    }

    /// Whether it is a document; otherwise it is a workbook.
    pub fn is_document(&self) -> bool {
        matches!(self.kind, Kind::Document { .. })
    }

    /// Whether one run is over within a few milliseconds.
    pub fn is_small(&self) -> bool {
        self.name.starts_with("small-")
    }

    fn make(&self, file: File) -> Result {
        // Level 6 is what Office's own files look like; the longest are only read for their cells.
        let level = if self.name.starts_with("cells-") { 3 } else { 6 };
        let mut builder = Builder::new(ZipWriter::new(file), level);
        match self.kind {
            Kind::Workbook { cells, sheets, rows, columns } => Workbook { cells, sheets, rows, columns }.write(&mut builder)?,
            Kind::Document { paragraphs } => Document { paragraphs }.write(&mut builder)?,
            Kind::SmallWorkbook => small_workbook::write(&mut builder)?,
        }
        builder.finish()?;
        Ok(())
    }
}

/// The folder of the files, which is made if it is not there yet.
///
/// # Errors
/// I/O errors.
pub fn folder() -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let folder = target.join("bench-inputs");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
