//! `recto roundtrip`.

use std::io::Seek;
use std::path::PathBuf;

use crate::Global;
use crate::failure::{Failure, Result, Status};
use crate::files::{Source, input_name, print_diagnostics, save};
use crate::write::{Compression, write};

#[derive(clap::Args)]
pub struct Args {
    /// Document or workbook, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The same written again; may be IN itself, or - for standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    compression: Compression,
}

pub fn run(args: &Args, global: &Global) -> Result {
    let failure = |error: &dyn std::fmt::Display| Failure::new(input_name(&args.input), error);
    let source = Source::open(&args.input)?.into_read_at().map_err(|error| failure(&error))?;
    let mut bin = tempfile::tempfile().map_err(|error| Failure::new("temporary file", error))?;
    let parsed = recto::parse(source, &mut bin, &global.limits()).map_err(|error| failure(&error))?;
    bin.rewind().map_err(|error| Failure::new("temporary file", error))?;
    save(&args.output, &args.input, |out| write(bin, out, &args.compression.options()))?;
    if global.verbose {
        print_diagnostics(&args.input, &parsed.diagnostics);
    }
    Ok(Status::Done)
}
