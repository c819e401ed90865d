//! Where the lanes of each warp stand: in the block's true shape, or a warp in a row.

use crate::launch::{Dim3, WARP_SIZE};
use ratatui::layout::Rect;
use std::ops::Range;

/// The positions of the warps in view, relative to the panel's upper left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WarpsPlan {
    /// The warps in view.
    pub(super) shown: Range<usize>,
    /// Columns before the lanes: the mark, the warp's number, and in the true shape the threads' y.
    pub(super) head: u16,
    /// The row of the first warp; above it are the numbers of the columns, if it is not 0.
    pub(super) top: u16,
    /// Rows from one warp to the next.
    pub(super) pitch: u16,
    /// Lanes next to each other.
    pub(super) across: u16,
    /// Columns of a lane; 0 without room for lanes.
    pub(super) wide: u16,
    /// How rows of lanes lie in rows of the panel.
    pub(super) rows: LaneRows,
    /// Lanes between two gaps, in a row that holds several rows of threads.
    group: u16,
}

/// How rows of lanes lie in rows of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneRows {
    /// A row of threads takes this many rows.
    Tall(u16),
    /// Two rows of threads share a row, one in its upper and one in its lower half.
    Halves,
}

/// Columns of the mark and the number of a warp, and of the y of its threads.
pub(super) const HEAD: u16 = 4;
const TY: u16 = 3;
/// Columns for the words and the gate next to the lanes, if these can be narrower.
const WORDS: u16 = 20;
/// Rows below the warps, for the names of lanes.
const NAMES: u16 = 2;
pub(super) const LANES: u16 = WARP_SIZE as u16;

impl WarpsPlan {
    /// Returns the positions in a panel of this size: the block in its true shape if all of it
    /// fits, with half-height threads if need be, otherwise one row per warp, as many as fit around
    /// the selected one.
    pub(super) fn new(
        block: Dim3,
        warps: usize,
        selected: usize,
        (width, height): (u16, u16),
    ) -> Self {
        let across = u16::try_from(block.x).ok().filter(|x| *x > 0 && LANES.is_multiple_of(*x));
        let count = warps as u16;
        // A block of less than a warp has fewer rows of threads than 32 lanes fill.
        let threads = block.volume().min(WARP_SIZE.into()) as u16;
        let shape = across.filter(|across| *across < LANES).and_then(|across| {
            let rows = threads.div_ceil(across);
            let tall = height.saturating_sub(1 + NAMES) / (count * rows).max(1);
            let tall = tall.max(u16::from(height > count * rows)).min(3);
            let (rows, pitch) = match tall {
                0 => (LaneRows::Halves, rows.div_ceil(2)),
                tall => (LaneRows::Tall(tall), rows * tall),
            };
            let head = if rows == LaneRows::Halves { HEAD } else { HEAD + TY };
            let plan = Self { head, pitch, across, rows, ..Self::list(across, count, height) };
            let plan = Self { shown: 0..warps, top: plan.top(count, height), ..plan };
            (count * pitch <= height && count > 0).then(|| plan.widened(width)).flatten()
        });
        shape.unwrap_or_else(|| {
            let plan = Self::list(across.unwrap_or(LANES), count, height);
            let shown = window(warps, selected, height);
            let plan = Self { shown, across: LANES, ..plan };
            plan.clone().widened(width).unwrap_or(plan)
        })
    }

    /// One row per warp, with a gap after each row of threads.
    fn list(group: u16, warps: u16, height: u16) -> Self {
        let room = height.saturating_sub(1 + NAMES).checked_div(warps).unwrap_or(1);
        let pitch = room.clamp(1, 3);
        let plan = Self {
            shown: 0..0,
            head: HEAD,
            top: 0,
            pitch,
            across: group,
            wide: 0,
            rows: LaneRows::Tall(1),
            group,
        };
        Self { top: plan.top(warps, height), ..plan }
    }

    fn top(&self, warps: u16, height: u16) -> u16 {
        u16::from(warps * self.pitch < height)
    }

    /// Makes lanes as wide as the room for words allows, or returns `None` without room for lanes.
    fn widened(self, width: u16) -> Option<Self> {
        let tall = if let LaneRows::Tall(rows) = self.rows { rows } else { 1 };
        let fits = |wide: &u16| {
            let words = if *wide == 1 { 0 } else { WORDS };
            self.head + Self { wide: *wide, ..self.clone() }.span() + words <= width
        };
        // Three columns hold a lane's number; a tall lane is wider, to stay about square.
        let wide = (1..=3.max(2 * tall)).rev().find(fits)?;
        Some(Self { wide, ..self })
    }

    /// Columns of the lanes.
    pub(super) const fn span(&self) -> u16 {
        if self.wide == 0 { 0 } else { self.column(self.across - 1) + self.wide }
    }

    /// Where a lane's column begins, counted from the first lane's.
    pub(super) const fn column(&self, lane: u16) -> u16 {
        let lane = lane % self.across;
        lane * self.wide + lane / self.group
    }

    /// The first row of a warp in view.
    pub(super) fn row(&self, warp: usize) -> Option<u16> {
        let index = warp.checked_sub(self.shown.start).filter(|_| self.shown.contains(&warp))?;
        Some(self.top + index as u16 * self.pitch)
    }

    /// The first row below the warps.
    pub(super) fn bottom(&self) -> u16 {
        self.top + self.shown.len() as u16 * self.pitch
    }

    /// The cells of a lane of a warp in view; two lanes share them in [`LaneRows::Halves`].
    pub(super) fn lane(&self, warp: usize, lane: u16) -> Option<Rect> {
        let y = self.row(warp).filter(|_| self.wide > 0)?;
        let (row, height) = match self.rows {
            LaneRows::Tall(tall) => (lane / self.across * tall, tall),
            LaneRows::Halves => (lane / self.across / 2, 1),
        };
        let cell = Rect { x: self.head + self.column(lane), y: y + row, width: self.wide, height };
        // The lanes of a partly empty warp may lie below its rows.
        (row < self.pitch).then_some(cell)
    }

    /// The columns and half rows of a lane of a warp in view.
    pub(super) fn halves(&self, warp: usize, lane: u16) -> Option<Rect> {
        let cell = self.lane(warp, lane)?;
        let (y, height) = match self.rows {
            LaneRows::Tall(_) => (2 * cell.y, 2 * cell.height),
            LaneRows::Halves => (2 * cell.y + lane / self.across % 2, 1),
        };
        Some(Rect { y, height, ..cell })
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
