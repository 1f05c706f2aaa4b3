//! `recto parse`.

use std::path::PathBuf;

use recto::ParseOptions;

use crate::Global;
use crate::failure::{Failure, Result, Status};
use crate::files::{Source, check_distinct, input_name, print_diagnostics, save};

#[derive(clap::Args)]
pub struct Args {
    /// Document or workbook, or - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The .bin, or - for standard output
    #[arg(short, long, value_name = "OUT.bin")]
    output: PathBuf,
    /// Threads that may work at the same time; 0: as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

pub fn run(args: &Args, global: &Global) -> Result {
    check_distinct(&args.output, &args.input)?;
    let source = Source::open(&args.input)?.into_read_at().map_err(|error| Failure::new(input_name(&args.input), error))?;
    let options = ParseOptions::default().with_limits(global.limits()).with_threads(args.threads);
    let parsed = save(&args.output, &args.input, |out| recto::parse_with(source, out, &options))?;
    if global.verbose {
        print_diagnostics(&args.input, &parsed.diagnostics);
    }
    Ok(Status::Done)
}
