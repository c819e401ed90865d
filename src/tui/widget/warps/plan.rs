//! Where the lanes of each warp stand: as its threads do in the block or, where rows are short, in a row,
//! so that equal warps have equal rows.

use crate::launch::{Dim3, WARP_SIZE};
use ratatui::layout::Rect;
use std::ops::Range;

/// The positions of the warps in view, relative to the panel's upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WarpsPlan {
    /// The warps in view.
    pub(super) shown: Range<usize>,
    /// The row of the first warp; above it are the numbers of the columns, if it is not 0.
    pub(super) top: u16,
    /// Lanes next to each other.
    pub(super) across: u16,
    /// Rows of a warp.
    pub(super) tall: u16,
    /// Columns of a lane; 0 without room for lanes.
    pub(super) wide: u16,
    /// Lanes between two gaps, in a row that holds several rows of threads.
    pub(super) group: u16,
}

/// Columns of the mark and the name of a warp.
pub(super) const HEAD: u16 = 5;
/// Columns for the words and the gate next to the lanes, if these can be narrower.
const WORDS: u16 = 20;
/// The fewest that hold `WAIT for w4-w7`.
const LEAST_WORDS: u16 = 17;
pub(super) const LANES: u16 = WARP_SIZE as u16;

impl WarpsPlan {
    /// Returns the positions in a panel of this size: as many warps as fit around the selected one.
    /// With room for each row of threads, they stand as they do in the block.
    /// Where a row of all lanes leaves no room for the words, or for lanes that are two columns wide where
    /// threads stand 16 in a row, 16 lanes stand above the others.
    pub(super) fn new(
        block: Dim3,
        warps: usize,
        selected: usize,
        (width, height): (u16, u16),
    ) -> Self {
        let across = u16::try_from(block.x).ok().filter(|x| *x > 0 && LANES.is_multiple_of(*x));
        let group = across.unwrap_or(LANES);
        let shown = window(warps, selected, height);
        let top = u16::from((warps as u16) < height);
        let row = Self { shown, top, across: LANES, tall: 1, wide: 0, group };
        let tall = LANES / group;
        if tall > 1 && warps as u16 * tall < height {
            let block = Self { across: group, tall, ..row.clone() };
            return block.widened(width).unwrap_or(row);
        }
        let pair = Self { across: LANES / 2, ..row.clone() };
        let (least, words) = if group == LANES / 2 { (2, WORDS) } else { (1, LEAST_WORDS) };
        let pairs = row.width(least) + words > width;
        let plan = if pairs { pair.widened(width) } else { row.clone().widened(width) };
        plan.unwrap_or(row)
    }

    /// Makes lanes as wide as the room for words allows, or returns `None` without room for lanes.
    fn widened(self, width: u16) -> Option<Self> {
        let fits = |wide: &u16| {
            let words = if *wide == 1 { 0 } else { WORDS };
            self.width(*wide) + words <= width
        };
        // Three columns hold a lane's number.
        let wide = (1..=3).rev().find(fits)?;
        Some(Self { wide, ..self })
    }

    /// Columns of a row up to its last lane, if lanes have so many.
    fn width(&self, wide: u16) -> u16 {
        HEAD + Self { wide, ..self.clone() }.span()
    }

    /// Columns of the lanes.
    pub(super) const fn span(&self) -> u16 {
        if self.wide == 0 { 0 } else { self.column(self.across - 1) + self.wide }
    }

    /// Whether 16 lanes are in the upper half of a row, and the others below them.
    pub(super) const fn halves_rows(&self) -> bool {
        self.across * self.tall < LANES
    }

    /// Where a lane's column begins, counted from the first lane's.
    pub(super) const fn column(&self, lane: u16) -> u16 {
        let lane = lane % self.across;
        lane * self.wide + lane / self.group
    }

    /// The row of a warp in view.
    pub(super) fn row(&self, warp: usize) -> Option<u16> {
        let index = warp.checked_sub(self.shown.start).filter(|_| self.shown.contains(&warp))?;
        Some(self.top + index as u16 * self.tall)
    }

    /// The first row below the warps.
    pub(super) fn bottom(&self) -> u16 {
        self.top + self.shown.len() as u16 * self.tall
    }

    /// The cells of a lane of a warp in view; two lanes may share them.
    pub(super) fn lane(&self, warp: usize, lane: u16) -> Option<Rect> {
        let y = self.row(warp).filter(|_| self.wide > 0)?;
        let down = if self.halves_rows() { 0 } else { lane / self.across };
        Some(Rect { x: HEAD + self.column(lane), y: y + down, width: self.wide, height: 1 })
    }

    /// The columns and half rows of a lane of a warp in view.
    pub(super) fn halves(&self, warp: usize, lane: u16) -> Option<Rect> {
        let cell = self.lane(warp, lane)?;
        let (down, height) = if self.halves_rows() { (lane / self.across, 1) } else { (0, 2) };
        Some(Rect { y: 2 * cell.y + down, height, ..cell })
    }

    /// The cells of a warp in view.
    pub(super) fn band(&self, warp: usize) -> Option<Rect> {
        let cells = (0..LANES).filter_map(|lane| self.lane(warp, lane));
        cells.reduce(Rect::union)
    }
}

/// Returns the warps that `rows` rows show: all, or as many as fit with the selected one among
/// them.
pub(in crate::tui::widget) fn window(warps: usize, selected: usize, rows: u16) -> Range<usize> {
    let rows = usize::from(rows).min(warps);
    let first = selected.saturating_sub(rows / 2).min(warps - rows);
    first..first + rows
}
