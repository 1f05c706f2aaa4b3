//! `recto diff`.

use std::path::{Path, PathBuf};

use recto::opc::Archive;
use recto::opc::zip::ReadAt;
use recto::report::{Difference, EntryDifference, Identity, diff, identity};
use serde_json::json;

use crate::failure::{Failure, Result, Status, one_line};
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
    /// Compare the bytes of all entries, in their order
    #[arg(long)]
    bytes: bool,
    /// How many differences are shown at most
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: usize,
}

pub fn run(args: &Args, global: &Global) -> Result {
    if is_standard(&args.a) && is_standard(&args.b) {
        return Err(Failure::usage("only one of the files can be standard input"));
    }
    let (left, right) = (open(&args.a, global)?, open(&args.b, global)?);
    if args.bytes {
        return bytes(args, &identity(&left, &right));
    }
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

/// How much is the same to the byte.
fn bytes(args: &Args, found: &Identity) -> Result {
    print(&match args.json {
        true => json::text(&json!({
            "a": input_name(&args.a),
            "b": input_name(&args.b),
            "xml": { "entries": found.xml, "same": found.same_xml },
            "binary": { "entries": found.binary, "same": found.same_binary },
            "same_package": found.same_package,
            "different": json::entries(&found.different),
        })),
        false => {
            let lines = found.different.iter().take(args.limit);
            let mut text: String = lines.map(|entry| format!("{}: {}\n", one_line(&entry.name), describe(entry.what))).collect();
            text += &format!(
                "the same: {} of {} XML entries, {} of {} others; packages {}\n",
                found.same_xml,
                found.xml,
                found.same_binary,
                found.binary,
                if found.same_package { "identical up to compression" } else { "not identical" }
            );
            text
        }
    })?;
    Ok(if found.same_package { Status::Done } else { Status::Differs })
}

/// What is not the same about an entry, in words.
fn describe(what: EntryDifference) -> String {
    match what {
        EntryDifference::Name => "another entry, or none, at its place".to_owned(),
        EntryDifference::Content(offset) => format!("different from byte {offset} on"),
        EntryDifference::Method => "stored in one, deflated in the other".to_owned(),
        _ => "unreadable".to_owned(),
    }
}

fn open(path: &Path, global: &Global) -> Result<Archive<Box<dyn ReadAt>>> {
    Archive::open(open_package(path)?, &global.limits()).map_err(|error| Failure::new(input_name(path), error))
}

fn report(args: &Args, found: &[Difference]) -> String {
    let mut text: String = found.iter().map(|difference| one_line(&difference.to_string()).into_owned() + "\n").collect();
    if found.len() >= args.limit.max(1) {
        text += "(there may be more)\n";
    }
    text
}
