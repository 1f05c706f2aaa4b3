//! The directory at the end of a zip file.

use std::sync::atomic::AtomicU64;

use super::inflate::Idle;
use super::source::read_full;
use super::{
    CENTRAL_LEN, CENTRAL_SIGNATURE, END_LEN, END_SIGNATURE, END64_LEN, END64_SIGNATURE, EXTRA_ZIP64, EntryReader, FLAG_ENCRYPTED,
    FLAG_UTF8, LOCAL_LEN, LOCATOR64_LEN, LOCATOR64_SIGNATURE, ReadAt, Record,
};
use crate::error::{PackageError, Result, UsageError};
use crate::limits::{Limit, Limits};
use crate::opc::sniff;

/// How far from the end of the file the end record is looked for: the longest comment, and as much of other bytes.
const END_WINDOW: u64 = 2 * 65_536 + END_LEN as u64;

/// How many end records are tried: each may name a directory as large as the file.
const MAX_CANDIDATES: usize = 8;

/// One entry of a zip directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name as the zip spells it. Bytes that are not UTF-8 are read as code page 437.
    pub name: String,
    /// The compression method: 0 stored, 8 deflated.
    pub method: u16,
    /// The general purpose flags.
    pub flags: u16,
    /// The CRC-32 of the uncompressed bytes.
    pub crc: u32,
    /// Compressed size in bytes.
    pub compressed_size: u64,
    /// Uncompressed size in bytes, as the directory claims.
    pub size: u64,
    /// Whether the name claims to be UTF-8 but is not.
    pub name_is_invalid: bool,
    /// Offset of the local header from the start of the file.
    pub(super) offset: u64,
    /// Length of the name in the zip, in bytes.
    pub(super) name_len: u16,
    /// FNV-1a 64 of the name's bytes, to compare the local header's name with.
    pub(super) name_hash: u64,
}

impl Entry {
    /// Whether it stands for a folder: its name ends with a slash and it has no bytes, whatever size is claimed.
    pub fn is_directory(&self) -> bool {
        (self.size == 0 || self.compressed_size == 0) && self.name.ends_with(['/', '\\'])
    }

    /// Whether its bytes are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.flags & FLAG_ENCRYPTED != 0
    }

    /// Whether its bytes are stored without compression.
    pub fn is_stored(&self) -> bool {
        self.method == super::STORED
    }
}

/// A zip file whose directory has been read.
#[derive(Debug)]
pub struct Zip<S> {
    pub(super) source: S,
    pub(super) limits: Limits,
    entries: Vec<Entry>,
    leading: u64,
    trailing: u64,
    /// Bytes inflated so far, over all entries.
    pub(super) total: AtomicU64,
    /// The most bytes inflated of each entry; reading one again does not count towards the total.
    pub(super) inflated: Vec<AtomicU64>,
    /// Memory for inflating.
    pub(super) idle: Idle,
}

impl<S: ReadAt> Zip<S> {
    /// Reads the directory.
    ///
    /// # Errors
    /// A package error that says what the file is if it is no zip file, or if its directory is missing or damaged; a limit
    /// error if it has too many entries.
    pub fn open(source: S, limits: &Limits) -> Result<Self> {
        if sniff::is_ole(&source)? {
            return Err(sniff::identify(&source)?.into());
        }
        let size = source.size()?;
        let mut tail = vec![0; usize::try_from(size.min(END_WINDOW)).unwrap_or(0)];
        let tail_at = size - tail.len() as u64;
        let filled = read_full(&source, tail_at, &mut tail)?;
        tail.truncate(filled);
        let mut reason = None;
        for at in memchr::memmem::rfind_iter(&tail, &END_SIGNATURE).take(MAX_CANDIDATES) {
            let Some(end) = tail.get(at..).filter(|end| end.len() >= END_LEN) else { continue };
            match Candidate::locate(&source, end, tail_at + at as u64).and_then(|candidate| candidate.read(&source, size, limits))
            {
                Ok((entries, leading, after)) => {
                    let inflated = entries.iter().map(|_| AtomicU64::new(0)).collect();
                    let trailing = size - after;
                    let total = AtomicU64::new(0);
                    let limits = limits.clone();
                    return Ok(Zip { source, limits, entries, leading, trailing, total, inflated, idle: Idle::default() });
                }
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        Err(match reason {
            Some(error) => error,
            None => sniff::identify(&source)?.into(),
        })
    }

    /// The entries in the order of the directory, duplicates included.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with an index.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Opens an entry for reading. Several can be open at once.
    ///
    /// # Errors
    /// A package error, with the entry's name, if the entry is encrypted, compressed by another method than deflate, or if
    /// its local header is not where the directory says.
    pub fn open_entry(&self, index: usize) -> Result<EntryReader<'_, S>> {
        let entry = self.entries.get(index).ok_or(UsageError::Invalid("no entry with this index"))?;
        EntryReader::open(self, index, entry).map_err(|error| error.in_part(&*entry.name))
    }

    /// Reads a whole entry.
    ///
    /// # Errors
    /// As [`Zip::open_entry`], and whatever reading meets, with the entry's name.
    pub fn read_entry(&self, index: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.read_small(index, &mut bytes) {
            Some(length) => {
                bytes.truncate(length);
                Ok(bytes)
            }
            None => self.open_entry(index)?.read_all(),
        }
    }

    /// Number of bytes before the zip data.
    pub fn leading_bytes(&self) -> u64 {
        self.leading
    }

    /// Number of bytes after the end record, the comment included.
    pub fn trailing_bytes(&self) -> u64 {
        self.trailing
    }

    /// A hash (FNV-1a 64) of names, uncompressed sizes and CRC-32s in the order of the directory, which tells files with
    /// different content apart without reading the content.
    pub fn fingerprint(&self) -> u64 {
        self.entries.iter().fold(FNV_START, |hash, entry| {
            let hash = fnv(hash, entry.name.as_bytes());
            let hash = fnv(hash, &[0]);
            let hash = fnv(hash, &entry.size.to_le_bytes());
            fnv(hash, &entry.crc.to_le_bytes())
        })
    }
}

pub(super) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

pub(super) fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Where an end record says that the directory is.
struct Candidate {
    /// Number of entries as claimed; 16 bits of it in files without zip64.
    count: u64,
    /// Size of the directory.
    size: u64,
    /// Offset of the directory from the start of the zip data.
    offset: u64,
    /// Offset in the file of the first end record: the directory ends there.
    end: u64,
    /// Offset in the file of the byte after the last end record.
    after: u64,
}

impl Candidate {
    fn locate<S: ReadAt>(source: &S, end: &[u8], end_at: u64) -> Result<Self> {
        let end = Record(end);
        let plain = Candidate {
            count: u64::from(end.u16(10)),
            size: u64::from(end.u32(12)),
            offset: u64::from(end.u32(16)),
            end: end_at,
            after: end_at + END_LEN as u64,
        };
        if end.u16(4) != end.u16(6) && end.u16(6) != u16::MAX {
            return Err(PackageError::CorruptZip("it is one of several volumes").into());
        }
        if plain.count != u64::from(u16::MAX) && plain.size != u64::from(u32::MAX) && plain.offset != u64::from(u32::MAX) {
            return Ok(plain);
        }
        match Self::locate64(source, end_at)? {
            Some(wide) => Ok(Candidate { after: plain.after, ..wide }),
            None => Ok(plain),
        }
    }

    /// The zip64 end record, where the locator before the end record says or, with bytes before the zip, right before it.
    fn locate64<S: ReadAt>(source: &S, end_at: u64) -> Result<Option<Self>> {
        let Some(locator_at) = end_at.checked_sub(LOCATOR64_LEN as u64) else { return Ok(None) };
        let mut locator = [0; LOCATOR64_LEN];
        read_full(source, locator_at, &mut locator)?;
        let locator = Record(&locator);
        if !locator.starts_with(LOCATOR64_SIGNATURE) {
            return Ok(None);
        }
        for at in [Some(locator.u64(8)), locator_at.checked_sub(END64_LEN as u64)].into_iter().flatten() {
            let mut record = [0; END64_LEN];
            let filled = read_full(source, at, &mut record)?;
            let record = Record(&record);
            if filled == END64_LEN && record.starts_with(END64_SIGNATURE) {
                let (count, size, offset) = (record.u64(32), record.u64(40), record.u64(48));
                return Ok(Some(Candidate { count, size, offset, end: at, after: at }));
            }
        }
        Err(PackageError::CorruptZip("the zip64 end record is missing").into())
    }

    /// Reads the directory; returns its entries, the number of bytes before the zip data, and where the zip ends.
    fn read<S: ReadAt>(&self, source: &S, file_size: u64, limits: &Limits) -> Result<(Vec<Entry>, u64, u64)> {
        limits.check(Limit::Entries, self.count)?;
        let corrupt = |reason| Err(PackageError::CorruptZip(reason).into());
        let stated = self.offset.checked_add(self.size).filter(|&stated| stated <= self.end);
        let Some(stated) = stated else { return corrupt("the directory does not fit into the file") };
        // Offsets count from the start of the zip data, unless whoever put bytes before it has moved them.
        for leading in [self.end - stated, 0] {
            let at = leading + self.offset;
            let Ok(length) = usize::try_from(self.size) else { return corrupt("the directory is too large") };
            let mut signature = [0; 4];
            if length > 0 && (read_full(source, at, &mut signature)? != 4 || signature != CENTRAL_SIGNATURE) {
                continue;
            }
            // The size is bounded by the file's, so that memory is.
            let mut bytes = vec![0; length];
            let filled = read_full(source, at, &mut bytes)?;
            bytes.truncate(filled);
            let entries = read_entries(&bytes, self.count, leading, limits)?;
            check_overlap(&entries, at, file_size)?;
            let first = entries.iter().map(|entry| entry.offset).min();
            return Ok((entries, first.unwrap_or(leading), self.after));
        }
        corrupt("the directory is not where the end record says")
    }
}

fn read_entries(mut bytes: &[u8], count: u64, leading: u64, limits: &Limits) -> Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(usize::try_from(count).unwrap_or(0).min(bytes.len() / CENTRAL_LEN));
    while let Some((entry, rest)) = read_central(bytes, leading)? {
        entries.push(entry);
        limits.check(Limit::Entries, entries.len() as u64)?;
        bytes = rest;
    }
    // Writers without zip64 let the count wrap around.
    if entries.len() as u64 & 0xffff != count & 0xffff {
        return Err(PackageError::CorruptZip("the directory has fewer entries than the end record says").into());
    }
    Ok(entries)
}

fn read_central(bytes: &[u8], leading: u64) -> Result<Option<(Entry, &[u8])>> {
    let record = Record(bytes);
    if bytes.len() < CENTRAL_LEN || !record.starts_with(CENTRAL_SIGNATURE) {
        return Ok(None);
    }
    let (name_len, extra_len, comment_len) = (record.u16(28), record.u16(30), record.u16(32));
    let extra_at = CENTRAL_LEN + usize::from(name_len);
    let comment_at = extra_at + usize::from(extra_len);
    let next = comment_at + usize::from(comment_len);
    let (Some(name), Some(extra), Some(rest)) =
        (bytes.get(CENTRAL_LEN..extra_at), bytes.get(extra_at..comment_at), bytes.get(next..))
    else {
        return Err(PackageError::CorruptZip("the directory ends within an entry").into());
    };
    let flags = record.u16(8);
    let (decoded, name_is_invalid) = decode_name(name, flags & FLAG_UTF8 != 0);
    let mut entry = Entry {
        name: decoded,
        method: record.u16(10),
        flags,
        crc: record.u32(16),
        compressed_size: u64::from(record.u32(20)),
        size: u64::from(record.u32(24)),
        name_is_invalid,
        offset: u64::from(record.u32(42)),
        name_len,
        name_hash: fnv(FNV_START, name),
    };
    widen(&mut entry, extra);
    entry.offset = entry.offset.saturating_add(leading);
    Ok(Some((entry, rest)))
}

/// Takes the values that do not fit into 32 bits from the zip64 extra field, which has only those, in this order.
fn widen(entry: &mut Entry, mut extra: &[u8]) {
    while extra.len() >= 4 {
        let header = Record(extra);
        let (id, length) = (header.u16(0), usize::from(header.u16(2)));
        let Some(data) = extra.get(4..4 + length) else { return };
        if id == EXTRA_ZIP64 {
            let mut values = data.chunks_exact(8).map(|value| Record(value).u64(0));
            for field in [&mut entry.size, &mut entry.compressed_size, &mut entry.offset] {
                if *field == u64::from(u32::MAX) {
                    *field = values.next().unwrap_or(*field);
                }
            }
            return;
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
}

/// Refuses entries that share bytes, by which a small file can unfold to any size.
fn check_overlap(entries: &[Entry], directory_at: u64, file_size: u64) -> Result<()> {
    let mut spans: Vec<(u64, u64)> = entries
        .iter()
        .map(|entry| {
            let header = LOCAL_LEN as u64 + u64::from(entry.name_len);
            (entry.offset, entry.offset.saturating_add(header).saturating_add(entry.compressed_size))
        })
        .collect();
    spans.sort_unstable();
    let limit = directory_at.min(file_size);
    let ends = spans.iter().skip(1).map(|span| span.0).chain([limit]);
    match spans.iter().zip(ends).all(|(span, next)| span.1 <= next) {
        true => Ok(()),
        false => Err(PackageError::CorruptZip("entries overlap").into()),
    }
}

/// The name, and whether it claims to be UTF-8 without being so. Many writers write UTF-8 without saying so.
fn decode_name(name: &[u8], utf8: bool) -> (String, bool) {
    match std::str::from_utf8(name) {
        Ok(name) => (name.to_owned(), false),
        Err(_) => (name.iter().map(|&byte| code_page_437(byte)).collect(), utf8),
    }
}

fn code_page_437(byte: u8) -> char {
    const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
    match byte.checked_sub(128) {
        None => char::from(byte),
        Some(index) => UPPER.chars().nth(usize::from(index)).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_utf8_flag_are_utf8_or_code_page_437() {
        assert_eq!(decode_name("ö.xml".as_bytes(), false), ("ö.xml".to_owned(), false));
        assert_eq!(decode_name(b"\x94.xml", false), ("ö.xml".to_owned(), false));
        assert_eq!(decode_name(b"\xff", true), ("\u{a0}".to_owned(), true));
        assert_eq!(code_page_437(0x80), 'Ç');
        assert_eq!(code_page_437(0xe1), 'ß');
    }
}
