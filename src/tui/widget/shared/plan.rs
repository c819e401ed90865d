//! The scale at which the arrays of shared memory are drawn: the largest that fits.

use ratatui::layout;

/// The size of an array's picture in pixels, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Pixels (one column by half a row) along each side.
    pub(super) side: (u16, u16),
    /// The row in which the pictures begin.
    pub(super) top: u16,
    /// Columns for the label in the row above; 0 without a label.
    pub(super) label: u16,
}

/// How the elements of a picture may be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    /// With their values.
    pub(super) values: bool,
    /// With half-block pixels.
    pub(super) pixels: bool,
}

/// Columns between two arrays.
pub(super) const GAP: u16 = 2;
/// Columns for a value and the gap after it.
pub(super) const VALUE: u16 = 6;
/// The most pixels of an element along each side.
const LARGEST: u32 = 24;

impl Plan {
    /// Returns the largest scale at which one array fits below its label.
    pub(super) fn labelled(shape: (u32, u32), area: layout::Size, drawn: Drawn) -> Option<Self> {
        let top = u16::from(area.height > 2);
        let rows = u32::from(area.height - top);
        let side = scales(shape, area.width.into(), 2 * rows, drawn)?;
        Some(Self { side, top, label: top * area.width })
    }

    /// Returns the largest scale at which `count` arrays fit side by side; with labels and room for
    /// the legend, unless that makes the pictures less than two thirds as high.
    pub(super) fn new(
        shape: (u32, u32),
        count: u16,
        area: layout::Size,
        drawn: Drawn,
    ) -> Option<Self> {
        let gaps = GAP * (count - 1);
        let columns = area.width.checked_sub(gaps)? / count;
        let plan = |top: u16, legend: u16| {
            let rows = u32::from(area.height.saturating_sub(top + legend));
            let side = scales(shape, columns.into(), rows * 2, drawn);
            let label = |side: (u16, u16)| if count == 1 { columns } else { side.0 + GAP - 1 };
            side.map(|side| Self { side, top, label: top * label(side) })
        };
        let bare = plan(0, 0)?;
        let large = |plan: &Self| plan.side.1 * 3 >= bare.side.1 * 2;
        let mut richer = [plan(1, 2), plan(1, 0)].into_iter().flatten();
        Some(richer.find(large).unwrap_or(bare))
    }
}

/// Returns the size in pixels of a picture of (columns, rows) elements within this room. An element
/// is at most twice as wide or as high as a square, or wider if that makes room for its value.
fn scales(shape: (u32, u32), columns: u32, rows: u32, drawn: Drawn) -> Option<(u16, u16)> {
    let (across, down) = (shape.0.max(1), shape.1.max(1));
    let fitting = |elements: u32, room: u32| {
        // Several elements may share a pixel, which then shows the tone with the highest rank.
        let small = [2, 4, 8, 16, 32, 64, 128, 256].map(|share| elements.div_ceil(share));
        let sides = (1..=LARGEST).rev().map(move |pixels| elements * pixels).chain(small);
        sides.filter(move |side| *side <= room)
    };
    let widest = fitting(across, columns).next()?;
    let valued = drawn.values && columns >= across * u32::from(VALUE);
    // Elements of whole rows, of half a row, or of one and a half rows with a gap are drawn
    // sharply.
    let sharp = |high: &u32| match high / down {
        3 => drawn.pixels && !valued,
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
