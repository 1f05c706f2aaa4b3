//! Shares that may not fall: of what is typed, and of the XML that comes back to the byte.

use std::path::Path;

use recto::report::{Coverage, Share, Vocabulary};

use crate::failure::{Failure, Result};
use crate::table::percent;

use super::read_lines;

/// Percentages by name of vocabulary.
pub struct Baseline(Vec<(String, f64)>);

/// The name for all vocabularies that count.
const EVERYTHING: &str = "Everything";

/// The names of shares of XML entries that come back to the byte.
const IDENTICAL: &str = "Identical";
const IDENTICAL_OFFICE: &str = "IdenticalOffice";

/// Percentages of XML entries that come back to the byte.
#[derive(Clone, Copy, Default)]
pub struct Identical {
    pub all: f64,
    /// In files of Microsoft Office.
    pub office: f64,
}

impl Baseline {
    /// Reads a list.
    pub fn read(path: &Path) -> Result<Self> {
        let mut list = Vec::new();
        for (number, line) in read_lines(path)? {
            let mut cells = line.split_whitespace();
            let entry = match (cells.next(), cells.next().map(str::parse), cells.next()) {
                (Some(name), Some(Ok(value)), None) if is_share(name) => (name.to_owned(), value),
                _ => return Err(Failure::at(path, format!("line {number}: not a share and a percentage"))),
            };
            list.push(entry);
        }
        Ok(Baseline(list))
    }

    /// One line for each share that is lower, or that nothing was found of.
    pub fn judge(&self, coverage: &Coverage, identical: Identical) -> Vec<String> {
        let low = |(name, least): &(String, f64)| {
            let found = match name.as_str() {
                IDENTICAL => Some(identical.all),
                IDENTICAL_OFFICE => Some(identical.office),
                _ => share(coverage, name).and_then(Share::percent),
            };
            let is_lower = found.is_none_or(|found| found < *least);
            is_lower.then(|| format!("{name}: {} %, at least {least} expected", percent(found)))
        };
        self.0.iter().filter_map(low).collect()
    }
}

fn is_share(name: &str) -> bool {
    matches!(name, IDENTICAL | IDENTICAL_OFFICE) || share(&Coverage::default(), name).is_some()
}

fn share(coverage: &Coverage, name: &str) -> Option<Share> {
    if name == EVERYTHING {
        return Some(coverage.everything());
    }
    let vocabulary = Vocabulary::COUNTED.into_iter().find(|vocabulary| vocabulary.name() == name)?;
    Some(coverage.of(vocabulary))
}
