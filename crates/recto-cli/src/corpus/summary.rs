//! What a run found, as text and as JSON.

use recto::opc::Kind;
use serde_json::{Value, json};

use crate::inspect::{kind_name, namespaces, shares, untyped};
use crate::json;
use crate::table::Table;

use super::check::Checked;
use super::process::{mebibytes, peak};
use super::share::Identical;
use super::{Run, Verdict};

/// How many of the slowest files, of the files with most that is not typed, and of the names that are not, are shown.
const SLOWEST: usize = 5;
const LEAST_TYPED: usize = 10;
const UNTYPED: usize = 30;

const OUTCOMES: [&str; 5] = ["equal", "different", "unstable", "error", "panic"];

/// Numbers of files by outcome, for one kind. Files that could not be read have none.
struct Line {
    kind: &'static str,
    counts: [usize; OUTCOMES.len()],
}

fn lines(run: &Run) -> Vec<Line> {
    let kinds = [Some(Kind::Document), Some(Kind::Workbook), None];
    let line = |kind: Option<Kind>| {
        let of_kind =
            |outcome: &str| run.checked.iter().filter(|file| file.kind == kind && file.outcome.name() == outcome).count();
        Line { kind: kind.map_or("unread", kind_name), counts: OUTCOMES.map(of_kind) }
    };
    kinds.into_iter().map(line).filter(|line| line.counts.iter().sum::<usize>() > 0).collect()
}

fn slowest(run: &Run) -> Vec<&Checked> {
    let mut files: Vec<_> = run.checked.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.time));
    files.truncate(SLOWEST);
    files
}

/// The files with most elements and attributes that are not typed, and how many.
fn least_typed(run: &Run) -> Vec<(u64, &Checked)> {
    let mut files: Vec<_> =
        run.checked.iter().filter_map(|file| Some((file.untyped.filter(|&count| count > 0)?, file))).collect();
    files.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    files.truncate(LEAST_TYPED);
    files
}

/// How much came back to the byte.
#[derive(Default)]
struct Same {
    producers: &'static str,
    files: u64,
    packages: u64,
    xml: u64,
    same_xml: u64,
    binary: u64,
    same_binary: u64,
}

impl Same {
    fn percent(&self) -> f64 {
        100.0 * self.same_xml as f64 / self.xml.max(1) as f64
    }
}

/// The shares that may not fall.
pub fn identical(run: &Run) -> Identical {
    let [office, _, all] = same(run).map(|same| same.percent());
    Identical { all, office }
}

fn same(run: &Run) -> [Same; 3] {
    let of = |producers, is: fn(&Checked) -> bool| {
        let mut same = Same { producers, ..Same::default() };
        for found in run.checked.iter().filter(|file| is(file)).filter_map(|file| file.identity.as_ref()) {
            same.files += 1;
            same.packages += u64::from(found.same_package);
            same.xml += found.xml;
            same.same_xml += found.same_xml;
            same.binary += found.binary;
            same.same_binary += found.same_binary;
        }
        same
    };
    [of("Microsoft Office", |file| file.by_office), of("others", |file| !file.by_office), of("all", |_| true)]
}

/// The median, the 95th percentile and the sum of the numbers of messages with extras, and how many files have none.
fn extras(run: &Run) -> Option<[u64; 4]> {
    let mut numbers: Vec<u64> = run.checked.iter().filter_map(|file| file.extras).collect();
    numbers.sort_unstable();
    let at = |percent: usize| numbers.get(numbers.len().saturating_sub(1) * percent / 100).copied();
    let none = numbers.iter().filter(|&&number| number == 0).count() as u64;
    Some([at(50)?, at(95)?, numbers.iter().sum(), none])
}

/// How many files are valid.
fn valid(run: &Run) -> Option<usize> {
    let checked: Vec<_> = run.checked.iter().filter_map(|file| file.findings.as_ref()).collect();
    (!checked.is_empty()).then(|| checked.iter().filter(|codes| codes.is_empty()).count())
}

pub fn text(run: &Run, verdict: &Verdict, details: bool) -> String {
    let mut text = String::new();
    let mut table = Table::new(&["", ">files", ">equal", ">different", ">unstable", ">error", ">panic"]);
    for line in lines(run) {
        let numbers = line.counts.iter().map(usize::to_string);
        table.row([line.kind.to_owned(), line.counts.iter().sum::<usize>().to_string()].into_iter().chain(numbers));
    }
    text += &table.text();
    let headings = ["to the byte", ">XML entries", ">same", ">%", ">others", ">same", ">packages", ">same"];
    let mut table = Table::new(&headings);
    for same in same(run) {
        let percent = format!("{:.2}", same.percent());
        let numbers = [same.binary, same.same_binary, same.files, same.packages].map(|number| number.to_string());
        let xml = [same.xml.to_string(), same.same_xml.to_string(), percent];
        table.row([same.producers.to_owned()].into_iter().chain(xml).chain(numbers));
    }
    text += &format!("\n{}", table.text());
    for file in run.checked.iter().filter(|file| file.outcome.name() != "equal") {
        text += &format!("\n{}: {}\n", file.name, file.outcome.name());
        text.extend(file.outcome.details().iter().map(|line| format!("  {line}\n")));
    }
    if let Some(coverage) = &run.coverage {
        text += &format!("\n{}", shares(coverage));
        if details {
            text += &namespaces(coverage);
            text += &untyped(coverage, UNTYPED);
            text += "\nfiles with most that is not typed\n";
            text.extend(least_typed(run).iter().map(|(count, file)| format!("  {count} {}\n", file.name)));
        }
    }
    if let Some([median, high, sum, none]) = extras(run) {
        text += &format!("\nmessages with extras: median {median}, 95th percentile {high}, sum {sum}, none in {none} files\n");
    }
    if let Some(valid) = valid(run) {
        text += &format!("\n{valid} files are valid\n");
    }
    text += "\nslowest\n";
    text.extend(slowest(run).iter().map(|file| format!("  {:.3} s {}\n", file.time.as_secs_f64(), file.name)));
    let (files, diagnostics) = (run.checked.len(), run.checked.iter().map(|file| file.diagnostics).sum::<u64>());
    text += &format!(
        "\n{files} files, {diagnostics} diagnostics, {} threads, {:.1} s, peak {} MiB\n",
        run.jobs,
        run.seconds,
        mebibytes(peak())
    );
    text.extend(verdict.notes.iter().map(|note| format!("note: {note}\n")));
    text.extend(verdict.failures.iter().map(|failure| format!("FAILED: {failure}\n")));
    text
}

pub fn json(run: &Run, verdict: &Verdict, details: bool) -> Value {
    let kinds = lines(run).into_iter().map(|line| {
        let counts: serde_json::Map<_, _> =
            OUTCOMES.iter().zip(line.counts).map(|(&outcome, count)| (outcome.to_owned(), json!(count))).collect();
        (line.kind.to_owned(), Value::Object(counts))
    });
    let not_equal = run
        .checked
        .iter()
        .filter(|file| file.outcome.name() != "equal")
        .map(|file| json!({ "file": file.name, "outcome": file.outcome.name(), "details": file.outcome.details() }));
    let slowest = slowest(run).into_iter().map(|file| json!({ "file": file.name, "seconds": file.time.as_secs_f64() }));
    let mut report = json!({
        "files": run.checked.len(),
        "kinds": kinds.collect::<serde_json::Map<_, _>>(),
        "to_the_byte": same(run).iter().map(|same| json!({
            "producers": same.producers,
            "xml": { "entries": same.xml, "same": same.same_xml, "percent": same.percent() },
            "binary": { "entries": same.binary, "same": same.same_binary },
            "packages": { "files": same.files, "same": same.packages },
        })).collect::<Vec<_>>(),
        "not_equal": not_equal.collect::<Vec<_>>(),
        "diagnostics": run.checked.iter().map(|file| file.diagnostics).sum::<u64>(),
        "slowest": slowest.collect::<Vec<_>>(),
        "threads": run.jobs,
        "seconds": run.seconds,
        "peak_bytes": peak(),
        "notes": verdict.notes,
        "failures": verdict.failures,
    });
    let Some(map) = report.as_object_mut() else { return report };
    if let Some(coverage) = &run.coverage {
        map.insert("shares".to_owned(), json::shares(coverage));
        if details {
            map.insert("coverage".to_owned(), json::namespaces(coverage));
            let files = least_typed(run).into_iter().map(|(count, file)| json!({ "file": file.name, "untyped": count }));
            map.insert("least_typed".to_owned(), files.collect());
        }
    }
    if let Some(valid) = valid(run) {
        map.insert("valid".to_owned(), json!(valid));
    }
    if let Some([median, high, sum, none]) = extras(run) {
        let extras = json!({ "median": median, "percentile_95": high, "sum": sum, "files_without": none });
        map.insert("extras".to_owned(), extras);
    }
    report
}
