//! Zip files (ECMA-376 part 2, annex B; PKWARE's APPNOTE 6.3), read at random and written in a stream.
//!
//! The reader and the writer are our own, over `flate2`: the common crate keys entries by name, so that of two entries
//! with one name it forgets the first and refuses to write the second, while real packages have such entries and they must
//! come back. Ours keeps every entry, in the order of the directory; it counts what comes out of the inflater instead of
//! believing sizes, and it lets many entries be read at once.
//!
//! | in the file | reader | writer |
//! |---|---|---|
//! | duplicate names | kept in order | written as asked |
//! | zip64 | read | only where a field overflows |
//! | data descriptors | ignored: the directory has the sizes | only on outputs that cannot seek, for large entries |
//! | bytes before or after the zip | skipped, reported | none |
//! | sizes that lie | harmless; the CRC-32 decides | |
//! | entries that overlap | refused | |
//! | encrypted, other methods | refused when the entry is opened | |
//! | time stamps, attributes, comments | ignored | 1980-01-01 00:00:00, none |

mod directory;
mod entry;
mod inflate;
mod packing;
mod small;
mod source;
mod writer;

pub use directory::{Entry, Zip};
pub use entry::EntryReader;
pub use source::{ReadAt, Seekable};
pub use writer::{DEFAULT_LEVEL, Method, ZipWriter};

const LOCAL_SIGNATURE: [u8; 4] = *b"PK\x03\x04";
const CENTRAL_SIGNATURE: [u8; 4] = *b"PK\x01\x02";
const END_SIGNATURE: [u8; 4] = *b"PK\x05\x06";
const END64_SIGNATURE: [u8; 4] = *b"PK\x06\x06";
const LOCATOR64_SIGNATURE: [u8; 4] = *b"PK\x06\x07";
const DESCRIPTOR_SIGNATURE: [u8; 4] = *b"PK\x07\x08";

const LOCAL_LEN: usize = 30;
const CENTRAL_LEN: usize = 46;
const END_LEN: usize = 22;
const END64_LEN: usize = 56;
const LOCATOR64_LEN: usize = 20;

const FLAG_ENCRYPTED: u16 = 1;
const FLAG_DESCRIPTOR: u16 = 1 << 3;
const FLAG_UTF8: u16 = 1 << 11;

/// Id of the extra field that holds 64-bit sizes.
const EXTRA_ZIP64: u16 = 0x0001;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Little-endian fields at fixed places of a record; zero beyond its end, which callers rule out by reading whole records.
struct Record<'a>(&'a [u8]);

impl Record<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    fn starts_with(&self, signature: [u8; 4]) -> bool {
        self.0.starts_with(&signature)
    }
}
