//! Two rising curves over k, told apart by a line and a filled area; in ASCII, by thin and thick lines.

use super::curve::Curve;
use crate::report::number::grouped;
use crate::trace::RunCost;
use crate::tui::layout::text::width;
use crate::tui::theme::{Glyphs, Look, Role};
use crate::tui::widget::pen::Pen;
use ratatui::style::{Color, Modifier, Style};

/// A graph of one cost of two kernels: fewer are better.
pub(super) struct CostGraph<'a> {
    pub(super) curves: [Curve<'a>; 2],
    pub(super) of: fn(&RunCost) -> u32,
    /// The steps along k that it shows, from the first, and those of the whole run.
    pub(super) shown: u32,
    pub(super) all: u32,
    /// The position shown: (steps along k, the cost of each kernel).
    pub(super) here: (f64, [f64; 2]),
    pub(super) role: Role,
}

/// The pieces of a line in ASCII: along, up, from along to up, from up to along.
type Pieces = [&'static str; 4];

/// A thin line, and a thick one.
const ASCII: [Pieces; 2] = [["-", "|", "'", "."], ["=", "#", "#", "#"]];

/// A line in the lower, the middle and the upper third of a row: a curve rises by thirds.
const THIRDS: [&str; 3] = ["▁", "─", "▔"];

/// A filled cell. An area is drawn in whole rows, since a cell has room for its edge or for a line across
/// it, but not for both.
const FULL: &str = "█";

/// Returns a sample of each kernel's curve.
pub(super) const fn samples(look: Look) -> [&'static str; 2] {
    match look.glyphs {
        Glyphs::Basic => ["─", "▄"],
        Glyphs::Ascii => ["-", "="],
    }
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
        let columns = pen.width().saturating_sub(head + 1);
        if rows < 2 || columns < 8 {
            return;
        }
        for row in 0..rows {
            pen.text(head - 1, y + row, look.pick("│", "|"), look.border());
        }
        pen.right(head - 2, y, &grouped(self.top() as u64), look.dim());
        pen.right(head - 2, y + rows - 1, "0", look.dim());
        match look.glyphs {
            Glyphs::Basic => {
                self.area(pen, &self.curves[1], (head, y), (columns, rows));
                self.line(pen, &self.curves[0], (head, y), (columns, rows));
            }
            Glyphs::Ascii => self.ascii(pen, (head, y), (columns, rows)),
        }
        let x = head + self.column(self.here.0, columns);
        let [line, area] = self.here.1;
        let area = match look.glyphs {
            Glyphs::Basic => rows - self.filled(area, rows).clamp(1, rows),
            Glyphs::Ascii => self.row(area, rows),
        };
        for row in [self.row(line, rows), area] {
            put(pen, (x, y + row), look.pick("●", "O"), look.strong(Role::Here));
        }
    }

    /// The rows that an area of this value fills.
    fn filled(&self, value: f64, rows: u16) -> u16 {
        let full = (self.part(value) * f64::from(rows)).round() as u16;
        full.max(u16::from(value > 0.0))
    }

    /// Fills what is below a curve.
    fn area(&self, pen: &mut Pen<'_>, curve: &Curve<'_>, (x, y): (u16, u16), (w, h): (u16, u16)) {
        let style = Style::new().fg(pen.look.half(self.role));
        for column in 0..w {
            let Some(value) = curve.at(self.k_of(column, w), self.of) else { break };
            for row in 0..self.filled(value, h) {
                pen.text(x + column, y + h - 1 - row, FULL, style);
            }
        }
    }

    /// Draws a curve as a line, also across a filled area.
    fn line(&self, pen: &mut Pen<'_>, curve: &Curve<'_>, (x, y): (u16, u16), (w, h): (u16, u16)) {
        let style = pen.look.strong(self.role);
        let mut last = None;
        for column in 0..w {
            let Some(value) = curve.at(self.k_of(column, w), self.of) else { break };
            let third = self.third(value, h);
            let row = third / 3;
            for between in last.map_or(row, |last| last + 1)..row {
                put(pen, (x + column, y + h - 1 - between), "│", style);
            }
            let piece = THIRDS[usize::from(third % 3)];
            put(pen, (x + column, y + h - 1 - row), piece, style);
            last = Some(row);
        }
    }

    /// Draws both curves as lines of ASCII characters.
    fn ascii(&self, pen: &mut Pen<'_>, (x, y): (u16, u16), (columns, rows): (u16, u16)) {
        let look = pen.look;
        let kinds = ASCII.into_iter().zip([look.ink(self.role), look.strong(self.role)]);
        for (curve, (pieces, style)) in self.curves.iter().zip(kinds) {
            let mut below = rows - 1;
            for column in 0..columns {
                let Some(value) = curve.at(self.k_of(column, columns), self.of) else { break };
                let (row, x) = (self.row(value, rows), x + column);
                if row == below {
                    pen.text(x, y + row, pieces[0], style);
                } else {
                    for between in row + 1..below {
                        pen.text(x, y + between, pieces[1], style);
                    }
                    pen.text(x, y + below, pieces[2], style);
                    pen.text(x, y + row, pieces[3], style);
                }
                below = row;
            }
        }
    }

    /// Draws the axis of k below a graph, with the position shown.
    pub(super) fn axis(&self, pen: &mut Pen<'_>, y: u16, head: u16) {
        let look = pen.look;
        let columns = pen.width().saturating_sub(head + 1);
        if columns < 8 {
            return;
        }
        pen.repeat(head, y, columns, look.pick("─", "-"), look.border());
        pen.text(head - 1, y, look.pick("└", "+"), look.border());
        let here = head + self.column(self.here.0, columns);
        for quarter in 0..=4 {
            let k = self.shown * quarter / 4;
            let text = match (quarter, k == self.all) {
                (4, true) => format!("k = {k}"),
                (4, false) => format!("k = {k} of {}", self.all),
                _ => k.to_string(),
            };
            let x = head + self.column(f64::from(k), columns);
            let x = x.min((head + columns).saturating_sub(width(&text)));
            if !(x..x + width(&text)).contains(&here) {
                pen.text(x, y, &text, look.dim());
            }
        }
        pen.text(here, y, look.pick("●", "O"), look.strong(Role::Here));
    }

    /// Returns the row of a value, counted from the top, by thirds of rows.
    fn row(&self, value: f64, rows: u16) -> u16 {
        rows - 1 - self.third(value, rows) / 3
    }

    /// Returns the third of a row in which a value lies, counted from the bottom.
    fn third(&self, value: f64, rows: u16) -> u16 {
        (self.part(value) * f64::from(3 * rows - 1)).round() as u16
    }

    /// The share of a value in the highest one shown.
    fn part(&self, value: f64) -> f64 {
        (value / self.top()).clamp(0.0, 1.0)
    }

    fn k_of(&self, column: u16, columns: u16) -> f64 {
        f64::from(self.shown) * f64::from(column) / f64::from(columns - 1)
    }

    fn column(&self, k: f64, columns: u16) -> u16 {
        let part = (k / f64::from(self.shown.max(1))).clamp(0.0, 1.0);
        (part * f64::from(columns - 1)).round() as u16
    }
}

/// Writes a character of a line, in a filled cell on its colour: the area stays as high as it is.
fn put(pen: &mut Pen<'_>, (x, y): (u16, u16), symbol: &str, style: Style) {
    let cell = pen.cell(x, y).filter(|cell| cell.symbol() == FULL);
    let style = match cell.map(|cell| cell.fg) {
        None => style,
        Some(Color::Reset) => style.add_modifier(Modifier::REVERSED),
        Some(fill) => style.bg(fill),
    };
    pen.text(x, y, symbol, style);
}
