//! What the structs cost, on top of the `.bin`.

use recto::{Limits, Package};

use crate::Result;
use crate::inputs::Input;
use crate::operation::{bin, write};

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
}

impl Typed {
    /// The operation with a name and a level.
    pub fn named(name: &str, level: u32) -> Option<Self> {
        match name {
            "structs" => Some(Typed::Read),
            "from-bin" => Some(Typed::FromBin),
            "to-bin" => Some(Typed::ToBin),
            "typed-round-trip" => Some(Typed::RoundTrip(level)),
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
        }
    }
}

fn read(bytes: &[u8]) -> Result<Package> {
    Ok(Package::read_with(bytes, &Limits::none())?)
}
