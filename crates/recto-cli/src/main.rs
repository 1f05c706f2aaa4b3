//! The `recto` command.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod corpus;
mod diff;
mod failure;
mod files;
mod inspect;
mod json;
mod parse;
mod roundtrip;
mod table;
mod validate;
mod write;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Failure, Status};

/// Reads .docx and .xlsx files into one typed protobuf message (.bin) and writes them back, losing nothing.
#[derive(Parser)]
#[command(name = "recto", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What all commands understand.
#[derive(clap::Args)]
struct Global {
    /// Print on standard error what is wrong with a file and was tolerated.
    #[arg(long, short, global = true)]
    verbose: bool,
    /// Read without limits on size, ratio, depth and number; only for files from a trusted source.
    #[arg(long, global = true)]
    no_limits: bool,
}

impl Global {
    fn limits(&self) -> recto::Limits {
        if self.no_limits { recto::Limits::none() } else { recto::Limits::default() }
    }
}

const AFTER_HELP: &str = "A dash for a file means standard input or standard output. Outputs appear under their name when they \
are complete; on failure, what was there before stays.

Exit status:
  0  done; for diff and roundtrip --check: equal; for validate: valid; for corpus: all as expected
  1  diff and roundtrip --check: different; validate: not valid; corpus: not all as expected
  2  wrong usage
  3  a file cannot be read, is no document or workbook, or cannot be written";

#[derive(Subcommand)]
enum Command {
    /// Parse a document or workbook into a .bin
    Parse(parse::Args),
    /// Write the document or workbook that a .bin holds
    Write(write::Args),
    /// Parse a document or workbook and write it again
    Roundtrip(roundtrip::Args),
    /// Show the parts of a document or workbook (or .bin) and how much of them is typed
    Inspect(inspect::Args),
    /// Compare two documents or workbooks (or .bin files) part by part
    Diff(diff::Args),
    /// Check whether a document or workbook (or .bin) is valid
    Validate(validate::Args),
    /// Check that every file in folders comes back equal
    Corpus(corpus::Args),
}

fn main() -> ExitCode {
    let Cli { global, command } = Cli::parse();
    let result = match command {
        Command::Parse(args) => parse::run(&args, &global),
        Command::Write(args) => write::run(&args),
        Command::Roundtrip(args) => roundtrip::run(&args, &global),
        Command::Inspect(args) => inspect::run(&args, &global),
        Command::Diff(args) => diff::run(&args, &global),
        Command::Validate(args) => validate::run(&args, &global),
        Command::Corpus(args) => corpus::run(&args, &global),
    };
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Differs) => ExitCode::from(1),
        Err(failure) => failure.report(),
    }
}

/// Prints a command's result.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| Failure::new("standard output", error)),
    }
}
