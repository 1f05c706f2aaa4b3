//! Where a `.bin` goes.

use std::io::{Seek, SeekFrom, Write};

use crate::error::Result;
use crate::wire::output::Sink;

/// A seekable output; the `.bin` begins where it stands.
pub(super) struct Seeking<W> {
    output: W,
    start: u64,
}

impl<W: Write + Seek> Seeking<W> {
    pub(super) fn new(mut output: W) -> Result<Self> {
        let start = output.stream_position()?;
        Ok(Seeking { output, start })
    }
}

impl<W: Write + Seek> Sink for Seeking<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.output.write_all(bytes)?)
    }

    fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let end = self.output.stream_position()?;
        self.output.seek(SeekFrom::Start(self.start + at))?;
        self.output.write_all(bytes)?;
        self.output.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}
