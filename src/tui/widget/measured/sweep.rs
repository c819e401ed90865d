//! GFLOP/s over the size of the matrices, both axes logarithmic, with names at the line's ends.

use super::super::pen::{Pen, width};
use super::super::scale::Scale;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// One kernel at several sizes.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What it is called here.
    pub name: &'a str,
    /// (N of an N x N x N product, GFLOP/s), ascending by N.
    pub points: &'a [(u32, f64)],
    /// Whether it is the kernel on the screen.
    pub current: bool,
}

/// Columns for the figures of the y axis, "100000 ".
const AXIS: u16 = 7;

/// GFLOP/s over the size, alone on its area.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The kernels.
    pub series: &'a [Series<'a>],
    /// How it is drawn.
    pub look: Look,
}

impl Widget for Sweep<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        draw(self.series, &mut Pen::new(area, buf, self.look), 0);
    }
}

/// Draws from row `top` down to the end of the pen's area.
pub(super) fn draw(sweep: &[Series<'_>], pen: &mut Pen<'_>, top: u16) {
    let points = || sweep.iter().flat_map(|series| series.points).copied();
    if points().count() < 2 || pen.height() < top + 4 {
        return;
    }
    let names = sweep.iter().map(|series| width(series.name)).max().unwrap_or(0) + 1;
    let columns = pen.width().saturating_sub(AXIS + names);
    let rows = pen.height() - top - 2;
    let x = Scale::over(points().map(|(n, _)| f64::from(n)), columns);
    let y = Scale::over(points().map(|(_, gflops)| gflops), rows);
    pen.text(1, top, "GFLOP/s over N", pen.look.dim());
    let bottom = top + rows;
    for (figure, row) in [(y.high, top + 1), (y.low, bottom)] {
        pen.right(AXIS - 1, row, &format!("{figure:.0}"), pen.look.dim());
    }
    for (n, _) in
        sweep.iter().max_by_key(|series| series.points.len()).map_or(&[][..], |s| s.points)
    {
        let text = n.to_string();
        let column = AXIS + x.cell(f64::from(*n));
        pen.text(column.saturating_sub(width(&text) / 2), bottom + 1, &text, pen.look.dim());
    }
    let mut taken = Vec::new();
    for series in sweep.iter().filter(|s| !s.current).chain(sweep.iter().filter(|s| s.current)) {
        line(pen, series, (x, y), bottom);
        if let Some((_, last)) = series.points.last() {
            let row = free(&taken, bottom - y.cell(*last), top + 1..=bottom);
            taken.push(row);
            let style = if series.current { pen.look.strong(Role::Here) } else { pen.look.text() };
            pen.text(AXIS + columns + 1, row, series.name, style);
        }
    }
}

fn line(pen: &mut Pen<'_>, series: &Series<'_>, (x, y): (Scale, Scale), bottom: u16) {
    let look = pen.look;
    let style = if series.current { look.strong(Role::Here) } else { look.dim() };
    for pair in series.points.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|(n, g)| (x.cell(f64::from(n)), g.max(1e-9).ln()));
        for column in from.0..=to.0 {
            let part = f64::from(column - from.0) / f64::from((to.0 - from.0).max(1));
            let gflops = (from.1 + (to.1 - from.1) * part).exp();
            pen.text(AXIS + column, bottom - y.cell(gflops), look.pick("·", "."), style);
        }
    }
    for (n, gflops) in series.points {
        let at = (AXIS + x.cell(f64::from(*n)), bottom - y.cell(*gflops));
        pen.text(at.0, at.1, look.pick("●", "o"), style);
    }
}

/// The row nearest to `wanted` that no other name has.
fn free(taken: &[u16], wanted: u16, rows: std::ops::RangeInclusive<u16>) -> u16 {
    let open = rows.filter(|row| !taken.contains(row));
    open.min_by_key(|row| row.abs_diff(wanted)).unwrap_or(wanted)
}
