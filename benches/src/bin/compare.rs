//! Measures everything in one run and prints it as Markdown: what each operation takes, and how that compares with the limits,
//! with other libraries, and with the targets.
//!
//! Every sample is taken in a process of its own, and the operations take turns, so that a machine that slows down for a while
//! slows all of them.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::process::{Command, ExitCode};
use std::time::Duration;

use recto_benches::Result;
use recto_benches::inputs::Input;
use recto_benches::measure::{Time, growth, time};
use recto_benches::operation::{Case, Operation, make_bin};
use recto_benches::table::Table;

#[path = "compare/plan.rs"]
mod plan;
#[path = "compare/targets.rs"]
mod targets;

const USAGE: &str = "usage: compare [--samples N] [INPUT]...";

/// Samples of each operation, unless another number is asked for.
const SAMPLES: usize = 7;

/// Runs within one sample of a small file.
const SMALL_RUNS: u32 = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["child-time", operation, input] => child_time(operation, input),
        ["child-growth", operation, input] => child_growth(operation, input),
        ["--samples", samples, inputs @ ..] => samples.parse().map_err(|_| USAGE.into()).and_then(|count| compare(count, inputs)),
        inputs => compare(SAMPLES, inputs),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// What was measured of one operation on one input.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    time: Time,
    /// By how many bytes memory grew.
    growth: u64,
}

/// By input and operation.
type Results = BTreeMap<(&'static str, &'static str), Measured>;

fn compare(samples: usize, inputs: &[&str]) -> Result {
    println!("{}\n", machine());
    for small in ["small-xlsx", "small-docx"] {
        make_bin(&Input::named(small)?)?;
    }
    let mut results = Results::new();
    for plan in plan::PLANS {
        if !inputs.is_empty() && !inputs.contains(&plan.input) {
            continue;
        }
        let input = Input::named(plan.input)?;
        make_bin(&input)?;
        let samples = if plan.is_long { samples.min(3) } else { samples };
        let measured = measure(&plan, samples)?;
        print(&input, &plan, &measured)?;
        results.extend(measured.into_iter().map(|(operation, measured)| ((plan.input, operation), measured)));
    }
    targets::print(&results);
    Ok(())
}

/// Samples all operations on one input, in turns.
fn measure(plan: &plan::Plan, samples: usize) -> Result<Vec<(&'static str, Measured)>> {
    let mut operations = plan.operations.to_vec();
    operations.retain(|operation| Operation::named(operation).map_err(|error| eprintln!("left out: {error}")).is_ok());
    let mut times = vec![Vec::new(); operations.len()];
    for round in 0..samples {
        eprintln!("{}: round {} of {samples}", plan.input, round + 1);
        for (operation, times) in operations.iter().zip(&mut times) {
            let [wall, cpu] = child("child-time", operation, plan.input)?.map(Duration::from_nanos);
            times.push(Time { wall, cpu });
        }
    }
    let mut measured = Vec::new();
    for (operation, times) in operations.into_iter().zip(times) {
        let [growth] = child("child-growth", operation, plan.input)?;
        let time = Time { wall: median(times.iter().map(|time| time.wall)), cpu: median(times.iter().map(|time| time.cpu)) };
        measured.push((operation, Measured { time, growth }));
    }
    Ok(measured)
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Runs this program again for one measurement, and reads the numbers that it prints.
fn child<const N: usize>(kind: &str, operation: &str, input: &str) -> Result<[u64; N]> {
    let output = Command::new(std::env::current_exe()?).args([kind, operation, input]).output()?;
    if !output.status.success() {
        return Err(format!("{operation} of {input}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<u64> = text.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>()?;
    numbers.try_into().map_err(|numbers| format!("{operation} of {input}: {numbers:?} are not {N} numbers").into())
}

/// Prints nanoseconds of wall and CPU time, for a run after one that is not counted, or many runs of a small file.
fn child_time(operation: &str, input: &str) -> Result {
    let input = Input::named(input)?;
    let mut case = Case::prepare(&input, Operation::named(operation)?)?;
    let runs = if input.is_small() { SMALL_RUNS } else { 1 };
    time(runs.div_ceil(4), || case.run())?;
    let time = time(runs, || case.run())?;
    println!("{} {}", time.wall.as_nanos(), time.cpu.as_nanos());
    Ok(())
}

/// Prints by how many bytes memory grows in the first run on the input. A run on a small file goes before, so that program code
/// that is loaded on the way does not count.
fn child_growth(operation: &str, input: &str) -> Result {
    let input = Input::named(input)?;
    let operation = Operation::named(operation)?;
    let small = Input::named(if input.is_document() { "small-docx" } else { "small-xlsx" })?;
    Case::prepare(&small, operation)?.run()?;
    let mut case = Case::prepare(&input, operation)?;
    println!("{}", growth(|| case.run())?);
    Ok(())
}

fn print(input: &Input, plan: &plan::Plan, measured: &[(&str, Measured)]) -> Result {
    let size = input.path()?.metadata()?.len();
    println!("### `{}`: {} ({})\n", input.name, input.about, mebibytes(size));
    let find = |name: &str| measured.iter().find(|(operation, _)| *operation == name).map(|(_, measured)| measured.time);
    let mut table = Table::new(&["operation", "CPU ms", "wall ms", "limit", "CPU ÷ limit", "wall ÷ limit", "memory"]);
    for (operation, measured) in measured {
        let limit = plan::limit(operation).unwrap_or_default();
        let (cpu, wall) = match find(&limit) {
            Some(limit) => (ratio(measured.time.cpu, limit.cpu), ratio(measured.time.wall, limit.wall)),
            None => (String::new(), String::new()),
        };
        let (cpu_time, wall_time) = (milliseconds(measured.time.cpu), milliseconds(measured.time.wall));
        table.row([(*operation).to_owned(), cpu_time, wall_time, limit, cpu, wall, mebibytes(measured.growth)]);
    }
    println!("{table}");
    if !plan.about.is_empty() {
        println!("{}\n", plan.about);
    }
    Ok(())
}

fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    if milliseconds < 10.0 { format!("{milliseconds:.3}") } else { format!("{milliseconds:.0}") }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn ratio(time: Duration, limit: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() / limit.as_secs_f64())
}

/// The machine, as far as `/proc` tells.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    format!("{}, {threads} threads; load at the start: {load}", model.trim_start_matches(['\t', ' ', ':']))
}
