//! A source that gives little at a time.

use std::io;

use recto::opc::zip::ReadAt;

/// Gives at most so many bytes at a read.
#[derive(Clone, Debug)]
pub struct ShortReads<S> {
    source: S,
    most: usize,
}

impl<S: ReadAt> ShortReads<S> {
    /// Wraps a source.
    pub fn new(source: S, most: usize) -> Self {
        ShortReads { source, most }
    }
}

impl<S: ReadAt> ReadAt for ShortReads<S> {
    fn size(&self) -> io::Result<u64> {
        self.source.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.most);
        self.source.read_at(offset, &mut buffer[..length])
    }
}
