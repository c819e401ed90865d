//! The layout of the tiles of A, B and C on the screen, and which element is at a position.

use crate::kernel::Tile;
use crate::matrix::{Element, Operand, Size};
use crate::tui::layout::Detail;
use ratatui::layout;

/// A range of whole tiles out of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u32,
    pub(super) shown: u32,
    pub(super) total: u32,
}

/// One matrix on the screen, positioned in cells from the area's upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MatrixGrid {
    pub(super) operand: Operand,
    pub(super) x: u16,
    pub(super) y: u16,
    /// Columns and rows of one tile.
    pub(super) cell: (u16, u16),
    pub(super) rows: Window,
    pub(super) columns: Window,
    /// Whether an outline is drawn around it.
    pub(super) framed: bool,
    /// (rows, columns) of a tile and of the matrix, in elements.
    tile: (u32, u32),
    shape: (u32, u32),
}

/// Numbers of tiles: along M, N and K.
#[derive(Clone, Copy, Debug)]
struct Tiles {
    m: u32,
    n: u32,
    k: u32,
}

/// The layout of all three matrices, in the order A, B, C.
pub(super) struct MatricesPlan {
    pub(super) grids: [MatrixGrid; 3],
    /// Whether outlines are drawn around them.
    pub(super) framed: bool,
}

/// Cells per tile: the height of A and C, the width of B and C, and the extent along K both ways.
#[derive(Clone, Copy, Debug)]
struct CellsPerTile {
    m: u16,
    n: u16,
    k_across: u16,
    k_down: u16,
}

/// Columns between A and C without outlines.
const GAP: u16 = 2;
/// Columns and rows of the outlines, with the labels in them; where there is no more room, the
/// panel's own frame is the last line.
const OUTLINES: [(u16, u16); 4] = [(3, 3), (3, 2), (2, 3), (2, 2)];
/// Columns and rows of the gap and the labels without outlines.
const LABELS: (u16, u16) = (GAP, 2);
/// Columns and rows for an element with its value, the largest first.
const VALUED: [(u16, u16); 8] = [(8, 3), (6, 3), (6, 2), (6, 1), (4, 2), (4, 1), (3, 1), (2, 1)];
/// Columns and rows for the longest side of a tile, the largest first: squares and, before the last
/// one, a form twice as wide for screens with more columns than rows.
const CELLS: [(u16, u16); 6] = [(12, 6), (8, 4), (6, 3), (4, 2), (4, 1), (2, 1)];
/// The number of tiles to show each way, so that the block's position is recognisable.
const SURROUNDINGS: u32 = 4;

impl Window {
    /// Returns `shown` of `total` tiles, with `centre` as near to their middle as the edges allow.
    fn around(centre: u32, shown: u32, total: u32) -> Self {
        let first = centre.saturating_sub(shown / 2).min(total.saturating_sub(shown));
        Self { first, shown, total }
    }

    /// Converts the window to elements, of which there are `all`.
    pub(super) fn elements(self, tile: u32, all: u32) -> Self {
        let first = self.first * tile;
        Self { first, shown: (self.shown * tile).min(all - first), total: all }
    }

    pub(super) const fn has(self, tile: u32) -> bool {
        self.first <= tile && tile < self.first + self.shown
    }

    /// Whether there are tiles before the window.
    pub(super) const fn before(self) -> bool {
        self.first > 0
    }

    /// Whether there are tiles after it.
    pub(super) const fn after(self) -> bool {
        self.first + self.shown < self.total
    }

    /// Returns "k tiles 0-7 of 64" and shorter wordings; empty if all are in view.
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

impl MatrixGrid {
    pub(super) fn width(&self) -> u16 {
        self.columns.shown as u16 * self.cell.0
    }

    pub(super) fn height(&self) -> u16 {
        self.rows.shown as u16 * self.cell.1
    }

    /// Returns the first element under a pixel (one column wide, half a row high), if there is one.
    pub(super) fn element(&self, x: u16, y: u16) -> Option<(u32, u32)> {
        let (tall, wide) = self.tile;
        let row = self.rows.first * tall + u32::from(y) * tall / self.pixels_down();
        let column = self.columns.first * wide + u32::from(x) * wide / u32::from(self.cell.0);
        (row < self.shape.0 && column < self.shape.1).then_some((row, column))
    }

    /// Returns the columns and rows with an element: fewer than those of whole tiles at a ragged
    /// edge.
    pub(super) fn extent(&self) -> (u16, u16) {
        let wide = (0..self.width()).take_while(|x| self.element(*x, 0).is_some()).count();
        let high = (0..self.height()).take_while(|y| self.element(0, 2 * y).is_some()).count();
        (wide as u16, high as u16)
    }

    /// Yields the elements in the window.
    pub(super) fn elements(&self) -> impl Iterator<Item = Element> {
        let range = |window: Window, side: u32, end: u32| {
            window.first * side..((window.first + window.shown) * side).min(end)
        };
        let columns = range(self.columns, self.tile.1, self.shape.1);
        let operand = self.operand;
        let row = move |row| columns.clone().map(move |column| Element { operand, row, column });
        range(self.rows, self.tile.0, self.shape.0).flat_map(row)
    }

    /// Returns the columns and rows of an element, if they are whole.
    pub(super) fn element_cells(&self) -> Option<(u16, u16)> {
        let (tall, wide) = self.tile;
        let (across, down) = (u32::from(self.cell.0), u32::from(self.cell.1));
        let whole = across.is_multiple_of(wide) && down.is_multiple_of(tall) && down >= tall;
        whole.then_some(((across / wide) as u16, (down / tall) as u16))
    }

    /// Yields the pixels that show an element; none if it is outside the window.
    pub(super) fn pixels(&self, row: u32, column: u32) -> impl Iterator<Item = (u16, u16)> {
        let across = span(column, self.columns, self.tile.1, u32::from(self.cell.0));
        let down = span(row, self.rows, self.tile.0, self.pixels_down());
        down.flat_map(move |y| across.clone().map(move |x| (x, y)))
    }

    /// Returns the cell at which a tile begins, if the tile is in the window.
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
        Self { m: size.m.div_ceil(tile.m), n: size.n.div_ceil(tile.n), k: size.k.div_ceil(tile.k) }
    }

    /// Returns the numbers of tiles that fit, with tiles of `cell` columns and rows and this many
    /// columns and rows for other things.
    fn shown(self, cell: CellsPerTile, other: (u16, u16), area: layout::Size) -> Self {
        let (across, down) =
            (area.width.saturating_sub(other.0), area.height.saturating_sub(other.1));
        let k_across = share(across, (cell.k_across, self.k), (cell.n, self.n));
        let k_down = share(down, (cell.k_down, self.k), (cell.m, self.m));
        let k = k_across.min(k_down);
        let beside = |room: u16, side: u16| room.saturating_sub(k as u16 * side);
        Self {
            m: fitting(beside(down, cell.k_down), (cell.m, self.m)),
            n: fitting(beside(across, cell.k_across), (cell.n, self.n)),
            k,
        }
    }

    /// Returns the size of a tile, and the columns and rows of the outlines if there are any: with
    /// values if everything fits so, then for a close-up if one fits, otherwise the largest that
    /// leaves some surroundings in view. Only on the smallest screens are outlines left out.
    fn cell(
        self,
        tile: Tile,
        [valued, close]: [&[CellsPerTile]; 2],
        area: layout::Size,
    ) -> Option<(CellsPerTile, Option<(u16, u16)>)> {
        let largest = |cells: &[CellsPerTile], least: u32| {
            cells.iter().find_map(|cell| {
                let fits = |other: &(u16, u16)| self.shown(*cell, *other, area).has(least, self);
                OUTLINES.into_iter().find(fits).map(|other| (*cell, Some(other)))
            })
        };
        let cells = CELLS.map(|longest| CellsPerTile::of(tile, longest));
        largest(valued, u32::MAX)
            .or_else(|| largest(close, 2))
            .or_else(|| largest(close, 1))
            .or_else(|| largest(&cells, SURROUNDINGS))
            .or_else(|| {
                let least = CellsPerTile::of(tile, CELLS[CELLS.len() - 1]);
                self.shown(least, LABELS, area).has(1, self).then_some((least, None))
            })
    }

    /// Whether these numbers are at least `least` each way, or all that there are.
    fn has(self, least: u32, all: Self) -> bool {
        let each = |of: fn(Self) -> u32| of(self) >= of(all).min(least);
        each(|t| t.m) && each(|t| t.n) && each(|t| t.k)
    }
}

impl MatricesPlan {
    /// Chooses the size of the tiles and the windows; returns `None` if not even one tile of each
    /// matrix fits.
    ///
    /// `centre` is the tile along M, N and K to keep in view; `valued` has the columns of the widest
    /// value of each matrix, where values are to be written.
    pub(super) fn new(
        size: Size,
        tile: Tile,
        centre: [u32; 3],
        (detail, valued): (Detail, Option<[u16; 3]>),
        area: layout::Size,
    ) -> Option<Self> {
        let all = Tiles::of(size, tile);
        let with_values = valued.map_or_else(Vec::new, |widest| cells_of_values(tile, widest));
        let close = candidates(tile, detail);
        let (cell, outlines) = all.cell(tile, [&with_values, &close], area)?;
        let (framed, other) = (outlines.is_some(), outlines.unwrap_or(LABELS));
        let shown = all.shown(cell, other, area);
        let [row, column, k_tile] = centre;
        let rows = Window::around(row, shown.m, all.m);
        let columns = Window::around(column, shown.n, all.n);
        let along_k = Window::around(k_tile, shown.k, all.k);
        let windows = [
            (Operand::A, rows, along_k),
            (Operand::B, along_k, columns),
            (Operand::C, rows, columns),
        ];
        let k_across = shown.k as u16 * cell.k_across;
        let k_down = shown.k as u16 * cell.k_down;
        let left = (area.width - k_across - shown.n as u16 * cell.n - other.0).div_ceil(2);
        let left = left + u16::from(framed);
        let gap = if framed { 1 } else { GAP };
        let top = (area.height - k_down - shown.m as u16 * cell.m - other.1) / 2;
        let grids = windows.map(|(operand, rows, columns)| MatrixGrid {
            operand,
            x: if operand == Operand::A { left } else { left + k_across + gap },
            y: top + if operand == Operand::B { 1 } else { 2 + k_down },
            cell: cell.of_matrix(operand),
            rows,
            columns,
            framed,
            tile: tile.shape(operand),
            shape: size.shape(operand),
        });
        Some(Self { grids, framed })
    }
}

impl CellsPerTile {
    /// Returns the cells of a tile in its proportions, with its longest side as given, but at least
    /// two columns and a row.
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

    /// Returns the columns and rows of one matrix's tile.
    const fn of_matrix(self, operand: Operand) -> (u16, u16) {
        match operand {
            Operand::A => (self.k_across, self.m),
            Operand::B => (self.n, self.k_down),
            Operand::C => (self.n, self.m),
        }
    }
}

/// Returns the cells of tiles that show each element as a square of pixels.
fn candidates(tile: Tile, detail: Detail) -> Vec<CellsPerTile> {
    let cell = |scale: u32| {
        let [m, n, k] = [tile.m, tile.n, tile.k].map(|side| (side * scale).min(4096) as u16);
        CellsPerTile { m: m.div_ceil(2), n, k_across: k, k_down: k.div_ceil(2) }
    };
    match detail {
        Detail::Tiles => Vec::new(),
        Detail::Elements => [4, 2, 1].map(cell).to_vec(),
    }
}

/// Returns the cells of tiles that leave room for the value of each element: first those for all of
/// them, then those for some of the matrices. `widest` has the columns of each matrix's values.
fn cells_of_values(tile: Tile, widest: [u16; 3]) -> Vec<CellsPerTile> {
    let side = |elements: u32, each: u16| (elements * u32::from(each)).min(4096) as u16;
    let cell = |(along_k, wide, high): (u16, u16, u16)| CellsPerTile {
        m: side(tile.m, high),
        n: side(tile.n, wide),
        k_across: side(tile.k, along_k),
        k_down: side(tile.k, high),
    };
    let alike = VALUED.map(|(wide, high)| (wide, wide, high));
    // A blank parts a value from the next. A column of B and C is as wide as the wider of the two.
    let [a, b, c] = widest.map(|columns| columns + 1);
    let own = [3, 2, 1].map(|high| (a, b.max(c), high));
    let whole = |(along_k, wide, _): &(u16, u16, u16)| a <= *along_k && b.max(c) <= *wide;
    let all = alike.into_iter().filter(whole).chain(own);
    all.chain(alike).map(cell).collect()
}

/// Returns how many tiles of a row fit, given (cells per tile, number of tiles).
fn fitting(room: u16, (cell, all): (u16, u32)) -> u32 {
    all.min((room / cell.max(1)).into())
}

/// Returns how many tiles of the first of two rows fit next to the second: each gets half of the
/// room, unless one needs less.
fn share(room: u16, first: (u16, u32), second: (u16, u32)) -> u32 {
    let taken = |(cell, _): (u16, u32), tiles: u32| tiles as u16 * cell;
    let spare = room.saturating_sub(taken(second, fitting(room, second)));
    // Of an odd number of tiles, the second row gets one more.
    let half = if first.0 == second.0 { room / first.0.max(1) / 2 * first.0 } else { room / 2 };
    fitting(half.max(spare), first)
}

/// Returns the pixels along one axis that show an element, if its tile is in the window.
fn span(element: u32, window: Window, tile: u32, pixels: u32) -> std::ops::Range<u16> {
    let (from, to) = (window.first * tile, (window.first + window.shown) * tile);
    if element < from || element >= to {
        return 0..0;
    }
    let first = (element - from) * pixels / tile;
    let end = ((element - from + 1) * pixels).div_ceil(tile).max(first + 1);
    // An element smaller than a pixel uses the pixel in which it begins.
    let end = if pixels < tile { first + 1 } else { end };
    first as u16..end as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(size: u32, tile: Tile, detail: Detail, area: (u16, u16)) -> Option<MatricesPlan> {
        MatricesPlan::new(Size::square(size), tile, [1, 2, 3], (detail, None), area.into())
    }

    #[test]
    fn a_and_b_show_the_same_tiles_along_k() {
        let tiles = [Tile::square(16), Tile { m: 64, n: 128, k: 16 }];
        let areas = (20..200).step_by(7).flat_map(|w| (10..60).step_by(3).map(move |h| (w, h)));
        for area in areas {
            for (size, tile) in [64, 1024].into_iter().flat_map(|n| tiles.map(|tile| (n, tile))) {
                for detail in [Detail::Tiles, Detail::Elements] {
                    let Some(plan) = plan(size, tile, detail, area) else { continue };
                    let [a, b, _] = plan.grids;
                    assert_eq!(a.columns, b.rows, "{size} in {tile}, {detail:?}, {area:?}");
                }
            }
        }
    }

    #[test]
    fn sums_that_are_wider_than_their_factors_have_wider_columns() {
        let how = (Detail::Tiles, Some([4, 4, 7]));
        let plan =
            MatricesPlan::new(Size::square(8), Tile::square(8), [0; 3], how, (118, 30).into());
        let cells = plan.expect("room").grids.map(|grid| grid.element_cells().expect("whole").0);
        assert_eq!(cells, [5, 8, 8]);
        // Without room for all, that of the factors is kept.
        let plan =
            MatricesPlan::new(Size::square(8), Tile::square(8), [0; 3], how, (100, 30).into());
        let cells = plan.expect("room").grids.map(|grid| grid.element_cells().expect("whole").0);
        assert_eq!(cells, [6, 6, 6]);
    }

    #[test]
    fn a_larger_panel_shows_as_many_tiles_and_shows_them_larger() {
        let cell = |area| {
            let [a, b, c] = plan(64, Tile::square(16), Detail::Tiles, area).expect("room").grids;
            for grid in [&a, &b, &c] {
                assert_eq!((grid.rows.shown, grid.columns.shown), (4, 4), "{area:?}");
            }
            c.cell
        };
        let panels = [(20, 10), (78, 17), (35, 19), (118, 30), (198, 54)];
        assert_eq!(panels.map(cell), [(2, 1), (4, 1), (4, 2), (6, 3), (12, 6)]);
    }
}
