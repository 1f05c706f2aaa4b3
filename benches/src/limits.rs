//! The limits: what inflating and deflating alone take, with the library that Recto uses. Its state and one buffer serve all
//! entries; neither the records of the zip nor checksums are looked at.

use std::ops::Range;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::Result;

/// Inflates the entries of a package and throws the bytes away.
pub struct Inflate {
    package: Vec<u8>,
    streams: Vec<Range<usize>>,
    state: Decompress,
    buffer: Vec<u8>,
}

impl Inflate {
    /// Finds the streams of a package.
    ///
    /// # Errors
    /// If it is not made as the inputs are: deflated entries from the first byte on, with their sizes before them.
    pub fn prepare(package: Vec<u8>) -> Result<Self> {
        let streams = streams(&package)?;
        // What is large is inflated fastest in large pieces, as long as they stay in the cache.
        Ok(Inflate { package, streams, state: Decompress::new(false), buffer: vec![0; 1 << 20] })
    }

    /// Inflates all.
    ///
    /// # Errors
    /// If a stream is damaged.
    pub fn run(&mut self) -> Result<u64> {
        let mut total = 0;
        for stream in &self.streams {
            let stream = self.package.get(stream.clone()).unwrap_or_default();
            self.state.reset(false);
            loop {
                let rest = stream.get(self.state.total_in() as usize..).unwrap_or_default();
                match self.state.decompress(rest, &mut self.buffer, FlushDecompress::None)? {
                    Status::StreamEnd => break,
                    Status::BufError => return Err("a stream ends too early".into()),
                    Status::Ok => {}
                }
            }
            total += self.state.total_out();
        }
        Ok(total)
    }
}

/// Deflates entries and throws the bytes away.
pub struct Deflate {
    entries: Vec<Vec<u8>>,
    state: Compress,
    buffer: Vec<u8>,
}

impl Deflate {
    /// Takes the bytes of entries, and a level.
    pub fn prepare(entries: Vec<Vec<u8>>, level: u32) -> Self {
        Deflate { entries, state: Compress::new(Compression::new(level), false), buffer: vec![0; 64 << 10] }
    }

    /// Deflates all.
    ///
    /// # Errors
    /// Those of the library.
    pub fn run(&mut self) -> Result<u64> {
        let mut total = 0;
        for entry in &self.entries {
            self.state.reset();
            loop {
                let rest = entry.get(self.state.total_in() as usize..).unwrap_or_default();
                if self.state.compress(rest, &mut self.buffer, FlushCompress::Finish)? == Status::StreamEnd {
                    break;
                }
            }
            total += self.state.total_out();
        }
        Ok(total)
    }
}

/// Where the deflated bytes of each entry stand, by the local headers (APPNOTE 4.3.7).
fn streams(package: &[u8]) -> Result<Vec<Range<usize>>> {
    let mut streams = Vec::new();
    let mut at = 0;
    while package.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x03\x04")) {
        let number = |offset| -> Result<usize> {
            let bytes = package.get(at + offset..).and_then(|rest| rest.first_chunk()).ok_or("a header is cut off")?;
            Ok(usize::from(u16::from_le_bytes(*bytes)))
        };
        let (flags, method) = (number(6)?, number(8)?);
        if flags & 8 != 0 || method != 8 {
            return Err("an entry is not deflated, or its size does not stand before it".into());
        }
        let size = number(18)? | number(20)? << 16;
        let start = at + 30 + number(26)? + number(28)?;
        at = start + size;
        streams.push(start..at);
    }
    Ok(streams)
}
