//! Clocks, and the memory of the process.

use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Result;

/// What one run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Time {
    /// Elapsed time.
    pub wall: Duration,
    /// CPU time of all threads of the process.
    pub cpu: Duration,
}

/// CPU time of all threads of the process so far.
pub fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Times a number of runs, and gives the mean of one.
///
/// # Errors
/// The first error of a run.
pub fn time(runs: u32, mut run: impl FnMut() -> Result<u64>) -> Result<Time> {
    let (wall, start) = (Instant::now(), cpu());
    for _ in 0..runs {
        std::hint::black_box(run()?);
    }
    let runs = runs.max(1);
    Ok(Time { wall: wall.elapsed() / runs, cpu: cpu().saturating_sub(start) / runs })
}

/// By how many bytes the resident memory of the process grows at most while something runs. Pages that freed memory leaves
/// behind hide growth, so this is for the first large thing that a process does.
///
/// # Errors
/// The error of the run, or an I/O error where the system has no `/proc`.
pub fn growth(run: impl FnOnce() -> Result<u64>) -> Result<u64> {
    // "5" sets the peak to the present size (proc_pid_clear_refs(5)).
    fs::write("/proc/self/clear_refs", "5")?;
    let before = status("VmRSS:")?;
    std::hint::black_box(run()?);
    Ok(status("VmHWM:")?.saturating_sub(before))
}

/// A size from `/proc/self/status`, in bytes.
fn status(field: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such field in /proc/self/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes << 10)
}
