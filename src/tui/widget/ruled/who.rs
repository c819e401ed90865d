//! Who goes where: for each lane, marks in the columns that it asks for.

use super::{ColumnState, Row, Ruled, RuledPlan, Widths};
use crate::launch::WARP_SIZE;
use crate::tui::layout::text::width;
use crate::tui::theme::{Role, Tone};
use crate::tui::widget::canvas::Canvas;
use crate::tui::widget::pen::Pen;

const LANES: u16 = WARP_SIZE as u16;
/// Rows of the table below that are worth more than this picture, at half its height and at its
/// full height.
const BELOW: [usize; 2] = [6, 16];

impl Ruled {
    /// Returns the rows of the picture in a table of this height: one for each lane, or for two, or
    /// none; `other` rows are for the heading and the words.
    pub(super) fn rows_of_lanes(&self, height: u16, other: u16) -> u16 {
        let fits = |(rows, below): &(u16, usize)| {
            let table = self.rows.len().min(*below) as u16;
            *rows + 1 + table + other <= height
        };
        let forms = [(LANES, BELOW[1]), (LANES / 2, BELOW[0])];
        let form = forms.into_iter().filter(|_| !self.who.is_empty()).find(fits);
        form.map_or(0, |(rows, _)| rows)
    }

    /// Draws the picture from row `y` on.
    pub(super) fn each_to_its_place(&self, pen: &mut Pen<'_>, y: u16, plan: &RuledPlan) {
        let Some(widths) = plan.widths.filter(|_| plan.lanes > 0) else { return };
        let (look, halves) = (pen.look, plan.lanes < LANES);
        let end = widths.x(31) + widths.column;
        let mut canvas = Canvas::new(end, plan.lanes);
        for (lane, column, tone) in self.ways() {
            let rows = if halves { lane..lane + 1 } else { 2 * lane..2 * lane + 2 };
            let x = widths.x(column);
            for (x, row) in rows.flat_map(|row| (x..x + widths.column).map(move |x| (x, row))) {
                canvas.set(x, row, tone);
            }
        }
        ground(pen, y, plan, widths);
        if look.has_pixels() {
            canvas.draw(pen, 0, y);
        } else {
            plain(pen, y, &canvas, end);
        }
        if let Some(room) = pen.width().checked_sub(end + 1).filter(|_| self.names_rows) {
            self.names(pen, (end + 1, y), room, plan.lanes);
        }
    }

    /// Yields the lanes with their columns, and the tone of each.
    fn ways(&self) -> impl Iterator<Item = (u16, u16, Tone)> + '_ {
        self.rows.iter().flat_map(|row| {
            let columns = (0..).zip(row.places.iter().zip(&row.lanes));
            columns.flat_map(|(column, (place, lanes))| {
                let tone = match place {
                    ColumnState::Idle | ColumnState::Wasted => None,
                    ColumnState::Waiting => Some(Tone::Full(Role::Wait)),
                    ColumnState::Past(role) => Some(Tone::Half(*role)),
                    ColumnState::Used(role) => Some(Tone::Full(*role)),
                };
                let lanes = tone.map(|tone| lanes.lanes().map(move |lane| (lane, tone)));
                lanes.into_iter().flatten().map(move |(lane, tone)| (lane as u16, column, tone))
            })
        })
    }

    /// Writes next to the lanes the rows of the table that they go to, where that changes.
    fn names(&self, pen: &mut Pen<'_>, (x, y): (u16, u16), room: u16, rows: u16) {
        let (each, mut before) = (usize::from(LANES / rows), None);
        for row in 0..rows {
            let lanes = usize::from(row) * each..(usize::from(row) + 1) * each;
            let goes =
                |of: &&Row| of.lanes.iter().any(|those| lanes.clone().any(|lane| those.has(lane)));
            let Some(of) = self.rows.iter().find(goes) else { continue };
            if before.replace(&of.label) != Some(&of.label) && width(&of.label.0) <= room {
                pen.text(x, y + row, &of.label.0, pen.look.dim());
            }
        }
    }
}

/// Writes the lanes' numbers, and the lines between groups of eight columns.
fn ground(pen: &mut Pen<'_>, y: u16, plan: &RuledPlan, widths: Widths) {
    let (look, each) = (pen.look, LANES / plan.lanes);
    for row in 0..plan.lanes {
        if widths.label > 2 {
            pen.text(0, y + row, &format!("l{}", row * each), look.dim());
        }
        for group in (8..32).step_by(8).filter(|_| widths.gap > 0) {
            pen.text(widths.x(group) - 1, y + row, look.pick("│", "|"), look.border());
        }
    }
}

/// Draws the marks without half blocks in colour.
fn plain(pen: &mut Pen<'_>, y: u16, canvas: &Canvas, end: u16) {
    let look = pen.look;
    for (x, row) in (0..pen.height()).flat_map(|row| (0..end).map(move |x| (x, row))) {
        let halves = [canvas.at(x, 2 * row), canvas.at(x, 2 * row + 1)];
        let mark = match halves.map(|tone| tone != Tone::None) {
            [false, false] => continue,
            [true, true] => look.pick("█", ":"),
            [true, false] => look.pick("▀", "'"),
            [false, true] => look.pick("▄", ","),
        };
        let tone = if halves[0] == Tone::None { halves[1] } else { halves[0] };
        pen.text(x, y + row, mark, look.mark_style(tone));
    }
}
