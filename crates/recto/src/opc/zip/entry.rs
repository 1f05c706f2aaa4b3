//! The bytes of one entry.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Crc;

use super::directory::{FNV_START, fnv};
use super::inflate::Inflate;
use super::source::read_full;
use super::{DEFLATED, Entry, LOCAL_LEN, LOCAL_SIGNATURE, ReadAt, Record, STORED, Zip};
use crate::error::{Error, PackageError, Result};
use crate::limits::{Limit, Limits};

/// Bytes of a stored entry asked of the source at a time.
const BUFFER: usize = 64 << 10;

/// The most that is reserved because of a claimed size; beyond it memory grows with the bytes that really come.
const MAX_RESERVE: u64 = 16 << 20;

/// Streams the uncompressed bytes of an entry.
///
/// Errors that it gives as [`io::Error`] turn back into the [`Error`] that says what is wrong by `Error::from`. The CRC-32
/// is compared when the end is reached, so that what was read before may prove to be damaged.
pub struct EntryReader<'a, S: ReadAt> {
    bytes: Bytes<'a, S>,
    check: Check<'a>,
}

enum Bytes<'a, S: ReadAt> {
    Stored(BufReader<Section<'a, S>>),
    Deflated(Inflate<'a, Section<'a, S>>),
}

/// What is compared and counted while bytes pass.
struct Check<'a> {
    entry: &'a Entry,
    limits: &'a Limits,
    total: &'a AtomicU64,
    inflated: &'a AtomicU64,
    crc: Crc,
    count: u64,
    done: bool,
}

impl<'a, S: ReadAt> EntryReader<'a, S> {
    pub(super) fn open(zip: &'a Zip<S>, index: usize, entry: &'a Entry) -> Result<Self> {
        if entry.is_encrypted() {
            return Err(PackageError::EncryptedEntry.into());
        }
        let Some(inflated) = zip.inflated.get(index) else { return Err(PackageError::CorruptZip("no such entry").into()) };
        let at = data_offset(&zip.source, entry)?;
        let section = Section { source: &zip.source, at, left: entry.compressed_size };
        let length = entry.compressed_size;
        let bytes = match entry.method {
            // Some writers leave out the deflate stream of an empty entry.
            DEFLATED if length > 0 => Bytes::Deflated(Inflate::new(section, length, &zip.idle)),
            STORED | DEFLATED => {
                let capacity = usize::try_from(length).unwrap_or(BUFFER).clamp(64, BUFFER);
                Bytes::Stored(BufReader::with_capacity(capacity, section))
            }
            method => return Err(PackageError::UnsupportedCompression(method).into()),
        };
        let check = Check { entry, limits: &zip.limits, total: &zip.total, inflated, crc: Crc::new(), count: 0, done: false };
        Ok(EntryReader { bytes, check })
    }

    /// The entry that is read.
    pub fn entry(&self) -> &'a Entry {
        self.check.entry
    }

    /// How many bytes came out so far.
    pub fn count(&self) -> u64 {
        self.check.count
    }

    /// Reads all bytes that are left.
    ///
    /// # Errors
    /// As reading, with the entry's name.
    pub fn read_all(mut self) -> Result<Vec<u8>> {
        let entry = self.check.entry;
        let expected = entry.size.min(MAX_RESERVE).min(entry.compressed_size.saturating_mul(1032));
        // One byte more, so that the read that meets the end does not make the buffer grow.
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0) + 1);
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Where the entry's data begins: after the local header, whose extra field may differ from the directory's.
fn data_offset<S: ReadAt>(source: &S, entry: &Entry) -> Result<u64> {
    let damaged = |reason| Err(PackageError::EntryDamaged(reason).into());
    let mut header = [0; LOCAL_LEN];
    let filled = read_full(source, entry.offset, &mut header)?;
    let header = Record(&header);
    if filled < LOCAL_LEN || !header.starts_with(LOCAL_SIGNATURE) {
        return damaged("its local header is missing");
    }
    let name_at = entry.offset.saturating_add(LOCAL_LEN as u64);
    let mut name = vec![0; usize::from(header.u16(26))];
    let filled = read_full(source, name_at, &mut name)?;
    if filled < name.len() || fnv(FNV_START, &name) != entry.name_hash {
        // Readers that go by local headers would see another package: a way to forge signed content.
        return damaged("its local header has another name");
    }
    Ok(name_at.saturating_add(name.len() as u64).saturating_add(u64::from(header.u16(28))))
}

impl<S: ReadAt> Read for EntryReader<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.check.done {
            return Ok(0);
        }
        let room = usize::try_from(self.check.room()).unwrap_or(usize::MAX);
        let length = buffer.len().min(room);
        let buffer = buffer.get_mut(..length).unwrap_or_default();
        let (result, consumed) = match &mut self.bytes {
            Bytes::Stored(bytes) => (bytes.read(buffer), u64::MAX),
            Bytes::Deflated(bytes) => (bytes.read(buffer), bytes.consumed()),
        };
        let count = result.map_err(|error| self.check.damage(error))?;
        match buffer.get(..count).filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => self.check.pass(bytes, consumed)?,
            None => self.check.end()?,
        }
        Ok(count)
    }
}

impl Check<'_> {
    fn name(&self, error: impl Into<Error>) -> io::Error {
        error.into().in_part(&*self.entry.name).into_io()
    }

    /// Tells errors of the decoder, which mean damage, from those of the source, which [`Section`] marks.
    fn damage(&self, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        if error.get_ref().is_some_and(|inner| inner.is::<Error>()) {
            return self.name(Error::from(error));
        }
        self.name(PackageError::EntryDamaged(match error.kind() {
            io::ErrorKind::UnexpectedEof => "its data ends too early",
            _ => "its deflate stream is invalid",
        }))
    }

    /// How many bytes may come out at once. All that the limits on sizes allow come out before the error, so that it stands at
    /// the same place whatever the size of the buffer.
    fn room(&self) -> u64 {
        let again = self.inflated.load(Ordering::Relaxed).saturating_sub(self.count);
        let total = self.limits.max_total_size.saturating_sub(self.total.load(Ordering::Relaxed)).saturating_add(again);
        self.limits.max_entry_size.saturating_sub(self.count).min(total).max(1)
    }

    /// Takes note of bytes that came out, for `consumed` compressed bytes since the start.
    fn pass(&mut self, bytes: &[u8], consumed: u64) -> io::Result<()> {
        self.crc.update(bytes);
        self.count += bytes.len() as u64;
        self.limits(consumed).map_err(|error| self.name(error))
    }

    fn limits(&self, consumed: u64) -> Result<()> {
        let limits = self.limits;
        limits.check(Limit::EntrySize, self.count)?;
        let before = self.inflated.fetch_max(self.count, Ordering::Relaxed);
        let more = self.count.saturating_sub(before);
        let total = self.total.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        limits.check(Limit::TotalSize, total)?;
        if self.count > limits.ratio_floor {
            limits.check(Limit::Ratio, self.count / consumed.max(1))?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.done = true;
        if self.crc.sum() == self.entry.crc {
            return Ok(());
        }
        let reason = if self.count < self.entry.size { "its data ends too early" } else { "its crc-32 differs" };
        Err(self.name(PackageError::EntryDamaged(reason)))
    }
}

impl<S: ReadAt> fmt::Debug for EntryReader<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryReader").field("entry", self.check.entry).field("count", &self.check.count).finish_non_exhaustive()
    }
}

/// The compressed bytes of an entry.
struct Section<'a, S> {
    source: &'a S,
    at: u64,
    left: u64,
}

impl<S: ReadAt> Read for Section<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = buffer.get_mut(..wanted).unwrap_or_default();
        let count = match self.source.read_at(self.at, buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => return Err(io::Error::other(Error::from(error))),
        };
        self.at = self.at.saturating_add(count as u64);
        self.left = self.left.saturating_sub(count as u64);
        Ok(count)
    }
}
