//! Makes the inputs, and runs one operation on one of them, for profilers and for counting instructions.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use recto_benches::Result;
use recto_benches::inputs::{INPUTS, Input};
use recto_benches::operation::{Case, Operation, make_bin};

const USAGE: &str = "usage: recto-benches inputs [NAME]...   make the files, and their .bin\n       \
                            recto-benches run OPERATION INPUT [TIMES]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["inputs", names @ ..] => make(names),
        ["run", operation, input] => run(operation, input, "1"),
        ["run", operation, input, times] => run(operation, input, times),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn make(names: &[&str]) -> Result {
    for input in INPUTS {
        if names.is_empty() || names.contains(&input.name) {
            make_bin(&input)?;
            println!("{}: {} bytes", input.path()?.display(), input.path()?.metadata()?.len());
        }
    }
    Ok(())
}

fn run(operation: &str, input: &str, times: &str) -> Result {
    let mut case = Case::prepare(&Input::named(input)?, Operation::named(operation)?)?;
    for _ in 0..times.parse::<u32>()? {
        std::hint::black_box(case.run()?);
    }
    Ok(())
}
