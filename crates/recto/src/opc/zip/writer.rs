//! Writes zip files.

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};

use flate2::Crc;

use super::packing::{Packed, Packing, Step};
use super::{
    CENTRAL_SIGNATURE, DEFLATED, DESCRIPTOR_SIGNATURE, END_SIGNATURE, END64_SIGNATURE, EXTRA_ZIP64, FLAG_DESCRIPTOR, FLAG_UTF8,
    LOCAL_SIGNATURE, LOCATOR64_SIGNATURE, STORED,
};
use crate::error::{Error, Result, UsageError};

/// The deflate level used unless another is asked for. On 400 real files, level 4 gives packages smaller by 2 %, and level 6 by 4 %; on
/// long sheets and documents, 4 takes a quarter more time than 3 for 4 to 9 % less, 6 half as much again for 5 to 13 %, and 1
/// a third of it for 40 % more.
pub const DEFAULT_LEVEL: u32 = 3;

/// Compressed bytes held back until the local header is written. An entry that ends within them needs neither a seek nor a
/// data descriptor.
const HOLD: usize = 256 << 10;

/// MS-DOS date of 1980-01-01, the earliest there is; the time is zero.
const DATE: u16 = 1 << 5 | 1;

/// The extra field by which Office reserves room in local headers, "growth hint", and its signature.
const EXTRA_GROWTH: u16 = 0xa220;
const GROWTH_SIGNATURE: u16 = 0xa028;

/// How the bytes of an entry are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// As they are.
    Stored,
    /// Deflated at a level from 0 to 9.
    Deflated(u32),
}

impl Default for Method {
    fn default() -> Self {
        Method::Deflated(DEFAULT_LEVEL)
    }
}

/// Writes a zip file entry by entry: [`ZipWriter::start`], then write its bytes, and at the end [`ZipWriter::finish`].
///
/// The same calls give the same bytes, whatever the number of threads. Names are not checked for duplicates.
pub struct ZipWriter<W> {
    output: W,
    /// How to seek in the output, if it can.
    seek: Option<fn(&mut W, SeekFrom) -> io::Result<u64>>,
    /// Bytes written so far.
    position: u64,
    packing: Packing,
    open: Option<Open>,
    directory: Vec<u8>,
    count: u64,
}

/// An entry whose packed bytes are being written.
struct Open {
    name: String,
    method: u16,
    crc: Crc,
    size: u64,
    /// Packed bytes that are held back.
    held: Vec<u8>,
    /// How many are no longer held back.
    passed: u64,
    /// Where its local header stands, once that is written.
    header_at: Option<u64>,
    announced: Option<Announced>,
}

/// What is known of a stored entry before its bytes come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Announced {
    size: u64,
    crc: u32,
}

impl Open {
    fn new(name: String, method: Method, announced: Option<Announced>) -> Self {
        let method = match method {
            Method::Stored => STORED,
            Method::Deflated(_) => DEFLATED,
        };
        Open { name, method, crc: Crc::new(), size: 0, held: Vec::new(), passed: 0, header_at: None, announced }
    }
}

/// What the local header, the descriptor and the directory say of an entry.
struct Facts<'a> {
    name: &'a str,
    method: u16,
    flags: u16,
    crc: u32,
    compressed_size: u64,
    size: u64,
}

impl Facts<'_> {
    fn wide(&self) -> bool {
        overflows(self.size) || overflows(self.compressed_size)
    }

    fn version(&self, wide: bool) -> u16 {
        match (wide, self.method) {
            (true, _) => 45,
            (false, STORED) => 10,
            (false, _) => 20,
        }
    }

    /// From the version to the sizes: what local headers and the directory have in common. Overflowing sizes are marked.
    fn common(&self, wide: bool, sizes: (u64, u64)) -> Vec<u8> {
        let mut record = Vec::with_capacity(24);
        let flags = self.flags | if self.name.is_ascii() { 0 } else { FLAG_UTF8 };
        for value in [self.version(wide), flags, self.method, 0, DATE] {
            record.extend(value.to_le_bytes());
        }
        for value in [self.crc, narrow(sizes.0), narrow(sizes.1)] {
            record.extend(value.to_le_bytes());
        }
        record
    }
}

fn overflows(value: u64) -> bool {
    value >= u64::from(u32::MAX)
}

/// The value, or the mark that it is in the zip64 extra field.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn zip64_extra(values: impl Iterator<Item = u64> + Clone) -> Vec<u8> {
    let length = 8 * values.clone().count() as u16;
    let mut extra = [EXTRA_ZIP64.to_le_bytes(), length.to_le_bytes()].concat();
    values.for_each(|value| extra.extend(value.to_le_bytes()));
    extra
}

/// Twenty bytes in the local header that a zip64 extra field can take over.
fn growth_extra() -> Vec<u8> {
    let mut extra: Vec<u8> = [EXTRA_GROWTH, 16, GROWTH_SIGNATURE].iter().flat_map(|value| value.to_le_bytes()).collect();
    extra.resize(20, 0);
    extra
}

impl<W: Write + Seek> ZipWriter<W> {
    /// A writer that may seek back to complete the header of a large entry. The zip begins where the output stands.
    pub fn new(output: W) -> Self {
        ZipWriter { seek: Some(W::seek), ..ZipWriter::streaming(output) }
    }
}

impl<W: Write> ZipWriter<W> {
    /// A writer that never seeks. Large entries get data descriptors, but for those of [`ZipWriter::start_stored`].
    pub fn streaming(output: W) -> Self {
        let packing = Packing::new(1);
        ZipWriter { output, seek: None, position: 0, packing, open: None, directory: Vec::new(), count: 0 }
    }

    /// Lets so many threads deflate, the caller's among them. They are started when an entry turns out to be large.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        ZipWriter { packing: Packing::new(threads), ..self }
    }

    /// Ends the entry before and begins one with this name, with slashes between folders.
    ///
    /// # Errors
    /// An I/O error, or a usage error if the name has more than 65,535 bytes.
    pub fn start(&mut self, name: &str, method: Method) -> Result<()> {
        self.packing.end()?;
        check_name(name)?;
        self.packing.start(name.to_owned(), method, None);
        Ok(self.advance(false)?)
    }

    /// As [`ZipWriter::start`], a stored entry whose size and CRC-32 are known, and that therefore never gets a data descriptor:
    /// many readers take none after a stored entry, as they cannot tell where it ends.
    ///
    /// # Errors
    /// As [`ZipWriter::start`]; and, when the entry ends, if other bytes came.
    pub fn start_stored(&mut self, name: &str, size: u64, crc: u32) -> Result<()> {
        self.packing.end()?;
        check_name(name)?;
        self.packing.start(name.to_owned(), Method::Stored, Some(Announced { size, crc }));
        Ok(self.advance(false)?)
    }

    /// Writes a whole entry.
    ///
    /// # Errors
    /// As [`ZipWriter::start`].
    pub fn write_entry(&mut self, name: &str, method: Method, bytes: &[u8]) -> Result<()> {
        self.start(name, method)?;
        Ok(self.write_all(bytes)?)
    }

    /// Ends the last entry and writes the directory; gives the output back.
    ///
    /// # Errors
    /// An I/O error.
    pub fn finish(mut self) -> Result<W> {
        self.packing.end()?;
        self.advance(true)?;
        let at = self.position;
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        self.put_end(at, directory.len() as u64)?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Takes the steps that are ready, or all.
    fn advance(&mut self, all: bool) -> io::Result<()> {
        while let Some(step) = self.packing.next(all)? {
            match step {
                Step::Start(name, method, announced) => self.open = Some(Open::new(name, method, announced)),
                Step::Block(packed) => self.add(packed)?,
                Step::End => self.end_entry()?,
            }
        }
        Ok(())
    }

    /// Adds a block to the open entry.
    fn add(&mut self, packed: Packed) -> io::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        if open.size == 0 {
            // Most entries are one block; to combine checksums takes longer than to make one of so few bytes.
            open.crc = packed.crc;
        } else {
            open.crc.combine(&packed.crc);
        }
        open.size += packed.size;
        if open.held.is_empty() {
            open.held = packed.data;
        } else {
            open.held.extend_from_slice(&packed.data);
        }
        if open.held.len() > HOLD { self.spill() } else { Ok(()) }
    }

    fn end_entry(&mut self) -> io::Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let held = open.held;
        let mut facts = Facts {
            name: &open.name,
            method: open.method,
            flags: 0,
            crc: open.crc.sum(),
            compressed_size: open.passed + held.len() as u64,
            size: open.size,
        };
        if open.announced.is_some_and(|announced| announced != Announced { size: facts.size, crc: facts.crc }) {
            return Err(io::Error::other(Error::from(UsageError::Invalid("a stored entry is not what was announced"))));
        }
        let header_at = match open.header_at {
            None => {
                let at = self.position;
                self.put_local(&facts, false)?;
                self.put(&held)?;
                at
            }
            Some(at) => {
                self.put(&held)?;
                match self.seek {
                    _ if open.announced.is_some() => {}
                    Some(seek) => self.complete(seek, &facts, at)?,
                    None => {
                        facts.flags |= FLAG_DESCRIPTOR;
                        self.put_descriptor(&facts)?;
                    }
                }
                at
            }
        };
        self.list(&facts, header_at);
        Ok(())
    }

    /// Writes the local header before the sizes are known, and what is held.
    fn spill(&mut self) -> io::Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if open.header_at.is_none() {
            open.header_at = Some(self.position);
            let known = open.announced.is_some();
            let Announced { size, crc } = open.announced.unwrap_or(Announced { size: 0, crc: 0 });
            let flags = if known || self.seek.is_some() { 0 } else { FLAG_DESCRIPTOR };
            let facts = Facts { name: &open.name, method: open.method, flags, crc, compressed_size: size, size };
            self.put_local(&facts, !known && self.seek.is_some())?;
        }
        self.put(&open.held)?;
        open.passed += open.held.len() as u64;
        open.held.clear();
        self.open = Some(open);
        Ok(())
    }

    fn put_local(&mut self, facts: &Facts<'_>, reserve: bool) -> io::Result<()> {
        self.put(&local_header(facts, reserve))
    }

    /// Writes the local header again, now that the sizes are known.
    fn complete(&mut self, seek: fn(&mut W, SeekFrom) -> io::Result<u64>, facts: &Facts<'_>, header_at: u64) -> io::Result<()> {
        let back = i64::try_from(self.position - header_at).map_err(io::Error::other)?;
        seek(&mut self.output, SeekFrom::Current(-back))?;
        let header = local_header(facts, true);
        self.output.write_all(&header)?;
        let forth = back - i64::try_from(header.len()).map_err(io::Error::other)?;
        seek(&mut self.output, SeekFrom::Current(forth))?;
        Ok(())
    }

    fn put_descriptor(&mut self, facts: &Facts<'_>) -> io::Result<()> {
        let mut record = DESCRIPTOR_SIGNATURE.to_vec();
        record.extend(facts.crc.to_le_bytes());
        for size in [facts.compressed_size, facts.size] {
            match facts.wide() {
                true => record.extend(size.to_le_bytes()),
                false => record.extend(narrow(size).to_le_bytes()),
            }
        }
        self.put(&record)
    }

    /// Adds an entry to the directory.
    fn list(&mut self, facts: &Facts<'_>, header_at: u64) {
        let values = [facts.size, facts.compressed_size, header_at];
        let wide = values.iter().any(|&value| overflows(value));
        let extra = if wide { zip64_extra(values.into_iter().filter(|&value| overflows(value))) } else { Vec::new() };
        let record = &mut self.directory;
        record.extend(CENTRAL_SIGNATURE);
        record.extend(facts.version(wide).to_le_bytes());
        record.extend(facts.common(wide, (facts.compressed_size, facts.size)));
        // Name and extra field; then comment, volume, attributes (2 and 4 bytes): none.
        for length in [facts.name.len(), extra.len(), 0, 0, 0, 0, 0] {
            record.extend((length as u16).to_le_bytes());
        }
        record.extend(narrow(header_at).to_le_bytes());
        record.extend(facts.name.as_bytes());
        record.extend(extra);
        self.count += 1;
    }

    fn put_end(&mut self, at: u64, size: u64) -> io::Result<()> {
        let count = self.count;
        let mut record = Vec::new();
        if overflows(at) || overflows(size) || count >= u64::from(u16::MAX) {
            let end64_at = self.position;
            record.extend(END64_SIGNATURE);
            record.extend(44_u64.to_le_bytes());
            record.extend([45, 0, 45, 0]);
            record.extend([0; 8]);
            for value in [count, count, size, at] {
                record.extend(value.to_le_bytes());
            }
            record.extend(LOCATOR64_SIGNATURE);
            record.extend([0; 4]);
            record.extend(end64_at.to_le_bytes());
            record.extend(1_u32.to_le_bytes());
        }
        let count = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
        record.extend(END_SIGNATURE);
        record.extend([0; 4]);
        record.extend(count);
        record.extend(count);
        record.extend(narrow(size).to_le_bytes());
        record.extend(narrow(at).to_le_bytes());
        record.extend([0; 2]);
        self.put(&record)
    }
}

/// A local header; with `reserve`, of the same length whether or not its sizes overflow.
fn local_header(facts: &Facts<'_>, reserve: bool) -> Vec<u8> {
    let wide = facts.wide();
    let extra = match (wide, reserve) {
        (true, _) => zip64_extra([facts.size, facts.compressed_size].into_iter()),
        (false, true) => growth_extra(),
        (false, false) => Vec::new(),
    };
    // A local header that has one of the sizes in the extra field must have both there.
    let sizes = if wide { (u64::MAX, u64::MAX) } else { (facts.compressed_size, facts.size) };
    let mut record = LOCAL_SIGNATURE.to_vec();
    record.extend(facts.common(wide, sizes));
    record.extend((facts.name.len() as u16).to_le_bytes());
    record.extend((extra.len() as u16).to_le_bytes());
    record.extend(facts.name.as_bytes());
    record.extend(extra);
    record
}

fn check_name(name: &str) -> Result<()> {
    match u16::try_from(name.len()) {
        Ok(_) => Ok(()),
        Err(_) => Err(UsageError::Invalid("the name of a zip entry has more than 65,535 bytes").into()),
    }
}

impl<W: Write> Write for ZipWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(taken) = self.packing.write(bytes)? else {
            return Err(io::Error::other(Error::from(UsageError::Invalid("no zip entry has been started"))));
        };
        self.advance(false)?;
        Ok(taken)
    }

    /// Does nothing: flushing a deflate stream would change its bytes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W> fmt::Debug for ZipWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZipWriter").field("position", &self.position).field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::opc::zip::Zip;
    use std::io::Cursor;

    /// Writes an entry that is said to be 4 GiB longer than it is.
    fn pretend_huge<W: Write>(mut writer: ZipWriter<W>) -> W {
        writer.start("huge", Method::Stored).unwrap();
        writer.write_all(&vec![7; HOLD + 1]).unwrap();
        if let Some(open) = &mut writer.open {
            open.size += 1 << 32;
        }
        writer.write_entry("next", Method::Stored, b"x").unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn p39_entries_over_4_gib_take_over_the_reserved_room() {
        let bytes = pretend_huge(ZipWriter::new(Cursor::new(Vec::new()))).into_inner();
        assert_eq!(&bytes[18..26], [0xff; 8]);
        assert_eq!(&bytes[34..38], [1, 0, 16, 0]);
        assert_eq!(&bytes[38..46], ((1_u64 << 32) + HOLD as u64 + 1).to_le_bytes());
        let zip = Zip::open(bytes, &Limits::default()).unwrap();
        assert_eq!(zip.entries()[0].size, (1 << 32) + HOLD as u64 + 1);
        assert_eq!(zip.entries()[0].compressed_size, HOLD as u64 + 1);
        assert_eq!(zip.read_entry(1).unwrap(), b"x");
    }

    #[test]
    fn p39_entries_over_4_gib_without_seeking() {
        let zip = Zip::open(pretend_huge(ZipWriter::streaming(Vec::new())), &Limits::default()).unwrap();
        assert_eq!(zip.entries()[0].size, (1 << 32) + HOLD as u64 + 1);
        assert_eq!(zip.read_entry(1).unwrap(), b"x");
    }

    #[test]
    fn large_stored_entries_need_no_descriptor() {
        let content = vec![7; 3 * HOLD];
        let mut crc = Crc::new();
        crc.update(&content);
        for threads in [1, 2] {
            let mut writer = ZipWriter::streaming(Vec::new()).with_threads(threads);
            writer.start_stored("a", content.len() as u64, crc.sum()).unwrap();
            writer.write_all(&content).unwrap();
            writer.write_entry("b", Method::Stored, b"x").unwrap();
            let bytes = writer.finish().unwrap();
            assert_eq!(&bytes[6..8], [0, 0]);
            assert_eq!(&bytes[14..18], crc.sum().to_le_bytes());
            assert_eq!(&bytes[18..22], (content.len() as u32).to_le_bytes());
            let zip = Zip::open(bytes, &Limits::default()).unwrap();
            assert!(zip.read_entry(0).unwrap() == content && zip.read_entry(1).unwrap() == b"x");
        }
        for (size, crc) in [(content.len() as u64 - 1, crc.sum()), (content.len() as u64, 0)] {
            let mut writer = ZipWriter::streaming(Vec::new());
            writer.start_stored("a", size, crc).unwrap();
            writer.write_all(&content).unwrap();
            assert!(writer.finish().unwrap_err().to_string().contains("announced"));
        }
    }

    #[test]
    fn large_entries_reserve_room_as_office_does() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.write_entry("a", Method::Stored, &vec![7; HOLD + 1]).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(&bytes[31..37], [0x20, 0xa2, 16, 0, 0x28, 0xa0]);
        assert_eq!(&bytes[6..8], [0, 0]);
    }

    #[test]
    fn offsets_over_4_gib_go_to_the_extra_field() {
        let mut writer = ZipWriter::streaming(Vec::new());
        writer.position = 1 << 32;
        writer.write_entry("a", Method::Stored, b"x").unwrap();
        let bytes = writer.finish().unwrap();
        assert!(bytes.windows(4).any(|window| window == END64_SIGNATURE));
        assert!(bytes.windows(12).any(|window| window[..4] == [1, 0, 8, 0] && window[4..] == (1_u64 << 32).to_le_bytes()));
    }
}
