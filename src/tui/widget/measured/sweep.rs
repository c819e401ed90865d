//! GFLOP/s by matrix size, both axes logarithmic: a line with its name at its end for the kernels that
//! matter here, and a grey band for all others.

use super::super::pen::Pen;
use super::super::scale::Scale;
use super::super::stroke::{apart, shade, stroke};
use crate::report::number::grouped;
use crate::tui::layout::text::width;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use std::ops::RangeInclusive;

/// One kernel's speed at several sizes.
#[derive(Clone, Copy, Debug)]
pub struct SweepSeries<'a> {
    pub name: &'a str,
    /// (N of an N x N x N product, GFLOP/s), ascending by N.
    pub points: &'a [(u32, f64)],
    pub rank: SeriesRank,
}

/// How much a kernel stands out in the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesRank {
    /// It is the kernel on the screen.
    Current,
    /// It is compared with that.
    Beside,
    Other,
}

/// Columns for the figures of the y axis, "100,000 ".
const AXIS: u16 = 8;

/// A chart of GFLOP/s by size that fills its area.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The kernels.
    pub series: &'a [SweepSeries<'a>],
    /// The size that the other pictures show, if it is square.
    pub at: Option<u32>,
    pub look: Look,
}

impl Widget for Sweep<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        draw(self.series, self.at, &mut Pen::new(area, buf, self.look), 0);
    }
}

/// Draws from row `top` down to the end of the pen's area.
pub(super) fn draw(sweep: &[SweepSeries<'_>], at: Option<u32>, pen: &mut Pen<'_>, top: u16) {
    let points = || sweep.iter().flat_map(|series| series.points).copied();
    if points().count() < 2 || pen.height() < top + 4 {
        return;
    }
    let rows = pen.height() - top - 2;
    let bottom = top + rows;
    let mut lines: Vec<_> = sweep.iter().filter(|of| of.rank != SeriesRank::Other).collect();
    lines.sort_by(|one, other| other.last().total_cmp(&one.last()));
    let names = lines.iter().map(|line| width(line.name)).max().unwrap_or(0);
    let columns = pen.width().saturating_sub(AXIS + names + 2);
    let y = Scale::over(points().map(|(_, gflops)| gflops), rows);
    let x = Scale::over(points().map(|(n, _)| f64::from(n)), columns);
    let row = |gflops: f64| bottom - y.cell(gflops);
    let others: Vec<_> = sweep.iter().filter(|of| of.rank == SeriesRank::Other).collect();
    let (dim, border) = (pen.look.dim(), pen.look.border());
    let end = pen.text(1, top, "GFLOP/s over N", dim);
    if !others.is_empty() {
        pen.text(end, top, &format!(", grey: {} other kernels", others.len()), dim);
    }
    for column in 0..columns {
        let speeds = || others.iter().filter_map(|series| series.at(x.value(column)));
        let (low, high) = (speeds().fold(f64::INFINITY, f64::min), speeds().fold(0.0, f64::max));
        if high > 0.0 {
            shade(pen, AXIS + column, row(high)..row(low) + 1);
        }
    }
    for (gflops, row) in figures(y, bottom, top + 1..=bottom) {
        pen.right(AXIS - 1, row, &grouped(gflops.round() as u64), dim);
    }
    if let Some(n) = at {
        let column = AXIS + x.cell(f64::from(n));
        (top + 1..=bottom)
            .for_each(|row| _ = pen.text(column, row, pen.look.pick("│", "|"), border));
    }
    sizes(sweep, pen, x, bottom + 1);
    lines.sort_by_key(|line| line.rank == SeriesRank::Current);
    for series in &lines {
        line(pen, series, x, row);
    }
    lines.sort_by(|one, other| other.last().total_cmp(&one.last()));
    let ends = apart(lines.iter().map(|line| row(line.last())).collect(), bottom);
    for (line, row) in lines.iter().zip(ends) {
        pen.text(AXIS + columns + 1, row, line.name, line.style(pen.look));
    }
}

impl SweepSeries<'_> {
    fn style(&self, look: Look) -> Style {
        if self.rank == SeriesRank::Current { look.chosen() } else { look.dim() }
    }

    /// GFLOP/s at the largest size.
    fn last(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, gflops)| *gflops)
    }

    /// GFLOP/s at a size among those measured: between two of them, on the line between.
    fn at(&self, n: f64) -> Option<f64> {
        let pair = self.points.windows(2).find(|pair| {
            (f64::from(pair[0].0) * 0.999..=f64::from(pair[1].0) * 1.001).contains(&n)
        })?;
        let [from, to] = [pair[0], pair[1]].map(|(n, of)| (f64::from(n).ln(), of.max(1e-9).ln()));
        let part = (n.ln() - from.0) / (to.0 - from.0).max(1e-9);
        Some((from.1 + (to.1 - from.1) * part).exp())
    }
}

/// Returns the figures of the y axis with their rows: both ends, and the powers of ten between them
/// that do not touch these.
fn figures(y: Scale, bottom: u16, rows: RangeInclusive<u16>) -> Vec<(f64, u16)> {
    let ends = [(y.high, *rows.start()), (y.low, *rows.end())];
    let between = y.decades().map(|decade| (decade, bottom - y.cell(decade)));
    let between = between.filter(|(_, row)| ends.iter().all(|(_, end)| end.abs_diff(*row) > 1));
    ends.into_iter().chain(between).collect()
}

/// Writes the measured sizes below the chart: first the powers of two, then the others, each only
/// if it does not touch an earlier one.
fn sizes(sweep: &[SweepSeries<'_>], pen: &mut Pen<'_>, x: Scale, row: u16) {
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

/// Draws a line, and on that of the kernel on the screen the sizes that were measured.
fn line(pen: &mut Pen<'_>, series: &SweepSeries<'_>, x: Scale, row: impl Fn(f64) -> u16) {
    let style = series.style(pen.look);
    let speeds = (0..x.cells).map(|column| series.at(x.value(column)));
    let first = speeds.clone().take_while(Option::is_none).count() as u16;
    stroke(pen, AXIS + first, speeds.flatten().map(&row), style);
    for (n, gflops) in series.points.iter().filter(|_| series.rank == SeriesRank::Current) {
        pen.text(AXIS + x.cell(f64::from(*n)), row(*gflops), pen.look.pick("●", "o"), style);
    }
}
