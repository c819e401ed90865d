//! GFLOP/s by matrix size, both axes logarithmic: each line ends in its name, or in a letter that a
//! list of names explains.

use super::super::pen::Pen;
use super::super::scale::Scale;
use crate::report::number::grouped;
use crate::tui::layout::text::width;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// One kernel's speed at several sizes.
#[derive(Clone, Copy, Debug)]
pub struct SweepSeries<'a> {
    pub name: &'a str,
    /// The name of its row in a list of times.
    pub row: &'a str,
    /// The letter that marks its points.
    pub letter: char,
    /// (N of an N x N x N product, GFLOP/s), ascending by N.
    pub points: &'a [(u32, f64)],
    /// Whether it is the kernel on the screen.
    pub current: bool,
}

/// Columns for the figures of the y axis, "100,000 ".
const AXIS: u16 = 8;

/// The number of lines up to which all are drawn; of more, only the marks, and the line of the
/// kernel on the screen.
pub(super) const FEW: usize = 4;

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
    let y = Scale::over(points().map(|(_, gflops)| gflops), rows);
    let ends = Ends::of(sweep, |gflops| bottom - y.cell(gflops));
    let lists = ends.lists(pen.width().saturating_sub(AXIS + ends.width()), rows);
    let beside = ends.width() + ends.list_width() * lists;
    let columns = pen.width().saturating_sub(AXIS + beside);
    let x = Scale::over(points().map(|(n, _)| f64::from(n)), columns);
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
        line(pen, series, (x, y), bottom, sweep.len() <= FEW || series.current);
    }
    ends.draw(pen, AXIS + columns + 1);
    let right = AXIS + columns + ends.width() + 1;
    for list in 0..lists {
        let area = Rect::new(right + list * ends.list_width(), top + 1, ends.list_width(), rows);
        ends.list(&mut pen.part(area), list, lists);
    }
}

/// The ends of the lines: by row, and within a row the fastest first.
struct Ends<'a>(BTreeMap<u16, Vec<&'a SweepSeries<'a>>>);

/// The least useful width of a chart next to a list of names.
const LEAST_CHART: u16 = 24;

impl<'a> Ends<'a> {
    fn of(sweep: &'a [SweepSeries<'a>], row: impl Fn(f64) -> u16) -> Self {
        let mut lines: Vec<_> = sweep.iter().collect();
        lines.sort_by(|one, other| other.last().total_cmp(&one.last()));
        let mut ends: BTreeMap<u16, Vec<_>> = BTreeMap::new();
        for line in lines {
            ends.entry(row(line.last())).or_default().push(line);
        }
        Self(ends)
    }

    /// Whether each line has a row of its own for its name.
    fn is_alone(&self) -> bool {
        self.0.values().all(|lines| lines.len() == 1)
    }

    /// Returns the mark at the end of a line: its name or its letter.
    fn mark(&self, line: &SweepSeries<'_>) -> String {
        if self.is_alone() { line.label() } else { line.letter.to_string() }
    }

    /// The number of columns of the marks and of the gap before them.
    fn width(&self) -> u16 {
        let of =
            |lines: &Vec<&SweepSeries<'_>>| lines.iter().map(|line| width(&self.mark(line))).sum();
        self.0.values().map(of).max().unwrap_or(0) + 1
    }

    fn draw(&self, pen: &mut Pen<'_>, x: u16) {
        for (row, lines) in &self.0 {
            lines
                .iter()
                .fold(x, |x, line| pen.text(x, *row, &self.mark(line), line.style(pen.look)));
        }
    }

    fn lines(&self) -> impl Iterator<Item = &'a SweepSeries<'a>> {
        self.0.values().flatten().copied()
    }

    /// The number of columns of a list of names and of the gap before it.
    fn list_width(&self) -> u16 {
        self.lines().map(|line| width(&line.label())).max().unwrap_or(0) + 2
    }

    /// Returns the number of lists of `rows` rows that the names take: none if the lines end in
    /// their names, and at most as many as leave room for the chart out of `room` columns.
    fn lists(&self, room: u16, rows: u16) -> u16 {
        if self.is_alone() {
            return 0;
        }
        let needed = self.lines().count().div_ceil(usize::from(rows.max(1))) as u16;
        needed.min(room.saturating_sub(LEAST_CHART) / self.list_width())
    }

    /// Returns the lines that are named in this number of rows: if they do not all fit, without the
    /// slowest, and with one row left to count those left out.
    fn named(&self, rows: usize) -> Vec<&'a SweepSeries<'a>> {
        let mut named: Vec<_> = self.lines().collect();
        let room = if named.len() > rows { rows.saturating_sub(1) } else { rows };
        while named.len() > room {
            let Some(slowest) = named.iter().rposition(|line| !line.current) else { break };
            named.remove(slowest);
        }
        named
    }

    /// Draws list number `list` of `of` lists of names.
    fn list(&self, pen: &mut Pen<'_>, list: u16, of: u16) {
        let rows = usize::from(pen.height());
        let named = self.named(rows * usize::from(of));
        let left_out = self.lines().count() - named.len();
        for (y, line) in (0..).zip(named.iter().skip(rows * usize::from(list))) {
            pen.text(1, y, &line.label(), line.style(pen.look));
        }
        if left_out > 0 && list + 1 == of {
            pen.text(1, pen.height() - 1, &format!("+{left_out} more"), pen.look.dim());
        }
    }
}

impl SweepSeries<'_> {
    fn label(&self) -> String {
        format!("{} {}", self.letter, self.name)
    }

    fn style(&self, look: Look) -> Style {
        if self.current { look.chosen() } else { look.text() }
    }

    /// GFLOP/s at the largest size.
    fn last(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, gflops)| *gflops)
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

fn line(
    pen: &mut Pen<'_>,
    series: &SweepSeries<'_>,
    (x, y): (Scale, Scale),
    bottom: u16,
    joined: bool,
) {
    let look = pen.look;
    let style = if series.current { look.chosen() } else { look.dim() };
    for pair in series.points.windows(2).filter(|_| joined) {
        let [from, to] = [pair[0], pair[1]].map(|(n, g)| (x.cell(f64::from(n)), g.max(1e-9).ln()));
        for column in from.0..=to.0 {
            let part = f64::from(column - from.0) / f64::from((to.0 - from.0).max(1));
            let gflops = (from.1 + (to.1 - from.1) * part).exp();
            pen.text(AXIS + column, bottom - y.cell(gflops), look.pick("·", "."), style);
        }
    }
    let letter = series.letter.to_string();
    let mark = if series.current { look.pick("●", "o") } else { &letter };
    for (n, gflops) in series.points {
        let at = (AXIS + x.cell(f64::from(*n)), bottom - y.cell(*gflops));
        pen.text(at.0, at.1, mark, style);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::picture::{self, ASCII};
    use super::*;
    use insta::assert_snapshot;

    const FAST: [(u32, f64); 3] = [(64, 90.0), (512, 9_000.0), (4096, 50_000.0)];
    const SLOW: [(u32, f64); 3] = [(64, 90.0), (512, 2_000.0), (4096, 5_000.0)];
    const SAME: [(u32, f64); 3] = [(64, 40.0), (512, 1_500.0), (4096, 5_100.0)];

    fn series() -> [SweepSeries<'static>; 3] {
        [("naive", 'a', &SLOW), ("tiled", 'b', &SAME), ("sgemm", 'c', &FAST)].map(
            |(name, letter, points)| {
                let (row, current) = (name, letter == 'b');
                SweepSeries { name, row, letter, points, current }
            },
        )
    }

    fn shown(series: &[SweepSeries<'_>], width: u16, height: u16) -> String {
        picture::text(Sweep { series, at: None, look: ASCII }, width, height)
    }

    #[test]
    fn a_name_stands_at_the_end_of_its_line() {
        assert_snapshot!(shown(&[series()[0], series()[2]], 60, 12), @"
        GFLOP/s over N
        50,000                                        ....c c sgemm
                                              ........
        10,000                       c........
                                  ...                  ...a a naive
                               ...     ................
                           ....  ....a.
         1,000          ... .....
                     .......
                 ......
            90 c..
              64                    512                 4096
        ");
    }

    #[test]
    fn lines_that_end_together_have_letters_there_and_every_name_in_a_list() {
        assert_snapshot!(shown(&series(), 60, 12), @"
        GFLOP/s over N
        50,000                                    ....c c   c sgemm
                                         .........          b tiled
        10,000                    .c.....                   a naive
                               ...           .........o ba
                           ....  ..o...........
         1,000          ... .......
                     ..........
                 .........
               c......
            40 o..
              64                  512               4096
        ");
        assert_snapshot!(shown(&series(), 60, 4), @"
        GFLOP/s over N
        50,000          ......o.............o cba  c sgemm  a naive
            40 o..............                     b tiled
              64             512          4096
        ");
        let series = series();
        picture::survives(|look| Sweep { series: &series, at: Some(512), look });
    }

    #[test]
    fn where_not_every_name_has_room_the_shown_one_has() {
        let mut many = Vec::new();
        for letter in 'a'..='p' {
            let current = letter == 'b';
            many.push(SweepSeries {
                name: "kernel",
                row: "kernel",
                letter,
                points: &SLOW,
                current,
            });
        }
        assert_snapshot!(shown(&many, 70, 8), @"
        GFLOP/s over N
         5,000                    .....o abcdefghijklmnop  a kernel  g kernel
                          .o......                         b kernel  h kernel
         1,000         ...                                 c kernel  i kernel
                    ...                                    d kernel  j kernel
                 ...                                       e kernel  k kernel
            90 o.                                          f kernel  +5 more
              64          512        4096
        ");
    }
}
