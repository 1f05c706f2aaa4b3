//! `recto write`.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::thread;

use recto::WriteOptions;
use recto::opc::zip::DEFAULT_LEVEL;

use crate::failure::{Result, Status};
use crate::files::{Source, check_distinct, save};

#[derive(clap::Args)]
pub struct Args {
    /// The .bin, or - for standard input
    #[arg(value_name = "IN.bin")]
    input: PathBuf,
    /// Document or workbook, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    compression: Compression,
}

/// How outputs are compressed.
#[derive(clap::Args)]
pub struct Compression {
    /// 0 (none) to 9 (smallest)
    #[arg(long, value_name = "LEVEL", default_value_t = DEFAULT_LEVEL, value_parser = clap::value_parser!(u32).range(0..=9))]
    level: u32,
    /// Threads that compress large parts; by default one for each core. The result is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Compression {
    pub fn options(&self) -> WriteOptions {
        let threads = self.threads.map_or_else(available, usize::from);
        WriteOptions::default().with_level(self.level).with_threads(threads)
    }
}

/// Threads that run at once here.
fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

pub fn run(args: &Args) -> Result {
    check_distinct(&args.output, &args.input)?;
    let bin = Source::open(&args.input)?.into_reader();
    save(&args.output, &args.input, |out| write(bin, out, &args.compression.options()))?;
    Ok(Status::Done)
}

/// Writes the package that a `.bin` holds.
pub fn write(bin: impl std::io::Read + std::io::Seek, out: impl Write, options: &WriteOptions) -> recto::Result<()> {
    Ok(recto::write(bin, BufWriter::new(out), options)?.flush()?)
}
