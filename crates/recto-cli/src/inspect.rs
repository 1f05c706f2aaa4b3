//! `recto inspect`.

use std::path::{Path, PathBuf};

use recto::opc::Kind;
use recto::report::{Coverage, Inspection, PartInspection, Share, Vocabulary, inspect, inspect_bin};
use serde_json::{Value, json};

use crate::failure::{Failure, Result, Status, one_line};
use crate::files::{Source, input_name};
use crate::table::{Table, percent};
use crate::{Global, json, print};

#[derive(clap::Args)]
pub struct Args {
    /// Document, workbook or .bin, or - for standard input
    file: PathBuf,
    /// Show also what is typed by namespace, and the names of what is not
    #[arg(long)]
    coverage: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result {
    let failure = |error: &dyn std::fmt::Display| Failure::new(input_name(&args.file), error);
    let mut source = Source::open(&args.file)?;
    let is_bin = source.is_bin().map_err(|error| failure(&error))?;
    let inspection = match is_bin {
        true => inspect_bin(source.into_reader(), &global.limits()),
        false => inspect(source.into_read_at().map_err(|error| failure(&error))?, &global.limits()),
    };
    let inspection = inspection.map_err(|error| failure(&error))?;
    print(&match args.json {
        true => json::text(&report_json(args, &inspection)),
        false => report_text(args, &inspection),
    })?;
    Ok(Status::Done)
}

/// The name that reports give to a kind.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Document => "document",
        Kind::Workbook => "workbook",
        _ => "other",
    }
}

fn conformance(inspection: &Inspection) -> &'static str {
    if inspection.strict { "strict" } else { "transitional" }
}

/// Parts with typed root, and all bytes, in the zip and out of it.
fn totals(inspection: &Inspection) -> (usize, u64, u64) {
    let sum = |size: fn(&PartInspection) -> u64| inspection.parts.iter().map(size).sum();
    let typed = inspection.parts.iter().filter(|part| part.root.is_some()).count();
    (typed, sum(|part| part.compressed_size), sum(|part| part.size))
}

fn report_json(args: &Args, inspection: &Inspection) -> Value {
    let part = |part: &PartInspection| {
        json!({
            "name": part.name,
            "content_type": part.content_type,
            "size": part.size,
            "compressed_size": part.compressed_size,
            "root": part.root,
            "share": json::share(part.share),
            "extras": part.extras,
        })
    };
    let (typed, compressed_size, size) = totals(inspection);
    let mut report = json!({
        "file": input_name(&args.file),
        "kind": kind_name(inspection.kind),
        "conformance": conformance(inspection),
        "parts": inspection.parts.iter().map(part).collect::<Vec<_>>(),
        "diagnostics": json::diagnostics(&inspection.diagnostics),
        "totals": {
            "parts": inspection.parts.len(),
            "typed_parts": typed,
            "size": size,
            "compressed_size": compressed_size,
            "extras": inspection.extras(),
            "shares": json::shares(&inspection.coverage),
        },
    });
    if let (true, Some(map)) = (args.coverage, report.as_object_mut()) {
        map.insert("coverage".to_owned(), json::namespaces(&inspection.coverage));
    }
    report
}

/// A file in one line.
pub fn headline(file: &Path, inspection: &Inspection) -> String {
    let (typed, compressed_size, size) = totals(inspection);
    format!(
        "{}: {}, {}, {} parts ({typed} typed), {size} bytes ({compressed_size} compressed), {} messages with extras\n",
        input_name(file),
        kind_name(inspection.kind),
        conformance(inspection),
        inspection.parts.len(),
        inspection.extras(),
    )
}

fn report_text(args: &Args, inspection: &Inspection) -> String {
    let mut text = headline(&args.file, inspection) + "\n";
    let mut table = Table::new(&["part", "root", ">typed %", ">typed", ">untyped", ">extras", ">size", ">compressed", "type"]);
    for part in &inspection.parts {
        table.row([
            part.name.clone(),
            part.root.clone().unwrap_or_else(|| "opaque".to_owned()),
            percent(part.share.percent()),
            part.share.typed.total().to_string(),
            part.share.untyped.total().to_string(),
            part.extras.to_string(),
            part.size.to_string(),
            part.compressed_size.to_string(),
            part.content_type.clone().unwrap_or_default(),
        ]);
    }
    text += &table.text();
    text.push('\n');
    text += &shares(&inspection.coverage);
    if args.coverage {
        text += &namespaces(&inspection.coverage);
        text += &untyped(&inspection.coverage, usize::MAX);
    }
    if !inspection.diagnostics.is_empty() {
        text += &format!("\n{} diagnostics\n", inspection.diagnostics.count());
        for diagnostic in &inspection.diagnostics {
            text += &format!("  {}\n", one_line(&diagnostic.to_string()));
        }
    }
    text
}

const SHARE_HEADINGS: [&str; 6] = ["", ">typed %", ">typed elements", ">untyped", ">typed attributes", ">untyped"];

fn share_row(name: &str, share: Share) -> [String; 6] {
    [
        name.to_owned(),
        percent(share.percent()),
        share.typed.elements.to_string(),
        share.untyped.elements.to_string(),
        share.typed.attributes.to_string(),
        share.untyped.attributes.to_string(),
    ]
}

/// Typed shares by vocabulary.
pub fn shares(coverage: &Coverage) -> String {
    let mut table = Table::new(&SHARE_HEADINGS);
    for vocabulary in Vocabulary::COUNTED {
        table.row(share_row(vocabulary.name(), coverage.of(vocabulary)));
    }
    table.row(share_row("Everything", coverage.everything()));
    let excluded = coverage.excluded();
    let note = format!("  not counted: {} elements, {} attributes\n", excluded.elements, excluded.attributes);
    table.text() + &note
}

/// Typed shares by namespace.
pub fn namespaces(coverage: &Coverage) -> String {
    let mut table = Table::new(&SHARE_HEADINGS);
    for (uri, found) in coverage.namespaces() {
        table.row(share_row(uri, found.share));
    }
    format!("\nby namespace\n{}", table.text())
}

/// What is not typed of what counts, the most frequent first.
pub fn untyped(coverage: &Coverage, limit: usize) -> String {
    let mut list = Vec::new();
    for (uri, found) in coverage.namespaces().filter(|(uri, _)| Vocabulary::of_namespace(uri) != Vocabulary::Excluded) {
        list.extend(found.untyped_elements.iter().map(|(name, &count)| (count, format!("<{name}>"), uri)));
        list.extend(found.untyped_attributes.iter().map(|(name, &count)| (count, format!("@{name}"), uri)));
    }
    list.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.2, &a.1).cmp(&(b.2, &b.1))));
    let mut table = Table::new(&[">count", "untyped", "namespace"]);
    for (count, name, uri) in list.into_iter().take(limit) {
        table.row([count.to_string(), name, uri.to_owned()]);
    }
    if table.is_empty() { String::new() } else { format!("\nnot typed\n{}", table.text()) }
}
