//! What is measured: an operation on a file, with all that it needs read in beforehand.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use recto::opc::zip::{Seekable, Zip};
use recto::{Limits, ParseOptions, WriteOptions};

use crate::Result;
use crate::inputs::{self, Input};
use crate::limits::{Deflate, Inflate};

/// Something to do with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Inflates all entries: the limit for readers.
    Inflate,
    /// Deflates the inflated entries at a level: the limit for writers.
    Deflate(u32),
    /// OOXML to `.bin`, in memory, with so many threads.
    Parse(usize),
    /// `.bin` to OOXML at a level, in memory, with so many threads.
    Write(u32, usize),
    /// OOXML to `.bin` and back at a level.
    RoundTrip(u32),
    /// OOXML to `.bin`, from file to file.
    ParseFile,
    /// As [`Operation::Write`] at the default level, from file to file.
    WriteFile,
    /// What has to do with structs.
    #[cfg(feature = "structs")]
    Typed(crate::typed::Typed),
    /// What another library does.
    #[cfg(feature = "peers")]
    Peer(crate::peers::Peer),
}

impl Operation {
    /// The operation with a name, such as `parse` or `write-6`, or `parse@2` with two threads.
    ///
    /// # Errors
    /// If there is none, or if it works on one thread only.
    pub fn named(name: &str) -> Result<Self> {
        #[cfg(feature = "peers")]
        if let Some(peer) = crate::peers::Peer::named(name) {
            return Ok(Operation::Peer(peer));
        }
        if let Some((name, threads)) = name.split_once('@') {
            return match Self::named(name)? {
                Operation::Parse(_) => Ok(Operation::Parse(threads.parse()?)),
                Operation::Write(level, _) => Ok(Operation::Write(level, threads.parse()?)),
                _ => Err(format!("{name} works on one thread").into()),
            };
        }
        let (stem, level) = match name.rsplit_once('-').map(|(stem, level)| (stem, level.parse::<u32>())) {
            Some((stem, Ok(level))) => (stem, level),
            _ => (name, WriteOptions::default().level),
        };
        #[cfg(feature = "structs")]
        if let Some(typed) = crate::typed::Typed::named(stem, level) {
            return Ok(Operation::Typed(typed));
        }
        Ok(match stem {
            "inflate" => Operation::Inflate,
            "deflate" => Operation::Deflate(level),
            "parse" => Operation::Parse(1),
            "write" => Operation::Write(level, 1),
            "round-trip" => Operation::RoundTrip(level),
            "parse-file" => Operation::ParseFile,
            "write-file" => Operation::WriteFile,
            _ => return Err(format!("{name} is no operation, or not built in").into()),
        })
    }
}

/// An operation with its data, ready to be run many times.
pub enum Case {
    /// See [`Operation::Inflate`].
    Inflate(Box<Inflate>),
    /// See [`Operation::Deflate`].
    Deflate(Box<Deflate>),
    /// See [`Operation::Parse`].
    Parse(Vec<u8>, ParseOptions),
    /// See [`Operation::Write`].
    Write(Vec<u8>, WriteOptions),
    /// See [`Operation::RoundTrip`].
    RoundTrip(Vec<u8>, u32),
    /// See [`Operation::ParseFile`].
    ParseFile(PathBuf, Scratch),
    /// See [`Operation::WriteFile`].
    WriteFile(PathBuf, Scratch),
    /// See [`Operation::Typed`].
    #[cfg(feature = "structs")]
    Typed(crate::typed::Prepared),
    /// See [`Operation::Peer`].
    #[cfg(feature = "peers")]
    Peer(crate::peers::Prepared),
}

impl Case {
    /// Reads what the operation needs. The `.bin` is taken from the file that [`make_bin`] left, or made.
    ///
    /// # Errors
    /// Those of reading, and of parsing the file.
    pub fn prepare(input: &Input, operation: Operation) -> Result<Self> {
        Ok(match operation {
            Operation::Inflate => Case::Inflate(Box::new(Inflate::prepare(input.read()?)?)),
            Operation::Deflate(level) => Case::Deflate(Box::new(Deflate::prepare(entries(&input.read()?)?, level))),
            Operation::Parse(threads) => Case::Parse(input.read()?, options(threads)),
            Operation::Write(level, threads) => {
                Case::Write(bin(input)?, WriteOptions::default().with_level(level).with_threads(threads))
            }
            Operation::RoundTrip(level) => Case::RoundTrip(input.read()?, level),
            Operation::ParseFile => Case::ParseFile(input.path()?, Scratch::new("parsed")?),
            Operation::WriteFile => Case::WriteFile(bin_path(input)?, Scratch::new("written")?),
            #[cfg(feature = "structs")]
            Operation::Typed(typed) => Case::Typed(typed.prepare(input)?),
            #[cfg(feature = "peers")]
            Operation::Peer(peer) => Case::Peer(peer.prepare(input.read()?)?),
        })
    }

    /// Runs the operation once. The number that comes back has no meaning, but depends on the work.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn run(&mut self) -> Result<u64> {
        match self {
            Case::Inflate(inflate) => inflate.run(),
            Case::Deflate(deflate) => deflate.run(),
            Case::Parse(bytes, options) => Ok(parse(bytes, options)?.len() as u64),
            Case::Write(bin, options) => Ok(recto::write_bin(bin, Vec::new(), options)?.len() as u64),
            Case::RoundTrip(bytes, level) => write(&parse(bytes, &options(1))?, *level),
            Case::ParseFile(from, to) => parse_file(from, &to.0),
            Case::WriteFile(from, to) => write_file(from, &to.0),
            #[cfg(feature = "structs")]
            Case::Typed(prepared) => prepared.run(),
            #[cfg(feature = "peers")]
            Case::Peer(prepared) => prepared.run(),
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

/// The `.bin` of an input.
pub(crate) fn bin(input: &Input) -> Result<Vec<u8>> {
    Ok(std::fs::read(bin_path(input)?)?)
}

/// A file that an operation makes and that nobody needs.
pub struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self> {
        Ok(Scratch(inputs::folder()?.join(format!("{name}-{}.scratch", std::process::id()))))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is not there if the operation failed.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The bytes of all entries of a package.
///
/// # Errors
/// If it is no zip file.
pub fn entries(package: &[u8]) -> Result<Vec<Vec<u8>>> {
    let zip = Zip::open(package, &Limits::none())?;
    Ok((0..zip.entries().len()).map(|index| zip.read_entry(index)).collect::<recto::Result<_>>()?)
}

pub(crate) fn options(threads: usize) -> ParseOptions {
    ParseOptions::default().with_limits(Limits::none()).with_threads(threads)
}

fn parse(package: &[u8], options: &ParseOptions) -> Result<Vec<u8>> {
    Ok(recto::parse_to_vec_with(package, options)?.0)
}

pub(crate) fn write(bin: &[u8], level: u32) -> Result<u64> {
    Ok(recto::write_bin(bin, Vec::new(), &WriteOptions::default().with_level(level))?.len() as u64)
}

fn parse_file(from: &Path, to: &Path) -> Result<u64> {
    let parsed = recto::parse_with(Seekable::new(File::open(from)?)?, File::create(to)?, &options(1))?;
    Ok(parsed.parts as u64)
}

fn write_file(from: &Path, to: &Path) -> Result<u64> {
    let out = BufWriter::new(File::create(to)?);
    let out = recto::write(File::open(from)?, out, &WriteOptions::default())?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(file.metadata()?.len())
}
