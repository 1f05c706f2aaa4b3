//! The bytes of entries on their way into a zip: cut into blocks, which are packed one by one or on several threads.
//!
//! Blocks are deflated knowing nothing of each other and end on a byte's boundary, so that those of an entry stand one after
//! the other as one stream. Where they are cut depends on the bytes alone, and what a block becomes on the block alone:
//! the result is the same for any number of threads.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

use super::Method;
use super::writer::Announced;

/// Bytes of an entry in a block; only the last one has fewer. That blocks do not refer to each other costs 0.1 to 1 % of the
/// compressed size.
const BLOCK: usize = 1 << 20;

/// Blocks below this are packed where they are made: to hand them over costs more.
const SMALL: usize = 32 << 10;

/// A block to pack.
struct Block {
    method: Method,
    bytes: Vec<u8>,
    /// Whether it ends the entry.
    last: bool,
}

/// A packed block.
pub(super) struct Packed {
    /// As it stands in the zip.
    pub data: Vec<u8>,
    /// The checksum of its bytes, and how many they were.
    pub crc: Crc,
    pub size: u64,
}

impl Packed {
    fn new(block: Block, compressor: &mut Option<Compressor>) -> io::Result<Self> {
        let (mut crc, size) = (Crc::new(), block.bytes.len() as u64);
        crc.update(&block.bytes);
        let data = match block.method {
            Method::Stored => block.bytes,
            Method::Deflated(level) => deflate(&block, level.min(9), compressor)?,
        };
        Ok(Packed { data, crc, size })
    }
}

/// A compressor and its level.
type Compressor = (u32, Compress);

/// Deflates a block. A compressor is large, so that one serves block after block: it remembers nothing that makes a difference.
fn deflate(block: &Block, level: u32, kept: &mut Option<Compressor>) -> io::Result<Vec<u8>> {
    let (_, compress) = match kept {
        Some(kept) if kept.0 == level => {
            kept.1.reset();
            kept
        }
        other => other.insert((level, Compress::new(Compression::new(level), false))),
    };
    let flush = if block.last { FlushCompress::Finish } else { FlushCompress::Sync };
    let mut data = Vec::with_capacity(block.bytes.len() / 4 + 256);
    loop {
        let rest = block.bytes.get(compress.total_in() as usize..).unwrap_or_default();
        let status = compress.compress_vec(rest, &mut data, flush)?;
        let done = status == Status::StreamEnd || (!block.last && data.len() < data.capacity());
        if done && compress.total_in() == block.bytes.len() as u64 {
            return Ok(data);
        }
        data.reserve(data.capacity());
    }
}

/// A block on its way, and where its result goes.
struct Job {
    block: Block,
    result: SyncSender<io::Result<Packed>>,
}

/// Threads that pack blocks, and the thread that makes them, which packs one where the others are busy.
struct Pool {
    /// How many threads to start when the first block is worth it.
    wanted: usize,
    jobs: Option<SyncSender<Job>>,
    threads: Vec<JoinHandle<()>>,
    compressor: Option<Compressor>,
}

/// A block that has been given to the pool.
enum Ticket {
    Packed(Packed),
    Waiting(Receiver<io::Result<Packed>>),
}

impl Pool {
    fn start(&mut self) {
        let count = std::mem::take(&mut self.wanted);
        let (jobs, queue) = sync_channel(count);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..count {
            let queue = Arc::clone(&queue);
            // Where there are no threads, the caller's does all.
            let Ok(thread) = thread::Builder::new().spawn(move || serve(&queue)) else { break };
            self.threads.push(thread);
        }
        if !self.threads.is_empty() {
            self.jobs = Some(jobs);
        }
    }

    fn pack(&mut self, block: Block) -> io::Result<Ticket> {
        if self.wanted > 0 && block.bytes.len() >= BLOCK {
            self.start();
        }
        let packed_here = block.method == Method::Stored || block.bytes.len() < SMALL;
        let Some(jobs) = self.jobs.as_ref().filter(|_| !packed_here) else {
            return Ok(Ticket::Packed(Packed::new(block, &mut self.compressor)?));
        };
        let (result, waiting) = sync_channel(1);
        match jobs.try_send(Job { block, result }) {
            Ok(()) => Ok(Ticket::Waiting(waiting)),
            Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) => {
                Ok(Ticket::Packed(Packed::new(job.block, &mut self.compressor)?))
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// What a thread of the pool does: packs what comes until nothing can come any more.
fn serve(queue: &Mutex<Receiver<Job>>) {
    let mut compressor = None;
    loop {
        let Ok(job) = queue.lock().map_err(|_| ()).and_then(|queue| queue.recv().map_err(|_| ())) else { return };
        // Nobody waits for it after an error elsewhere.
        let _ = job.result.send(Packed::new(job.block, &mut compressor));
    }
}

/// What is to be done with the zip, in order.
pub(super) enum Step {
    /// Begins an entry.
    Start(String, Method, Option<Announced>),
    /// Adds to it.
    Block(Packed),
    /// Ends it.
    End,
}

enum Queued {
    Step(Step),
    Waiting(Receiver<io::Result<Packed>>),
}

/// Entries in, steps out.
pub(super) struct Packing {
    pool: Pool,
    queue: VecDeque<Queued>,
    /// How many steps may stand in the queue.
    limit: usize,
    /// The block that is being filled.
    filling: Option<Block>,
}

impl Packing {
    /// Packs with so many threads, the caller's among them.
    pub(super) fn new(threads: usize) -> Self {
        let wanted = threads.saturating_sub(1);
        let pool = Pool { wanted, jobs: None, threads: Vec::new(), compressor: None };
        Packing { pool, queue: VecDeque::new(), limit: 3 * threads, filling: None }
    }

    /// Begins an entry.
    pub(super) fn start(&mut self, name: String, method: Method, announced: Option<Announced>) {
        self.queue.push_back(Queued::Step(Step::Start(name, method, announced)));
        self.filling = Some(Block { method, bytes: Vec::new(), last: false });
    }

    /// Adds bytes to the entry, as many as the present block takes; how many, or nothing if no entry is open.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<Option<usize>> {
        let Some(block) = &mut self.filling else { return Ok(None) };
        if block.bytes.len() == BLOCK {
            let next = Block { method: block.method, bytes: Vec::with_capacity(BLOCK), last: false };
            let full = std::mem::replace(block, next);
            self.pack(full)?;
        }
        let Some(block) = &mut self.filling else { return Ok(None) };
        let room = BLOCK - block.bytes.len();
        let fitting = bytes.get(..room).unwrap_or(bytes);
        block.bytes.extend_from_slice(fitting);
        Ok(Some(fitting.len()))
    }

    /// Ends the entry, if one is open.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let Some(block) = self.filling.take() else { return Ok(()) };
        self.pack(Block { last: true, ..block })?;
        self.queue.push_back(Queued::Step(Step::End));
        Ok(())
    }

    fn pack(&mut self, block: Block) -> io::Result<()> {
        self.queue.push_back(match self.pool.pack(block)? {
            Ticket::Packed(packed) => Queued::Step(Step::Block(packed)),
            Ticket::Waiting(result) => Queued::Waiting(result),
        });
        Ok(())
    }

    /// The next step, if it is ready; waits for it if `all` are wanted or too many stand in the queue.
    pub(super) fn next(&mut self, all: bool) -> io::Result<Option<Step>> {
        let packed = match self.queue.front() {
            None => return Ok(None),
            Some(Queued::Step(_)) => None,
            Some(Queued::Waiting(result)) => match result.try_recv() {
                Ok(packed) => Some(packed),
                Err(TryRecvError::Empty) if !all && self.queue.len() <= self.limit => return Ok(None),
                Err(_) => Some(result.recv().map_err(|_| io::Error::other("a thread ended before its work"))?),
            },
        };
        match (self.queue.pop_front(), packed) {
            (_, Some(packed)) => Ok(Some(Step::Block(packed?))),
            (Some(Queued::Step(step)), None) => Ok(Some(step)),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Bytes that repeat themselves now and then.
    fn bytes(length: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut bytes: Vec<u8> = Vec::with_capacity(length);
        while bytes.len() < length {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let (back, count) = ((state >> 33) as usize % (bytes.len() + 1), (state >> 20) as usize % 300);
            if state >> 62 > 0 && back > 0 {
                let from = bytes.len() - back;
                (0..count).for_each(|index| bytes.push(bytes[from + index % back]));
            } else {
                bytes.extend((0..count % 9).map(|index| (state >> (5 * index)) as u8 & 31));
            }
        }
        bytes.truncate(length);
        bytes
    }

    #[test]
    fn a_compressor_remembers_nothing() {
        for level in 0..=9 {
            let mut kept = None;
            for (seed, length) in
                [70_000, 100, 300_000, 5, 0, 40_000, 1000, 66_000, 32_768, 259, 65_536, 17].into_iter().enumerate()
            {
                let block = Block { method: Method::Deflated(level), bytes: bytes(length, seed as u64), last: seed % 3 > 0 };
                let again = deflate(&block, level, &mut kept).unwrap();
                assert!(again == deflate(&block, level, &mut None).unwrap(), "level {level}, {length} bytes");
            }
        }
    }
}
