//! The same operations under criterion, which tells whether a change was one. Peers take part if the feature `peers` is on.

use std::hint::black_box;
use std::process::exit;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use recto_benches::Result;
use recto_benches::inputs::Input;
use recto_benches::operation::{Case, Operation, make_bin};

/// Groups: name, inputs, operations. Operations that do not fit an input or are not built in are left out.
const GROUPS: [(&str, &[&str], &[&str]); 12] = [
    ("inflate", LARGE, &["inflate"]),
    ("deflate", LARGE, &["deflate-3", "deflate-6"]),
    ("xlsx-to-bin", SHEETS, &["parse", "parse@2"]),
    ("docx-to-bin", DOCUMENTS, &["parse"]),
    ("bin-to-xlsx", SHEETS, &["write-3", "write-6", "write-6@2"]),
    ("bin-to-docx", DOCUMENTS, &["write-3", "write-6"]),
    ("bin-to-structs", LARGE, &["from-bin"]),
    ("structs-to-bin", LARGE, &["to-bin"]),
    ("streaming", LARGE, &["items", "items-of-bin"]),
    ("round-trip", LARGE, &["round-trip", "typed-round-trip"]),
    ("small", SMALL, &["inflate", "deflate", "parse", "structs", "write", "round-trip", "typed-round-trip"]),
    ("peers", ALL, PEERS),
];

const SHEETS: &[&str] = &["numbers", "mixed", "sheets"];
const DOCUMENTS: &[&str] = &["document"];
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
        let case = case.get_or_insert_with(|| succeed(make_bin(input).and_then(|()| Case::prepare(input, operation))));
        bencher.iter(|| black_box(succeed(case.run())));
    });
    Ok(())
}

/// Criterion's closures have no way to hand on an error.
fn succeed<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        exit(1)
    })
}
