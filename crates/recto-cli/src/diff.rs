//! `recto diff`.

use std::path::{Path, PathBuf};

use recto::opc::Archive;
use recto::opc::zip::ReadAt;
use recto::report::{Difference, diff};
use serde_json::json;

use crate::failure::{Failure, Result, Status};
use crate::files::{input_name, is_standard, open_package};
use crate::{Global, json, print};

#[derive(clap::Args)]
pub struct Args {
    /// Document, workbook or .bin, or - for standard input
    a: PathBuf,
    /// What it is compared with
    b: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How many differences are shown at most
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: usize,
}

pub fn run(args: &Args, global: &Global) -> Result {
    if is_standard(&args.a) && is_standard(&args.b) {
        return Err(Failure::usage("only one of the files can be standard input"));
    }
    let (left, right) = (open(&args.a, global)?, open(&args.b, global)?);
    // One is always wanted, or all would be equal.
    let found = diff(&left, &right, args.limit.max(1)).map_err(|error| Failure::new(input_name(&args.a), error))?;
    print(&match args.json {
        true => json::text(&json!({
            "a": input_name(&args.a),
            "b": input_name(&args.b),
            "equal": found.is_empty(),
            "differences": json::differences(&found),
        })),
        false => report(args, &found),
    })?;
    Ok(if found.is_empty() { Status::Done } else { Status::Differs })
}

fn open(path: &Path, global: &Global) -> Result<Archive<Box<dyn ReadAt>>> {
    Archive::open(open_package(path)?, &global.limits()).map_err(|error| Failure::new(input_name(path), error))
}

fn report(args: &Args, found: &[Difference]) -> String {
    let mut text: String = found.iter().map(|difference| format!("{difference}\n")).collect();
    if found.len() >= args.limit.max(1) {
        text += "(there may be more)\n";
    }
    text
}
