//! Where the cells of a place lie, in columns and half rows.

use crate::study::stage::{CellRange, PlaceId};
use std::ops::Range;

/// A rectangle in columns and half rows, from the upper left corner of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HalfRect {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl HalfRect {
    pub const fn right(self) -> u16 {
        self.x + self.width
    }

    pub const fn bottom(self) -> u16 {
        self.y + self.height
    }

    /// The rows of the screen that it touches.
    pub const fn rows(self) -> Range<u16> {
        self.y / 2..self.bottom().div_ceil(2)
    }

    pub const fn has(self, x: u16, y: u16) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// The rectangle that lies this part of the way from this one to another.
    pub(super) fn towards(self, to: Self, part: f32) -> Self {
        let between = |a: u16, b: u16| {
            (f32::from(a) + (f32::from(b) - f32::from(a)) * part).round().max(0.0) as u16
        };
        // Each edge by itself, so that none goes to and fro.
        let (x, right) = (between(self.x, to.x), between(self.right(), to.right()));
        let (y, bottom) = (between(self.y, to.y), between(self.bottom(), to.bottom()));
        Self { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
    }
}

/// The words that a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bundle {
    pub rows: u32,
    pub columns: u32,
}

impl Bundle {
    /// A cell for each word.
    pub const ONE: Self = Self { rows: 1, columns: 1 };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceShape {
    /// A grid, row below row.
    Grid,
    /// One line, a cell for each row or for some of them.
    Gauge,
    /// The names of warps alone.
    Names,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedTile {
    pub place: PlaceId,
    pub area: HalfRect,
    pub shape: PlaceShape,
    /// Its rows and columns, in words.
    pub rows: u32,
    pub columns: u32,
    pub bundle: Bundle,
}

impl PlacedTile {
    /// The number of cells from top to bottom, and from left to right.
    pub fn cells(&self) -> (u32, u32) {
        let down = self.rows.div_ceil(self.bundle.rows).max(1);
        let across = self.columns.div_ceil(self.bundle.columns).max(1);
        match self.shape {
            PlaceShape::Grid | PlaceShape::Names => (down, across),
            PlaceShape::Gauge => (1, down),
        }
    }

    /// The columns and half rows of some of its words.
    pub fn of(&self, words: &CellRange) -> HalfRect {
        let (down, across) = self.cells();
        let HalfRect { x, y, width, height } = self.area;
        let along = |range: &Range<u32>, bundle: u32, start: u16, length: u16, cells: u32| {
            let at = |cell: u32| start + (u32::from(length) * cell.min(cells) / cells) as u16;
            let (first, last) = (range.start / bundle, range.end.div_ceil(bundle));
            (at(first), at(last).saturating_sub(at(first)))
        };
        if self.shape == PlaceShape::Gauge {
            let (x, width) = along(&words.rows, self.bundle.rows, x, width, across);
            return HalfRect { x, width, ..self.area };
        }
        let (x, width) = along(&words.columns, self.bundle.columns, x, width, across);
        let (y, height) = along(&words.rows, self.bundle.rows, y, height, down);
        HalfRect { x, y, width, height }
    }

    /// The cell at a column and half row: its place from the top and from the left.
    pub fn cell_at(&self, x: u16, y: u16) -> Option<(u32, u32)> {
        let (down, across) = self.cells();
        let at = |from: u16, length: u16, cells: u32| u32::from(from) * cells / u32::from(length);
        self.area.has(x, y).then(|| {
            (
                at(y - self.area.y, self.area.height, down),
                at(x - self.area.x, self.area.width, across),
            )
        })
    }

    /// The columns of a cell, if they are all alike.
    pub(super) fn cell_size(&self) -> Option<(u16, u16)> {
        let (down, across) = self.cells();
        let (width, height) = (u32::from(self.area.width), u32::from(self.area.height));
        let even = width.is_multiple_of(across) && height.is_multiple_of(down);
        even.then(|| ((width / across) as u16, (height / down) as u16))
    }
}
