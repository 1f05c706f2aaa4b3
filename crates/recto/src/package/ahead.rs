//! Inflating a part in one thread while another reads what comes out.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::error::Result;
use crate::opc::zip::Zip;

use super::parse::Source;

/// Compressed bytes from which on a thread is worth it: some milliseconds of work.
const LEAST: u64 = 256 << 10;

/// Bytes that are handed over at a time.
const PIECE: usize = 128 << 10;

/// Pieces that wait to be read at most.
const WAITING: usize = 4;

/// Whether an entry is long enough to be read ahead.
pub(super) fn is_worth_it(zip: &Zip<Source<'_>>, entry: usize) -> bool {
    zip.entry(entry).is_some_and(|entry| !entry.is_stored() && entry.compressed_size >= LEAST)
}

/// Lets `work` read an entry that another thread inflates. Bytes and errors come in the same order as without it.
pub(super) fn read<T>(zip: &Zip<Source<'_>>, entry: usize, work: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
    let (pieces, full) = sync_channel(WAITING);
    let (used, empty) = channel();
    thread::scope(|scope| {
        let inflate = || {
            let mut inflater = Inflater { pieces, empty };
            inflater.run(zip, entry);
        };
        match thread::Builder::new().spawn_scoped(scope, inflate) {
            Ok(_) => work(&mut Ahead { full, used, piece: Vec::new(), at: 0 }),
            // There are platforms without threads, and systems that have no more of them.
            Err(_) => work(&mut zip.open_entry(entry)?),
        }
    })
}

/// A piece of an entry, or the error that stands in its place.
type Piece = io::Result<Vec<u8>>;

/// The side that inflates.
struct Inflater {
    pieces: SyncSender<Piece>,
    /// Buffers that come back.
    empty: Receiver<Vec<u8>>,
}

impl Inflater {
    fn run(&mut self, zip: &Zip<Source<'_>>, entry: usize) {
        let mut reader = match zip.open_entry(entry) {
            Ok(reader) => reader,
            Err(error) => {
                // Whoever has stopped reading needs no answer, here and below.
                let _ = self.pieces.send(Err(error.into_io()));
                return;
            }
        };
        loop {
            let mut piece = self.empty.try_recv().unwrap_or_default();
            piece.resize(PIECE, 0);
            let (count, failure) = fill(&mut reader, &mut piece);
            piece.truncate(count);
            let over = failure.is_some() || count < PIECE;
            if self.pieces.send(Ok(piece)).is_err() {
                return;
            }
            if let Some(error) = failure {
                let _ = self.pieces.send(Err(error));
            }
            if over {
                return;
            }
        }
    }
}

/// Reads until a buffer is full, the end, or an error: how much came before.
pub(super) fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// The side that reads.
struct Ahead {
    full: Receiver<Piece>,
    used: Sender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at >= self.piece.len() {
            // The other side hangs up after the last piece.
            let Ok(next) = self.full.recv() else { return Ok(0) };
            let used = std::mem::replace(&mut self.piece, next?);
            self.at = 0;
            // Without anybody to reuse it, it is dropped.
            let _ = self.used.send(used);
        }
        let count = self.piece.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += count;
        Ok(count)
    }
}
