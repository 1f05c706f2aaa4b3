//! Work shared by threads.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::failure::{Failure, Result};

/// Number of cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does `work` for each file; the results come in the order of the files, however the threads share them. Each thread has
/// a state of its own.
pub fn run<T: Send, C: Send>(
    files: &[PathBuf],
    jobs: usize,
    state: impl Fn() -> C + Sync,
    work: impl Fn(&PathBuf, usize, &mut C) -> T + Sync,
) -> Result<(Vec<T>, Vec<C>)> {
    let next = AtomicUsize::new(0);
    let share = || {
        let mut own = state();
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(index) else { return (results, own) };
            results.push((index, work(file, index, &mut own)));
        }
    };
    let shares: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.min(files.len())).map(|_| scope.spawn(share)).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut results = Vec::with_capacity(files.len());
    let mut states = Vec::with_capacity(jobs);
    for share in shares {
        let (done, own) = share.map_err(|_| Failure::new("", "a thread failed"))?;
        results.extend(done);
        states.push(own);
    }
    results.sort_by_key(|(index, _)| *index);
    Ok((results.into_iter().map(|(_, result)| result).collect(), states))
}
