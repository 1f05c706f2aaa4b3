//! Tells what a file is that is no zip file.

use crate::error::{Foreign, LegacyFormat, PackageError, Result};
use crate::opc::zip::ReadAt;

/// Bytes looked at to tell text formats apart.
const HEAD: usize = 4096;

/// The most sectors of an OLE directory that are looked at; the streams that matter stand near the start.
const MAX_SECTORS: usize = 1024;

const OLE_SIGNATURE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// Bytes of an OLE directory entry ([MS-CFB] 2.6.1).
const OLE_ENTRY: usize = 128;

/// What a file is that does not end in a zip directory.
///
/// # Errors
/// An I/O error if the file cannot be read.
pub fn identify<S: ReadAt + ?Sized>(source: &S) -> Result<PackageError> {
    let head = read(source, 0, HEAD)?;
    if head.starts_with(&OLE_SIGNATURE) {
        return ole(source, &head);
    }
    if head.starts_with(b"PK\x03\x04") {
        return Ok(PackageError::Truncated);
    }
    Ok(PackageError::NotAZip(foreign(&head)))
}

/// Whether it is an OLE file. Such a file can have a zip at its end, as .xls files with a theme do.
///
/// # Errors
/// An I/O error if the file cannot be read.
pub fn is_ole<S: ReadAt + ?Sized>(source: &S) -> Result<bool> {
    Ok(read(source, 0, OLE_SIGNATURE.len())? == OLE_SIGNATURE)
}

fn read<S: ReadAt + ?Sized>(source: &S, at: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read_at(at.saturating_add(filled as u64), rest)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn foreign(head: &[u8]) -> Foreign {
    const MAGIC: [(&[u8], Foreign); 5] = [
        (b"{\\rtf", Foreign::Rtf),
        (b"%PDF-", Foreign::Pdf),
        (b"\x89PNG", Foreign::Image),
        (b"\xff\xd8\xff", Foreign::Image),
        (b"GIF8", Foreign::Image),
    ];
    if head.is_empty() {
        return Foreign::Empty;
    }
    if let Some((_, found)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return *found;
    }
    // UTF-16 is told apart by its zero bytes once these are gone.
    let wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let text: Vec<u8> = head.iter().filter(|&&byte| !wide || byte != 0).map(u8::to_ascii_lowercase).collect();
    let body = text.strip_prefix(b"\xef\xbb\xbf").or_else(|| text.get(2..).filter(|_| wide)).unwrap_or(&text).trim_ascii_start();
    let has = |needle: &[u8]| memchr::memmem::find(body, needle).is_some();
    if body.starts_with(b"<") {
        return match () {
            () if has(b"http://schemas.microsoft.com/office/2006/xmlpackage") => Foreign::FlatOpc,
            () if has(b"<html") || has(b"<!doctype html") => Foreign::Html,
            () => Foreign::Xml,
        };
    }
    let control = |byte: &u8| *byte < b' ' && !b"\t\r\n\x0c".contains(byte);
    if body.iter().any(control) { Foreign::Unknown } else { Foreign::Text }
}

/// Looks for the streams of an OLE file ([MS-CFB]) that tell what it holds.
fn ole<S: ReadAt + ?Sized>(source: &S, header: &[u8]) -> Result<PackageError> {
    let file = Ole { source, header, sector: if u16_at(header, 30) == 12 { 4096 } else { 512 } };
    let mut found = PackageError::OtherOle;
    let mut sector = u32_at(header, 48);
    for _ in 0..MAX_SECTORS {
        let directory = file.sector(sector)?;
        if directory.is_empty() {
            break;
        }
        for entry in directory.chunks_exact(OLE_ENTRY) {
            match stream_name(entry).as_str() {
                "EncryptedPackage" => return Ok(PackageError::Encrypted),
                "WordDocument" => found = PackageError::LegacyBinary(LegacyFormat::Doc),
                "Workbook" | "Book" => found = PackageError::LegacyBinary(LegacyFormat::Xls),
                "PowerPoint Document" => found = PackageError::LegacyBinary(LegacyFormat::Ppt),
                _ => {}
            }
        }
        sector = file.next(sector)?;
    }
    Ok(found)
}

struct Ole<'a, S: ?Sized> {
    source: &'a S,
    header: &'a [u8],
    /// Bytes of a sector.
    sector: usize,
}

impl<S: ReadAt + ?Sized> Ole<'_, S> {
    /// The bytes of a sector; none beyond the end of the file or for the numbers that mean "no sector".
    fn sector(&self, number: u32) -> Result<Vec<u8>> {
        // The header takes up one sector.
        read(self.source, (u64::from(number) + 1).saturating_mul(self.sector as u64), self.sector)
    }

    /// The sector after one, from the allocation table; its first 109 sectors, which the header lists, cover the directory of
    /// any file that Office writes.
    fn next(&self, number: u32) -> Result<u32> {
        let per_sector = self.sector / 4;
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let index = number / per_sector;
        if index >= 109 {
            return Ok(u32::MAX);
        }
        let table = self.sector(u32_at(self.header, 76 + 4 * index))?;
        let at = 4 * (number % per_sector);
        Ok(if table.len() < at + 4 { u32::MAX } else { u32_at(&table, at) })
    }
}

fn stream_name(entry: &[u8]) -> String {
    let length = usize::from(u16_at(entry, 64)).saturating_sub(2) / 2;
    let units = entry.chunks_exact(2).take(length.min(31)).map(|unit| u16_at(unit, 0));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(u32::MAX, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identified(bytes: &[u8]) -> PackageError {
        identify(bytes).unwrap()
    }

    /// An OLE file with one directory sector that names these streams.
    fn ole_with(names: &[&str]) -> Vec<u8> {
        let mut file = vec![0; 512];
        file[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
        file[30] = 9;
        file[48] = 0;
        file[76] = 1;
        let mut directory = vec![0; 512];
        for (entry, name) in directory.chunks_exact_mut(128).zip(names) {
            let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            entry[..units.len()].copy_from_slice(&units);
            entry[64] = units.len() as u8 + 2;
        }
        file.extend(directory);
        file.extend([0xff; 512]);
        file
    }

    #[test]
    fn ole_files_say_what_they_hold() {
        assert_eq!(identified(&ole_with(&["Root Entry", "EncryptionInfo", "EncryptedPackage"])), PackageError::Encrypted);
        assert_eq!(identified(&ole_with(&["Root Entry", "WordDocument"])), PackageError::LegacyBinary(LegacyFormat::Doc));
        assert_eq!(identified(&ole_with(&["Root Entry", "Book"])), PackageError::LegacyBinary(LegacyFormat::Xls));
        assert_eq!(identified(&ole_with(&["Root Entry", "Other"])), PackageError::OtherOle);
    }

    #[test]
    fn ole_directory_that_loops_ends() {
        let mut file = ole_with(&["Root Entry"]);
        file[1024..1028].copy_from_slice(&0_u32.to_le_bytes());
        assert_eq!(identified(&file), PackageError::OtherOle);
        assert_eq!(identified(&file[..20]), PackageError::OtherOle);
    }

    #[test]
    fn other_files_say_what_they_look_like() {
        let looks = |bytes: &[u8]| match identified(bytes) {
            PackageError::NotAZip(foreign) => foreign,
            other => panic!("{other:?}"),
        };
        assert_eq!(looks(b""), Foreign::Empty);
        assert_eq!(looks(b"{\\rtf1\\ansi"), Foreign::Rtf);
        assert_eq!(looks(b"\xef\xbb\xbf <!DOCTYPE html><p>"), Foreign::Html);
        assert_eq!(looks(b"<html><body>"), Foreign::Html);
        assert_eq!(looks(b"\xff\xfe<\0?\0x\0m\0l\0"), Foreign::Xml);
        let flat = b"<?xml version=\"1.0\"?><pkg:package xmlns:pkg=\"http://schemas.microsoft.com/office/2006/xmlPackage\">";
        assert_eq!(looks(flat), Foreign::FlatOpc);
        assert_eq!(looks(b"a,b\n1,2\n"), Foreign::Text);
        assert_eq!(looks(b"\x89PNG\r\n\x1a\n"), Foreign::Image);
        assert_eq!(looks(&[1, 2, 3]), Foreign::Unknown);
        assert_eq!(identified(b"PK\x03\x04 and no more"), PackageError::Truncated);
    }
}
