//! Where the tiles of A, B and C stand on the screen, and what stands at a place.

use super::Element;
use crate::kernel::Tile;
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
    /// Elements: rows and columns of a tile, and of the matrix.
    tile: (u32, u32),
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

/// Cells of a tile: its rows of A and C, its columns of B and C, and its depth along K both ways.
#[derive(Clone, Copy, Debug)]
struct Cell {
    m: u16,
    n: u16,
    k_across: u16,
    k_down: u16,
}

/// Columns between A and C: room for two edge marks.
const GAP: u16 = 2;
/// Columns and rows for the longest side of a tile, the largest first.
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
        let (tall, wide) = self.tile;
        let row = self.rows.first * tall + u32::from(y) * tall / self.pixels_down();
        let column = self.columns.first * wide + u32::from(x) * wide / u32::from(self.cell.0);
        (row < self.shape.0 && column < self.shape.1).then_some((row, column))
    }

    /// The pixels that show an element; none when it is outside the window.
    pub(super) fn pixels(&self, row: u32, column: u32) -> impl Iterator<Item = (u16, u16)> {
        let across = span(column, self.columns, self.tile.1, u32::from(self.cell.0));
        let down = span(row, self.rows, self.tile.0, self.pixels_down());
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
    fn of(size: Size, tile: Tile) -> Self {
        let k = size.k.div_ceil(tile.k);
        Self { m: size.m.div_ceil(tile.m), n: size.n.div_ceil(tile.n), k_across: k, k_down: k }
    }

    /// How many of these there is room for, with tiles of `cell` columns and rows.
    fn shown(self, cell: Cell, area: layout::Size) -> Self {
        let (across, down) = (area.width.saturating_sub(GAP), area.height.saturating_sub(2));
        let (k_across, n) = share(across, (cell.k_across, self.k_across), (cell.n, self.n));
        let (k_down, m) = share(down, (cell.k_down, self.k_down), (cell.m, self.m));
        Self { m, n, k_across, k_down }
    }

    /// The size of a tile: close up if there is a size for that and room, otherwise the largest
    /// that leaves some surroundings in sight.
    fn cell(self, tile: Tile, close: &[Cell], area: layout::Size) -> Option<Cell> {
        let largest = |cells: &[Cell], least: u32| {
            cells.iter().copied().find(|cell| self.shown(*cell, area).has(least, self))
        };
        let cells = CELLS.map(|longest| Cell::of(tile, longest));
        largest(close, 2)
            .or_else(|| largest(close, 1))
            .or_else(|| largest(&cells, SURROUNDINGS))
            .or_else(|| largest(&cells[CELLS.len() - 1..], 1))
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
        tile: Tile,
        centre: [u32; 3],
        detail: Detail,
        area: layout::Size,
    ) -> Option<Self> {
        let all = Tiles::of(size, tile);
        let cell = all.cell(tile, &candidates(tile, detail), area)?;
        let shown = all.shown(cell, area);
        let [row, column, k_tile] = centre;
        let rows = Window::around(row, shown.m, all.m);
        let columns = Window::around(column, shown.n, all.n);
        let windows = [
            (Operand::A, rows, Window::around(k_tile, shown.k_across, all.k_across)),
            (Operand::B, Window::around(k_tile, shown.k_down, all.k_down), columns),
            (Operand::C, rows, columns),
        ];
        let k_across = shown.k_across as u16 * cell.k_across;
        let k_down = shown.k_down as u16 * cell.k_down;
        let left = (area.width - k_across - shown.n as u16 * cell.n - GAP).div_ceil(2);
        let top = (area.height - k_down - shown.m as u16 * cell.m - 2) / 2;
        let grids = windows.map(|(operand, rows, columns)| Grid {
            operand,
            x: if operand == Operand::A { left } else { left + k_across + GAP },
            y: top + if operand == Operand::B { 1 } else { 2 + k_down },
            cell: cell.of_matrix(operand),
            rows,
            columns,
            tile: tile.shape(operand),
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

impl Cell {
    /// A tile in its proportions, its longest side so many columns or rows; never less than two
    /// columns and a row.
    fn of(tile: Tile, (columns, rows): (u16, u16)) -> Self {
        let longest = tile.m.max(tile.n).max(tile.k).max(1);
        let part = |side: u32, of: u16| (side * u32::from(of)).div_ceil(longest) as u16;
        Self {
            m: part(tile.m, rows).max(1),
            n: part(tile.n, columns).max(2),
            k_across: part(tile.k, columns).max(2),
            k_down: part(tile.k, rows).max(1),
        }
    }

    /// Columns and rows of the tile of one matrix.
    const fn of_matrix(self, operand: Operand) -> (u16, u16) {
        match operand {
            Operand::A => (self.k_across, self.m),
            Operand::B => (self.n, self.k_down),
            Operand::C => (self.n, self.m),
        }
    }
}

/// Cells of a tile that show each element as a square of pixels.
fn candidates(tile: Tile, detail: Detail) -> Vec<Cell> {
    let cell = |scale: u32| {
        let [m, n, k] = [tile.m, tile.n, tile.k].map(|side| (side * scale).min(4096) as u16);
        Cell { m: m.div_ceil(2), n, k_across: k, k_down: k.div_ceil(2) }
    };
    match detail {
        Detail::Tiles => Vec::new(),
        Detail::Elements => [4, 2, 1].map(cell).to_vec(),
    }
}

/// Shares `room` between two runs of tiles, (cells of one, how many there are): in halves, unless
/// one needs less.
fn share(room: u16, first: (u16, u32), second: (u16, u32)) -> (u32, u32) {
    let fitting = |room: u16, (cell, all): (u16, u32)| all.min((room / cell.max(1)).into());
    let taken = |(cell, _): (u16, u32), tiles: u32| tiles as u16 * cell;
    let spare = room.saturating_sub(taken(second, fitting(room, second)));
    // Of an odd number of tiles the second has one more.
    let half = if first.0 == second.0 { room / first.0.max(1) / 2 * first.0 } else { room / 2 };
    let given = fitting(half.max(spare), first);
    (given, fitting(room - taken(first, given), second))
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
