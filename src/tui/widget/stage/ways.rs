//! Words on their way: strips that move through free columns only.

use super::gauges::short;
use super::geometry::{RoomShape, StageGeometry, tile};
use super::labels::Writing;
use super::paint::{Painting, Shade, role, shade, together};
use super::place::{HalfRect, PlaceShape, PlacedTile};
use crate::study::stage::{CellRange, PlaceId, StageScene, TileKind, Way};
use crate::tui::layout::text::width;
use crate::tui::theme::Role;
use std::ops::Range;

/// The columns through which a strip goes, and its rows.
struct Track {
    /// The left end of the strip at first and at last.
    from: i32,
    to: i32,
    length: u16,
    /// The columns in which it is seen: no words lie there.
    free: (u16, u16),
    /// Its first half row, and how many it has.
    rows: (u16, u16),
    right: bool,
}

impl Track {
    /// The part of the strip that is seen, and the column before its head.
    fn strip(&self, part: f32) -> (HalfRect, u16) {
        let way = (self.to - self.from) as f32 * part.clamp(0.0, 1.0);
        let x = self.from + way.round() as i32;
        let within = |x: i32| x.clamp(self.free.0.into(), self.free.1.into()) as u16;
        let (start, end) = (within(x), within(x + i32::from(self.length)));
        let (y, height) = self.rows;
        let head = if self.right { end } else { start.saturating_sub(1) };
        (HalfRect { x: start, y, width: end - start, height }, head)
    }
}

/// The track of a way whose rows lie side by side. It begins at the edge of a tile whose words stay,
/// and where a thread's words lie that leave it; it ends on the cells of the goal if the strip comes to
/// them first.
fn track(scene: &StageScene, plan: &StageGeometry, way: &Way) -> Option<Track> {
    let (from, to) = (plan.place(way.from.0)?, plan.place(way.to.0)?);
    if from.shape == PlaceShape::Gauge || to.shape == PlaceShape::Gauge {
        return None;
    }
    let (source, goal) = (from.of(&way.from.1), end_of(to, way));
    let straight = source.y < goal.bottom() && goal.y < source.bottom();
    if !straight || source.height == 0 || source.width == 0 {
        return None;
    }
    let leaves = tile(scene, way.from.0).is_some_and(|tile| tile.kind == TileKind::Threads);
    let leaves = leaves && from.shape == PlaceShape::Grid;
    let rows = (source.y, source.height);
    let right = to.area.x >= from.area.right();
    if !right && from.area.x < to.area.right() {
        return None;
    }
    let lands = to.shape == PlaceShape::Grid
        && if right { goal.x == to.area.x } else { goal.right() == to.area.right() };
    let length = if lands { source.width.min(goal.width.max(1)) } else { source.width };
    let start = match (leaves, right) {
        (true, _) => source.x,
        (false, true) => from.area.right().saturating_sub(length),
        (false, false) => from.area.x,
    };
    let free = if right {
        let end = if lands { goal.right() } else { to.area.x.saturating_sub(1) };
        (if leaves { source.x } else { from.area.right() }, end)
    } else {
        let end = if leaves { source.right() } else { from.area.x };
        (if lands { goal.x } else { to.area.right() + 1 }, end)
    };
    (free.0 < free.1).then_some(Track {
        from: start.into(),
        to: goal.x.into(),
        length,
        free,
        rows,
        right,
    })
}

fn end_of(to: &PlacedTile, way: &Way) -> HalfRect {
    match to.shape {
        PlaceShape::Names => HalfRect { y: to.of(&way.to.1).y, ..to.area },
        PlaceShape::Grid | PlaceShape::Gauge => to.of(&way.to.1),
    }
}

fn under_way(way: &Way) -> bool {
    way.part > 0.0 && way.part < 1.0
}

/// Draws the strips, which pass behind words, and the lines of other ways.
pub(super) fn draw(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    if plan.above.shape == RoomShape::Copies {
        copies(scene, plan, writing);
    }
    for way in scene.ways.iter().filter(|way| under_way(way)) {
        match track(scene, plan, way) {
            Some(track) => strip(writing, way, &track),
            None => bent(plan, writing, way),
        }
    }
}

fn strip(writing: &mut Writing<'_>, way: &Way, track: &Track) {
    let look = writing.pen.look;
    let (area, head) = track.strip(way.part);
    let hue = role(way.hue);
    let shade = if way.copy { Shade::Pending(hue) } else { Shade::Fill(hue, 100) };
    let words: Vec<_> = area
        .rows()
        .flat_map(|row| (area.x..=area.right()).map(move |x| (x, row)))
        .chain(area.rows().map(|row| (head, row)))
        .filter(|(x, row)| writing.is_written(*x, *row))
        .collect();
    let is_word = |x: u16, row: u16| words.contains(&(x, row));
    let mut painting = writing.painting.clone();
    painting.fill(area, shade);
    painting.draw_within(&mut writing.pen, area, is_word);
    let symbol = if track.right { look.pick("►", ">") } else { look.pick("◄", "<") };
    // A strip as high as a tile needs one head.
    let rows = area.rows();
    let middle = rows.start + (rows.end - rows.start) / 2;
    let heads = if rows.len() > 4 { middle..middle + 1 } else { rows };
    for row in heads.filter(|row| !is_word(head, *row)) {
        writing.pen.text(head, row, symbol, look.strong(Role::Here));
    }
}

/// A way between rows that do not lie side by side: a line with one bend, drawn only if all of it is
/// free.
fn bent(plan: &StageGeometry, writing: &mut Writing<'_>, way: &Way) {
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
fn copies(scene: &StageScene, plan: &StageGeometry, writing: &mut Writing<'_>) {
    let look = writing.pen.look;
    let all = together_where_many(scene, plan.above.rows.len());
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

/// The copies; if they have not a row each, those between the same places are one.
fn together_where_many(scene: &StageScene, rows: usize) -> Vec<Way> {
    let all: Vec<_> = scene.ways.iter().filter(|way| way.copy).cloned().collect();
    if all.len() <= rows {
        return all;
    }
    let wider = |one: &mut CellRange, other: &CellRange| {
        let union = |a: &Range<u32>, b: &Range<u32>| a.start.min(b.start)..a.end.max(b.end);
        one.rows = union(&one.rows, &other.rows);
        one.columns = union(&one.columns, &other.columns);
    };
    all.into_iter().fold(Vec::new(), |mut merged: Vec<Way>, way| {
        let alike = |one: &&mut Way| (one.from.0, one.to.0) == (way.from.0, way.to.0);
        match merged.iter_mut().find(alike) {
            Some(one) => {
                wider(&mut one.from.1, &way.from.1);
                wider(&mut one.to.1, &way.to.1);
            }
            None => merged.push(way),
        }
        merged
    })
}

/// The shade of some words of a place, taken together.
fn range_shade(scene: &StageScene, (place, words): &(PlaceId, CellRange)) -> Shade {
    let Some(tile) = tile(scene, *place) else { return Shade::Ground };
    let all = words.rows.clone().flat_map(|row| {
        words.columns.clone().map(move |column| (row * tile.columns + column) as usize)
    });
    together(all.filter_map(|i| tile.cells.get(i)).map(|cell| shade(cell, tile.hue)))
}
