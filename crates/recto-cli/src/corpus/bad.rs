//! Damaged and hostile files: none may go unnoticed, and none may cost much.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

use recto::{Error, ErrorFamily, parse_to_vec, write_bin};
use serde_json::{Value, json};

use crate::Global;
use crate::failure::Result;
use crate::table::Table;

use super::check::{name_of, panic_message};
use super::expected::Expectations;
use super::process::{mebibytes, peak, reset_peak, resident};

/// What a file may take.
const MAX_SECONDS: f64 = 2.0;
const MAX_BYTES: u64 = 256 << 20;

/// The result of a run.
pub struct Report {
    pub text: String,
    pub json: Value,
    pub failures: Vec<String>,
}

/// What became of a file.
struct Read {
    name: String,
    /// A word of the lists, or `equal` for what is as it should be.
    outcome: &'static str,
    message: String,
    seconds: f64,
    bytes: Option<u64>,
}

/// Reads the files one after the other.
pub fn run(files: &[PathBuf], expectations: &Expectations, global: &Global) -> Result<Report> {
    let read: Vec<_> = files.iter().map(|file| read(file, global)).collect();
    let (failures, notes) = expectations.judge(read.iter().map(|file| (file.name.as_str(), file.outcome)));
    let mut table = Table::new(&[">seconds", ">MiB", "file", "result"]);
    for file in &read {
        table.row([format!("{:.3}", file.seconds), mebibytes(file.bytes), file.name.clone(), file.message.clone()]);
    }
    let mut text = table.text();
    text += &format!("\n{} files, {} failures\n", read.len(), failures.len());
    text.extend(notes.iter().map(|note| format!("note: {note}\n")));
    for failure in &failures {
        let reason = failure.split(": ").next().and_then(|name| expectations.reason(name));
        text += &format!("FAILED: {failure}{}\n", reason.map_or_else(String::new, |reason| format!(" ({reason})")));
    }
    let list = read.iter().map(|file| {
        json!({
            "file": file.name, "outcome": file.outcome, "message": file.message,
            "seconds": file.seconds, "bytes": file.bytes,
        })
    });
    let json = json!({ "files": list.collect::<Vec<_>>(), "notes": notes, "failures": failures });
    Ok(Report { text, json, failures })
}

fn read(file: &PathBuf, global: &Global) -> Read {
    reset_peak();
    let (start, before) = (Instant::now(), resident());
    let result = catch_unwind(AssertUnwindSafe(|| there_and_back(file, global)));
    let seconds = start.elapsed().as_secs_f64();
    let bytes = peak().zip(before).map(|(peak, before)| peak.saturating_sub(before));
    let (outcome, message) = match result {
        Err(panic) => ("panic", panic_message(&*panic)),
        // A file that cannot be opened says nothing about the reader.
        Ok(Err(error)) if error.family() == ErrorFamily::Io && error.part().is_none() => ("error", error.to_string()),
        Ok(Err(error)) => ("equal", error.to_string()),
        Ok(Ok(diagnostics)) if diagnostics.is_empty() => ("silent", "read without a diagnostic".to_owned()),
        Ok(Ok(diagnostics)) => ("equal", format!("read: {}", diagnostics.join("; "))),
    };
    let outcome = match outcome {
        "equal" | "silent" if seconds > MAX_SECONDS => "slow",
        "equal" | "silent" if bytes > Some(MAX_BYTES) => "large",
        other => other,
    };
    Read { name: name_of(file), outcome, message, seconds, bytes }
}

/// Parses a file and, if that works, writes it; gives what was wrong with it.
fn there_and_back(file: &PathBuf, global: &Global) -> std::result::Result<Vec<String>, Error> {
    let (bin, parsed) = parse_to_vec(std::fs::read(file)?, &global.limits())?;
    write_bin(&bin, std::io::sink(), &recto::WriteOptions::default().with_level(1))?;
    Ok(parsed.diagnostics.iter().map(ToString::to_string).collect())
}
