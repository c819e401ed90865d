//! The scale at which the arrays of shared memory are drawn: the largest that fits.

use ratatui::layout;

/// The size of an array's picture in pixels, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrayPlan {
    /// Pixels (one column by half a row) along each side.
    pub(super) side: (u16, u16),
    /// The row in which the pictures begin.
    pub(super) top: u16,
    /// Columns for the label in the row above; 0 without a label.
    pub(super) label: u16,
    /// Columns to the left of a picture for the banks of its rows' first words; 0 without them.
    pub(super) margin: u16,
    /// Whether the row between label and picture names the banks of the first row's words.
    pub(super) heading: bool,
}

/// How the elements of a picture may be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawMode {
    /// Columns for a value and the gap after it, if they have values.
    pub(super) values: Option<u16>,
    /// With half-block pixels.
    pub(super) pixels: bool,
    /// Whether the banks of the words may stand next to the picture.
    pub(super) banks: bool,
}

/// Rows of the legend and the gap before it.
const LEGEND: u16 = 2;
/// Columns between two arrays.
pub(super) const GAP: u16 = 2;
/// Columns for `bank` or a bank's number, and a blank.
pub(super) const MARGIN: u16 = 5;
/// The same for the numbers alone.
const TIGHT_MARGIN: u16 = 3;
/// Columns for a bank's number in an element, and the gap after it.
const NUMBER: u32 = 3;
/// The most pixels of an element along each side.
const LARGEST: u32 = 24;

impl ArrayPlan {
    /// Returns the largest scale at which one array fits below its label.
    pub(super) fn labelled(shape: (u32, u32), area: layout::Size, drawn: DrawMode) -> Option<Self> {
        let plan = |margin: u16| {
            let top = u16::from(area.height > 2);
            let rows = u32::from(area.height - top);
            let width = area.width.checked_sub(margin)?;
            let side = scales(shape, width.into(), 2 * rows, drawn)?;
            Some(Self { side, top, label: top * width, margin, heading: false })
        };
        Some(plan(0)?.or_with_banks(shape, plan, drawn))
    }

    /// Returns the largest scale at which `count` arrays fit side by side; with labels, banks and
    /// room for the legend, unless that makes the pictures less than two thirds as high.
    pub(super) fn new(
        shape: (u32, u32),
        count: u16,
        area: layout::Size,
        drawn: DrawMode,
    ) -> Option<Self> {
        let gaps = GAP * (count - 1);
        let plan = |margin: u16| {
            let columns = (area.width.checked_sub(gaps)? / count).checked_sub(margin)?;
            let plan = |top: u16, legend: u16| {
                let rows = u32::from(area.height.saturating_sub(top + legend));
                let side = scales(shape, columns.into(), rows * 2, drawn)?;
                let label = if count == 1 { columns } else { side.0 + GAP - 1 };
                Some(Self { side, top, label: top * label, margin, heading: false })
            };
            let bare = plan(0, 0)?;
            let large = |plan: &Self| plan.side.1 * 3 >= bare.side.1 * 2;
            let mut richer = [plan(1, 2), plan(1, 1), plan(1, 0)].into_iter().flatten();
            Some(richer.find(large).unwrap_or(bare))
        };
        let plan = plan(0)?.or_with_banks(shape, plan, drawn);
        let end = plan.top + plan.side.1.div_ceil(2) + LEGEND;
        let heading = drawn.banks && plan.label > 0 && end < area.height;
        let heading = heading && !plan.has_room_for_banks(shape, drawn);
        Some(Self { heading, top: plan.top + u16::from(heading), ..plan })
    }

    /// Returns the plan with a margin for banks, if they have no room in the elements and the
    /// picture does not become much smaller for it.
    fn or_with_banks(
        self,
        shape: (u32, u32),
        with_margin: impl Fn(u16) -> Option<Self>,
        drawn: DrawMode,
    ) -> Self {
        // A row of the screen that shows several of the array has no bank of its own.
        let shared = u32::from(self.side.1) < 2 * shape.1;
        if !drawn.banks || self.label == 0 || shared || self.has_room_for_banks(shape, drawn) {
            return self;
        }
        let alike = |plan: &Self| {
            plan.side.1 == self.side.1 && 4 * plan.side.0 >= 3 * self.side.0 && plan.label > 0
        };
        let mut marked = [MARGIN, TIGHT_MARGIN].into_iter().filter_map(with_margin);
        marked.find(alike).unwrap_or(self)
    }

    /// Returns the columns and the rows of the screen that an element takes; 0 if several share one.
    pub(super) fn element(self, (across, down): (u32, u32)) -> (u16, u16) {
        let rows = u32::from(self.side.1) / down.max(1);
        let whole = rows >= 2 && rows.is_multiple_of(2);
        ((u32::from(self.side.0) / across.max(1)) as u16, if whole { rows as u16 / 2 } else { 0 })
    }

    /// Whether each element has room for its value.
    pub(super) fn has_room_for_values(self, shape: (u32, u32), drawn: DrawMode) -> bool {
        let (columns, rows) = self.element(shape);
        drawn.values.is_some_and(|value| columns >= value) && rows > 0
    }

    /// Whether each element has room for the number of its bank: below its value if it has one, and
    /// with a row to separate it from the next.
    /// Without pixels, a letter for the element's state must remain beside the number.
    pub(super) fn has_room_for_banks(self, shape: (u32, u32), drawn: DrawMode) -> bool {
        let (columns, rows) = self.element(shape);
        let valued = self.has_room_for_values(shape, drawn);
        u32::from(columns) >= NUMBER + u32::from(!drawn.pixels) && rows > 2 * u16::from(valued)
    }
}

/// Returns the size in pixels of a picture of (columns, rows) elements within this room. An element
/// is at most twice as wide or as high as a square, or wider if that makes room for its value.
fn scales(shape: (u32, u32), columns: u32, rows: u32, drawn: DrawMode) -> Option<(u16, u16)> {
    let (across, down) = (shape.0.max(1), shape.1.max(1));
    let fitting = |elements: u32, room: u32| {
        // Several elements may share a pixel, which then shows the tone with the highest rank.
        let small = [2, 4, 8, 16, 32, 64, 128, 256].map(|share| elements.div_ceil(share));
        let sides = (1..=LARGEST).rev().map(move |pixels| elements * pixels).chain(small);
        sides.filter(move |side| *side <= room)
    };
    let widest = fitting(across, columns).next()?;
    let valued = drawn.values.is_some_and(|value| columns >= across * u32::from(value));
    let numbered = valued || drawn.banks && columns >= across * NUMBER;
    // Elements of whole rows, of half a row, or of one and a half rows with a gap are drawn
    // sharply; only whole rows have room for numbers.
    let sharp = |high: &u32| match high / down {
        3 => drawn.pixels && !numbered,
        pixels => *high <= down || pixels.is_multiple_of(2),
    };
    let square = |high: u32| high * across / down;
    let high = fitting(down, rows).filter(sharp).find(|high| square(*high) <= 2 * widest)?;
    let enough = if valued && high >= 2 * down { high.max(3 * down) * 2 } else { 2 * high };
    // Even if rows share a pixel, columns need not.
    let enough = if high < down { square(enough).max(across) } else { square(enough) };
    let wide = fitting(across, columns).find(|wide| *wide <= enough)?;
    Some((wide as u16, high as u16))
}

/// Returns the pixels along one side that show element `i` of `tile`, at least one. A pixel
/// separates large elements from the next, so that they can be counted.
pub(super) fn pixels(i: u32, tile: u32, side: u16) -> std::ops::Range<u16> {
    let first = i * u32::from(side) / tile;
    let end = ((i + 1) * u32::from(side) / tile).max(first + 1);
    let gap = u32::from(end - first >= 3);
    first as u16..(end - gap) as u16
}
