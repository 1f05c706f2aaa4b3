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

/// Prints a row for each target whose measurements were taken.
pub fn print(results: &Results) {
    let mut table = Table::new(&["target", "input", "goal", "measured", "reached"]);
    for target in targets() {
        let Some(value) = target.value(results) else { continue };
        let (goal, is_reached) = match target.goal {
            Goal::AtMost(most) => (format!("≤ {most:.2}"), value <= most),
            Goal::AtLeast(least) => (format!("≥ {least:.2}"), value >= least),
        };
        let reached = if is_reached { "yes" } else { "no" };
        table.row([target.about.to_owned(), target.input.to_owned(), goal, format!("{value:.2}"), reached.to_owned()]);
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

fn targets() -> Vec<Target> {
    use Divisor::{Input, Operation, Unit};
    use Goal::{AtLeast, AtMost};
    use Metric::{Cpu, Growth, Wall};
    let mebibyte = Unit(f64::from(1 << 20));
    let millisecond = Unit(1e-3);
    // A tenth of one message for each of four million cells.
    let message_tenths = Unit(4e6 * size_of::<recto::sheet::Cell>() as f64 / 10.0);
    vec![
        target("parse ÷ inflate, wall", "numbers", "parse", Wall, Operation("inflate"), AtMost(1.15)),
        target("parse ÷ inflate, CPU", "numbers", "parse", Cpu, Operation("inflate"), AtMost(2.0)),
        target("parse ÷ inflate, wall", "mixed", "parse", Wall, Operation("inflate"), AtMost(1.3)),
        target("parse ÷ inflate, CPU", "mixed", "parse", Cpu, Operation("inflate"), AtMost(2.2)),
        target("parse ÷ inflate, CPU", "document", "parse", Cpu, Operation("inflate"), AtMost(6.0)),
        target("calamine ÷ parse, CPU", "numbers", "calamine", Cpu, Operation("parse"), AtLeast(4.0)),
        target("calamine ÷ parse, CPU", "mixed", "calamine", Cpu, Operation("parse"), AtLeast(4.0)),
        target("ooxmlsdk ÷ structs, CPU", "numbers", "sdk-xlsx", Cpu, Operation("structs"), AtLeast(4.0)),
        target("ooxmlsdk ÷ structs, CPU", "mixed", "sdk-xlsx", Cpu, Operation("structs"), AtLeast(4.0)),
        target("ooxmlsdk ÷ parse, CPU", "document", "sdk-docx", Cpu, Operation("parse"), AtLeast(5.0)),
        target("ooxmlsdk ÷ round trip, CPU", "numbers", "sdk-xlsx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("ooxmlsdk ÷ round trip, CPU", "mixed", "sdk-xlsx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("ooxmlsdk ÷ round trip, CPU", "document", "sdk-docx-round-trip", Cpu, Operation("round-trip-6"), AtLeast(3.0)),
        target("write ÷ deflate at 3, CPU", "numbers", "write-3", Cpu, Operation("deflate-3"), AtMost(1.15)),
        target("write ÷ deflate at 4, CPU", "numbers", "write-4", Cpu, Operation("deflate-4"), AtMost(1.15)),
        target("write ÷ deflate at 6, CPU", "numbers", "write-6", Cpu, Operation("deflate-6"), AtMost(1.1)),
        target("write ÷ deflate at 3, CPU", "mixed", "write-3", Cpu, Operation("deflate-3"), AtMost(1.15)),
        target("write ÷ deflate at 4, CPU", "mixed", "write-4", Cpu, Operation("deflate-4"), AtMost(1.15)),
        target("write ÷ deflate at 6, CPU", "mixed", "write-6", Cpu, Operation("deflate-6"), AtMost(1.1)),
        target("write ÷ deflate, wall", "sheets", "write", Wall, Operation("deflate"), AtMost(0.6)),
        target("parse and write, CPU ms", "small-xlsx", "round-trip", Cpu, millisecond, AtMost(0.6)),
        target(
            "ooxmlsdk ÷ parse and write, CPU",
            "small-xlsx",
            "sdk-xlsx-round-trip",
            Cpu,
            Operation("round-trip-6"),
            AtLeast(4.0),
        ),
        target("parse and write, CPU ms", "small-docx", "round-trip", Cpu, millisecond, AtMost(1.0)),
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
        target("parse, CPU ÷ that of half the cells", "cells-10m", "parse-file", Cpu, Input("cells-5m"), AtMost(2.1)),
        target("parse, CPU ÷ that of half the cells", "cells-20m", "parse-file", Cpu, Input("cells-10m"), AtMost(2.1)),
        target("write, CPU ÷ that of half the cells", "cells-10m", "write-file", Cpu, Input("cells-5m"), AtMost(2.1)),
        target("write, CPU ÷ that of half the cells", "cells-20m", "write-file", Cpu, Input("cells-10m"), AtMost(2.1)),
        target("parse, memory ÷ a tenth of a message a cell", "empties", "parse-file", Growth, message_tenths, AtMost(1.0)),
        target("structs, memory ÷ a tenth of a message a cell", "empties", "structs", Growth, message_tenths, AtMost(1.0)),
    ]
}
