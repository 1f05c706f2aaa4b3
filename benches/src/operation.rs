//! What is measured: an operation on a file, with all that it needs read in beforehand.

use std::fs::File;
use std::io::{BufWriter, Read};
use std::path::{Path, PathBuf};

use recto::opc::zip::{Method, Seekable, Zip, ZipWriter};
use recto::{Limits, Package, WriteOptions};

use crate::Result;
use crate::inputs::{self, Input};

/// Something to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Inflates all entries and throws the bytes away: the limit for readers.
    Inflate,
    /// Deflates the inflated entries at a level: the limit for writers.
    Deflate(u32),
    /// OOXML to `.bin`, in memory.
    Parse,
    /// `.bin` to OOXML at a level, in memory.
    Write(u32),
    /// OOXML to structs, which are held until the end.
    Structs,
    /// `.bin` to structs.
    FromBin,
    /// Structs to `.bin`.
    ToBin,
    /// OOXML to `.bin` and back at a level.
    RoundTrip(u32),
    /// OOXML to structs and back at a level.
    TypedRoundTrip(u32),
    /// As [`Operation::Parse`], from file to file.
    ParseFile,
    /// As [`Operation::Write`] at the default level, from file to file.
    WriteFile,
    /// What another library does.
    #[cfg(feature = "peers")]
    Peer(crate::peers::Peer),
}

impl Operation {
    /// The operation with a name, such as `parse` or `write-6`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self> {
        #[cfg(feature = "peers")]
        if let Some(peer) = crate::peers::Peer::named(name) {
            return Ok(Operation::Peer(peer));
        }
        let (stem, level) = match name.rsplit_once('-').map(|(stem, level)| (stem, level.parse::<u32>())) {
            Some((stem, Ok(level))) => (stem, level),
            _ => (name, WriteOptions::default().level),
        };
        Ok(match stem {
            "inflate" => Operation::Inflate,
            "deflate" => Operation::Deflate(level),
            "parse" => Operation::Parse,
            "write" => Operation::Write(level),
            "structs" => Operation::Structs,
            "from-bin" => Operation::FromBin,
            "to-bin" => Operation::ToBin,
            "round-trip" => Operation::RoundTrip(level),
            "typed-round-trip" => Operation::TypedRoundTrip(level),
            "parse-file" => Operation::ParseFile,
            "write-file" => Operation::WriteFile,
            _ => return Err(format!("no operation is called {name}").into()),
        })
    }
}

/// An operation with its data, ready to be run many times.
pub struct Case {
    operation: Operation,
    data: Data,
}

enum Data {
    Package(Vec<u8>),
    Entries(Vec<(String, Vec<u8>)>),
    Bin(Vec<u8>),
    Structs(Box<Package>),
    Files {
        from: PathBuf,
        to: PathBuf,
    },
    #[cfg(feature = "peers")]
    Peer(crate::peers::Prepared),
}

impl Case {
    /// Reads what the operation needs. The `.bin` is taken from the file that [`make_bin`] left, or made.
    ///
    /// # Errors
    /// Those of reading, and of parsing the file.
    pub fn prepare(input: &Input, operation: Operation) -> Result<Self> {
        let data = match operation {
            Operation::Inflate
            | Operation::Parse
            | Operation::Structs
            | Operation::RoundTrip(_)
            | Operation::TypedRoundTrip(_) => Data::Package(input.read()?),
            Operation::Deflate(_) => Data::Entries(entries(&input.read()?)?),
            Operation::Write(_) | Operation::FromBin => Data::Bin(std::fs::read(bin_path(input)?)?),
            Operation::ToBin => Data::Structs(Box::new(Package::from_bin(&std::fs::read(bin_path(input)?)?)?)),
            Operation::ParseFile => Data::Files { from: input.path()?, to: scratch("parsed")? },
            Operation::WriteFile => Data::Files { from: bin_path(input)?, to: scratch("written")? },
            #[cfg(feature = "peers")]
            Operation::Peer(peer) => Data::Peer(peer.prepare(input.read()?)?),
        };
        Ok(Case { operation, data })
    }

    /// Runs the operation once. The number that comes back has no meaning, but depends on the work.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn run(&self) -> Result<u64> {
        match (&self.data, self.operation) {
            (Data::Package(bytes), Operation::Inflate) => inflate(bytes),
            (Data::Package(bytes), Operation::Structs) => Ok(package(bytes)?.parts.len() as u64),
            (Data::Package(bytes), Operation::RoundTrip(level)) => write(&parse(bytes)?, level),
            (Data::Package(bytes), Operation::TypedRoundTrip(level)) => write(&package(bytes)?.to_bin(), level),
            (Data::Package(bytes), _) => Ok(parse(bytes)?.len() as u64),
            (Data::Entries(entries), Operation::Deflate(level)) => deflate(entries, level),
            (Data::Entries(_), _) => Ok(0),
            (Data::Bin(bin), Operation::Write(level)) => write(bin, level),
            (Data::Bin(bin), _) => Ok(Package::from_bin(bin)?.parts.len() as u64),
            (Data::Structs(package), _) => Ok(package.to_bin().len() as u64),
            (Data::Files { from, to }, Operation::WriteFile) => write_file(from, to),
            (Data::Files { from, to }, _) => parse_file(from, to),
            #[cfg(feature = "peers")]
            (Data::Peer(prepared), _) => prepared.run(),
        }
    }
}

/// Parses a file into the folder of the inputs, for the operations that start from its `.bin`.
///
/// # Errors
/// Those of parsing.
pub fn make_bin(input: &Input) -> Result {
    parse_file(&input.path()?, &bin_name(input)?)?;
    Ok(())
}

fn bin_name(input: &Input) -> Result<PathBuf> {
    Ok(inputs::folder()?.join(format!("{}.bin", input.name)))
}

fn bin_path(input: &Input) -> Result<PathBuf> {
    let path = bin_name(input)?;
    if !path.exists() {
        make_bin(input)?;
    }
    Ok(path)
}

/// Where an operation may leave a file.
fn scratch(name: &str) -> Result<PathBuf> {
    Ok(inputs::folder()?.join(format!("{name}-{}.scratch", std::process::id())))
}

impl Drop for Case {
    fn drop(&mut self) {
        if let Data::Files { to, .. } = &self.data {
            // It is not there if the operation failed.
            let _ = std::fs::remove_file(to);
        }
    }
}

/// The names and bytes of all entries of a package.
///
/// # Errors
/// If it is no zip file.
pub fn entries(package: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let zip = Zip::open(package, &Limits::none())?;
    let mut entries = Vec::new();
    for (index, entry) in zip.entries().iter().enumerate() {
        entries.push((entry.name.clone(), zip.read_entry(index)?));
    }
    Ok(entries)
}

fn inflate(package: &[u8]) -> Result<u64> {
    let zip = Zip::open(package, &Limits::none())?;
    let mut buffer = vec![0; 64 << 10];
    let mut total = 0;
    for index in 0..zip.entries().len() {
        let mut entry = zip.open_entry(index)?;
        loop {
            match entry.read(&mut buffer)? {
                0 => break,
                count => total += count as u64,
            }
        }
    }
    Ok(total)
}

fn deflate(entries: &[(String, Vec<u8>)], level: u32) -> Result<u64> {
    let mut zip = ZipWriter::streaming(Vec::new());
    for (name, bytes) in entries {
        zip.write_entry(name, Method::Deflated(level), bytes)?;
    }
    Ok(zip.finish()?.len() as u64)
}

fn parse(package: &[u8]) -> Result<Vec<u8>> {
    Ok(recto::parse_to_vec(package, &Limits::none())?.0)
}

fn package(package: &[u8]) -> Result<Package> {
    Ok(Package::read_with(package, &Limits::none())?)
}

fn write(bin: &[u8], level: u32) -> Result<u64> {
    Ok(recto::write_bin(bin, Vec::new(), &WriteOptions::default().with_level(level))?.len() as u64)
}

fn parse_file(from: &Path, to: &Path) -> Result<u64> {
    let parsed = recto::parse(Seekable::new(File::open(from)?)?, File::create(to)?, &Limits::none())?;
    Ok(parsed.parts as u64)
}

fn write_file(from: &Path, to: &Path) -> Result<u64> {
    let out = BufWriter::new(File::create(to)?);
    let out = recto::write(File::open(from)?, out, &WriteOptions::default())?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(file.metadata()?.len())
}
