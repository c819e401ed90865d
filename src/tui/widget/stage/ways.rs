//! Words on their way: strips that move through free columns only.

use super::labels::Writing;
use super::paint::{Painting, Shade, role, shade, together};
use super::place::{HalfRect, PlaceShape, PlacedTile};
use super::plan::{RoomShape, StagePlan, short, tile};
use crate::study::stage::{CellRange, PlaceId, StageScene, TileKind, Way};
use crate::tui::layout::text::width;
use crate::tui::theme::Role;

/// The columns through which a way goes, and its rows.
struct Track {
    /// Free columns, from the left.
    from: u16,
    to: u16,
    /// The half rows of the strip.
    rows: (u16, u16),
    /// How long the strip is.
    length: u16,
    right: bool,
}

impl Track {
    /// The column of the head and the columns of the strip behind it.
    fn strip(&self, part: f32) -> (u16, HalfRect) {
        let free = self.to.saturating_sub(self.from);
        let done = (f32::from(free) * part.clamp(0.0, 1.0)).round() as u16;
        let shown = done.min(self.length);
        let (y, height) = self.rows;
        let x = if self.right { self.from + done - shown } else { self.to - done };
        let head = if self.right { self.from + done } else { (self.to - done).saturating_sub(1) };
        (head, HalfRect { x, y, width: shown, height })
    }
}

/// The track of a way whose rows lie side by side, if it has any free columns.
fn track(scene: &StageScene, plan: &StagePlan, way: &Way) -> Option<Track> {
    let (from, to) = (plan.place(way.from.0)?, plan.place(way.to.0)?);
    if from.shape == PlaceShape::Gauge || to.shape == PlaceShape::Gauge {
        return None;
    }
    let source = from.of(&way.from.1);
    let goal = end_of(to, way);
    let straight = source.y < goal.bottom() && goal.y < source.bottom();
    if !straight || source.height == 0 {
        return None;
    }
    // The words of a thread leave it: its own plate is free then.
    let leaves = tile(scene, way.from.0).is_some_and(|tile| tile.kind == TileKind::Threads);
    let rows = (source.y, source.height);
    let length = source.width.max(1);
    if to.area.x >= from.area.right() {
        let start = if leaves { source.x } else { from.area.right() };
        let to = to.area.x.saturating_sub(1);
        return (to > start).then_some(Track { from: start, to, rows, length, right: true });
    }
    let start = to.area.right() + 1;
    let end = if leaves { source.right() } else { from.area.x };
    (end > start).then_some(Track { from: start, to: end, rows, length, right: false })
}

fn end_of(to: &PlacedTile, way: &Way) -> HalfRect {
    match to.shape {
        PlaceShape::Names => HalfRect { y: to.of(&way.to.1).y, ..to.area },
        PlaceShape::Grid | PlaceShape::Gauge => to.of(&way.to.1),
    }
}

fn under_way(way: &&Way) -> bool {
    way.part > 0.0 && way.part < 1.0
}

/// Paints the strips.
pub(super) fn paint(scene: &StageScene, plan: &StagePlan, painting: &mut Painting) {
    if plan.above.shape == RoomShape::Copies {
        return;
    }
    for way in scene.ways.iter().filter(under_way) {
        let Some(track) = track(scene, plan, way) else { continue };
        let (_, strip) = track.strip(way.part);
        let hue = role(way.hue);
        let shade = if way.copy { Shade::Pending(hue) } else { Shade::Fill(hue, 100) };
        painting.fill(strip, shade);
    }
}

/// Draws the heads of the strips.
pub(super) fn heads(scene: &StageScene, plan: &StagePlan, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    for way in scene.ways.iter().filter(under_way) {
        let Some(track) = track(scene, plan, way) else { continue };
        let (head, strip) = track.strip(way.part);
        let symbol = if track.right { look.pick("►", ">") } else { look.pick("◄", "<") };
        // A strip as high as a tile needs one head.
        let rows = strip.rows();
        let middle = rows.start + (rows.end - rows.start) / 2;
        let heads = if rows.len() > 4 { middle..middle + 1 } else { rows };
        for row in heads {
            writing.pen.text(head, row, symbol, look.strong(Role::Here));
        }
    }
    for way in scene.ways.iter().filter(under_way) {
        bent(plan, writing, way);
    }
    if plan.above.shape == RoomShape::Copies {
        copies(scene, plan, writing);
    }
}

/// A way between rows that do not lie side by side: a line with one bend, drawn only if all of it is
/// free.
fn bent(plan: &StagePlan, writing: &mut Writing<'_>, way: &Way) {
    let (Some(from), Some(to)) = (plan.place(way.from.0), plan.place(way.to.0)) else { return };
    let (source, goal) = (from.of(&way.from.1), end_of(to, way));
    let straight = source.y < goal.bottom() && goal.y < source.bottom();
    let gauges = from.shape == PlaceShape::Gauge || to.shape == PlaceShape::Gauge;
    let right = to.area.x >= from.area.right() + 4;
    let left = from.area.x >= to.area.right() + 4;
    if straight || gauges || !(right || left) {
        return;
    }
    let middle = |area: HalfRect| {
        let rows = area.rows();
        rows.start + (rows.end - rows.start).saturating_sub(1) / 2
    };
    let (y0, y1) = (middle(source), middle(goal));
    let (x0, x1) = if right {
        (from.area.right() + 1, to.area.x - 2)
    } else {
        (from.area.x - 2, to.area.right() + 1)
    };
    let bend = u16::midpoint(x0, x1);
    let between = |a: u16, b: u16| -> Vec<u16> {
        if a <= b { (a..=b).collect() } else { (b..=a).rev().collect() }
    };
    let first = between(x0, bend).into_iter().map(|x| (x, y0));
    let down = between(y0, y1).into_iter().skip(1).map(|y| (bend, y));
    let last = between(bend, x1).into_iter().skip(1).map(|x| (x, y1));
    let path: Vec<_> = first.chain(down).chain(last).collect();
    if !path.iter().all(|(x, y)| writing.is_free(*x, *y)) {
        return;
    }
    let look = writing.pen.look;
    let shown = (path.len() as f32 * way.part).ceil() as usize;
    let [near, far] = match (right, y1 > y0) {
        (true, true) => ["┐", "└"],
        (true, false) => ["┘", "┌"],
        (false, true) => ["┌", "┘"],
        (false, false) => ["└", "┐"],
    };
    for (i, (x, y)) in path.iter().take(shown).enumerate() {
        let symbol = match (i + 1 == shown, *x == bend, *y == y0 || *y == y1) {
            (true, ..) if right => look.pick("►", ">"),
            (true, ..) => look.pick("◄", "<"),
            (false, true, true) => look.pick(if *y == y0 { near } else { far }, "+"),
            (false, true, false) => look.pick("│", "|"),
            (false, false, _) => look.pick("─", "-"),
        };
        writing.pen.text(*x, *y, symbol, look.ink(role(way.hue)));
    }
}

/// The columns of the blocks at both ends of a copy's row.
const END: u16 = 8;

/// A row for each copy that no thread carries: source, line, strip, goal.
fn copies(scene: &StageScene, plan: &StagePlan, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    let all: Vec<_> = scene.ways.iter().filter(|way| way.copy).collect();
    let named = |(place, words): &(_, CellRange)| {
        let tile = tile(scene, *place);
        let name = tile.map_or("", |tile| short(&tile.title));
        let whole = tile.is_some_and(|tile| words.rows == (0..tile.rows));
        match tile {
            Some(tile) if whole => tile.title.clone(),
            _ => format!("{name} rows {}-{}", words.rows.start, words.rows.end.saturating_sub(1)),
        }
    };
    let widest = |of: fn(&Way) -> &(PlaceId, CellRange)| {
        all.iter().map(|way| width(&named(of(way)))).max().unwrap_or(0)
    };
    let (left, right) = (widest(|way| &way.from), widest(|way| &way.to));
    let columns = writing.pen.width().saturating_sub(plan.margin);
    let start = plan.margin + left + 1 + END + 1;
    let Some(end) = columns.checked_sub(right + 1 + END + 1).filter(|end| *end > start + 2 * END)
    else {
        return;
    };
    for (row, way) in plan.above.rows.clone().zip(&all) {
        let hue = role(way.hue);
        writing.pen.text(plan.margin, row, &named(&way.from), look.ink(hue));
        writing.pen.text(end + 1 + END + 1, row, &named(&way.to), look.ink(hue));
        let mut painting = Painting::new(writing.pen.width(), row + 1);
        let block = |painting: &mut Painting, x: u16, width: u16, shade: Shade| {
            painting.fill(HalfRect { x, y: 2 * row, width, height: 2 }, shade);
        };
        block(&mut painting, start - 1 - END, END, range_shade(scene, &way.from));
        block(&mut painting, end + 1, END, range_shade(scene, &way.to));
        writing.pen.repeat(start, row, end - start, look.pick("─", "-"), look.border());
        if way.part < 1.0 {
            let free = end - start - END - 1;
            let x = start + (f32::from(free) * way.part.max(0.0)).round() as u16;
            block(&mut painting, x, END, Shade::Pending(hue));
            writing.pen.text(x + END, row, look.pick("►", ">"), look.ink(hue));
        }
        painting.draw(&mut writing.pen);
    }
}

/// The shade of some words of a place, taken together.
fn range_shade(scene: &StageScene, (place, words): &(PlaceId, CellRange)) -> Shade {
    let Some(tile) = tile(scene, *place) else { return Shade::Ground };
    let all = words.rows.clone().flat_map(|row| {
        words.columns.clone().map(move |column| (row * tile.columns + column) as usize)
    });
    together(all.filter_map(|i| tile.cells.get(i)).map(|cell| shade(cell, tile.hue)))
}
