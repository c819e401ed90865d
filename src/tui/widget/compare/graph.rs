//! Two rising curves over k, lines of one weight that end in their names, with the gap between them
//! shaded.

use super::curve::Curve;
use crate::report::number::grouped;
use crate::trace::RunCost;
use crate::tui::layout::text::width;
use crate::tui::theme::Role;
use crate::tui::widget::pen::Pen;
use crate::tui::widget::stroke::{apart, shade, stroke};
use ratatui::style::Style;

/// A graph of one cost of two kernels: fewer are better.
pub(super) struct CostGraph<'a> {
    pub(super) curves: [Curve<'a>; 2],
    /// What stands at the end of each line.
    pub(super) names: [&'a str; 2],
    pub(super) of: fn(&RunCost) -> u32,
    /// The steps along k that it shows, from the first, and those of the whole run.
    pub(super) shown: u32,
    pub(super) all: u32,
    /// The position shown: (steps along k, the cost of each kernel).
    pub(super) here: (f64, [f64; 2]),
    pub(super) role: Role,
}

impl CostGraph<'_> {
    /// Returns the highest value shown, as far as it is recorded.
    pub(super) fn top(&self) -> f64 {
        let k = f64::from(self.shown);
        let last = |curve: &Curve<'_>| curve.at(k, self.of).unwrap_or(curve.last(self.of));
        let [left, right] = &self.curves;
        self.here.1.into_iter().fold(last(left).max(last(right)).max(1.0), f64::max)
    }

    /// Draws the graph into `rows` rows from `y`, its scale at the left, `head` columns wide.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, y: u16, rows: u16, head: u16) {
        let look = pen.look;
        let columns = self.columns(pen, head);
        if rows < 2 || columns < 8 {
            return;
        }
        for row in 0..rows {
            pen.text(head - 1, y + row, look.pick("│", "|"), look.border());
        }
        pen.right(head - 2, y, &grouped(self.top() as u64), look.dim());
        pen.right(head - 2, y + rows - 1, "0", look.dim());
        let value = |curve: &Curve<'_>, column| curve.at(self.k_of(column, columns), self.of);
        for column in 0..columns {
            let [left, right] = self.curves.each_ref().map(|curve| value(curve, column));
            if let Some((left, right)) = left.zip(right) {
                let [left, right] = [left, right].map(|value| y + self.row(value, rows));
                shade(pen, head + column, left.min(right) + 1..left.max(right));
            }
        }
        let styles = [look.text(), look.strong(self.role)];
        let mut ends = Vec::new();
        for ((curve, name), style) in self.curves.iter().zip(self.names).zip(styles) {
            let values = (0..columns).map_while(|column| value(curve, column));
            let line: Vec<_> = values.map(|value| y + self.row(value, rows)).collect();
            ends.push((line.last().copied().unwrap_or(y + rows - 1), name, style));
            stroke(pen, head, line.into_iter(), style);
        }
        name(pen, head + columns + 1, ends, y + rows - 1);
        let x = head + self.column(self.here.0, columns);
        for value in self.here.1 {
            pen.text(x, y + self.row(value, rows), look.pick("●", "O"), look.strong(Role::Here));
        }
    }

    /// The columns of the lines, beside their names.
    fn columns(&self, pen: &Pen<'_>, head: u16) -> u16 {
        let names = self.names.iter().map(|name| width(name)).max().unwrap_or(0);
        pen.width().saturating_sub(head + names + 2)
    }

    /// Draws the axis of k below a graph, with the position shown.
    pub(super) fn axis(&self, pen: &mut Pen<'_>, y: u16, head: u16) {
        let look = pen.look;
        let columns = self.columns(pen, head);
        if columns < 8 {
            return;
        }
        pen.repeat(head, y, columns, look.pick("─", "-"), look.border());
        pen.text(head - 1, y, look.pick("└", "+"), look.border());
        let here = head + self.column(self.here.0, columns);
        let mut end = head + columns + 1;
        for quarter in (0..=4).rev() {
            let k = self.shown * quarter / 4;
            let text = match (quarter, k == self.all) {
                (4, true) => format!("k = {k}"),
                (4, false) => format!("k = {k} of {}", grouped(self.all.into())),
                _ => k.to_string(),
            };
            let x = head + self.column(f64::from(k), columns);
            let x = x.min((head + columns).saturating_sub(width(&text)));
            let past = x + width(&text);
            if past < end && !(x..past).contains(&here) {
                pen.text(x, y, &text, look.dim());
                end = x;
            }
        }
        pen.text(here, y, look.pick("●", "O"), look.strong(Role::Here));
    }

    /// Returns the row of a value, counted from the top.
    fn row(&self, value: f64, rows: u16) -> u16 {
        let part = (value / self.top()).clamp(0.0, 1.0);
        rows - 1 - (part * f64::from(rows - 1)).round() as u16
    }

    fn k_of(&self, column: u16, columns: u16) -> f64 {
        f64::from(self.shown) * f64::from(column) / f64::from(columns - 1)
    }

    fn column(&self, k: f64, columns: u16) -> u16 {
        let part = (k / f64::from(self.shown.max(1))).clamp(0.0, 1.0);
        (part * f64::from(columns - 1)).round() as u16
    }
}

/// Writes the names at the ends of the lines.
fn name(pen: &mut Pen<'_>, x: u16, mut ends: Vec<(u16, &str, Style)>, bottom: u16) {
    ends.sort_by_key(|(row, ..)| *row);
    let rows = apart(ends.iter().map(|(row, ..)| *row).collect(), bottom);
    for (row, (_, name, style)) in rows.into_iter().zip(ends) {
        pen.text(x, row, name, style);
    }
}
