//! `recto corpus`.

mod bad;
mod check;
mod collect;
mod expected;
mod pairs;
mod process;
mod share;
mod summary;
mod valid;
mod workers;

use std::path::PathBuf;

use recto::report::Coverage;

use crate::failure::{Failure, Result, Status};
use crate::{Global, json, print};

use check::Checked;
use expected::Expectations;
use pairs::Pairs;
use share::Baseline;
use valid::ValidFiles;

/// Checks every file in folders, at any depth: it is parsed, written again, compared with the original, and parsed once
/// more. It comes back equal if the comparison finds nothing, if the second .bin equals the first (but for the fingerprint
/// of the zip), and if parsing and writing twice gives the same bytes.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// Folders or files
    #[arg(required = true, value_name = "DIR")]
    paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Count what is typed, and show what is not
    #[arg(long, conflicts_with = "bad")]
    coverage: bool,
    /// Threads; as many as there are cores if not given
    #[arg(long, value_name = "N", conflicts_with = "bad", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// List of files that are known not to come back equal
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Shares that may not fall, of what is typed and of what comes back to the byte
    #[arg(long, value_name = "FILE", conflicts_with = "bad")]
    baseline: Option<PathBuf>,
    /// Check also whether the files are valid: those on this list must be
    #[arg(long, value_name = "FILE", conflicts_with = "bad")]
    valid: Option<PathBuf>,
    /// Keep what was written in a folder, and list pairs of original and written file
    #[arg(long, num_args = 2, value_names = ["FILE", "OUTDIR"], conflicts_with = "bad")]
    write_pairs: Option<Vec<PathBuf>>,
    /// The files are damaged or hostile: each must end in an error or be read with a diagnostic, within 2 s and 256 MiB
    #[arg(long)]
    bad: bool,
}

const AFTER_HELP: &str = "\
--expect: one line a file: the end of its path, the outcome and the reason, separated by tabs. Outcomes are different, \
unstable, error, panic; with --bad also silent, slow, large; outside: equal here, but not for other tools that compare. A \
file that does not have the outcome that the list says is a failure, and so is one that is equal all the same.

--baseline: one line a share: the vocabulary of which so many percent are typed (WordprocessingML 99.97), or Identical or \
IdenticalOffice, the XML entries of all files or of those of Microsoft Office that come back to the byte.

--valid: one line a file: its name, and if something is found in it all the same, the codes and the reason, separated by tabs.

Lines that begin with # are comments.";

/// The first differences of a file that are kept.
const MAX_DIFFERENCES: usize = 5;

pub fn run(args: &Args, global: &Global) -> Result {
    let expectations = args.expect.as_deref().map(Expectations::read).transpose()?.unwrap_or_default();
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let valid = args.valid.as_deref().map(ValidFiles::read).transpose()?;
    let files = collect::files(&args.paths)?;
    // Panics are outcomes here; where they happened is part of the outcome.
    std::panic::set_hook(Box::new(|_| {}));
    if args.bad {
        let report = bad::run(&files, &expectations, global)?;
        return finish(args.json, &report.text, &report.json, report.failures);
    }
    let pairs = args.write_pairs.as_deref().map(|pair| Pairs::new(pair, &files)).transpose()?;
    let options = check::Options {
        limits: global.limits(),
        coverage: args.coverage || baseline.is_some(),
        validate: valid.is_some(),
        pairs: pairs.as_ref(),
    };
    let jobs = args.jobs.map_or_else(workers::cores, usize::from);
    let start = std::time::Instant::now();
    let (checked, coverages) = workers::run(&files, jobs, Coverage::default, |file, index, coverage: &mut Coverage| {
        check::file(file, index, &options, coverage)
    })?;
    if let Some(pairs) = &pairs {
        pairs.write_list(&checked)?;
    }
    let mut coverage = Coverage::default();
    coverages.iter().for_each(|part| coverage.merge(part));
    let run = Run { checked, coverage: options.coverage.then_some(coverage), seconds: start.elapsed().as_secs_f64(), jobs };
    let mut verdict = Verdict::of(&run, &expectations, baseline.as_ref());
    verdict.failures.extend(valid.iter().flat_map(|valid| valid.judge(&run.checked)));
    finish(
        args.json,
        &summary::text(&run, &verdict, args.coverage),
        &summary::json(&run, &verdict, args.coverage),
        verdict.failures,
    )
}

/// What a run found.
struct Run {
    /// In the order of the files.
    checked: Vec<Checked>,
    coverage: Option<Coverage>,
    seconds: f64,
    jobs: usize,
}

/// What is wrong with a run, and what is worth a note.
struct Verdict {
    /// One line each.
    failures: Vec<String>,
    notes: Vec<String>,
}

impl Verdict {
    fn of(run: &Run, expectations: &Expectations, baseline: Option<&Baseline>) -> Self {
        let outcomes = run.checked.iter().map(|file| (file.name.as_str(), file.outcome.name()));
        let (mut failures, notes) = expectations.judge(outcomes);
        if let (Some(baseline), Some(coverage)) = (baseline, &run.coverage) {
            failures.extend(baseline.judge(coverage, summary::identical(run)));
        }
        Verdict { failures, notes }
    }
}

fn finish(as_json: bool, text: &str, value: &serde_json::Value, failures: Vec<String>) -> Result {
    print(&if as_json { json::text(value) } else { text.to_owned() })?;
    Ok(if failures.is_empty() { Status::Done } else { Status::Differs })
}

/// Reads a list: the lines that are neither empty nor comments, with their numbers.
fn read_lines(path: &std::path::Path) -> Result<Vec<(usize, String)>> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::at(path, error))?;
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim().to_owned()));
    Ok(lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect())
}
