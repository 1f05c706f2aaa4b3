//! Tables of text.

use crate::failure::one_line;

/// Rows of cells; columns are as wide as their widest cell.
pub struct Table {
    /// Whether a column holds numbers, which end at the right.
    numeric: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings; one that begins with `>` heads a column of numbers.
    pub fn new(headings: &[&str]) -> Self {
        let numeric = headings.iter().map(|heading| heading.starts_with('>')).collect();
        let names = headings.iter().map(|heading| heading.trim_start_matches('>').to_owned()).collect();
        Table { numeric, rows: vec![names] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell).into_owned()).collect());
    }

    /// Whether there are only headings.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    pub fn text(&self) -> String {
        let mut widths = vec![0; self.numeric.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from(" ");
            for ((cell, &width), numeric) in row.iter().zip(&widths).zip(&self.numeric) {
                line += &if *numeric { format!(" {cell:>width$}") } else { format!(" {cell:<width$}") };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// A percentage with two decimals, rounded down: 100.00 means all.
pub fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.2}", (value * 100.0).floor() / 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["name", ">size"]);
        table.row(["a".to_owned(), "1234567".to_owned()]);
        table.row(["longer".to_owned(), "1".to_owned()]);
        assert_eq!(table.text(), "  name      size\n  a      1234567\n  longer       1\n");
    }

    #[test]
    fn percentages_never_round_up() {
        assert_eq!(percent(Some(99.9999)), "99.99");
        assert_eq!(percent(Some(100.0)), "100.00");
        assert_eq!(percent(None), "-");
    }
}
