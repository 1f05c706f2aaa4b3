//! Markdown tables.

use std::fmt;

/// A table that pads its columns, so that it can be read as text too.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with the heads of its columns.
    pub fn new(heads: &[&str]) -> Self {
        Table { rows: vec![heads.iter().map(|&head| head.to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn width(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

/// The first column is text, the others are numbers and stand to the right.
impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let width = self.width(column);
                match column {
                    0 => write!(out, "| {cell:<width$} |")?,
                    _ => write!(out, " {cell:>width$} |")?,
                }
            }
            writeln!(out)?;
            if index == 0 {
                for column in 0..row.len() {
                    let dashes = "-".repeat(self.width(column));
                    match column {
                        0 => write!(out, "| {dashes} |")?,
                        _ => write!(out, " {}: |", dashes.get(1..).unwrap_or_default())?,
                    }
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }
}
