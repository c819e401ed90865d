//! The history of a value as JSON: the heading, and the rows of the table.

use crate::kernel::compiled_by;
use crate::study::value::Answer;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is written.
#[derive(Serialize)]
struct Outcome<'a> {
    kernel: &'a str,
    ptx_sha256: String,
    compiled_by: Option<String>,
    element: String,
    heading: Vec<String>,
    /// The cells of each row that are not empty, by the titles of their columns.
    rows: Vec<BTreeMap<&'static str, String>>,
}

impl Answer {
    /// The answer as JSON.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn json(&self) -> serde_json::Result<String> {
        let problem = &self.question.problem;
        let row = |row: usize| {
            let cells = self.columns().into_iter().map(|of| (of.title(), self.cell(row, of)));
            cells.filter(|(_, cell)| !cell.is_empty()).collect()
        };
        serde_json::to_string_pretty(&Outcome {
            kernel: problem.name(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            element: self.element().to_string(),
            heading: self.heading(usize::MAX),
            rows: (0..self.rows()).map(row).collect(),
        })
    }
}
