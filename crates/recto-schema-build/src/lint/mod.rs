//! The rules of `proto/README.md`.

mod enums;
mod files;
mod lists;
mod messages;

use std::fmt;

use crate::options::Schema;

/// Hand-written codecs: the value of the option, and the variant of `Codec` in the tables.
pub const CODECS: [(&str, &str); 2] = [("row", "Row"), ("cell", "Cell")];

/// Values of the option `declares`, and the variants of `Declares` in the tables.
pub const DECLARES: [(&str, &str); 2] = [("own", "Own"), ("child", "Child")];

/// Highest number of bound fields in a message.
const MOST_ROWS: usize = 120;
/// Highest number of bound fields of a message and of its content list together; places in the tables are bytes.
const MOST_ROWS_AND_ITEMS: usize = 250;
/// Highest number of values of an enum, for the same reason.
const MOST_VALUES: usize = 250;
/// Highest field number; the tables have a byte for each number.
const HIGHEST_NUMBER: i32 = 1000;
/// Longest name or text, in bytes.
const LONGEST_TEXT: usize = 200;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Path of the file below the root.
    pub file: String,
    /// Line of the declaration, 1-based.
    pub line: i32,
    /// The declaration: `Run.properties`.
    pub subject: String,
    /// What is wrong.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.subject, self.text)
    }
}

/// All broken rules, by file and line.
pub fn check(schema: &Schema) -> Vec<Violation> {
    let mut violations = Vec::new();
    files::check(schema, &mut violations);
    messages::check(schema, &mut violations);
    enums::check(schema, &mut violations);
    violations.sort();
    violations
}

/// Collects the violations of one declaration.
struct Report<'a> {
    file: &'a str,
    violations: &'a mut Vec<Violation>,
}

impl Report<'_> {
    fn add(&mut self, line: i32, subject: impl Into<String>, text: impl Into<String>) {
        self.violations.push(Violation { file: self.file.to_owned(), line, subject: subject.into(), text: text.into() });
    }
}
