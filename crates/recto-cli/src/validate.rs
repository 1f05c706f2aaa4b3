//! `recto validate`.

use std::path::{Path, PathBuf};

use recto::report::{Findings, validate_bin_since};
use serde_json::json;

use crate::failure::{Failure, Result, Status, one_line};
use crate::files::{Source, input_name, is_standard};
use crate::{Global, json, print};

#[derive(clap::Args)]
pub struct Args {
    /// Document, workbook or .bin, or - for standard input
    file: PathBuf,
    /// Report only what this document, workbook or .bin does not have: the file's original
    #[arg(long, value_name = "ORIGINAL")]
    baseline: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result {
    if is_standard(&args.file) && args.baseline.as_deref().is_some_and(is_standard) {
        return Err(Failure::usage("only one of the files can be standard input"));
    }
    let baseline = args.baseline.as_deref().map(|original| check(original, None, global)).transpose()?;
    let findings = check(&args.file, baseline.as_ref(), global)?;
    print(&match args.json {
        true => json::text(&json!({
            "file": input_name(&args.file),
            "valid": findings.is_empty(),
            "findings": json::findings(&findings),
            "dropped": findings.dropped(),
        })),
        false => report(&findings),
    })?;
    Ok(if findings.is_empty() { Status::Done } else { Status::Differs })
}

/// Checks a file; a package is parsed into a temporary one first, so that only one part at a time is in memory.
fn check(path: &Path, baseline: Option<&Findings>, global: &Global) -> Result<Findings> {
    let failure = |error: &dyn std::fmt::Display| Failure::new(input_name(path), error);
    let mut source = Source::open(path)?;
    if source.is_bin().map_err(|error| failure(&error))? {
        return validate_bin_since(source.into_reader(), baseline).map_err(|error| failure(&error));
    }
    let mut bin = tempfile::tempfile().map_err(|error| failure(&error))?;
    let source = source.into_read_at().map_err(|error| failure(&error))?;
    let parsed = recto::parse(source, &mut bin, &global.limits()).map_err(|error| failure(&error))?;
    if global.verbose {
        crate::files::print_diagnostics(path, &parsed.diagnostics);
    }
    validate_bin_since(bin, baseline).map_err(|error| failure(&error))
}

fn report(findings: &Findings) -> String {
    let mut text: String = findings.iter().map(|finding| one_line(&finding.to_string()).into_owned() + "\n").collect();
    if findings.dropped() > 0 {
        text += &format!("(and {} more)\n", findings.dropped());
    }
    text
}
