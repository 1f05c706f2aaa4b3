//! Small entries, inflated in one call. A package has many of them, and to inflate one piece by piece takes longer for the
//! pieces than for the bytes.

use std::sync::atomic::Ordering;

use flate2::{Crc, FlushDecompress, Status};

use super::directory::{FNV_START, fnv};
use super::inflate::State;
use super::source::read_full;
use super::{DEFLATED, Entry, LOCAL_LEN, LOCAL_SIGNATURE, ReadAt, Record, STORED, Zip};

/// Entries with at most so many bytes are small.
const SMALL: u64 = 1 << 20;

/// Most that deflate makes of a byte.
const MAX_RATIO: u64 = 1032;

/// By how much more bytes may be taken than come out: the headers of blocks that could not be compressed.
const OVERHEAD: u64 = 1 << 10;

/// Room behind the bytes that come out. zlib goes by single steps where less is left than it may write at once.
const SLACK: usize = 320;

/// Bytes behind those that go in, for the same reason; it says if it has taken some of them.
const MARGIN: usize = 32;

/// What is expected of a local header's extra field; a longer one is read separately.
const EXTRA: usize = 64;

impl<S: ReadAt> Zip<S> {
    /// Reads a small entry into a buffer, which becomes as long as has been needed so far: how many bytes of it are the entry's.
    ///
    /// Nothing if the entry is not small or anything about it is out of the ordinary. Then [`Zip::open_entry`] reads it or
    /// says what is wrong with it, as if this had not been tried.
    pub(crate) fn read_small(&self, index: usize, buffer: &mut Vec<u8>) -> Option<usize> {
        let entry = self.entry(index).filter(|entry| self.is_small(entry))?;
        let size = usize::try_from(entry.size).ok()?;
        if buffer.len() < size + SLACK {
            buffer.resize(size + SLACK, 0);
        }
        let mut state = self.idle.take();
        let data = self.local(entry, &mut state.input);
        let unpacked = data.and_then(|data| unpack(&mut state, data, entry, buffer.get_mut(..size + SLACK)?));
        self.idle.give_back(state);
        unpacked?;
        let mut crc = Crc::new();
        crc.update(buffer.get(..size)?);
        (crc.sum() == entry.crc && self.count(index, entry.size)).then_some(size)
    }

    fn is_small(&self, entry: &Entry) -> bool {
        let limits = &self.limits;
        let (size, packed) = (entry.size, entry.compressed_size);
        let plausible = match entry.method {
            STORED => size == packed,
            DEFLATED => size <= packed.saturating_mul(MAX_RATIO) && packed <= size + OVERHEAD,
            _ => false,
        };
        let allowed = size <= limits.max_entry_size && size <= limits.ratio_floor && size <= limits.max_token_size;
        plausible && allowed && (1..=SMALL).contains(&size) && !entry.is_encrypted()
    }

    /// Reads the local header and what follows; where in the buffer the entry's data begins.
    fn local(&self, entry: &Entry, input: &mut Vec<u8>) -> Option<usize> {
        let packed = usize::try_from(entry.compressed_size).ok()?;
        let names = LOCAL_LEN + usize::from(entry.name_len);
        let mut wanted = names + EXTRA + packed;
        if input.len() < wanted + MARGIN {
            input.resize(wanted + MARGIN, 0);
        }
        let mut filled = read_full(&self.source, entry.offset, input.get_mut(..wanted)?).ok()?;
        let header = Record(input.get(..LOCAL_LEN.min(filled))?);
        let (name_len, extra_len) = (header.u16(26), usize::from(header.u16(28)));
        let name = input.get(LOCAL_LEN..names.min(filled))?;
        // Readers that go by local headers must not see another package.
        if !header.starts_with(LOCAL_SIGNATURE) || name_len != entry.name_len || fnv(FNV_START, name) != entry.name_hash {
            return None;
        }
        let data = names + extra_len;
        if extra_len > EXTRA {
            wanted = data + packed;
            input.resize(input.len().max(wanted + MARGIN), 0);
            filled += read_full(&self.source, entry.offset.saturating_add(filled as u64), input.get_mut(filled..wanted)?).ok()?;
        }
        (filled >= data + packed).then_some(data)
    }

    /// Counts bytes towards the limit on all entries, if it allows for them.
    fn count(&self, index: usize, size: u64) -> bool {
        let Some(inflated) = self.inflated.get(index) else { return false };
        let more = size.saturating_sub(inflated.load(Ordering::Relaxed));
        if self.total.load(Ordering::Relaxed).saturating_add(more) > self.limits.max_total_size {
            return false;
        }
        let before = inflated.fetch_max(size, Ordering::Relaxed);
        self.total.fetch_add(size.saturating_sub(before), Ordering::Relaxed);
        true
    }
}

/// Unpacks the data that begins at a place of the input, if it is what the entry says.
fn unpack(state: &mut State, data: usize, entry: &Entry, output: &mut [u8]) -> Option<()> {
    let packed = usize::try_from(entry.compressed_size).ok()?;
    if entry.is_stored() {
        output.get_mut(..packed)?.copy_from_slice(state.input.get(data..data + packed)?);
        return Some(());
    }
    let input = state.input.get(data..data + packed + MARGIN)?;
    let status = state.stream.decompress(input, output, FlushDecompress::Finish);
    let whole = matches!(status, Ok(Status::StreamEnd))
        && state.stream.total_in() <= entry.compressed_size
        && state.stream.total_out() == entry.size;
    whole.then_some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::limits::Limits;
    use crate::opc::zip::{Method, Zip, ZipWriter};

    fn zip() -> Vec<u8> {
        let mut writer = ZipWriter::streaming(Vec::new());
        writer.write_entry("a.xml", Method::default(), &b"<a><b/>some text</a>".repeat(40)).unwrap();
        writer.write_entry("b", Method::Stored, b"as it is").unwrap();
        writer.write_entry("empty", Method::default(), b"").unwrap();
        writer.write_entry("c/d.xml", Method::Deflated(9), &[7; 70_000]).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn small_entries_are_what_others_are() {
        let zip = Zip::open(zip(), &Limits::default()).unwrap();
        let mut buffer = Vec::new();
        for index in [3, 0, 1, 0] {
            let length = zip.read_small(index, &mut buffer).unwrap();
            assert!(buffer[..length] == zip.open_entry(index).unwrap().read_all().unwrap());
        }
        assert_eq!(zip.read_small(2, &mut buffer), None);
        assert_eq!(zip.read_small(4, &mut buffer), None);
    }

    #[test]
    fn whatever_is_wrong_is_left_to_the_long_way() {
        let whole = zip();
        for at in 0..whole.len() {
            for bit in [1, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= bit;
                let Ok(zip) = Zip::open(bytes, &Limits::default()) else { continue };
                for index in 0..zip.entries().len() {
                    let mut buffer = Vec::new();
                    if let Some(length) = zip.read_small(index, &mut buffer) {
                        let content = zip.open_entry(index).and_then(|entry| entry.read_all());
                        assert!(content.is_ok_and(|content| content == buffer[..length]), "byte {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn limits_keep_entries_from_the_short_way() {
        for limits in [
            Limits::default().with_max_entry_size(799),
            Limits::default().with_max_total_size(799),
            Limits::default().with_max_ratio(1, 799),
            Limits::default().with_max_token_size(799),
        ] {
            let zip = Zip::open(zip(), &limits).unwrap();
            assert_eq!(zip.read_small(0, &mut Vec::new()), None);
        }
        let zip = Zip::open(zip(), &Limits::default().with_max_total_size(800)).unwrap();
        assert_eq!(zip.read_small(0, &mut Vec::new()), Some(800));
        assert_eq!(zip.read_small(0, &mut Vec::new()), Some(800));
        assert_eq!(zip.read_small(1, &mut Vec::new()), None);
        assert!(zip.read_entry(1).is_err());
    }
}
