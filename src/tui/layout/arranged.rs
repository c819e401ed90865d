//! How the panels of a screen are arranged, for each class.

use super::panel::Panel;
use super::wanted::{PanelChoice, SizeClass};
use ratatui::layout::Rect;

/// Rows of the warps panel, of the bottom panels and of the cost panels, frames included, for 8
/// warps.
const WARPS: u16 = 10;
const BOTTOM: u16 = 12;
pub(super) const COSTS: u16 = 7;
/// Rows of the panels in which 16 rows of words and 8 warps have a row each, with what stands around
/// them.
const WORDS: u16 = 24;
const THREADS: u16 = 16;
/// Arranges the panels of a screen that shows several, in the order of the focus.
pub(super) fn arranged(class: SizeClass, area: Rect, wanted: PanelChoice) -> Vec<(Panel, Rect)> {
    let PanelChoice { shared, following, needs, .. } = wanted;
    let guest = if following { Panel::Value } else { wanted.guest };
    let (mut panels, place) = match class {
        SizeClass::Large => (large(area, shared, needs), &LARGE_PLACE[..]),
        SizeClass::Medium => (medium(area, shared, needs), &MEDIUM_PLACE[..]),
        SizeClass::Tall => (tall(area, shared), &TALL_PLACE[..]),
        SizeClass::Micro | SizeClass::Single | SizeClass::Small => {
            (small(area, guest, shared), &[][..])
        }
    };
    if following && !place.is_empty() {
        panels = followed(panels, place);
    }
    panels.sort_by_key(|(panel, _)| *panel as usize);
    panels
}

/// ```text
/// Matrices | Shared | Measured
///          +------------------
/// Cost     | the guest: Warps, unless the user chose another
/// ```
/// Without shared memory, a picture of the global loads is in its place.
fn small(area: Rect, guest: Panel, shared: bool) -> Vec<(Panel, Rect)> {
    let [left, right] = columns(area, [area.width * 23 / 80]);
    let [matrices, cost] = rows(left, [left.height.saturating_sub(COSTS).max(11)]);
    let spare = right.height.saturating_sub(20);
    let [top, bottom] = rows(right, [right.height.saturating_sub(WARPS - 1 + spare / 2)]);
    let [first, measured] = columns(top, [top.width * 37 / 58]);
    let instead = if guest == Panel::Lines { Panel::Timeline } else { Panel::Lines };
    vec![
        (Panel::Matrices, matrices),
        (if shared { Panel::Shared } else { instead }, first),
        (guest, bottom),
        (Panel::Measured, measured),
        (Panel::Cost, cost),
    ]
}

/// ```text
/// Matrices | Shared | Measured
/// Lines       | Banks
/// Warps
/// Source
/// Timeline
/// ```
/// Without shared memory, the upper row has two panels, and the global loads a row of their own.
fn tall(area: Rect, shared: bool) -> Vec<(Panel, Rect)> {
    let spare = area.height.saturating_sub(40);
    let below = [COSTS, WARPS, COSTS + 1 + spare / 2, WARPS];
    let taken: u16 = below.iter().map(|height| height - 1).sum();
    let [costs, warps, source, _] = below;
    let [top, costs, warps, source, timeline] =
        rows(area, [area.height.saturating_sub(taken), costs, warps, source]);
    let mut panels =
        vec![(Panel::Warps, warps), (Panel::Source, source), (Panel::Timeline, timeline)];
    if shared {
        let [matrices, words, measured] = columns(top, [top.width * 23 / 80, top.width * 36 / 80]);
        let [lines, banks] = columns(costs, [costs.width / 2]);
        panels.extend([(Panel::Shared, words), (Panel::Measured, measured)]);
        panels.extend([(Panel::Matrices, matrices), (Panel::Lines, lines), (Panel::Banks, banks)]);
    } else {
        let [matrices, measured] = columns(top, [top.width / 2]);
        panels.extend([(Panel::Matrices, matrices), (Panel::Measured, measured)]);
        panels.push((Panel::Lines, costs));
    }
    panels
}

/// ```text
/// Matrices | Shared | Measured
///          |--------| Lines
///          | Warps  | Banks
/// Source       | Timeline
/// ```
/// Without shared memory, Warps and Lines have all of their columns.
fn medium(area: Rect, shared: bool, needs: [u16; 2]) -> Vec<(Panel, Rect)> {
    let spare = area.height.saturating_sub(32);
    let [top, bottom] = rows(area, [area.height.saturating_sub(BOTTOM - 1 + spare / 3)]);
    let [matrices, middle, right] = columns(top, [top.width * 37 / 120, 46]);
    let [words, warps] = rows(middle, [middle.height.saturating_sub(WARPS - 1 + spare / 3)]);
    let costs = COSTS + (right.height.saturating_sub(21)) / 4;
    let [measured, both] = rows(right, [right.height.saturating_sub(2 * (costs - 1))]);
    let [lines, banks] = rows(both, [by_need(both.height, costs, needs)]);
    let [source, timeline] = columns(bottom, [bottom.width * 61 / 120]);
    let mut panels = vec![
        (Panel::Matrices, matrices),
        (Panel::Source, source),
        (Panel::Timeline, timeline),
        (Panel::Measured, measured),
    ];
    if shared {
        panels.extend([(Panel::Shared, words), (Panel::Warps, warps)]);
        panels.extend([(Panel::Lines, lines), (Panel::Banks, banks)]);
    } else {
        panels.extend([(Panel::Warps, middle), (Panel::Lines, lines.union(banks))]);
    }
    panels
}

/// ```text
/// Matrices | Shared | Source
/// Warps    | Lines  | Measured
///          | Banks  |
/// Timeline      | Compare
/// ```
/// Without shared memory, Warps are above Lines.
fn large(area: Rect, shared: bool, needs: [u16; 2]) -> Vec<(Panel, Rect)> {
    let bottom = BOTTOM + 1 + area.height / 30;
    let spare = (area.height + 2).saturating_sub(bottom + WORDS);
    let third = spare.clamp(2 * COSTS, THREADS.max(area.height / 4));
    let [top, middle, bottom] =
        rows(area, [(area.height + 2).saturating_sub(third + bottom), third]);
    let widths = [area.width * 71 / 200, area.width * 77 / 200];
    let [matrices, words, source] = columns(top, widths);
    // Threads that are three columns wide have their numbers.
    let [warps, costs, measured] = columns(middle, [widths[1]; 2]);
    let lines = by_need(costs.height, costs.height / 2 + 1, needs);
    let [lines, banks] = rows(costs, [lines]);
    let [timeline, compare] = columns(bottom, [bottom.width * 3 / 5]);
    let mut panels = vec![
        (Panel::Matrices, matrices),
        (Panel::Source, source),
        (Panel::Timeline, timeline),
        (Panel::Measured, measured),
        (Panel::Compare, compare),
    ];
    if shared {
        panels.extend([(Panel::Shared, words), (Panel::Warps, warps)]);
        panels.extend([(Panel::Lines, lines), (Panel::Banks, banks)]);
    } else {
        panels.extend([(Panel::Warps, words), (Panel::Lines, warps.union(costs))]);
    }
    panels
}

/// Places panels one below the other, each with its share of the rows. Neighbours share a row.
pub(super) fn below_each_other(area: Rect, panels: Vec<Panel>) -> Vec<(Panel, Rect)> {
    let mut left = area;
    let mut count = panels.len() as u16;
    let place = |panel| {
        let height =
            (left.height + count.saturating_sub(1)).div_ceil(count.max(1)).min(left.height);
        let own = Rect { height, ..left };
        let taken = height.saturating_sub(1);
        left = Rect { y: left.y + taken, height: left.height - taken, ..left };
        count = count.saturating_sub(1);
        (panel, own)
    };
    panels.into_iter().map(place).collect()
}

/// Returns the rows of the upper of two panels that share `rows`: usually `upper`, but each gives the
/// other what it does not need itself.
fn by_need(rows: u16, upper: u16, needs: [u16; 2]) -> u16 {
    let lower = (rows + 1).saturating_sub(upper);
    let [above, below] = needs.map(|rows| rows.max(LEAST) + 2);
    let down = below.saturating_sub(lower).min(upper.saturating_sub(above));
    let up = above.saturating_sub(upper).min(lower.saturating_sub(below));
    upper + up - down
}

/// Rows inside the smaller of two such panels.
const LEAST: u16 = 3;

/// The panels that the Value panel replaces; together they fill a rectangle.
const MEDIUM_PLACE: [Panel; 3] = [Panel::Measured, Panel::Lines, Panel::Banks];
const LARGE_PLACE: [Panel; 1] = [Panel::Compare];
const TALL_PLACE: [Panel; 3] = [Panel::Lines, Panel::Banks, Panel::Warps];

/// Replaces some of the panels by the Value panel.
fn followed(mut panels: Vec<(Panel, Rect)>, place: &[Panel]) -> Vec<(Panel, Rect)> {
    let taken = panels.iter().filter(|(panel, _)| place.contains(panel)).map(|(_, area)| *area);
    let area = taken.reduce(Rect::union).unwrap_or_default();
    panels.retain(|(panel, _)| !place.contains(panel));
    panels.push((Panel::Value, area));
    panels
}

/// Splits an area into columns of these widths; the last takes the rest. Neighbours share a column.
fn columns<const N: usize, const M: usize>(area: Rect, widths: [u16; N]) -> [Rect; M] {
    let ends = ends(area.width, widths);
    std::array::from_fn(|i| {
        let (from, to) = ends(i);
        Rect { x: area.x + from, width: to - from, ..area }
    })
}

/// Splits an area into rows of these heights; the last takes the rest. Neighbours share a row.
fn rows<const N: usize, const M: usize>(area: Rect, heights: [u16; N]) -> [Rect; M] {
    let ends = ends(area.height, heights);
    std::array::from_fn(|i| {
        let (from, to) = ends(i);
        Rect { y: area.y + from, height: to - from, ..area }
    })
}

/// Returns the extent of piece `i`; each piece begins on the last cell of the previous one.
fn ends<const N: usize>(whole: u16, pieces: [u16; N]) -> impl Fn(usize) -> (u16, u16) {
    move |i| {
        let start = |i: usize| {
            let before: u16 = pieces[..i].iter().map(|piece| piece.saturating_sub(1)).sum();
            before.min(whole)
        };
        let end = if i < N { (start(i) + pieces[i]).min(whole) } else { whole };
        (start(i), end)
    }
}
