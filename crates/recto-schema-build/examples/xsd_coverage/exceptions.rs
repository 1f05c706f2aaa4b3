//! The reviewed list of differences that are meant.

use std::fs;
use std::path::Path;

use crate::walk::Finding;

/// A line of the list.
pub struct Exception {
    /// 1-based.
    line: usize,
    kind: String,
    schema: String,
    /// May end with `*`.
    context: String,
    /// May end with `*`.
    name: String,
}

impl Exception {
    /// Whether it is about a difference.
    pub fn covers(&self, finding: &Finding) -> bool {
        self.kind == finding.kind.word()
            && self.schema == finding.schema
            && matches(&self.context, &finding.context)
            && matches(&self.name, &finding.name)
    }
}

impl std::fmt::Display for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}\t{}\t{}\t{}", self.line, self.kind, self.schema, self.context, self.name)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == text, |start| text.starts_with(start))
}

/// Reads a list: kind, schema, context, name, reason, separated by tabs; `#` begins a comment line.
///
/// # Errors
///
/// What cannot be read, and lines without all five columns.
pub fn read(path: &Path) -> Result<Vec<Exception>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let exceptions = lines.map(|(index, line)| {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns[..] {
            [kind, schema, context, name, reason] if !reason.trim().is_empty() => Ok(Exception {
                line: index + 1,
                kind: kind.to_owned(),
                schema: schema.to_owned(),
                context: context.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(format!("{}:{}: not kind, schema, context, name and reason, separated by tabs", path.display(), index + 1)),
        }
    });
    exceptions.collect()
}
