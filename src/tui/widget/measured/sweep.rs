//! GFLOP/s over the size of the matrices, both axes logarithmic, with names at the line's ends.

use super::super::pen::{Pen, width};
use super::super::scale::Scale;
use crate::report::sim::grouped;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::ops::RangeInclusive;

/// One kernel at several sizes.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// What it is called here.
    pub name: &'a str,
    /// The letter that marks its points, if it has one.
    pub letter: Option<char>,
    /// (N of an N x N x N product, GFLOP/s), ascending by N.
    pub points: &'a [(u32, f64)],
    /// Whether it is the kernel on the screen.
    pub current: bool,
}

/// Columns for the figures of the y axis, "100,000 ".
const AXIS: u16 = 8;

/// GFLOP/s over the size, alone on its area.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The kernels.
    pub series: &'a [Series<'a>],
    /// The size that the other pictures show, if it is a square one.
    pub at: Option<u32>,
    /// How it is drawn.
    pub look: Look,
}

impl Widget for Sweep<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        draw(self.series, self.at, &mut Pen::new(area, buf, self.look), 0);
    }
}

/// Draws from row `top` down to the end of the pen's area.
pub(super) fn draw(sweep: &[Series<'_>], at: Option<u32>, pen: &mut Pen<'_>, top: u16) {
    let points = || sweep.iter().flat_map(|series| series.points).copied();
    if points().count() < 2 || pen.height() < top + 4 {
        return;
    }
    let names = sweep.iter().map(|series| width(&series.label())).max().unwrap_or(0) + 1;
    let columns = pen.width().saturating_sub(AXIS + names);
    let rows = pen.height() - top - 2;
    let bottom = top + rows;
    let x = Scale::over(points().map(|(n, _)| f64::from(n)), columns);
    let y = Scale::over(points().map(|(_, gflops)| gflops), rows);
    pen.text(1, top, "GFLOP/s over N", pen.look.dim());
    for (gflops, row) in figures(y, bottom, top + 1..=bottom) {
        pen.right(AXIS - 1, row, &grouped(gflops.round() as u64), pen.look.dim());
    }
    if let Some(n) = at {
        let column = AXIS + x.cell(f64::from(n));
        (top + 1..=bottom)
            .for_each(|row| _ = pen.text(column, row, pen.look.pick("│", "|"), pen.look.border()));
    }
    sizes(sweep, pen, x, bottom + 1);
    for series in sweep.iter().filter(|s| !s.current).chain(sweep.iter().filter(|s| s.current)) {
        line(pen, series, (x, y), bottom);
    }
    let end = |series: &Series<'_>| Some(bottom - y.cell(series.points.last()?.1));
    for (series, row) in placed(sweep, end, top + 1..=bottom) {
        let style = if series.current { pen.look.strong(Role::Here) } else { pen.look.text() };
        pen.text(AXIS + columns + 1, row, &series.label(), style);
    }
}

impl Series<'_> {
    fn label(&self) -> String {
        self.letter.map(|letter| format!("{letter} ")).unwrap_or_default() + self.name
    }
}

/// The figures of the y axis, with their rows: both ends, and the powers of ten between them that
/// stand clear of these.
fn figures(y: Scale, bottom: u16, rows: RangeInclusive<u16>) -> Vec<(f64, u16)> {
    let ends = [(y.high, *rows.start()), (y.low, *rows.end())];
    let between = y.decades().map(|decade| (decade, bottom - y.cell(decade)));
    let between = between.filter(|(_, row)| ends.iter().all(|(_, end)| end.abs_diff(*row) > 1));
    ends.into_iter().chain(between).collect()
}

/// The measured sizes under the chart: first the powers of two, then the others, each only where it
/// stands clear of those before it.
fn sizes(sweep: &[Series<'_>], pen: &mut Pen<'_>, x: Scale, row: u16) {
    let mut sizes: Vec<u32> = sweep.iter().flat_map(|s| s.points).map(|(n, _)| *n).collect();
    sizes.sort_unstable_by_key(|n| (!n.is_power_of_two(), *n));
    sizes.dedup();
    let mut taken: Vec<(u16, u16)> = Vec::new();
    for n in sizes {
        let text = n.to_string();
        let start = (AXIS + x.cell(f64::from(n))).saturating_sub(width(&text) / 2);
        let end = start + width(&text);
        if taken.iter().all(|(from, to)| end < *from || start > *to) {
            pen.text(start, row, &text, pen.look.dim());
            taken.push((start, end));
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
    let point = look.pick("●", "o").to_owned();
    let mark = series.letter.filter(|_| !series.current).map_or(point, String::from);
    for (n, gflops) in series.points {
        let at = (AXIS + x.cell(f64::from(*n)), bottom - y.cell(*gflops));
        pen.text(at.0, at.1, &mark, style);
    }
}

/// Each name in a row of its own, in the order of the line's ends and as near to them as that goes.
fn placed<'a, 'b>(
    sweep: &'a [Series<'b>],
    end: impl Fn(&Series<'_>) -> Option<u16>,
    rows: RangeInclusive<u16>,
) -> Vec<(&'a Series<'b>, u16)> {
    let ends = sweep.iter().filter_map(|series| Some((series, end(series)?)));
    let mut placed: Vec<_> = ends.collect();
    placed.sort_by_key(|(series, row)| (*row, std::cmp::Reverse(last(series))));
    thin(&mut placed, rows.len());
    let mut free = *rows.start();
    for (_, row) in &mut placed {
        *row = free.max(*row);
        free = *row + 1;
    }
    let mut room = *rows.end() + 1;
    for (_, row) in placed.iter_mut().rev() {
        *row = (*row).min(room.saturating_sub(1));
        room = *row;
    }
    placed
}

/// Leaves out names that have no row, where lines end together: never the one that is shown.
fn thin(placed: &mut Vec<(&Series<'_>, u16)>, rows: usize) {
    while placed.len() > rows.max(1) {
        let gap = |index: &usize| placed[*index].1.abs_diff(placed[index.saturating_sub(1)].1);
        let others = (1..placed.len()).filter(|index| !placed[*index].0.current);
        let nearest = others.min_by_key(gap).unwrap_or(0);
        placed.remove(nearest);
    }
}

/// GFLOP/s at the largest size.
fn last(series: &Series<'_>) -> u64 {
    series.points.last().map_or(0, |(_, gflops)| gflops.round() as u64)
}
