//! Where the bytes of a zip file come from.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Mutex;

/// Bytes that can be read at any place, by several readers and threads at once.
pub trait ReadAt: Sync {
    /// Number of bytes.
    ///
    /// # Errors
    /// As the underlying file.
    fn size(&self) -> io::Result<u64>;

    /// Reads some bytes at an offset; 0 only at the end.
    ///
    /// # Errors
    /// As the underlying file.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        (&mut &*rest).read(buffer)
    }
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        self.as_slice().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.as_slice().read_at(offset, buffer)
    }
}

macro_rules! forward {
    ($($pointer:ty $(where $bound:path)?),*) => {$(
        impl<S: ReadAt + $($bound +)? ?Sized> ReadAt for $pointer {
            fn size(&self) -> io::Result<u64> {
                (**self).size()
            }

            fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
                (**self).read_at(offset, buffer)
            }
        }
    )*};
}

forward!(&S, Box<S>, std::sync::Arc<S> where Send);

/// Makes a [`ReadAt`] of a file or of anything else that seeks. Readers take turns.
#[derive(Debug)]
pub struct Seekable<R> {
    inner: Mutex<R>,
    size: u64,
}

impl<R: Read + Seek> Seekable<R> {
    /// Wraps a reader; its position does not matter.
    ///
    /// # Errors
    /// If the reader cannot seek to its end.
    pub fn new(mut inner: R) -> io::Result<Self> {
        let size = inner.seek(SeekFrom::End(0))?;
        Ok(Seekable { inner: Mutex::new(inner), size })
    }
}

impl<R: Read + Seek + Send> ReadAt for Seekable<R> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut inner = self.inner.lock().map_err(|_| io::Error::other("another thread failed while it read"))?;
        inner.seek(SeekFrom::Start(offset))?;
        inner.read(buffer)
    }
}

/// Fills `buffer` from `offset` on, as far as there are bytes; returns how many.
pub(super) fn read_full<S: ReadAt + ?Sized>(source: &S, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read_at(offset.saturating_add(filled as u64), rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
