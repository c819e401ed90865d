//! Lines of a graph, of one weight, and the ground between two of them.

use super::pen::Pen;
use crate::tui::theme::Depth;
use ratatui::style::Style;
use std::ops::Range;

/// Draws a line through a row of each column from `x` on.
///
/// ```text
///    ╭──
///  ╭─╯
/// ─╯
/// ```
pub(super) fn stroke(pen: &mut Pen<'_>, x: u16, rows: impl Iterator<Item = u16>, style: Style) {
    let look = pen.look;
    let mut before = None;
    for (x, row) in (x..).zip(rows) {
        let last = before.replace(row).unwrap_or(row);
        let (arrives, leaves) = if last > row {
            (look.pick("╯", "'"), look.pick("╭", "."))
        } else {
            (look.pick("╮", "."), look.pick("╰", "'"))
        };
        if last == row {
            pen.text(x, row, look.pick("─", "-"), style);
            continue;
        }
        for between in last.min(row) + 1..last.max(row) {
            pen.text(x, between, look.pick("│", "|"), style);
        }
        pen.text(x, last, arrives, style);
        pen.text(x, row, leaves, style);
    }
}

/// Shades these rows of a column: a ground without a meaning of its own.
pub(super) fn shade(pen: &mut Pen<'_>, x: u16, rows: Range<u16>) {
    let look = pen.look;
    for row in rows {
        if look.has_pixels() && look.depth != Depth::Ansi {
            pen.wash(x, row, 1, Style::new().bg(look.faint()));
        } else {
            pen.text(x, row, look.pick("░", ":"), look.dim());
        }
    }
}

/// Moves rows that are equal apart, in their order, within `bottom`.
pub(super) fn apart(mut rows: Vec<u16>, bottom: u16) -> Vec<u16> {
    for at in 1..rows.len() {
        rows[at] = rows[at].max(rows[at - 1] + 1);
    }
    let mut most = bottom;
    for row in rows.iter_mut().rev() {
        *row = (*row).min(most);
        most = row.saturating_sub(1);
    }
    rows
}
