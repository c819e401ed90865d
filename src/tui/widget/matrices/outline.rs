//! The outlines of the matrices: solid at their edges, dashed where they continue.

use super::plan::{MatricesPlan, Window};
use crate::tui::widget::pen::Pen;
use std::ops::Range;

/// Draws the outlines of all three matrices, which share the borders between them.
///
/// ```text
///         +B---+
///         |    |
/// +A------+C---+
/// |       |    |
/// +-------+----+
/// ```
pub(super) fn draw(pen: &mut Pen<'_>, plan: &MatricesPlan) {
    let [a, b, _] = &plan.grids;
    let ((a_wide, a_high), (b_wide, b_high)) = (a.extent(), b.extent());
    let (left, middle, right) = (a.x - 1, b.x - 1, b.x + b_wide);
    let (top, middle_row, bottom) = (b.y - 1, a.y - 1, a.y + a_high);
    // A line at the beginning of a window is an edge if nothing lies before it.
    let first = |window: Window| !window.before();
    let last = |window: Window| !window.after();
    across(pen, (b.x, top), b_wide, first(b.rows));
    across(pen, (b.x, middle_row), b_wide, last(b.rows) && first(a.rows));
    across(pen, (a.x, middle_row), a.width(), first(a.rows));
    across(pen, (a.x, bottom), a.width(), last(a.rows));
    across(pen, (b.x, bottom), b_wide, last(a.rows));
    down(pen, (left, a.y), a_high, first(a.columns));
    down(pen, (middle, a.y), a_high, last(a.columns) && first(b.columns));
    down(pen, (right, a.y), a_high, last(b.columns));
    down(pen, (middle, b.y), b.height(), first(b.columns));
    down(pen, (right, b.y), b.height(), last(b.columns));
    // Where K is not a multiple of its tile, A and B end before the last whole tile does.
    if a_wide < a.width() {
        down(pen, (a.x + a_wide, a.y), a_high, true);
    }
    if b_high < b.height() {
        across(pen, (b.x, b.y + b_high), b_wide, true);
    }
    // Along k a heavy part of the line shows which part of it is seen: below A, and beside B.
    let style = pen.look.border();
    for cell in thumb(a.columns, a.width()) {
        pen.text(a.x + cell, bottom, pen.look.pick("━", "="), style);
    }
    for cell in thumb(b.rows, b.height()) {
        pen.text(right, b.y + cell, pen.look.pick("┃", "#"), style);
    }
    let corners = [
        (middle, top, "┌"),
        (right, top, "┐"),
        (left, middle_row, "┌"),
        (middle, middle_row, "┼"),
        (right, middle_row, "┤"),
        (left, bottom, "└"),
        (middle, bottom, "┴"),
        (right, bottom, "┘"),
    ];
    for (x, y, corner) in corners {
        let corner = pen.look.pick(corner, "+");
        pen.text(x, y, corner, style);
    }
}

/// The cells of a line of `length` that represent a window of all tiles; none if it covers them all.
fn thumb(window: Window, length: u16) -> Range<u16> {
    let Window { first, shown, total } = window;
    if !window.before() && !window.after() {
        return 0..0;
    }
    let cell = |tile: u32| (u64::from(tile) * u64::from(length) / u64::from(total.max(1))) as u16;
    let start = cell(first).min(length.saturating_sub(1));
    start..cell(first + shown).max(start + 1)
}

fn across(pen: &mut Pen<'_>, (x, y): (u16, u16), count: u16, edge: bool) {
    for column in 0..count {
        let line =
            if edge { pen.look.pick("─", "-") } else { pen.look.pick("┄", gap(column, "-")) };
        pen.text(x + column, y, line, pen.look.border());
    }
}

fn down(pen: &mut Pen<'_>, (x, y): (u16, u16), count: u16, edge: bool) {
    for row in 0..count {
        let line =
            if edge { pen.look.pick("│", "|") } else { pen.look.pick("┊", gap(row, "|")) };
        pen.text(x, y + row, line, pen.look.border());
    }
}

/// ASCII has no dashed lines: every other cell is blank.
const fn gap(place: u16, line: &'static str) -> &'static str {
    if place.is_multiple_of(2) { " " } else { line }
}
