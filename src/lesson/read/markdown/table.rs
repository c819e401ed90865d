//! A table, drawn as lines of text.

/// A cell that is wider pushes the next ones aside.
const WIDEST: usize = 40;

/// The cells of a table, row by row; the first is the head.
#[derive(Debug, Default)]
pub(super) struct MarkdownTable(Vec<Vec<String>>);

impl MarkdownTable {
    pub(super) fn next_row(&mut self) {
        self.0.push(Vec::new());
    }

    pub(super) fn cell(&mut self, text: String) {
        if let Some(row) = self.0.last_mut() {
            row.push(text);
        }
    }

    /// The rows with their columns below each other.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let length = |row: &Vec<String>, column| {
            row.get(column).map_or(0, |cell: &String| cell.chars().count())
        };
        let widths: Vec<_> = (0..columns)
            .map(|column| self.0.iter().map(|row| length(row, column)).max().unwrap_or(0))
            .map(|width| width.min(WIDEST))
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.0.iter().map(line).collect()
    }
}
