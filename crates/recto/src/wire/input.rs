//! Wire bytes on their way in: fields of a message in memory, or of one that is read piece by piece.

use std::io::{Read, Seek, SeekFrom};

use super::WireType;
use crate::error::{Error, PackageError, Result};

/// How much is read at a time.
const WINDOW: usize = 64 * 1024;

/// Longest key and length (or value) of a field.
const HEADER: usize = 20;

/// The error for bytes that are not a `.bin`.
#[cold]
pub(crate) fn invalid(reason: &'static str) -> Error {
    PackageError::InvalidBin(reason).into()
}

/// One field: its number, and its value or where that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Field number.
    pub number: u32,
    /// Layout.
    pub wire_type: WireType,
    /// The value of a varint or fixed field.
    pub value: u64,
    /// Where a bytes value stands: start.
    pub start: u64,
    /// Where the field ends.
    pub end: u64,
}

impl Field {
    /// Fails unless the layout is this one.
    #[inline]
    pub(crate) fn expect(&self, wire_type: WireType) -> Result<()> {
        if self.wire_type == wire_type { Ok(()) } else { Err(invalid("a field has the wrong wire type")) }
    }

    /// The bytes of a bytes value.
    #[inline]
    pub(crate) fn bytes<'w>(&self, wire: &'w [u8]) -> &'w [u8] {
        wire.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Reads a varint, and how long it is.
#[inline(always)]
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    match *bytes {
        [byte, ..] if byte < 0x80 => Some((u64::from(byte), 1)),
        [low, high, ..] if high < 0x80 => Some((u64::from(low & 0x7f) | u64::from(high) << 7, 2)),
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
        if byte < 0x80 {
            return Some((value, at + 1));
        }
    }
    None
}

/// The field at the start of `bytes`, which stand at `at` of a message that ends at `end`.
#[inline(always)]
fn field(bytes: &[u8], at: u64, end: u64) -> Option<Field> {
    let (key, key_len) = varint(bytes)?;
    let number = u32::try_from(key >> 3).ok().filter(|&number| number > 0)?;
    let rest = bytes.get(key_len..)?;
    let after_key = at + key_len as u64;
    let (wire_type, value, start, length) = match key & 7 {
        0 => varint(rest).map(|(value, length)| (WireType::Varint, value, after_key, length as u64))?,
        1 => (WireType::Fixed64, u64::from_le_bytes(*rest.first_chunk()?), after_key, 8),
        2 => {
            let (length, width) = varint(rest)?;
            (WireType::Bytes, 0, after_key + width as u64, length)
        }
        5 => (WireType::Fixed32, u64::from(u32::from_le_bytes(*rest.first_chunk()?)), after_key, 4),
        _ => return None,
    };
    let field_end = start.checked_add(length).filter(|&field_end| field_end <= end)?;
    Some(Field { number, wire_type, value, start, end: field_end })
}

/// The fields of a message in memory; positions count from its first byte.
pub(crate) struct Fields<'w> {
    wire: &'w [u8],
    at: u64,
}

impl<'w> Fields<'w> {
    pub(crate) fn new(wire: &'w [u8]) -> Self {
        Fields { wire, at: 0 }
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<Field>;

    #[inline]
    fn next(&mut self) -> Option<Result<Field>> {
        let rest = self.wire.get(self.at as usize..)?;
        if rest.is_empty() {
            return None;
        }
        match field(rest, self.at, self.wire.len() as u64) {
            Some(field) => {
                self.at = field.end;
                Some(Ok(field))
            }
            None => {
                self.wire = &[];
                Some(Err(invalid("a field is truncated or has no valid key")))
            }
        }
    }
}

/// A seekable reader.
pub(crate) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Where a `.bin` comes from.
pub(crate) enum Input<'s> {
    /// Bytes in memory.
    Slice(&'s [u8]),
    /// A file, of which a window is kept.
    Stream(Stream<'s>),
}

/// A seekable file and a window of it.
pub(crate) struct Stream<'s> {
    source: &'s mut dyn ReadSeek,
    length: u64,
    window: Vec<u8>,
    base: u64,
}

impl<'s> Input<'s> {
    /// Reads a seekable source from its start.
    pub(crate) fn stream(source: &'s mut dyn ReadSeek) -> Result<Self> {
        let length = source.seek(SeekFrom::End(0))?;
        Ok(Input::Stream(Stream { source, length, window: Vec::new(), base: 0 }))
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Input::Slice(bytes) => bytes.len() as u64,
            Input::Stream(stream) => stream.length,
        }
    }

    /// Bytes from `start` to `end`, which must be inside.
    pub(crate) fn bytes(&mut self, start: u64, end: u64) -> Result<&[u8]> {
        match self {
            Input::Slice(bytes) => {
                bytes.get(start as usize..end as usize).ok_or_else(|| invalid("a message ends outside the file"))
            }
            Input::Stream(stream) => stream.bytes(start, end),
        }
    }

    /// The field at `at` of a message that ends at `end`.
    #[inline]
    pub(crate) fn field(&mut self, at: u64, end: u64) -> Result<Field> {
        let header = self.bytes(at, end.min(at + HEADER as u64))?;
        field(header, at, end).ok_or_else(|| invalid("a field is truncated or has no valid key"))
    }
}

impl Stream<'_> {
    fn bytes(&mut self, start: u64, end: u64) -> Result<&[u8]> {
        if end > self.length || start > end {
            return Err(invalid("a message ends outside the file"));
        }
        if start < self.base || end > self.base + self.window.len() as u64 {
            self.load(start, end)?;
        }
        let from = (start - self.base) as usize;
        Ok(self.window.get(from..from + (end - start) as usize).unwrap_or_default())
    }

    fn load(&mut self, start: u64, end: u64) -> Result<()> {
        let end = end.max(start + WINDOW as u64).min(self.length);
        self.source.seek(SeekFrom::Start(start))?;
        self.base = start;
        self.window.clear();
        self.window.shrink_to(4 * WINDOW);
        let wanted = end - start;
        let read = (&mut *self.source).take(wanted).read_to_end(&mut self.window)?;
        if read as u64 == wanted { Ok(()) } else { Err(invalid("the file became shorter while it was read")) }
    }
}
