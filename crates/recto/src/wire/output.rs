//! Wire bytes on their way out: complete in memory, or handed on in pieces with lengths filled in later.

use super::{WireType, append_cut, put_key, short_key, short_varint, varint_len};
use crate::error::{PackageError, Result};

/// Bytes of the length of a message that is handed on before it ends. Five are read by every decoder; ten are not.
const WIDE: usize = 5;

/// Where finished pieces go.
pub(crate) trait Sink {
    /// Takes the next bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
    /// Overwrites bytes that were taken before; `at` counts from the first byte that the output wrote.
    fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()>;
}

/// A message that has begun: where its content stands and how wide its length is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// Position of the first byte of content.
    pub at: u64,
    width: Width,
}

/// How wide the length of a message is while the message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// One byte; what follows moves if that turns out to be too few.
    One,
    /// [`WIDE`] bytes, come what may.
    Wide,
}

/// A buffer of wire bytes, of which all but the last may have been handed on.
pub(crate) struct Output<'s> {
    /// What has not been handed on.
    pub bytes: Vec<u8>,
    /// Position of `bytes[0]`.
    base: u64,
    sink: Option<&'s mut dyn Sink>,
}

impl<'s> Output<'s> {
    /// An output that stays in memory.
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Self {
        Output { bytes, base: 0, sink: None }
    }

    /// An output that hands pieces on.
    pub(crate) fn to(sink: &'s mut dyn Sink) -> Self {
        Output { bytes: Vec::new(), base: 0, sink: Some(sink) }
    }

    /// Position of the next byte.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Index in `bytes` of a position that has not been handed on.
    #[inline]
    pub(crate) fn index(&self, at: u64) -> usize {
        at.saturating_sub(self.base) as usize
    }

    /// What was written from a position on, if nothing of it has been handed on.
    pub(crate) fn since(&self, at: u64) -> Option<&[u8]> {
        self.bytes.get(usize::try_from(at.checked_sub(self.base)?).ok()?..)
    }

    /// Takes back everything from a position on.
    pub(crate) fn truncate(&mut self, at: u64) {
        let index = self.index(at);
        self.bytes.truncate(index);
    }

    /// Begins a message.
    #[inline]
    pub(crate) fn begin(&mut self, field: u32) -> Mark {
        match short_key(field, WireType::Bytes) {
            Some(key) => self.bytes.extend_from_slice(&[key, 0]),
            None => {
                put_key(&mut self.bytes, field, WireType::Bytes);
                self.bytes.push(0);
            }
        }
        Mark { at: self.position(), width: Width::One }
    }

    /// Begins a message with a small first field: its number is below 16, its value below 2^21, and that of the message's
    /// field below 2048.
    #[inline(always)]
    pub(crate) fn begin_with(&mut self, field: u32, first: u32, value: u32) -> Mark {
        let (key, width) = short_varint(field << 3 | WireType::Bytes as u32);
        let (varint, length) = short_varint(value);
        let content = u64::from(first << 3) | u64::from(varint) << 8;
        let mark = Mark { at: self.position() + width as u64 + 1, width: Width::One };
        let bytes = u64::from(key) | content << (8 * width + 8);
        append_cut(&mut self.bytes, &bytes.to_le_bytes(), width + 2 + length);
        mark
    }

    /// Begins a message that may be handed on before it ends.
    pub(crate) fn begin_wide(&mut self, field: u32) -> Mark {
        put_key(&mut self.bytes, field, WireType::Bytes);
        self.bytes.extend_from_slice(&[0; WIDE]);
        Mark { at: self.position(), width: Width::Wide }
    }

    /// Ends a message: its length is known now.
    #[inline]
    pub(crate) fn end(&mut self, mark: Mark) -> Result<()> {
        let length = self.position() - mark.at;
        if mark.width == Width::Wide {
            return self.end_wide(mark, length);
        }
        let at = self.index(mark.at);
        if length < 0x80 {
            if let Some(byte) = self.bytes.get_mut(at - 1) {
                *byte = length as u8;
            }
            return Ok(());
        }
        widen(&mut self.bytes, at, length);
        Ok(())
    }

    fn end_wide(&mut self, mark: Mark, length: u64) -> Result<()> {
        if length > u64::from(u32::MAX >> 1) {
            // Decoders count lengths in 31 bits.
            return Err(PackageError::PartTooLarge.into());
        }
        let mut width = [0; WIDE];
        put_fixed(&mut width, length);
        self.patch(mark.at - WIDE as u64, &width)
    }

    /// Position of the key of a message that has begun as a field with this number.
    #[cfg(feature = "model")]
    pub(crate) fn start_of(&self, mark: Mark, field: u32) -> u64 {
        let width = if mark.width == Width::Wide { WIDE } else { 1 };
        mark.at - (width + varint_len(u64::from(field) << 3)) as u64
    }

    /// Moves everything before a position to `taken`; it cannot be changed any more.
    #[cfg(feature = "model")]
    pub(crate) fn take(&mut self, before: u64, taken: &mut Vec<u8>) {
        let count = self.index(before).min(self.bytes.len());
        taken.extend(self.bytes.drain(..count));
        self.base += count as u64;
    }

    /// Overwrites bytes, handed on or not.
    pub(crate) fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        match (&mut self.sink, at < self.base) {
            (Some(sink), true) => sink.patch(at, bytes),
            // What was taken is with somebody who has no use for lengths.
            (None, true) => Ok(()),
            _ => {
                let index = self.index(at);
                if let Some(place) = self.bytes.get_mut(index..index + bytes.len()) {
                    place.copy_from_slice(bytes);
                }
                Ok(())
            }
        }
    }

    /// Hands on what there is, if there is a sink and it is worth it.
    #[inline]
    pub(crate) fn flush_at(&mut self, size: usize) -> Result<()> {
        if self.bytes.len() >= size && self.sink.is_some() { self.flush() } else { Ok(()) }
    }

    /// Hands on what there is, if there is a sink.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if let Some(sink) = &mut self.sink {
            sink.write(&self.bytes)?;
            self.base += self.bytes.len() as u64;
            self.bytes.clear();
        }
        Ok(())
    }
}

/// Fills all of `place` with a varint, padded.
fn put_fixed(place: &mut [u8], mut value: u64) {
    let last = place.len().saturating_sub(1);
    for (index, byte) in place.iter_mut().enumerate() {
        *byte = (value & 0x7f) as u8 | if index < last { 0x80 } else { 0 };
        value >>= 7;
    }
}

/// Appends a complete message that `fill` adds to the bytes.
pub(crate) fn put_message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    put_key(out, field, WireType::Bytes);
    out.push(0);
    let at = out.len();
    fill(out);
    let length = (out.len() - at) as u64;
    match out.get_mut(at - 1) {
        Some(byte) if length < 0x80 => *byte = length as u8,
        _ => widen(out, at, length),
    }
}

/// Makes room for a length of more than one byte before `at`.
fn widen(bytes: &mut Vec<u8>, at: usize, length: u64) {
    if length < 0x4000 && at <= bytes.len() {
        // As most are: one byte is let in.
        bytes.insert(at, (length >> 7) as u8);
        if let Some(byte) = bytes.get_mut(at - 1) {
            *byte = length as u8 | 0x80;
        }
        return;
    }
    let more = varint_len(length) - 1;
    let end = bytes.len();
    bytes.resize(end + more, 0);
    bytes.copy_within(at..end, at + more);
    put_fixed(bytes.get_mut(at - 1..at + more).unwrap_or_default(), length);
}
