//! What the structs cost, on top of the `.bin`.

use std::hint::black_box;
use std::io::Cursor;

use recto::opc::Archive;
use recto::{Limits, Package, parse_to_vec_with};

use crate::Result;
use crate::inputs::Input;
use crate::operation::{bin, options, write};

/// Bytes of the message that a cell is.
pub const CELL_SIZE: usize = size_of::<recto::sheet::Cell>();

/// Something to do with structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// OOXML to structs, which are held until the end.
    Read,
    /// `.bin` to structs.
    FromBin,
    /// Structs to `.bin`.
    ToBin,
    /// OOXML to structs and back at a level.
    RoundTrip(u32),
    /// Rows of the first sheet or blocks of the document, one after the other, from OOXML.
    Items,
    /// The same from `.bin`.
    ItemsOfBin,
}

impl Typed {
    /// The operation with a name and a level.
    pub fn named(name: &str, level: u32) -> Option<Self> {
        match name {
            "structs" => Some(Typed::Read),
            "from-bin" => Some(Typed::FromBin),
            "to-bin" => Some(Typed::ToBin),
            "typed-round-trip" => Some(Typed::RoundTrip(level)),
            "items" => Some(Typed::Items),
            "items-of-bin" => Some(Typed::ItemsOfBin),
            _ => None,
        }
    }

    /// Reads what it needs.
    ///
    /// # Errors
    /// Those of reading, and of parsing the file.
    pub fn prepare(self, input: &Input) -> Result<Prepared> {
        Ok(match self {
            Typed::Read => Prepared::Read(input.read()?),
            Typed::FromBin => Prepared::FromBin(bin(input)?),
            Typed::ToBin => Prepared::ToBin(Box::new(Package::from_bin(&bin(input)?)?)),
            Typed::RoundTrip(level) => Prepared::RoundTrip(input.read()?, level),
            Typed::Items => Prepared::Items(input.read()?, sheet(input)),
            Typed::ItemsOfBin => Prepared::ItemsOfBin(bin(input)?, sheet(input)),
        })
    }
}

/// An operation with what it starts from.
pub enum Prepared {
    /// See [`Typed::Read`].
    Read(Vec<u8>),
    /// See [`Typed::FromBin`].
    FromBin(Vec<u8>),
    /// See [`Typed::ToBin`].
    ToBin(Box<Package>),
    /// See [`Typed::RoundTrip`].
    RoundTrip(Vec<u8>, u32),
    /// See [`Typed::Items`]; with the name of the first sheet, if it is a workbook.
    Items(Vec<u8>, Option<&'static str>),
    /// See [`Typed::ItemsOfBin`]; with the same.
    ItemsOfBin(Vec<u8>, Option<&'static str>),
}

impl Prepared {
    /// Runs it once.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn run(&self) -> Result<u64> {
        match self {
            Prepared::Read(bytes) => Ok(read(bytes)?.parts.len() as u64),
            Prepared::FromBin(bin) => Ok(Package::from_bin(bin)?.parts.len() as u64),
            Prepared::ToBin(package) => Ok(package.to_bin().len() as u64),
            Prepared::RoundTrip(bytes, level) => write(&read(bytes)?.to_bin(), *level),
            Prepared::Items(bytes, sheet) => {
                let limits = Limits::none();
                let archive = Archive::open(bytes.as_slice(), &limits)?;
                match sheet {
                    None => count(recto::blocks(&archive, &limits)?),
                    Some(sheet) => count(recto::rows(&archive, sheet, &limits)?),
                }
            }
            Prepared::ItemsOfBin(bin, sheet) => {
                let mut bin = Cursor::new(bin.as_slice());
                match sheet {
                    None => count(recto::blocks_of_bin(&mut bin)?),
                    Some(sheet) => count(recto::rows_of_bin(&mut bin, sheet)?),
                }
            }
        }
    }
}

/// The name of a workbook's first sheet.
fn sheet(input: &Input) -> Option<&'static str> {
    match (input.is_document(), input.is_small()) {
        (true, _) => None,
        (false, true) => Some("Quarter 1"),
        (false, false) => Some("Sheet1"),
    }
}

fn count<T>(items: impl Iterator<Item = recto::Result<T>>) -> Result<u64> {
    let mut count = 0;
    for item in items {
        black_box(item?);
        count += 1;
    }
    Ok(count)
}

fn read(bytes: &[u8]) -> Result<Package> {
    // As all operations without number of threads, with one.
    let (bin, _) = parse_to_vec_with(bytes, &options(1))?;
    Ok(Package::from_bin(&bin)?)
}
