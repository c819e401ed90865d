//! The history of a value as JSON: the heading, and the rows of the table.

use crate::kernel::Tile;
use crate::kernel::compiled_by;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::study::value::ValueAnswer;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct History<'a> {
    kernel: &'a str,
    ptx_sha256: String,
    compiled_by: Option<String>,
    size: Size,
    /// The tile of a catalogue kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    grid: Dim3,
    block: Dim3,
    element: String,
    heading: Vec<String>,
    /// The cells of each row that are not empty, by the titles of their columns.
    rows: Vec<BTreeMap<&'static str, String>>,
}

impl ValueAnswer {
    pub fn json(&self) -> History<'_> {
        let problem = &self.question.problem;
        let row = |row: usize| {
            let cells = self.columns().into_iter().map(|of| (of.title(), self.cell(row, of)));
            cells.filter(|(_, cell)| !cell.is_empty()).collect()
        };
        History {
            kernel: problem.name(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            size: problem.size,
            tile: problem.tile(),
            grid: problem.launch.grid,
            block: problem.launch.block,
            element: self.element().to_string(),
            heading: self.heading(usize::MAX),
            rows: (0..self.rows()).map(row).collect(),
        }
    }
}
