//! The list of files that are known not to come back equal.

use std::path::Path;

use crate::failure::{Failure, Result};

use super::read_lines;

/// A reviewed list. It is executable: what it says must be so.
#[derive(Default)]
pub struct Expectations(Vec<Expectation>);

struct Expectation {
    /// The end of the path.
    suffix: String,
    outcome: String,
    reason: String,
}

/// Equal here, but not for other tools that compare.
const OUTSIDE: &str = "outside";

const OUTCOMES: [&str; 8] = ["different", "unstable", "error", "panic", "silent", "slow", "large", OUTSIDE];

impl Expectations {
    /// Reads a list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut list = Vec::new();
        for (number, line) in read_lines(path)? {
            let wrong = |what: &str| Failure::at(path, format!("line {number}: {what}"));
            let mut cells = line.splitn(3, '\t').map(|cell| cell.trim().to_owned());
            let (Some(suffix), Some(outcome), Some(reason)) = (cells.next(), cells.next(), cells.next()) else {
                return Err(wrong("not a path, an outcome and a reason, separated by tabs"));
            };
            if !OUTCOMES.contains(&outcome.as_str()) {
                return Err(wrong(&format!("unknown outcome {outcome}")));
            }
            list.push(Expectation { suffix, outcome, reason });
        }
        Ok(Expectations(list))
    }

    /// The reason why a file is on the list.
    pub fn reason(&self, name: &str) -> Option<&str> {
        self.find(name).map(|expectation| expectation.reason.as_str())
    }

    /// Compares outcomes with the list. Failures come first, then notes on lines that no file is meant by.
    pub fn judge<'a>(&self, outcomes: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> (Vec<String>, Vec<String>) {
        let mut failures = Vec::new();
        for (name, outcome) in outcomes.clone() {
            let expected = match self.find(name).map(|expectation| expectation.outcome.as_str()) {
                None | Some(OUTSIDE) => "equal",
                Some(outcome) => outcome,
            };
            if outcome != expected {
                failures.push(format!("{name}: {outcome}, expected: {expected}"));
            }
        }
        let unused = self.0.iter().filter(|entry| !outcomes.clone().any(|(name, _)| entry.is_for(name)));
        let notes = unused.map(|entry| format!("{}: expected to be {}, not in this run", entry.suffix, entry.outcome));
        (failures, notes.collect())
    }

    fn find(&self, name: &str) -> Option<&Expectation> {
        self.0.iter().find(|expectation| expectation.is_for(name))
    }
}

impl Expectation {
    fn is_for(&self, name: &str) -> bool {
        name.strip_suffix(self.suffix.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Expectations {
        let entry = |suffix: &str, outcome: &str| Expectation {
            suffix: suffix.to_owned(),
            outcome: outcome.to_owned(),
            reason: String::new(),
        };
        Expectations(vec![entry("docx/a.docx", "different"), entry("b.docx", OUTSIDE)])
    }

    #[test]
    fn what_is_expected_must_happen() {
        let judge = |outcomes: &[(&str, &str)]| list().judge(outcomes.iter().copied()).0.len();
        assert_eq!(judge(&[("x/docx/a.docx", "different"), ("x/b.docx", "equal"), ("c.docx", "equal")]), 0);
        assert_eq!(judge(&[("docx/a.docx", "equal")]), 1);
        assert_eq!(judge(&[("docx/a.docx", "error")]), 1);
        assert_eq!(judge(&[("b.docx", "different")]), 1);
        assert_eq!(judge(&[("c.docx", "unstable")]), 1);
    }

    #[test]
    fn paths_end_at_whole_names() {
        assert!(list().find("x/b.docx").is_some());
        assert!(list().find("xb.docx").is_none());
        assert_eq!(list().judge([("xb.docx", "equal")].into_iter()).1.len(), 2);
    }
}
