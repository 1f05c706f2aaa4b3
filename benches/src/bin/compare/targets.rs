//! What is aimed at, and whether it was reached.

use recto_benches::table::Table;

use super::{Measured, Results};

/// What of a measurement counts.
#[derive(Clone, Copy)]
enum Metric {
    Cpu,
    Wall,
    Growth,
}

impl Metric {
    fn of(self, measured: &Measured) -> f64 {
        match self {
            Metric::Cpu => measured.time.cpu.as_secs_f64(),
            Metric::Wall => measured.time.wall.as_secs_f64(),
            Metric::Growth => measured.growth as f64,
        }
    }
}

/// What a measurement is divided by.
#[derive(Clone, Copy)]
enum Divisor {
    /// The same metric of another operation, on the same input.
    Operation(&'static str),
    /// The same metric of the same operation, on another input.
    Input(&'static str),
    /// A unit.
    Unit(f64),
}

#[derive(Clone, Copy)]
enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

struct Target {
    about: &'static str,
    input: &'static str,
    operation: &'static str,
    metric: Metric,
    divisor: Divisor,
    goal: Goal,
}

impl Target {
    fn value(&self, results: &Results) -> Option<f64> {
        let above = self.metric.of(results.get(&(self.input, self.operation))?);
        let below = match self.divisor {
            Divisor::Operation(operation) => self.metric.of(results.get(&(self.input, operation))?),
            Divisor::Input(input) => self.metric.of(results.get(&(input, self.operation))?),
            Divisor::Unit(unit) => unit,
        };
        Some(above / below)
    }
}

/// Prints a row for each target on the inputs that were measured.
pub fn print(results: &Results) {
    let mut table = Table::new(&["target", "input", "goal", "measured", "reached"]);
    for target in
        targets().into_iter().chain(targets_on_structs()).filter(|target| results.keys().any(|(input, _)| *input == target.input))
    {
        let value = target.value(results);
        let (goal, is_reached) = match target.goal {
            Goal::AtMost(most) => (format!("≤ {most:.2}"), value.is_some_and(|value| value <= most)),
            Goal::AtLeast(least) => (format!("≥ {least:.2}"), value.is_some_and(|value| value >= least)),
        };
        let measured = value.map_or_else(|| "nothing".to_owned(), |value| format!("{value:.2}"));
        let reached = if is_reached { "yes" } else { "no" };
        table.row([target.about.to_owned(), target.input.to_owned(), goal, measured, reached.to_owned()]);
    }
    println!("### Targets\n\n{table}");
}

fn target(
    about: &'static str,
    input: &'static str,
    operation: &'static str,
    metric: Metric,
    divisor: Divisor,
    goal: Goal,
) -> Target {
    Target { about, input, operation, metric, divisor, goal }
}

/// The targets on structs, of which there is one for each cell: memory in tenths of what four million take.
#[cfg(feature = "structs")]
fn targets_on_structs() -> [Target; 2] {
    let tenths = Divisor::Unit(4e6 * recto_benches::typed::CELL_SIZE as f64 / 10.0);
    [("parse-file", "parse, memory ÷ a tenth of a message a cell"), ("structs", "structs, memory ÷ a tenth of a message a cell")]
        .map(|(operation, about)| target(about, "empties", operation, Metric::Growth, tenths, Goal::AtMost(1.0)))
}

#[cfg(not(feature = "structs"))]
fn targets_on_structs() -> [Target; 0] {
    []
}

fn targets() -> Vec<Target> {
    use Divisor::{Input, Operation, Unit};
    use Goal::{AtLeast, AtMost};
    use Metric::{Cpu, Growth, Wall};
    let mebibyte = Unit(f64::from(1 << 20));
    let millisecond = Unit(1e-3);
    vec![
        target("parse with 2 threads ÷ inflate, wall", "numbers", "parse@2", Wall, Operation("inflate"), AtMost(1.15)),
        target("parse with 1 thread ÷ inflate, CPU", "numbers", "parse", Cpu, Operation("inflate"), AtMost(2.0)),
        target("parse with 2 threads ÷ inflate, wall", "mixed", "parse@2", Wall, Operation("inflate"), AtMost(1.3)),
        target("parse with 1 thread ÷ inflate, CPU", "mixed", "parse", Cpu, Operation("inflate"), AtMost(2.2)),
        target("parse ÷ inflate, CPU", "document", "parse", Cpu, Operation("inflate"), AtMost(6.0)),
        target("calamine's cells ÷ parse, CPU", "numbers", "calamine", Cpu, Operation("parse"), AtLeast(4.0)),
        target("calamine's cells ÷ parse, CPU", "mixed", "calamine", Cpu, Operation("parse"), AtLeast(4.0)),
        target("ooxmlsdk's parse ÷ structs, CPU", "numbers", "sdk-xlsx", Cpu, Operation("structs"), AtLeast(4.0)),
        target("ooxmlsdk's parse ÷ structs, CPU", "mixed", "sdk-xlsx", Cpu, Operation("structs"), AtLeast(4.0)),
        target("ooxmlsdk's parse ÷ parse, CPU", "document", "sdk-docx", Cpu, Operation("parse"), AtLeast(5.0)),
        target("ooxmlsdk ÷ round trip, CPU", "numbers", "sdk-xlsx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("ooxmlsdk ÷ round trip, CPU", "mixed", "sdk-xlsx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("ooxmlsdk ÷ round trip, CPU", "document", "sdk-docx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("write at 3 ÷ deflate, CPU", "numbers", "write-3", Cpu, Operation("deflate-3"), AtMost(1.15)),
        target("write at 6 ÷ deflate, CPU", "numbers", "write-6", Cpu, Operation("deflate-6"), AtMost(1.1)),
        target("write at 3 ÷ deflate, CPU", "mixed", "write-3", Cpu, Operation("deflate-3"), AtMost(1.15)),
        target("write at 6 ÷ deflate, CPU", "mixed", "write-6", Cpu, Operation("deflate-6"), AtMost(1.1)),
        target("write at 3 with 2 threads ÷ deflate, wall", "sheets", "write-3@2", Wall, Operation("deflate-3"), AtMost(0.6)),
        target("write at 6 with 2 threads ÷ deflate, wall", "sheets", "write-6@2", Wall, Operation("deflate-6"), AtMost(0.6)),
        target("parse and write, CPU ms", "small-xlsx", "round-trip", Cpu, millisecond, AtMost(0.6)),
        target("parse and write, CPU ms", "small-docx", "round-trip", Cpu, millisecond, AtMost(1.0)),
        target(
            "ooxmlsdk ÷ parse and write, CPU",
            "small-xlsx",
            "sdk-xlsx-round-trip",
            Cpu,
            Operation("round-trip-6"),
            AtLeast(4.0),
        ),
        target(
            "ooxmlsdk ÷ parse and write, CPU",
            "small-docx",
            "sdk-docx-round-trip",
            Cpu,
            Operation("round-trip-6"),
            AtLeast(4.0),
        ),
        target("parse, memory in MiB", "cells-20m", "parse-file", Growth, mebibyte, AtMost(8.0)),
        target("write, memory in MiB", "cells-20m", "write-file", Growth, mebibyte, AtMost(8.0)),
        target("parse ÷ that of half the cells, CPU", "cells-10m", "parse-file", Cpu, Input("cells-5m"), AtMost(2.1)),
        target("parse ÷ that of half the cells, CPU", "cells-20m", "parse-file", Cpu, Input("cells-10m"), AtMost(2.1)),
        target("write ÷ that of half the cells, CPU", "cells-10m", "write-file", Cpu, Input("cells-5m"), AtMost(2.1)),
        target("write ÷ that of half the cells, CPU", "cells-20m", "write-file", Cpu, Input("cells-10m"), AtMost(2.1)),
    ]
}
