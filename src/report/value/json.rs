//! The history of a value as JSON: the heading, and the rows of the table.

use crate::report::traced::TracedKernel;
use crate::study::value::ValueAnswer;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct History {
    #[serde(flatten)]
    of: TracedKernel,
    element: String,
    heading: Vec<String>,
    /// The cells of each row that are not empty, by the titles of their columns.
    rows: Vec<BTreeMap<&'static str, String>>,
}

impl ValueAnswer {
    pub fn json(&self) -> History {
        let row = |row: usize| {
            let cells = self.columns().into_iter().map(|of| (of.title(), self.cell(row, of)));
            cells.filter(|(_, cell)| !cell.is_empty()).collect()
        };
        History {
            of: TracedKernel::of(&self.question.problem),
            element: self.element().to_string(),
            heading: self.heading(usize::MAX),
            rows: (0..self.rows()).map(row).collect(),
        }
    }
}
