//! The list of files that another validator calls valid.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::failure::{Failure, Result};

use super::check::Checked;
use super::read_lines;

/// Names of files, each with the codes of what is found in it all the same.
pub struct ValidFiles(BTreeMap<String, BTreeSet<String>>);

impl ValidFiles {
    /// Reads a list: a name in each line, or a name, codes with commas, and a reason, separated by tabs.
    pub fn read(path: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for (number, line) in read_lines(path)? {
            let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
            let codes = match cells.as_slice() {
                [_] => BTreeSet::new(),
                [_, codes, reason] if !reason.is_empty() => codes.split(',').map(|code| code.trim().to_owned()).collect(),
                _ => {
                    let message =
                        format!("line {number}: neither a name alone nor a name, codes and a reason, separated by tabs");
                    return Err(Failure::at(path, message));
                }
            };
            files.insert(cells.first().copied().unwrap_or_default().to_owned(), codes);
        }
        Ok(ValidFiles(files))
    }

    /// What is found in files on the list and is not expected, and what is expected and not found.
    pub fn judge(&self, checked: &[Checked]) -> Vec<String> {
        let mut failures = Vec::new();
        for file in checked {
            let name = file.name.rsplit('/').next().unwrap_or_default();
            if let (Some(expected), Some(found)) = (self.0.get(name), &file.findings)
                && !found.iter().eq(expected)
            {
                let words = |codes: Vec<&str>| if codes.is_empty() { "valid".to_owned() } else { codes.join(", ") };
                let found = words(found.iter().copied().collect());
                let expected = words(expected.iter().map(String::as_str).collect());
                failures.push(format!("{}: {found}, expected: {expected}", file.name));
            }
        }
        failures
    }
}
