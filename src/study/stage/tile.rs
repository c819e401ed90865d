//! Tiles: an empty one, its titles, the ranges of its cells.

use super::grids::GlobalGrid;
use super::plan::StagePlan;
use super::scene::{CellLevel, CellRange, GridCell, Hue, TileKind, WordTile};
use std::ops::Range;

/// A tile of which nothing is known yet.
pub(super) fn tile(
    kind: TileKind,
    title: String,
    hue: Hue,
    (rows, columns): (u32, u32),
) -> WordTile {
    let cells = vec![GridCell::default(); (rows * columns) as usize];
    WordTile {
        kind,
        title,
        note: String::new(),
        hue,
        rows,
        columns,
        cells,
        brick: 1,
        bands: Vec::new(),
        cost: None,
        wear: None,
        turned: false,
        copies: super::scene::TileCopies::default(),
    }
}

impl WordTile {
    /// A cell, if there is one.
    pub(super) fn cell_mut(&mut self, (row, column): (u32, u32)) -> Option<&mut GridCell> {
        let inside = row < self.rows && column < self.columns;
        let index = (row * self.columns + column) as usize;
        self.cells.get_mut(index).filter(|_| inside)
    }

    pub(super) fn set(&mut self, at: (u32, u32), level: CellLevel) {
        if let Some(cell) = self.cell_mut(at) {
            cell.level = level;
        }
    }
}

/// Adds a cell to a rectangle around others.
pub(super) fn widen(range: &mut Option<CellRange>, (row, column): (u32, u32)) {
    let grown = match range.take() {
        None => CellRange { rows: row..row + 1, columns: column..column + 1 },
        Some(CellRange { rows, columns }) => CellRange {
            rows: rows.start.min(row)..rows.end.max(row + 1),
            columns: columns.start.min(column)..columns.end.max(column + 1),
        },
    };
    *range = Some(grown);
}

impl StagePlan {
    /// `A[32-47][0-15]`, as far as the array reaches.
    pub(super) fn window_title(
        &self,
        array: usize,
        rows: &Range<u32>,
        columns: &Range<u32>,
    ) -> String {
        let grid = &self.grids.0[array];
        if grid.is_flat() {
            return flat_title(grid, rows, columns);
        }
        let rows = side(rows, grid.rows);
        format!("{}{rows}{}", grid.name, side(columns, grid.columns))
    }
}

/// `in[64-127]`, or, where what lies between its rows is left out, `in[32 rows of 32]`.
fn flat_title(grid: &GlobalGrid, rows: &Range<u32>, columns: &Range<u32>) -> String {
    let place =
        |row: u32, column: u32| u64::from(row) * u64::from(grid.columns) + u64::from(column);
    let first = place(rows.start, columns.start);
    let last = place(rows.end.saturating_sub(1), columns.end.saturating_sub(1));
    let is_whole = columns.len() as u32 == grid.columns;
    match rows.len() {
        _ if first == last => format!("{}[{first}]", grid.name),
        count if count > 1 && !is_whole => {
            format!("{}[{count} rows of {}]", grid.name, columns.len())
        }
        _ => format!("{}[{first}-{last}]", grid.name),
    }
}

fn side(range: &Range<u32>, end: u32) -> String {
    let last = range.end.min(end).saturating_sub(1);
    if last <= range.start {
        format!("[{}]", range.start)
    } else {
        format!("[{}-{last}]", range.start)
    }
}
