//! Compares the schema with the XSD files of ECMA-376: `xsd_coverage PROTO_ROOT XSD_FOLDER [EXCEPTIONS]` lists every element,
//! attribute and value of theirs that has no field, in its context, and what differs otherwise. Fails on every difference
//! that the list of exceptions does not name, and on every exception without a difference.

#![allow(clippy::indexing_slicing, clippy::expect_used, reason = "a tool of the build: its inputs are the project's own files")]

mod exceptions;
mod model;
mod order;
#[cfg(test)]
mod tests;
mod validity;
mod walk;
mod xsd;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use recto_schema_build::options::{self, Schema};
use roxmltree::Document;

use exceptions::Exception;
use walk::Finding;

/// Schemas of other applications and of what no document or workbook has as a part of its own.
const OTHERS: [&str; 4] = ["pml", "vml-presentationDrawing", "shared-additionalCharacteristics", "dml-lockedCanvas"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [proto_root, folder, rest @ ..] = &arguments[..] else {
        eprintln!("usage: xsd_coverage PROTO_ROOT XSD_FOLDER [EXCEPTIONS]");
        return ExitCode::FAILURE;
    };
    match run(Path::new(proto_root), Path::new(folder), rest.first().map(Path::new)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether there is nothing that the exceptions do not name, and nothing else in them.
fn run(proto_root: &Path, folder: &Path, list: Option<&Path>) -> Result<bool, String> {
    let loaded = options::load(proto_root).map_err(|error| error.to_string())?;
    let exceptions = list.map_or(Ok(Vec::new()), exceptions::read)?;
    let findings = compare(&loaded.schema, &xsd::read(folder)?)?;
    let in_scope: Vec<&Finding> = findings.iter().filter(|finding| !OTHERS.contains(&finding.schema.as_str())).collect();
    Ok(report(&in_scope, &exceptions) && loaded.broken.is_empty())
}

/// All differences between a schema and the texts of XSD files.
fn compare(schema: &Schema, texts: &BTreeMap<String, String>) -> Result<Vec<Finding>, String> {
    let parsed = texts.iter().map(|(name, text)| Ok((name.clone(), Document::parse(text).map_err(|e| format!("{name}: {e}"))?)));
    let documents = parsed.collect::<Result<BTreeMap<String, Document<'_>>, String>>()?;
    Ok(walk::compare(&xsd::Schemas::new(&documents), schema))
}

fn report(findings: &[&Finding], exceptions: &[Exception]) -> bool {
    let open: Vec<_> = findings.iter().filter(|finding| !exceptions.iter().any(|exception| exception.covers(finding))).collect();
    let stale = exceptions.iter().filter(|exception| !findings.iter().any(|finding| exception.covers(finding)));
    let stale: Vec<_> = stale.collect();
    for Finding { kind, schema, context, name, path } in open.iter().map(|finding| **finding) {
        println!("{}\t{schema}\t{context}\t{name}\t{path}", kind.word());
    }
    for exception in &stale {
        println!("stale exception, {exception}");
    }
    println!("{} differences, {} of them not excepted; {} stale exceptions", findings.len(), open.len(), stale.len());
    open.is_empty() && stale.is_empty()
}
