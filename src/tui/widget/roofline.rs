//! The roofline: each kernel a point under the GPU's measured roofs, both axes logarithmic.

use super::pen::{Pen, width};
use super::scale::Scale;
use crate::analysis::roofline::{Bound, Point, Roofs};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// Kernels under the roofs.
#[derive(Clone, Copy, Debug)]
pub struct Roofline<'a> {
    /// The GPU's ceilings, measured.
    pub roofs: Roofs,
    /// The kernels, in the order of the story.
    pub spots: &'a [Spot<'a>],
    /// How it is drawn.
    pub look: Look,
}

/// One kernel.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'a> {
    /// What it is called here.
    pub name: &'a str,
    /// Where it stands.
    pub point: Point,
    /// Whether it is the kernel that is selected.
    pub current: bool,
}

/// Columns for the figures of the y axis, "100000 ".
const AXIS: u16 = 7;

/// Columns of the list beside the chart, and the least columns of a chart that has it there.
const LIST: u16 = 46;
const CHART: u16 = 44;

impl Widget for Roofline<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let beside = pen.width() >= CHART + LIST;
        let rows = self.spots.len() as u16;
        let (chart, list) = if beside {
            let chart = Rect::new(0, 0, pen.width() - LIST, pen.height());
            (chart, Rect::new(chart.width, 0, LIST, pen.height()))
        } else {
            let above = pen.height().saturating_sub(rows + 1).max(pen.height() / 2);
            let chart = Rect::new(0, 0, pen.width(), above);
            (chart, Rect::new(0, above, pen.width(), pen.height() - above))
        };
        pen.widget(chart, Chart(self));
        pen.widget(list, List(self));
    }
}

/// The letter by which a kernel is found in chart and list.
fn letter(index: usize) -> String {
    char::from_u32('a' as u32 + index as u32 % 26).unwrap_or('?').to_string()
}

impl Spot<'_> {
    fn style(&self, look: Look) -> Style {
        if self.current { look.strong(Role::Here) } else { look.text() }
    }
}

struct List<'a>(Roofline<'a>);

impl Widget for List<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let Roofline { roofs, spots, look } = self.0;
        let mut pen = Pen::new(area, buf, look);
        let ends = [pen.width().saturating_sub(18), pen.width().saturating_sub(8), pen.width()];
        for (end, head) in ends.into_iter().zip(["FLOP/byte", "GFLOP/s", "of roof"]) {
            pen.right(end, 0, head, look.dim());
        }
        for ((index, spot), y) in spots.iter().enumerate().zip(1..) {
            let style = spot.style(look);
            let bound = match roofs.bound(spot.point.intensity) {
                Bound::Memory => look.pick("/", "/"),
                Bound::Compute => look.pick("─", "-"),
            };
            pen.text(1, y, &format!("{} {bound} {}", letter(index), spot.name), style);
            let cells = [
                figure(spot.point.intensity),
                format!("{:.0}", spot.point.gflops),
                format!("{:.0} %", 100.0 * spot.point.reached(&roofs)),
            ];
            for (end, cell) in ends.into_iter().zip(cells) {
                pen.right(end, y, &cell, style);
            }
        }
    }
}

struct Chart<'a>(Roofline<'a>);

impl Chart<'_> {
    /// Intensities and GFLOP/s that have room for all points and for both roofs.
    fn scales(&self, columns: u16, rows: u16) -> (Scale, Scale) {
        let Roofline { roofs, spots, .. } = self.0;
        let x = spots.iter().map(|s| s.point.intensity).chain([roofs.ridge()]);
        let y = spots.iter().map(|s| s.point.gflops).chain([roofs.gflops]);
        let (x, y) = (Scale::over(x, columns), Scale::over(y, rows));
        (
            Scale { low: x.low / 2.0, high: x.high * 3.0, ..x },
            Scale { low: y.low / 2.0, high: y.high * 1.5, ..y },
        )
    }

    fn axes(pen: &mut Pen<'_>, (x, y): (Scale, Scale), bottom: u16) {
        let dim = pen.look.dim();
        for decade in y.decades() {
            pen.right(AXIS - 1, bottom - y.cell(decade), &format!("{decade:.0}"), dim);
        }
        for decade in x.decades() {
            let text = figure(decade);
            let at = (AXIS + x.cell(decade)).saturating_sub(width(&text) / 2);
            pen.text(at, bottom + 1, &text, dim);
        }
        pen.right(pen.width(), bottom + 1, "FLOP/byte", dim);
    }

    fn roof(&self, pen: &mut Pen<'_>, (x, y): (Scale, Scale), bottom: u16) {
        let Roofline { roofs, look, .. } = self.0;
        for column in 0..x.cells {
            let intensity = x.value(column);
            let attainable = roofs.attainable(intensity);
            if attainable < y.low {
                continue;
            }
            let line = match roofs.bound(intensity) {
                Bound::Memory => look.pick("·", "."),
                Bound::Compute => look.pick("─", "-"),
            };
            pen.text(AXIS + column, bottom - y.cell(attainable), line, look.ink(Role::Memory));
        }
        let flat = format!("{:.1} TFLOP/s: FMA loop", roofs.gflops / 1e3);
        let above = (bottom - y.cell(roofs.gflops)).saturating_sub(1);
        pen.right(pen.width(), above, &flat, look.dim());
        let slope = format!("{:.2} TB/s: copy", roofs.gigabytes / 1e3);
        // Left of the slope's middle there is never a point: nothing is faster than the roof.
        let middle = x.cell((x.low * roofs.ridge()).sqrt());
        let row = bottom - y.cell(roofs.attainable(x.value(middle)));
        pen.right(AXIS + middle, row.saturating_sub(1), &slope, look.dim());
    }
}

impl Widget for Chart<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.0.look;
        let mut pen = Pen::new(area, buf, look);
        if pen.width() < AXIS + 20 || pen.height() < 5 {
            return;
        }
        pen.text(1, 0, "GFLOP/s", look.dim());
        let (columns, rows) = (pen.width() - AXIS, pen.height() - 2);
        let scales = self.scales(columns, rows);
        let bottom = pen.height() - 2;
        Self::axes(&mut pen, scales, bottom);
        self.roof(&mut pen, scales, bottom);
        let order = |spot: &&(usize, &Spot<'_>)| spot.1.current;
        let mut spots: Vec<_> = self.0.spots.iter().enumerate().collect();
        spots.sort_by_key(|spot| order(&spot));
        for (index, spot) in spots {
            let column = AXIS + scales.0.cell(spot.point.intensity);
            let row = bottom - scales.1.cell(spot.point.gflops);
            pen.text(column, row, &letter(index), spot.style(look));
        }
    }
}

/// A figure with digits that say something, whatever its size.
fn figure(value: f64) -> String {
    match value {
        10.0.. => format!("{value:.0}"),
        1.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use insta::assert_snapshot;

    const ROOFS: Roofs = Roofs { gflops: 60_000.0, gigabytes: 4_000.0 };

    fn spot(name: &str, intensity: f64, gflops: f64, current: bool) -> Spot<'_> {
        Spot { name, point: Point { intensity, gflops }, current }
    }

    fn spots() -> [Spot<'static>; 4] {
        [
            spot("naive_rows", 1.2, 500.0, false),
            spot("naive", 14.0, 5_323.0, false),
            spot("tiled 16", 31.0, 8_114.0, true),
            spot("cuBLAS", 402.0, 51_229.0, false),
        ]
    }

    #[test]
    fn points_stand_under_the_roofs_with_their_figures_beside_them() {
        let spots = spots();
        let widget = |look| Roofline { roofs: ROOFS, spots: &spots, look };
        assert_snapshot!(picture::text(widget(RICH), 100, 16), @"
        GFLOP/s                                                                 FLOP/byte   GFLOP/s of roof
                                       60.0 TFLOP/s: FMA loop a / naive_rows          1.2       500    10 %
                                ··───────────────────d─────── b / naive                14      5323    10 %
                              ··                              c ─ tiled 16             31      8114    14 %
         4.00 TB/s: copy   ···                                d ─ cuBLAS              402     51229    85 %
                        ···
        10000        ···              c
                   ··            b
                ···
              ··

         1000
                  a


                1.0           10            100     FLOP/byte
        ");
        assert_snapshot!(picture::text(widget(ASCII), 50, 18), @"
        GFLOP/s
                                   60.0 TFLOP/s: FMA loop
                              ..------------------d------
        4.00 TB/s: copy   ....
                       ...
        10000       ...             c
                 ...           b
              ...

         1000
                  a

                1.0          10          100    FLOP/byte
                              FLOP/byte   GFLOP/s of roof
        a / naive_rows              1.2       500    10 %
        b / naive                    14      5323    10 %
        c - tiled 16                 31      8114    14 %
        d - cuBLAS                  402     51229    85 %
        ");
        picture::survives(widget);
    }
}
