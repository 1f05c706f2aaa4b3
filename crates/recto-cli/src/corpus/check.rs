//! One file of a corpus: there and back, twice.

use std::any::Any;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recto::opc::encoding::{Encoding, Utf8Reader};
use recto::opc::{Archive, Kind};
use recto::report::{Coverage, Difference, Identity, diff, identity, measure, validate_bin};
use recto::{Error, Limits, WriteOptions, parse_to_vec, write_bin};

use super::MAX_DIFFERENCES;
use super::pairs::Pairs;

/// What was found of a file.
pub struct Checked {
    /// Its path with slashes.
    pub name: String,
    pub kind: Option<Kind>,
    pub outcome: Outcome,
    /// Number of diagnostics of the first parse.
    pub diagnostics: u64,
    /// Number of messages with extras, if they were counted.
    pub extras: Option<u64>,
    /// Codes of what is not valid, if it was checked.
    pub findings: Option<BTreeSet<&'static str>>,
    /// Number of elements and attributes that count and are not typed, if they were counted.
    pub untyped: Option<u64>,
    /// How much of it came back to the byte.
    pub identity: Option<Identity>,
    /// Whether Microsoft Office says that it wrote it.
    pub by_office: bool,
    pub time: Duration,
}

/// How a file came back.
pub enum Outcome {
    Equal,
    /// The first differences.
    Different(Vec<Difference>),
    /// The reason.
    Unstable(&'static str),
    /// What was being done, and the error.
    Error(&'static str, String),
    /// The message.
    Panic(String),
}

impl Outcome {
    /// The word that lists use.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Equal => "equal",
            Outcome::Different(_) => "different",
            Outcome::Unstable(_) => "unstable",
            Outcome::Error(..) => "error",
            Outcome::Panic(_) => "panic",
        }
    }

    /// One line for each thing that is wrong.
    pub fn details(&self) -> Vec<String> {
        match self {
            Outcome::Equal => Vec::new(),
            Outcome::Different(list) => list.iter().map(Difference::to_string).collect(),
            Outcome::Unstable(reason) => vec![(*reason).to_owned()],
            Outcome::Error(stage, message) => vec![format!("{stage}: {message}")],
            Outcome::Panic(message) => vec![message.clone()],
        }
    }
}

/// What is asked of a check.
pub struct Options<'p> {
    pub limits: Limits,
    pub coverage: bool,
    pub validate: bool,
    pub pairs: Option<&'p Pairs>,
}

/// The path of a file as lists spell it.
pub fn name_of(file: &Path) -> String {
    file.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// The message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without message").to_owned()
}

/// Checks a file and adds what is typed in it to `coverage`.
pub fn file(file: &PathBuf, index: usize, options: &Options<'_>, coverage: &mut Coverage) -> Checked {
    let start = Instant::now();
    let mut checked = Checked {
        name: name_of(file),
        kind: None,
        outcome: Outcome::Equal,
        diagnostics: 0,
        extras: None,
        findings: None,
        untyped: None,
        identity: None,
        by_office: false,
        time: Duration::ZERO,
    };
    let result = catch_unwind(AssertUnwindSafe(|| check(file, index, options, coverage, &mut checked)));
    checked.outcome = match result {
        Ok(Ok(outcome)) => outcome,
        Ok(Err((stage, error))) => Outcome::Error(stage, error.to_string()),
        Err(panic) => Outcome::Panic(panic_message(&*panic)),
    };
    checked.time = start.elapsed();
    checked
}

type Staged<T> = Result<T, (&'static str, Error)>;

/// Says what was being done when an error came.
fn during<T>(stage: &'static str, result: recto::Result<T>) -> Staged<T> {
    result.map_err(|error| (stage, error))
}

fn check(file: &PathBuf, index: usize, options: &Options<'_>, coverage: &mut Coverage, checked: &mut Checked) -> Staged<Outcome> {
    let limits = &options.limits;
    let original = during("read", std::fs::read(file).map_err(Error::from))?;
    let (bin, parsed) = during("parse", parse_to_vec(&original, limits))?;
    checked.kind = Some(parsed.kind);
    checked.diagnostics = parsed.diagnostics.count();
    if options.validate {
        let findings = during("validate", validate_bin(Cursor::new(&bin)))?;
        checked.findings = Some(findings.iter().map(|finding| finding.code.name()).collect());
    }
    let written = during("write", write_package(&bin))?;
    if let Some(pairs) = options.pairs {
        during("keep", pairs.keep(index, &written).map_err(Error::from))?;
    }
    let left = during("parse", Archive::open(&original, limits))?;
    if options.coverage {
        let (parts, found) = during("measure", measure(&left, limits))?;
        checked.extras = Some(parts.iter().map(|part| part.extras).sum());
        checked.untyped = Some(found.everything().untyped.total());
        coverage.merge(&found);
    }
    let right = during("parse the written file", Archive::open(&written, limits))?;
    checked.identity = Some(identity(&left, &right));
    checked.by_office = is_by_office(&left);
    let differences = during("compare", diff(&left, &right, MAX_DIFFERENCES))?;
    if !differences.is_empty() {
        return Ok(Outcome::Different(differences));
    }
    if during("parse again", parse_to_vec(&original, limits))?.0 != bin {
        return Ok(Outcome::Unstable("parsing it twice gives different bytes"));
    }
    if during("write again", write_package(&bin))? != written {
        return Ok(Outcome::Unstable("writing it twice gives different bytes"));
    }
    let recoded = during("read", has_recoded_parts(&left))?;
    during("parse the written file", stable(&bin, &written, recoded, limits))
}

fn write_package(bin: &[u8]) -> recto::Result<Vec<u8>> {
    write_bin(bin, Vec::new(), &WriteOptions::default())
}

/// Whether what was written parses to the same `.bin`. Parts that were not in UTF-8 are written in UTF-8, which the second
/// `.bin` says; then it is the third that must be the same.
fn stable(bin: &[u8], written: &[u8], recoded: bool, limits: &Limits) -> recto::Result<Outcome> {
    let (second, _) = parse_to_vec(written, limits)?;
    if same(bin, &second) {
        return Ok(Outcome::Equal);
    }
    if recoded && same(&second, &parse_to_vec(write_package(&second)?, limits)?.0) {
        return Ok(Outcome::Equal);
    }
    Ok(Outcome::Unstable("the written file parses to a different .bin"))
}

/// Whether two `.bin` differ at most in the fingerprint of the zip that they come from.
fn same(a: &[u8], b: &[u8]) -> bool {
    match (fingerprint_end(a), fingerprint_end(b)) {
        (Some(end), Some(other)) => {
            let start = end.saturating_sub(FINGERPRINT);
            end == other && a.get(..start) == b.get(..start) && a.get(end..) == b.get(end..)
        }
        _ => a == b,
    }
}

/// Bytes of the fingerprint.
const FINGERPRINT: usize = 8;

/// Where the fingerprint ends: it is the last field (number 3, eight bytes) of the header (number 1), which comes first.
fn fingerprint_end(bin: &[u8]) -> Option<usize> {
    let (&[0x0a, length], _) = bin.split_first_chunk()? else { return None };
    let end = 2 + usize::from(length);
    let key = bin.get(end.checked_sub(FINGERPRINT + 1)?)?;
    (length < 0x80 && *key == 3 << 3 | 1).then_some(end)
}

/// Whether the document properties say that Microsoft Office wrote it. Other producers say so too.
fn is_by_office<S: recto::opc::zip::ReadAt>(archive: &Archive<S>) -> bool {
    let properties = archive.find("docProps/app.xml").and_then(|entry| archive.zip().read_entry(entry).ok());
    let name = b"Application>Microsoft ";
    properties.is_some_and(|xml| xml.windows(name.len()).any(|window| window == name))
}

/// Whether any XML part is in another encoding than UTF-8.
fn has_recoded_parts<S: recto::opc::zip::ReadAt>(archive: &Archive<S>) -> recto::Result<bool> {
    for index in 0..archive.zip().entries().len() {
        // What has no encoding that is known is no part that is written anew.
        if let Ok(text) = Utf8Reader::new(archive.zip().open_entry(index)?)
            && !matches!(text.encoding(), Encoding::Utf8 | Encoding::Utf8Bom)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_fingerprint_may_differ() {
        let bin = |version: u8, fingerprint: u8, rest: u8| {
            let mut bin = vec![0x0a, 13, 0x08, version, 0x10, 1, 0x19];
            bin.extend([fingerprint; FINGERPRINT]);
            bin.extend([0x12, 1, rest]);
            bin
        };
        assert!(same(&bin(1, 7, 0), &bin(1, 8, 0)));
        assert!(!same(&bin(1, 7, 0), &bin(2, 7, 0)));
        assert!(!same(&bin(1, 7, 0), &bin(1, 7, 1)));
        assert!(!same(&bin(1, 7, 0), &[]));
        assert!(same(&[], &[]));
    }
}
