//! What must hold of every package that can be parsed.

use std::fmt::Display;
use std::io::Cursor;

use recto::opc::Archive;
use recto::opc::zip::ReadAt;
use recto::{Limits, Package, WriteOptions, report};

use crate::scramble::Scrambler;
use crate::{Rng, ShortReads};

/// The gates, with what they need.
#[derive(Default)]
pub struct Gates {
    scrambler: Scrambler,
}

impl Gates {
    /// Reads the project's `.proto` files.
    pub fn new() -> Self {
        Gates::default()
    }

    /// Sends a package through all gates.
    ///
    /// # Errors
    /// Which gate it did not pass, and why.
    pub fn check(&self, source: &[u8], rng: &mut Rng) -> Result<(), String> {
        let bin = parse(source)?;
        let written = write(&bin, "direct")?;
        equal(source, &written, "direct")?;
        let again = parse(&written).map_err(|error| format!("parsing what was written: {error}"))?;
        same(&self.scrambler.normalize(&bin), &self.scrambler.normalize(&again), "parsed, written and parsed again")?;
        streams(source, &bin, &written)?;
        let package = Package::from_bin(&bin).map_err(|error| format!("decoding: {error}"))?;
        let encoded = package.to_bin();
        same(&encoded, &encode_again(&encoded, "encoded")?, "decoded and encoded again")?;
        equal(source, &write(&encoded, "through structs")?, "through structs")?;
        let scrambled = self.scrambler.scramble(&bin, rng);
        same(&encoded, &encode_again(&scrambled, "scrambled")?, "scrambled and decoded")?;
        equal(source, &write(&scrambled, "scrambled")?, "scrambled")
    }
}

fn parse(source: impl ReadAt) -> Result<Vec<u8>, String> {
    recto::parse_to_vec(source, &Limits::default()).map(|(bin, _)| bin).map_err(|error| format!("parsing: {error}"))
}

fn write(bin: &[u8], what: &str) -> Result<Vec<u8>, String> {
    recto::write_bin(bin, Vec::new(), &WriteOptions::default().with_level(1)).map_err(fails(what))
}

/// Decodes into structs and encodes these: bytes, because a struct that holds what is not a number is not equal to itself.
fn encode_again(bin: &[u8], what: &str) -> Result<Vec<u8>, String> {
    Package::from_bin(bin).map(|package| package.to_bin()).map_err(fails(what))
}

fn fails<E: Display>(what: &str) -> impl Fn(E) -> String {
    move |error| format!("{what}: {error}")
}

/// Compares two packages by what they say.
///
/// # Errors
/// The first few differences.
pub fn equal(source: &[u8], written: &[u8], what: &str) -> Result<(), String> {
    let open = |bytes| Archive::open(bytes, &Limits::default()).map_err(fails(what));
    let mut found = report::diff(&open(source.to_vec())?, &open(written.to_vec())?, 5).map_err(fails(what))?;
    // An empty folder is no part, even where a damaged directory says that it has a size.
    found.retain(|difference| !difference.part.ends_with('/'));
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = found.iter().map(ToString::to_string).collect();
    Err(format!("{what}: {}", lines.join("\n  ")))
}

fn same(left: &[u8], right: &[u8], what: &str) -> Result<(), String> {
    match left.iter().zip(right).position(|(left, right)| left != right) {
        None if left.len() == right.len() => Ok(()),
        place => Err(format!("{what}: other bytes from {} on", place.unwrap_or(left.len().min(right.len())))),
    }
}

/// Memory and streams, large and small reads: the same bytes.
fn streams(source: &[u8], bin: &[u8], written: &[u8]) -> Result<(), String> {
    for most in [61, 1009] {
        same(bin, &parse(ShortReads::new(source, most))?, &format!("reads of {most} bytes"))?;
    }
    let mut stream = Cursor::new(b"before".to_vec());
    stream.set_position(6);
    recto::parse(source, &mut stream, &Limits::default()).map_err(fails("parsing to a stream"))?;
    same(bin, &stream.into_inner()[6..], "parsed to a stream")?;
    let options = WriteOptions::default().with_level(1);
    let streamed = recto::write(Cursor::new(bin), Vec::new(), &options).map_err(fails("writing from a stream"))?;
    same(written, &streamed, "written from a stream")
}
