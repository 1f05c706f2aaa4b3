//! How much memory this process takes, where the system tells.

use std::fs;

/// Most bytes of memory so far, or since [`reset_peak`].
pub fn peak() -> Option<u64> {
    status("VmHWM:")
}

/// Bytes of memory now.
pub fn resident() -> Option<u64> {
    status("VmRSS:")
}

/// Lets [`peak`] begin anew. Where that is not allowed, the peak can only be too high.
pub fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes in MiB with one decimal.
pub fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "?".to_owned(), |bytes| format!("{:.1}", bytes as f64 / f64::from(1 << 20)))
}
