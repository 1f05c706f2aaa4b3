//! Wire bytes on their way in: fields of a message in memory, or of one that is read piece by piece.

use std::io::{Read, Seek, SeekFrom};

use super::WireType;
use crate::error::{Error, PackageError, Result};

/// How much is read at a time.
const WINDOW: usize = 64 * 1024;

/// Longest key and length (or value) of a field.
const HEADER: usize = 20;

/// What is wrong where no field can be read.
const NO_FIELD: &str = "a field is truncated or has no valid key";

/// The error for bytes that are not a `.bin`.
#[cold]
pub(crate) fn invalid(reason: &'static str) -> Error {
    PackageError::InvalidBin(reason).into()
}

/// One field: its number, and its value or where that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
        if byte < 0x80 {
            return Some((value, at + 1));
        }
    }
    None
}

/// The varint in the low bytes of a word, and how long it is; nothing if it takes more than `limit` bytes.
#[inline(always)]
pub(crate) fn short_varint(word: u64, limit: u32) -> Option<(u64, u32)> {
    if word & 0x80 == 0 {
        return Some((word & 0x7f, 1));
    }
    if word & 0x8000 == 0 {
        return Some((word & 0x7f | word >> 1 & 0x3f80, 2));
    }
    let len = (!word & 0x8080_8080_8080_8080).trailing_zeros() / 8 + 1;
    if len > limit {
        return None;
    }
    let bytes = word & (u64::MAX >> (64 - 8 * len));
    // Seven bits of every byte; the pairs of them; the pairs of those; the two halves.
    let sevens = bytes & 0x7f7f_7f7f_7f7f_7f7f;
    let pairs = sevens & 0x007f_007f_007f_007f | (sevens & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    Some((fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4, len))
}

/// The field at `at` of a message that ends at `end`, both counted from where `bytes` begins.
#[inline(always)]
fn field(bytes: &[u8], at: u64, end: u64) -> Option<Field> {
    if let Some(word) = bytes.get(at as usize..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        // Nearly all keys have one byte.
        if word & 0x80 == 0
            && let Some(field) = short_field(bytes, word & 0x7f, word >> 8, at + 1)
            && field.end <= end
        {
            return Some(field);
        }
    }
    // Taken apart and put together, so that fields from above stay in registers.
    let Field { number, wire_type, value, start, end } = longer_field(bytes, at, end)?;
    Some(Field { number, wire_type, value, start, end })
}

/// A field from its key and up to seven bytes after it, if its length or value has few.
#[inline(always)]
fn short_field(bytes: &[u8], key: u64, rest: u64, after: u64) -> Option<Field> {
    let number = (key >> 3) as u32;
    if number == 0 {
        return None;
    }
    match key & 7 {
        2 => {
            let (length, width) = short_varint(rest, 6)?;
            let start = after + u64::from(width);
            Some(Field { number, wire_type: WireType::Bytes, value: 0, start, end: start + length })
        }
        0 => {
            let (value, width) = short_varint(rest, 6)?;
            Some(Field { number, wire_type: WireType::Varint, value, start: after, end: after + u64::from(width) })
        }
        1 => {
            let value = bytes.get(after as usize..)?.first_chunk::<8>()?;
            let value = u64::from_le_bytes(*value);
            Some(Field { number, wire_type: WireType::Fixed64, value, start: after, end: after + 8 })
        }
        _ => None,
    }
}

/// As [`field`], of any width.
#[inline(never)]
fn longer_field(bytes: &[u8], at: u64, end: u64) -> Option<Field> {
    if let Some(word) = bytes.get(at as usize..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        if word & 0x8080 == 0x80
            && let Some(field) = short_field(bytes, word & 0x7f | word >> 1 & 0x3f80, word >> 16, at + 2)
            && field.end <= end
        {
            return Some(field);
        }
    }
    long_field(bytes, at, end)
}

/// As [`field`], byte by byte.
#[cold]
#[inline(never)]
fn long_field(bytes: &[u8], at: u64, end: u64) -> Option<Field> {
    let rest = bytes.get(at as usize..)?;
    let (key, key_len) = varint(rest)?;
    let number = u32::try_from(key >> 3).ok().filter(|&number| number > 0)?;
    let rest = rest.get(key_len..)?;
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

/// The fields of a message in memory; positions count from where the buffer begins.
pub(crate) struct Fields<'w> {
    wire: &'w [u8],
    at: u64,
    end: u64,
}

impl<'w> Fields<'w> {
    /// The fields of a whole buffer.
    pub(crate) fn new(wire: &'w [u8]) -> Self {
        Fields { wire, at: 0, end: wire.len() as u64 }
    }

    /// The fields of a message inside a buffer.
    #[inline(always)]
    pub(crate) fn within(wire: &'w [u8], start: u64, end: u64) -> Self {
        Fields { wire, at: start, end }
    }

    /// Where the next field begins.
    #[inline(always)]
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Skips fields if they are these bytes, and the message ends behind them or goes on with a key of one byte.
    #[inline(always)]
    pub(crate) fn skip_before(&mut self, fields: &[u8], key: u8) -> bool {
        let end = self.at + fields.len() as u64;
        let here = end <= self.end && self.wire.get(self.at as usize..end as usize) == Some(fields);
        let skips = here && (end == self.end || self.wire.get(end as usize) == Some(&key));
        if skips {
            self.at = end;
        }
        skips
    }

    /// The next field. `Iterator::next` is not inlined everywhere, and this must be.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Result<Option<Field>> {
        if self.at >= self.end {
            return Ok(None);
        }
        match field(self.wire, self.at, self.end) {
            Some(field) => {
                self.at = field.end;
                Ok(Some(field))
            }
            None => Err(invalid(NO_FIELD)),
        }
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<Field>;

    fn next(&mut self) -> Option<Result<Field>> {
        let field = self.advance();
        if field.is_err() {
            self.at = self.end;
        }
        field.transpose()
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

    /// The bytes from `start` to `end` among those around them that are in memory, and where they begin there.
    #[inline(always)]
    pub(crate) fn piece(&mut self, start: u64, end: u64) -> Result<(&[u8], u64)> {
        match self {
            Input::Slice(bytes) => match bytes.get(start as usize..end as usize) {
                Some(_) => Ok((bytes, start)),
                None => Err(invalid("a message ends outside the file")),
            },
            Input::Stream(stream) => {
                stream.bytes(start, end)?;
                Ok((&stream.window, start - stream.base))
            }
        }
    }

    /// The field at `at` of a message that ends at `end`.
    #[inline(always)]
    pub(crate) fn field(&mut self, at: u64, end: u64) -> Result<Field> {
        let field = match self {
            Input::Slice(bytes) => field(bytes, at, end),
            Input::Stream(stream) => return stream.field(at, end),
        };
        field.ok_or_else(|| invalid(NO_FIELD))
    }
}

impl Stream<'_> {
    #[inline(never)]
    fn field(&mut self, at: u64, end: u64) -> Result<Field> {
        if let Some(offset) = at.checked_sub(self.base)
            && let Some(field) = field(&self.window, offset, end - self.base)
        {
            return Ok(Field { start: self.base + field.start, end: self.base + field.end, ..field });
        }
        let header = self.bytes(at, end.min(at + HEADER as u64))?;
        let field = field(header, 0, end - at).ok_or_else(|| invalid(NO_FIELD))?;
        Ok(Field { start: at + field.start, end: at + field.end, ..field })
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{put_bytes, put_uint};
    use proptest::prelude::*;

    #[test]
    fn short_fields_are_read_like_long_ones() {
        for value in (0..64).flat_map(|shift| [u64::MAX >> shift, 1 << shift]) {
            for number in [1, 15, 16, 2047, 2048, 1 << 28] {
                let mut wire = Vec::new();
                put_uint(&mut wire, number, value);
                let end = wire.len() as u64;
                put_bytes(&mut wire, number, &[0x80; 20]);
                let expected = Field { number, wire_type: WireType::Varint, value, start: 0, end };
                assert_eq!(field(&wire, 0, end).map(|field| Field { start: 0, ..field }), Some(expected));
                assert_eq!(field(&wire, 0, end - 1), None, "it ends outside of its message");
            }
        }
    }

    proptest! {
        #[test]
        fn short_and_long_agree(wire in prop::collection::vec(prop_oneof![any::<u8>(), 0u8..32, Just(0x80)], 0..40), at in 0u64..20, end in 0u64..40) {
            let end = end.min(wire.len() as u64);
            if at < end {
                prop_assert_eq!(field(&wire, at, end), long_field(&wire, at, end));
            }
        }
    }
}
