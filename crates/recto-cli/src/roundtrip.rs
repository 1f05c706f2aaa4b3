//! `recto roundtrip`.

use std::io::Seek;
use std::path::PathBuf;

use recto::opc::Archive;
use recto::opc::zip::ReadAt;
use recto::report::{Difference, diff, inspect};

use crate::failure::{Failure, Result, Status, one_line};
use crate::files::{Source, input_name, is_standard, open_package, print_diagnostics, save};
use crate::inspect::headline;
use crate::table::percent;
use crate::write::{Compression, write};
use crate::{Global, print};

#[derive(clap::Args)]
pub struct Args {
    /// Document or workbook, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The same written again; may be IN itself, or - for standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Compare OUT with IN, and say how much of it is typed
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    compression: Compression,
}

/// The first differences that a check shows.
const MAX_DIFFERENCES: usize = 20;

pub fn run(args: &Args, global: &Global) -> Result {
    if args.check && is_standard(&args.output) {
        return Err(Failure::usage("--check wants a file to write"));
    }
    let failure = |error: &dyn std::fmt::Display| Failure::new(input_name(&args.input), error);
    // It stays open for the check: its name may be that of the output.
    let source = Source::open(&args.input)?.into_read_at().map_err(|error| failure(&error))?;
    let mut bin = tempfile::tempfile().map_err(|error| Failure::new("temporary file", error))?;
    let parsed = recto::parse(&source, &mut bin, &global.limits()).map_err(|error| failure(&error))?;
    bin.rewind().map_err(|error| Failure::new("temporary file", error))?;
    save(&args.output, &args.input, |out| write(bin, out, &args.compression.options()))?;
    if global.verbose {
        print_diagnostics(&args.input, &parsed.diagnostics);
    }
    if args.check { check(args, &source, global) } else { Ok(Status::Done) }
}

/// Reads what was written, and says how it compares.
fn check(args: &Args, source: &dyn ReadAt, global: &Global) -> Result {
    let failure = |error: recto::Error| Failure::new(input_name(&args.input), error);
    let inspection = inspect(source, &global.limits()).map_err(failure)?;
    let original = Archive::open(source, &global.limits()).map_err(failure)?;
    let written = open_package(&args.output)?;
    let size = written.size().map_err(|error| Failure::at(&args.output, error))?;
    let written = Archive::open(written, &global.limits()).map_err(|error| Failure::at(&args.output, error))?;
    let found = diff(&original, &written, MAX_DIFFERENCES).map_err(failure)?;
    let share = inspection.coverage.everything();
    print(&format!(
        "{}{} % of {} elements and attributes typed\n{}: {size} bytes, {}\n{}",
        headline(&args.input, &inspection),
        percent(share.percent()),
        share.typed.total() + share.untyped.total(),
        args.output.display(),
        if found.is_empty() { "equal" } else { "different" },
        found.iter().map(Difference::to_string).map(|line| one_line(&line).into_owned() + "\n").collect::<String>(),
    ))?;
    Ok(if found.is_empty() { Status::Done } else { Status::Differs })
}
