//! Inflating, with memory that serves one entry after the other.

use std::io::{self, Read};
use std::sync::Mutex;

use flate2::{Decompress, FlushDecompress, Status};

/// Compressed bytes asked of the source at a time.
const INPUT: usize = 64 << 10;

/// The state of a deflate stream and the compressed bytes that wait for it.
pub(super) struct State {
    pub stream: Decompress,
    /// As many bytes as have been needed so far.
    pub input: Vec<u8>,
    start: usize,
    end: usize,
}

/// States that no entry uses at present. To set one up takes longer than to inflate a short part.
#[derive(Default)]
pub(super) struct Idle(Mutex<Vec<State>>);

impl std::fmt::Debug for Idle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Idle").finish_non_exhaustive()
    }
}

impl Idle {
    pub(super) fn take(&self) -> State {
        let idle = self.0.lock().ok().and_then(|mut states| states.pop());
        idle.unwrap_or_else(|| State { stream: Decompress::new(false), input: Vec::new(), start: 0, end: 0 })
    }

    pub(super) fn give_back(&self, mut state: State) {
        state.stream.reset(false);
        (state.start, state.end) = (0, 0);
        if let Ok(mut states) = self.0.lock() {
            states.push(state);
        }
    }
}

/// Inflates what a source gives.
pub(super) struct Inflate<'a, R> {
    source: R,
    /// Always there until it goes back.
    state: Option<State>,
    idle: &'a Idle,
}

impl<'a, R: Read> Inflate<'a, R> {
    /// Inflates `length` compressed bytes.
    pub(super) fn new(source: R, length: u64, idle: &'a Idle) -> Self {
        let mut state = idle.take();
        let wanted = usize::try_from(length).unwrap_or(INPUT).clamp(64, INPUT);
        if state.input.len() < wanted {
            state.input.resize(wanted, 0);
        }
        Inflate { source, state: Some(state), idle }
    }

    /// Compressed bytes that have been inflated.
    pub(super) fn consumed(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.stream.total_in())
    }
}

impl State {
    /// Inflates into a buffer; how much, or nothing if more input is needed for that.
    fn step(&mut self, buffer: &mut [u8], is_last: bool) -> io::Result<Option<usize>> {
        let input = self.input.get(self.start..self.end).unwrap_or_default();
        let (read, written) = (self.stream.total_in(), self.stream.total_out());
        let flush = if is_last { FlushDecompress::Finish } else { FlushDecompress::None };
        let status = self.stream.decompress(input, buffer, flush);
        self.start += (self.stream.total_in() - read) as usize;
        let written = (self.stream.total_out() - written) as usize;
        match status {
            Ok(Status::Ok | Status::BufError) if written == 0 => match is_last {
                true => Err(io::ErrorKind::UnexpectedEof.into()),
                false => Ok(None),
            },
            Ok(_) => Ok(Some(written)),
            // What came before the damage counts, however large the buffer is; the stream stays damaged.
            Err(_) if written > 0 => Ok(Some(written)),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }
}

impl<R: Read> Read for Inflate<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(state) = &mut self.state else { return Ok(0) };
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if state.start >= state.end {
                (state.start, state.end) = (0, self.source.read(&mut state.input)?);
            }
            if let Some(count) = state.step(buffer, state.end == 0)? {
                return Ok(count);
            }
        }
    }
}

impl<R> Drop for Inflate<'_, R> {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            self.idle.give_back(state);
        }
    }
}
