//! The same operations under criterion, which tells whether a change was one. Peers take part if the feature `peers` is on.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use recto_benches::Result;
use recto_benches::inputs::Input;
use recto_benches::operation::{Case, Operation, make_bin};

/// Groups: name, inputs, operations. Operations that do not fit an input or are not built in are left out.
const GROUPS: [(&str, &[&str], &[&str]); 7] = [
    ("limits", LARGE, &["inflate", "deflate-3", "deflate-4", "deflate-6"]),
    ("parse", LARGE, &["parse"]),
    ("write", LARGE, &["write-3", "write-4", "write-6"]),
    ("structs", LARGE, &["structs", "from-bin", "to-bin"]),
    ("round-trip", LARGE, &["round-trip", "typed-round-trip"]),
    ("small", SMALL, &["inflate", "deflate", "parse", "structs", "write", "round-trip", "typed-round-trip"]),
    ("peers", ALL, PEERS),
];

const LARGE: &[&str] = &["numbers", "mixed", "document"];
const SMALL: &[&str] = &["small-xlsx", "small-docx"];
const ALL: &[&str] = &["numbers", "mixed", "document", "small-xlsx", "small-docx"];
const PEERS: &[&str] =
    &["tokens", "calamine", "umya", "sdk-xlsx", "sdk-xlsx-round-trip", "docx-rs", "docx-rust", "sdk-docx", "sdk-docx-round-trip"];

fn main() -> Result {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, inputs, operations) in GROUPS {
        let mut group = criterion.benchmark_group(name);
        for input in inputs {
            let input = Input::named(input)?;
            for operation in operations {
                if fits(operation, &input) {
                    add(&mut group, &input, operation)?;
                }
            }
        }
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// Whether an operation is built in and knows the kind of file.
fn fits(operation: &str, input: &Input) -> bool {
    let knows = match operation {
        "calamine" | "umya" => !input.is_document(),
        _ if operation.contains("xlsx") => !input.is_document(),
        _ if operation.contains("docx") => input.is_document(),
        _ => true,
    };
    knows && Operation::named(operation).is_ok()
}

fn add(group: &mut BenchmarkGroup<'_, WallTime>, input: &Input, name: &str) -> Result {
    let operation = Operation::named(name)?;
    if !input.is_small() {
        group.sample_size(10);
        group.warm_up_time(Duration::from_millis(500));
    }
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(input.path()?.metadata()?.len()));
    // Inputs are read when a benchmark is first run, so that a filter leaves the others out.
    let mut case = None;
    group.bench_function(format!("{}/{name}", input.name), |bencher| {
        if case.is_none() {
            case = make_bin(input).and_then(|()| Case::prepare(input, operation)).ok();
        }
        if let Some(case) = &case {
            bencher.iter(|| black_box(case.run().ok()));
        }
    });
    Ok(())
}
