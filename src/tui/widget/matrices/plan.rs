//! Where the tiles of A, B and C stand on the screen, and what stands at a place.

use super::Element;
use crate::matrix::{Operand, Size};
use ratatui::layout::{self, Rect};

/// How closely the matrices are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// At least four tiles each way, where there are that many.
    #[default]
    Tiles,
    /// Tiles so large that each element can be told apart: two each way, or the current one.
    Elements,
}

/// A run of whole tiles out of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u32,
    pub(super) shown: u32,
    pub(super) total: u32,
}

/// One matrix on the screen: positions in cells from the area's upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) operand: Operand,
    pub(super) x: u16,
    pub(super) y: u16,
    /// Columns and rows of one tile.
    pub(super) cell: (u16, u16),
    pub(super) rows: Window,
    pub(super) columns: Window,
    /// Elements: the side of a tile, rows and columns of the matrix.
    tile: u32,
    shape: (u32, u32),
}

/// Numbers of tiles: of rows and columns of C, and along K both ways (A lies across, B down).
#[derive(Clone, Copy, Debug)]
struct Tiles {
    m: u32,
    n: u32,
    k_across: u32,
    k_down: u32,
}

/// All three, in the order A, B, C.
pub(super) struct Plan {
    pub(super) grids: [Grid; 3],
}

/// Columns between A and C: room for two edge marks.
const GAP: u16 = 2;
/// Cells of a tile, the largest first.
const CELLS: [(u16, u16); 5] = [(12, 6), (8, 4), (6, 3), (4, 2), (2, 1)];
/// Tiles that should be in sight each way, so that one sees where the block stands.
const SURROUNDINGS: u32 = 4;

impl Window {
    /// `shown` of `total` tiles, `centre` as near to their middle as the edges allow.
    fn around(centre: u32, shown: u32, total: u32) -> Self {
        let first = centre.saturating_sub(shown / 2).min(total.saturating_sub(shown));
        Self { first, shown, total }
    }

    /// The same in elements, of which there are `all`.
    pub(super) fn elements(self, tile: u32, all: u32) -> Self {
        let first = self.first * tile;
        Self { first, shown: (self.shown * tile).min(all - first), total: all }
    }

    /// Whether there are tiles before the window.
    pub(super) const fn before(self) -> bool {
        self.first > 0
    }

    /// Whether there are tiles after it.
    pub(super) const fn after(self) -> bool {
        self.first + self.shown < self.total
    }

    /// "k tiles 0-7 of 64" and shorter wordings; nothing when all are in sight.
    pub(super) fn range(self, what: &str, short: &str) -> Vec<String> {
        if !self.before() && !self.after() {
            return Vec::new();
        }
        let (first, last, total) = (self.first, self.first + self.shown - 1, self.total);
        let run = if first == last { first.to_string() } else { format!("{first}-{last}") };
        vec![
            format!("{what} {run} of {total}"),
            format!("{short} {run} of {total}"),
            format!("{short} {run}"),
        ]
    }
}

impl Grid {
    pub(super) fn width(&self) -> u16 {
        self.columns.shown as u16 * self.cell.0
    }

    pub(super) fn height(&self) -> u16 {
        self.rows.shown as u16 * self.cell.1
    }

    /// The first element under a pixel (one column wide, half a row high), if the matrix has it.
    pub(super) fn element(&self, x: u16, y: u16) -> Option<(u32, u32)> {
        let row = self.rows.first * self.tile + u32::from(y) * self.tile / self.pixels_down();
        let column =
            self.columns.first * self.tile + u32::from(x) * self.tile / u32::from(self.cell.0);
        (row < self.shape.0 && column < self.shape.1).then_some((row, column))
    }

    /// The pixels that show an element; none when it is outside the window.
    pub(super) fn pixels(&self, row: u32, column: u32) -> impl Iterator<Item = (u16, u16)> {
        let across = span(column, self.columns, self.tile, u32::from(self.cell.0));
        let down = span(row, self.rows, self.tile, self.pixels_down());
        down.flat_map(move |y| across.clone().map(move |x| (x, y)))
    }

    /// The cell where a tile begins, if it is in the window.
    pub(super) fn corner(&self, row: u32, column: u32) -> Option<(u16, u16)> {
        let down = row.checked_sub(self.rows.first).filter(|r| *r < self.rows.shown)?;
        let right = column.checked_sub(self.columns.first).filter(|c| *c < self.columns.shown)?;
        Some((self.x + right as u16 * self.cell.0, self.y + down as u16 * self.cell.1))
    }

    fn pixels_down(&self) -> u32 {
        2 * u32::from(self.cell.1)
    }
}

impl Tiles {
    fn of(size: Size, tile: u32) -> Self {
        let [m, n, k] = [size.m, size.n, size.k].map(|elements| elements.div_ceil(tile));
        Self { m, n, k_across: k, k_down: k }
    }

    /// How many of these there is room for, with tiles of `cell` columns and rows.
    fn shown(self, cell: (u16, u16), area: layout::Size) -> Self {
        let across = u32::from(area.width.saturating_sub(GAP) / cell.0);
        let down = u32::from(area.height.saturating_sub(2) / cell.1);
        let (k_across, n) = share(across, self.k_across, self.n);
        let (k_down, m) = share(down, self.k_down, self.m);
        Self { m, n, k_across, k_down }
    }

    /// The size of a tile: close up if there is a size for that and room, otherwise the largest
    /// that leaves some surroundings in sight.
    fn cell(self, close: &[(u16, u16)], area: layout::Size) -> Option<(u16, u16)> {
        let largest = |cells: &[(u16, u16)], least: u32| {
            cells.iter().copied().find(|cell| self.shown(*cell, area).has(least, self))
        };
        largest(close, 2)
            .or_else(|| largest(close, 1))
            .or_else(|| largest(&CELLS, SURROUNDINGS))
            .or_else(|| largest(&CELLS[CELLS.len() - 1..], 1))
    }

    /// Whether these are at least `least` each way, or all that there are.
    fn has(self, least: u32, all: Self) -> bool {
        let each = |of: fn(Self) -> u32| of(self) >= of(all).min(least);
        each(|t| t.m) && each(|t| t.n) && each(|t| t.k_across) && each(|t| t.k_down)
    }
}

impl Plan {
    /// Chooses the tile's size and the windows; none where not even one tile of each fits.
    ///
    /// `centre` is the tile along M, N and K that is to be in sight.
    pub(super) fn new(
        size: Size,
        tile: u32,
        centre: [u32; 3],
        detail: Detail,
        area: layout::Size,
    ) -> Option<Self> {
        let tile = tile.max(1);
        let all = Tiles::of(size, tile);
        let cell = all.cell(&candidates(tile, detail), area)?;
        let shown = all.shown(cell, area);
        let [row, column, k_tile] = centre;
        let rows = Window::around(row, shown.m, all.m);
        let columns = Window::around(column, shown.n, all.n);
        let windows = [
            (Operand::A, rows, Window::around(k_tile, shown.k_across, all.k_across)),
            (Operand::B, Window::around(k_tile, shown.k_down, all.k_down), columns),
            (Operand::C, rows, columns),
        ];
        let (k_across, k_down) = (shown.k_across as u16 * cell.0, shown.k_down as u16 * cell.1);
        let left = (area.width - k_across - shown.n as u16 * cell.0 - GAP).div_ceil(2);
        let top = (area.height - k_down - shown.m as u16 * cell.1 - 2) / 2;
        let grids = windows.map(|(operand, rows, columns)| Grid {
            operand,
            x: if operand == Operand::A { left } else { left + k_across + GAP },
            y: top + if operand == Operand::B { 1 } else { 2 + k_down },
            cell,
            rows,
            columns,
            tile,
            shape: size.shape(operand),
        });
        Some(Self { grids })
    }
}

/// What stands at a place of the screen.
pub fn hit(matrices: &super::Matrices<'_>, area: Rect, x: u16, y: u16) -> Option<Element> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    matrices.plan(area)?.grids.iter().find_map(|grid| {
        let right = x.checked_sub(grid.x).filter(|right| *right < grid.width())?;
        let down = y.checked_sub(grid.y).filter(|down| *down < grid.height())?;
        let (row, column) = grid.element(right, 2 * down)?;
        Some(Element { operand: grid.operand, row, column })
    })
}

/// Cells of a tile that show each element as a square of pixels.
fn candidates(tile: u32, detail: Detail) -> Vec<(u16, u16)> {
    match detail {
        Detail::Tiles => Vec::new(),
        Detail::Elements => {
            let pixels = [4, 2, 1].map(|scale| tile.saturating_mul(scale).min(4096) as u16);
            pixels.into_iter().map(|side| (side, side.div_ceil(2))).collect()
        }
    }
}

/// Shares `room` tiles between `first` and `second`: in halves, unless one needs less.
fn share(room: u32, first: u32, second: u32) -> (u32, u32) {
    let given = first.min((room / 2).max(room.saturating_sub(second)));
    (given, second.min(room - given))
}

/// The pixels along one axis that show an element, if its tile is in the window.
fn span(element: u32, window: Window, tile: u32, pixels: u32) -> std::ops::Range<u16> {
    let (from, to) = (window.first * tile, (window.first + window.shown) * tile);
    if element < from || element >= to {
        return 0..0;
    }
    let first = (element - from) * pixels / tile;
    let end = ((element - from + 1) * pixels).div_ceil(tile).max(first + 1);
    // An element smaller than a pixel lights the one that it begins in.
    let end = if pixels < tile { first + 1 } else { end };
    first as u16..end as u16
}
