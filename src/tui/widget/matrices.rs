//! A, B and C in the L-shaped layout of the product: B above C, A left of C, tile by tile.

use super::canvas::{Canvas, over};
use super::pen::Pen;
use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::trace::Extent;
use crate::tui::layout::Detail;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Depth, Look, Role, Tone, role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;
use std::cmp::Ordering;

mod caption;
mod hit;
mod outline;
mod plan;
mod values;
mod written;

pub use crate::matrix::Element;
use crate::tui::facts::SumProgress;
use crate::tui::facts::staged::StagedContents;
use crate::tui::facts::value::LitElements;
pub use hit::{halves_of, hit};
use plan::{MatricesPlan, MatrixGrid};
pub use values::{MatrixValues, text};

/// The part of the three matrices on which the block works.
///
/// ```text
///             +B------+
/// C = A x B   |  ##   |   the block's column of tiles of B: what lies in shared memory is solid,
///             |  ,,   |   what is still to come pale
/// +A----------+C------+
/// |##,,,,,,,  |  cc   |   its row of tiles of A; its tile of C
/// +-----------+-------+
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MatricesPanel<'a> {
    /// The sizes of the matrices, in elements.
    pub size: Size,
    /// The tile that a block works on at a time, or the squares of the chequered background.
    pub tile: Tile,
    /// The block's index in the grid.
    pub block: Dim3,
    /// The grid of blocks.
    pub grid: Dim3,
    /// The tile of C that the block computes: (row, column) of tiles.
    pub place: (u32, u32),
    /// The known part of the block's work.
    pub work: BlockWork<'a>,
    /// Whether it says how many tiles there are along K.
    pub counts: bool,
    /// The elements that the current step touches.
    pub touched: &'a [Element],
    /// What shared memory holds of A and B.
    pub kept: &'a StagedContents,
    /// How far the elements of C have come.
    pub sums: &'a [(Element, SumProgress)],
    /// The elements of C that are wrong.
    pub wrong: &'a [Element],
    /// The values of all elements, written into them where there is room.
    pub values: Option<&'a MatrixValues>,
    /// Lines on what is computed now, each with its longest wording first.
    pub said: &'a [Vec<String>],
    /// Whether to show tiles in their surroundings, or single elements of the current tiles.
    pub detail: Detail,
    pub look: Look,
}

/// The known part of a block's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockWork<'a> {
    /// The block computes the tile of C at [`MatricesPanel::place`] and works on this tile along K, from
    /// 0.
    Tiled(u32),
    /// The extents of A, B and C that the block has touched so far.
    Touched(&'a [Option<Extent>]),
    /// A value is followed.
    Followed(&'a LitElements),
}

impl MatricesPanel<'_> {
    /// Returns the note of the frame: the sizes.
    pub fn note(&self) -> String {
        let Size { m, n, k } = self.size;
        if m == n && n == k { format!("N={n}") } else { format!("{m}x{n}x{k}") }
    }

    fn plan(&self, area: Rect) -> Option<MatricesPlan> {
        let [row, column, k_tile] = self.centre();
        let widest = |values: &MatrixValues| {
            Operand::ALL.map(|operand| values.most_width_of(operand, self.size.k))
        };
        let how = (self.detail, self.values.map(widest));
        let planned = |k_tile| {
            MatricesPlan::new(self.size, self.tile, [row, column, k_tile], how, area.as_size())
        };
        let plan = planned(k_tile)?;
        // The next tile is loaded before it becomes the current one.
        let [a, ..] = &plan.grids;
        let ahead = self.loaded_tile(|tile| a.columns.has(tile));
        ahead.map_or(Some(plan), planned)
    }

    /// Returns the tile along K that is loaded, if nothing of what is touched, or else held for the
    /// current tile, is in one that is seen.
    fn loaded_tile(&self, seen: impl Fn(u32) -> bool) -> Option<u32> {
        let BlockWork::Tiled(_) = self.work else { return None };
        let along_k = |element: &Element| match element.operand {
            Operand::A => Some(element.column / self.tile.k),
            Operand::B => Some(element.row / self.tile.k),
            Operand::C => None,
        };
        let mut tiles: Vec<_> = self.touched.iter().filter_map(along_k).collect();
        if let (StagedContents::These(kept), true) = (self.kept, tiles.is_empty()) {
            let current = kept.iter().filter(|(_, current)| *current);
            tiles = current.filter_map(|(element, _)| along_k(element)).collect();
        }
        let unseen = !tiles.iter().any(|tile| seen(*tile));
        tiles.first().copied().filter(|_| unseen)
    }

    /// Returns the tile around which the matrices are shown: along M, N and K.
    fn centre(&self) -> [u32; 3] {
        match self.work {
            BlockWork::Tiled(k_tile) => [self.place.0, self.place.1, k_tile],
            BlockWork::Touched(extents) => {
                let of = |operand: Operand| extents.get(operand as usize).copied().flatten();
                let [a, b, c] = Operand::ALL.map(of);
                let middle = |(first, last): (u64, u64)| first.midpoint(last) as u32;
                let rows = a.or(c).map_or(0, |extent| middle(extent.rows));
                let columns = b.or(c).map_or(0, |extent| middle(extent.columns));
                let front = a.map(|a| a.columns.1).max(b.map(|b| b.rows.1)).unwrap_or(0) as u32;
                self.tile_of([rows, columns, front])
            }
            BlockWork::Followed(lit) => self.tile_of(lit.centre),
        }
    }

    /// Returns the tile of a position along M, N and K.
    fn tile_of(&self, [row, column, k]: [u32; 3]) -> [u32; 3] {
        [row / self.tile.m, column / self.tile.n, k / self.tile.k]
    }

    /// Returns a matrix's central tile: (row, column) of tiles.
    fn current(&self, operand: Operand) -> (u32, u32) {
        let [m, n, k] = self.centre();
        match operand {
            Operand::A => (m, k),
            Operand::B => (k, n),
            Operand::C => (m, n),
        }
    }

    /// Returns the tone of an element that is neither in shared memory nor touched now. Without an
    /// outline the ground is drawn throughout, so that the matrix has an edge.
    fn tone(&self, grid: &MatrixGrid, row: u32, column: u32) -> Tone {
        let (operand, (rows, columns)) = (grid.operand, self.tile.shape(grid.operand));
        let tile = (row / rows, column / columns);
        let even = (tile.0 + tile.1).is_multiple_of(2);
        let ground = if even || !grid.framed { Tone::Faint } else { Tone::None };
        match self.work {
            BlockWork::Tiled(_) => self.tone_of_tile(operand, tile).unwrap_or(ground),
            BlockWork::Touched(extents) => {
                let extent = extents.get(operand as usize).copied().flatten();
                let touched = extent.is_some_and(|extent| extent.has(row.into(), column.into()));
                if touched { Tone::Half(role(operand)) } else { ground }
            }
            BlockWork::Followed(_) => ground,
        }
    }

    /// Returns the tone of the block's tiles: those along K before the current one have been used,
    /// those after it are still to come.
    fn tone_of_tile(&self, operand: Operand, tile: (u32, u32)) -> Option<Tone> {
        let current = self.current(operand);
        let (in_band, along_k) = match operand {
            Operand::A => (tile.0 == current.0, tile.1.cmp(&current.1)),
            Operand::B => (tile.1 == current.1, tile.0.cmp(&current.0)),
            Operand::C => (tile == current, Ordering::Equal),
        };
        let role = role(operand);
        let now = match self.kept {
            _ if operand == Operand::C => sum_tone(SumProgress::Growing(0.0)),
            StagedContents::Nothing => Tone::Half(role),
            StagedContents::These(_) => Tone::Ahead(role),
            StagedContents::Unknown => Tone::Full(role),
        };
        in_band.then_some(match along_k {
            Ordering::Less => Tone::Half(role),
            Ordering::Equal => now,
            Ordering::Greater => Tone::Ahead(role),
        })
    }

    fn grid(&self, pen: &mut Pen<'_>, grid: &MatrixGrid) {
        let canvas = self.canvas(grid);
        canvas.draw(pen, grid.x, grid.y);
        self.label(pen, grid);
        if !self.values(pen, grid, &canvas) {
            self.index(pen, grid, &canvas);
        }
    }

    fn canvas(&self, grid: &MatrixGrid) -> Canvas {
        let mut canvas = Canvas::new(grid.width(), grid.height());
        for (y, x) in (0..2 * grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (y, x))) {
            if let Some((row, column)) = grid.element(x, y) {
                canvas.set(x, y, self.tone(grid, row, column));
            }
        }
        let paint = |canvas: &mut Canvas, element: &Element, tone: Tone| {
            let pixels = grid.pixels(element.row, element.column);
            pixels.for_each(|(x, y)| canvas.raise(x, y, tone));
        };
        let of_grid = |element: &&Element| element.operand == grid.operand;
        if let (BlockWork::Tiled(_), StagedContents::These(kept)) = (self.work, self.kept) {
            let role = role(grid.operand);
            for (element, current) in kept.iter().filter(|(element, _)| of_grid(&element)) {
                paint(
                    &mut canvas,
                    element,
                    if *current { Tone::Full(role) } else { Tone::Half(role) },
                );
            }
        }
        if !matches!(self.work, BlockWork::Followed(_)) {
            for (element, far) in self.sums.iter().filter(|(element, _)| of_grid(&element)) {
                let tone = sum_tone(*far);
                let pixels = grid.pixels(element.row, element.column);
                pixels.for_each(|(x, y)| canvas.set(x, y, tone));
            }
        }
        let here = Tone::Full(Role::Here);
        self.touched.iter().filter(of_grid).for_each(|element| paint(&mut canvas, element, here));
        // What is wrong is so even as it is touched.
        for Element { row, column, .. } in self.wrong.iter().filter(of_grid) {
            let pixels = grid.pixels(*row, *column);
            pixels.for_each(|(x, y)| canvas.set(x, y, Tone::Full(Role::Bad)));
        }
        if let BlockWork::Followed(lit) = self.work {
            let lit = lit.tones().filter(|(element, _)| element.operand == grid.operand);
            lit.for_each(|(element, tone)| paint(&mut canvas, &element, tone));
        }
        canvas
    }

    /// Writes the matrix's letter above its upper left corner.
    fn label(&self, pen: &mut Pen<'_>, grid: &MatrixGrid) {
        let style = self.look.strong(role(grid.operand));
        pen.text(grid.x, grid.y - 1, grid.operand.name(), style);
    }

    /// Writes on the current tiles of A and B their number along K.
    fn index(&self, pen: &mut Pen<'_>, grid: &MatrixGrid, canvas: &Canvas) {
        let (row, column) = self.current(grid.operand);
        let corner = grid.corner(row, column).filter(|_| grid.operand != Operand::C);
        let (BlockWork::Tiled(k_tile), Some((x, y))) = (self.work, corner) else { return };
        let words = [format!("tile {}", k_tile + 1), format!("{}", k_tile + 1)];
        // At a ragged edge the tile may be narrower.
        let room = (grid.x + grid.extent().0).saturating_sub(x).min(grid.cell.0);
        let text = fitting(&words, room);
        if grid.cell.1 == 1 {
            return;
        }
        // It stays in its place, and what it stands on keeps its colour beneath it.
        let here = Tone::Full(Role::Here);
        let higher = |x: u16| {
            let halves = [0, 1].map(|half| canvas.at(x - grid.x, 2 * (y - grid.y) + half));
            halves.into_iter().max_by_key(|tone| tone.rank()).unwrap_or_default()
        };
        let lit = self.look.has_pixels() && self.look.depth != Depth::Ansi;
        if !lit && (x..x + width(text)).any(|x| higher(x) == here) {
            return;
        }
        for (x, letter) in (x..).zip(text.chars()) {
            let style = over(self.look, higher(x)).add_modifier(Modifier::BOLD);
            pen.text(x, y, letter.encode_utf8(&mut [0; 4]), style);
        }
    }

    /// Returns the current tile along K and their number.
    fn progress(&self) -> String {
        let tiles = self.size.k.div_ceil(self.tile.k);
        match self.work {
            BlockWork::Tiled(k_tile) if self.counts => format!("{} of {tiles}", k_tile + 1),
            BlockWork::Tiled(k_tile) => (k_tile + 1).to_string(),
            BlockWork::Touched(_) | BlockWork::Followed(_) => String::new(),
        }
    }
}

/// A sum of no products is an eighth of its colour, one of all four fifths: only what is stored has all
/// of it.
fn sum_tone(far: SumProgress) -> Tone {
    match far {
        SumProgress::Growing(part) => Tone::Grown(Role::C, (255.0 * (0.14 + 0.66 * part)) as u8),
        SumProgress::Stored => Tone::Full(Role::C),
    }
}

impl Widget for MatricesPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let Some(plan) = self.plan(pen.area()) else {
            let place = self.block.place_in(self.grid);
            let tile = match self.work {
                BlockWork::Tiled(_) => format!("  tile {}", self.progress()),
                BlockWork::Touched(_) | BlockWork::Followed(_) => String::new(),
            };
            pen.text(0, 0, &format!("block ({place}){tile}"), self.look.text());
            return;
        };
        if plan.framed {
            outline::draw(&mut pen, &plan);
        }
        for grid in &plan.grids {
            self.grid(&mut pen, grid);
        }
        self.caption(&mut pen, &plan);
    }
}
