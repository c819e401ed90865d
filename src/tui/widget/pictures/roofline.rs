//! The roofline: each kernel a point below the GPU's measured roofs, both axes logarithmic.

use super::scene::PictureScene;
use crate::analysis::roofline::{Bound, Roofs};
use crate::report::charts::Traffic;
use crate::report::charts::letter;
use crate::report::charts::roofline::{RooflinePoint, digits, origin, roofs, spots};
use crate::report::number::grouped;
use crate::tui::layout::text::{fitting, width};
use crate::tui::theme::{Look, Role};
use crate::tui::widget::pen::Pen;
use crate::tui::widget::scale::Scale;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let spots = spots(shown);
    let tensor = spots.iter().map(|spot| spot.roofs);
    let float32 = roofs(shown.pack, shown.traffic, false);
    let mut roofs: Vec<_> = float32.into_iter().chain(tensor).collect();
    roofs.dedup();
    if shown.pack.ceilings.is_none() {
        scene.say("this pack holds no ceilings of the GPU: record it anew", area, buf);
    } else if spots.is_empty() && shown.traffic == Traffic::Shared {
        scene.say(&scene.counting(), area, buf);
    } else {
        let (traffic, current, look) = (shown.traffic, shown.rung, scene.look);
        Roofline { roofs: &roofs, traffic, spots: &spots, current, look }.render(area, buf);
    }
    origin(shown.traffic, &spots)
}

/// The kernels below the roofs.
#[derive(Clone, Copy, Debug)]
struct Roofline<'a> {
    /// The GPU's measured ceilings: for float32 and, if a kernel uses them, for the tensor cores.
    roofs: &'a [Roofs],
    /// The memory whose bandwidth the slope shows.
    traffic: Traffic,
    /// The kernels, in teaching order.
    spots: &'a [RooflinePoint],
    /// The index of the selected rung.
    current: usize,
    look: Look,
}

/// Columns for the figures of the y axis, "100,000 ".
const AXIS: u16 = 8;

/// Columns of the list next to the chart, with all figures and with the last one only, and the
/// least width of a chart next to a list.
const LISTS: [u16; 2] = [46, 28];
const CHART: u16 = 44;

impl Widget for Roofline<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let beside = LISTS.into_iter().find(|list| pen.width() > CHART + list);
        let rows = self.spots.len() as u16;
        let (chart, list) = if let Some(list) = beside {
            let chart = Rect::new(0, 0, pen.width() - list - 1, pen.height());
            (chart, Rect::new(chart.width + 1, 0, list, pen.height()))
        } else {
            let above = pen.height().saturating_sub(rows + 1).max(pen.height() / 2);
            let chart = Rect::new(0, 0, pen.width(), above);
            (chart, Rect::new(0, above, pen.width(), pen.height() - above))
        };
        pen.widget(chart, RooflineChart(self));
        pen.widget(list, RooflineList(self));
    }
}

impl Roofline<'_> {
    fn style(&self, spot: &RooflinePoint) -> Style {
        if spot.rung == self.current { self.look.chosen() } else { self.look.text() }
    }
}

struct RooflineList<'a>(Roofline<'a>);

impl Widget for RooflineList<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let Roofline { spots, look, .. } = self.0;
        let mut pen = Pen::new(area, buf, look);
        let all = pen.width() >= LISTS[0];
        let ends = [18, 8, 0].map(|from| pen.width().saturating_sub(from));
        let shown = |column: usize| all || column == 2;
        for (column, head) in ["FLOP/byte", "GFLOP/s", "of roof"].into_iter().enumerate() {
            if shown(column) {
                pen.right(ends[column], 0, head, look.dim());
            }
        }
        // Keep the selected kernel in view.
        let current = spots.iter().position(|spot| spot.rung == self.0.current).unwrap_or(0);
        let first = (current + 2).saturating_sub(pen.height().into());
        let below = 2 + spots.len().saturating_sub(first) as u16;
        // Where one row is missing, the last one is left out.
        if below + 2 <= pen.height() && !spots.is_empty() {
            let flat = look.pick("─", "-");
            let room = pen.width().saturating_sub(2);
            let roof = ["roof: arithmetic is the limit", "arithmetic is the limit"];
            let rows = [
                ["/ slope: memory bandwidth is the limit", "/ bandwidth is the limit"]
                    .map(str::to_owned),
                roof.map(|words| format!("{flat} {words}")),
                ["  far below: something else is the limit", "  far below: another limit"]
                    .map(str::to_owned),
            ];
            for (row, words) in (below..pen.height()).zip(rows) {
                pen.text(1, row, fitting(&words, room), look.dim());
            }
        }
        for (spot, y) in spots.iter().skip(first).zip(1..) {
            let style = self.0.style(spot);
            if spot.rung == self.0.current {
                pen.text(0, y, look.pick("►", ">"), style);
            }
            let bound = match spot.roofs.bound(spot.point.intensity) {
                Bound::Memory => "/",
                Bound::Compute => look.pick("─", "-"),
            };
            pen.text(1, y, &format!("{} {bound} {}", letter(spot.rung), spot.name), style);
            let cells = [
                digits(spot.point.intensity),
                grouped(spot.point.gflops.round() as u64),
                format!("{:.0} %", 100.0 * spot.point.reached(&spot.roofs)),
            ];
            for (column, cell) in cells.into_iter().enumerate().filter(|(column, _)| shown(*column))
            {
                pen.right(ends[column], y, &cell, style);
            }
        }
    }
}

struct RooflineChart<'a>(Roofline<'a>);

/// The mapping from values to the chart's cells.
#[derive(Clone, Copy)]
struct Plane {
    x: Scale,
    y: Scale,
    bottom: u16,
}

impl Plane {
    /// Returns the cell of an intensity and a speed in GFLOP/s.
    fn at(&self, intensity: f64, gflops: f64) -> (u16, u16) {
        (AXIS + self.x.cell(intensity), self.bottom - self.y.cell(gflops))
    }
}

impl RooflineChart<'_> {
    /// Returns a plane that contains all points, all roofs and a good part of the slope.
    fn plane(&self, columns: u16, rows: u16, bottom: u16) -> Plane {
        let Roofline { roofs, spots, .. } = self.0;
        let ridges = roofs.iter().map(Roofs::ridge);
        let x = spots.iter().map(|s| s.point.intensity).chain(ridges);
        let y = spots.iter().map(|s| s.point.gflops).chain(roofs.iter().map(|roof| roof.gflops));
        let (x, y) = (Scale::over(x, columns), Scale::over(y, rows));
        let ridge = roofs.iter().map(Roofs::ridge).fold(f64::INFINITY, f64::min);
        Plane {
            x: Scale { low: (x.low / 2.0).min(ridge / 12.0), high: x.high * 4.0, ..x },
            y: Scale { low: y.low / 2.0, high: y.high * 2.0, ..y },
            bottom,
        }
    }

    fn axes(pen: &mut Pen<'_>, Plane { x, y, bottom }: Plane) {
        let dim = pen.look.dim();
        for decade in y.decades() {
            pen.right(AXIS - 1, bottom - y.cell(decade), &grouped(decade as u64), dim);
        }
        let name = "FLOP/byte";
        for decade in x.decades() {
            let text = digits(decade);
            let at = (AXIS + x.cell(decade)).saturating_sub(width(&text) / 2);
            if at + width(&text) + width(name) < pen.width() {
                pen.text(at, bottom + 1, &text, dim);
            }
        }
        pen.right(pen.width(), bottom + 1, name, dim);
    }

    /// Draws the slope up to the highest roof, and each roof from where it meets the slope.
    fn roofs(&self, pen: &mut Pen<'_>, plane: Plane) {
        let Roofline { roofs, look, .. } = self.0;
        let (ink, dim) = (look.ink(Role::Memory), look.dim());
        let Some(highest) =
            roofs.iter().copied().reduce(|a, b| if b.gflops > a.gflops { b } else { a })
        else {
            return;
        };
        for column in 0..plane.x.cells {
            let intensity = plane.x.value(column);
            let slope = intensity * highest.gigabytes;
            if slope >= plane.y.low && slope < highest.gflops {
                let (x, y) = plane.at(intensity, slope);
                pen.text(x, y, look.pick("·", "."), ink);
            }
            for roof in roofs.iter().filter(|roof| intensity >= roof.ridge()) {
                let (x, y) = plane.at(intensity, roof.gflops);
                pen.text(x, y, look.pick("─", "-"), ink);
            }
        }
        for roof in roofs {
            let what = if *roof == roofs[0] { "FMA in float32" } else { "tensor cores" };
            let text = format!("{:.1} TFLOP/s: {what}", roof.gflops / 1e3);
            let (_, y) = plane.at(roof.ridge(), roof.gflops);
            pen.right(pen.width(), y.saturating_sub(1), &text, dim);
        }
        let name = match self.0.traffic {
            Traffic::Dram => "DRAM copy",
            Traffic::Shared => "shared memory",
        };
        let text = format!("{:.1} TB/s: {name}", highest.gigabytes / 1e3);
        // Next to its foot, in the first row downwards in which no kernel is under the text.
        let foot = plane.x.low.max(plane.y.low / highest.gigabytes);
        let (x, y) = plane.at(foot, foot * highest.gigabytes);
        let under = x + 3..x + 6 + width(&text);
        let has_kernel = |row: &u16| {
            let points = self.0.spots.iter().map(|spot| spot.point);
            let mut cells = points.map(|point| plane.at(point.intensity, point.gflops));
            cells.any(|(column, at)| at == *row && under.contains(&column))
        };
        if let Some(row) = (y..=plane.bottom).find(|row| !has_kernel(row)) {
            pen.text(x + 5, row, &text, dim);
        }
    }

    /// Draws a line from the selected point up to its roof: the speed still attainable.
    fn gap(&self, pen: &mut Pen<'_>, plane: Plane) {
        let spots = self.0.spots.iter();
        let Some(spot) = spots.into_iter().find(|spot| spot.rung == self.0.current) else { return };
        let attainable = spot.roofs.attainable(spot.point.intensity);
        let (x, from) = plane.at(spot.point.intensity, spot.point.gflops);
        let (_, to) = plane.at(spot.point.intensity, attainable);
        let (look, ink) = (self.0.look, self.0.look.chosen());
        (to + 1..from).for_each(|y| _ = pen.text(x, y, look.pick("│", "|"), ink));
    }

    /// Draws the points; letters that fall into the same cell are drawn next to each other.
    fn points(&self, pen: &mut Pen<'_>, plane: Plane) {
        let is_current = |spot: &&RooflinePoint| spot.rung == self.0.current;
        let spots = self.0.spots;
        let ordered =
            spots.iter().filter(is_current).chain(spots.iter().filter(|s| !is_current(s)));
        let mut taken = Vec::new();
        for spot in ordered {
            let (mut x, y) = plane.at(spot.point.intensity, spot.point.gflops);
            while taken.contains(&(x, y)) {
                x += 1;
            }
            taken.push((x, y));
            pen.text(x, y, &letter(spot.rung).to_string(), self.0.style(spot));
        }
        if let Some(spot) = spots.iter().find(is_current) {
            let (mut x, y) = plane.at(spot.point.intensity, spot.point.gflops);
            while taken.contains(&(x, y)) {
                x += 1;
            }
            if x + 1 + width(&spot.name) < pen.width() {
                pen.text(x + 1, y, &spot.name, self.0.style(spot));
            }
        }
    }
}

impl Widget for RooflineChart<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.0.look;
        let mut pen = Pen::new(area, buf, look);
        if pen.width() < AXIS + 20 || pen.height() < 5 || self.0.roofs.is_empty() {
            return;
        }
        pen.text(1, 0, "GFLOP/s", look.dim());
        let bottom = pen.height() - 2;
        let plane = self.plane(pen.width() - AXIS, pen.height() - 2, bottom);
        Self::axes(&mut pen, plane);
        self.roofs(&mut pen, plane);
        self.gap(&mut pen, plane);
        self.points(&mut pen, plane);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::roofline::Point;
    use crate::report::charts::FigureSource;
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    const ROOFS: [Roofs; 2] = [
        Roofs { gflops: 60_000.0, gigabytes: 4_000.0 },
        Roofs { gflops: 640_000.0, gigabytes: 4_000.0 },
    ];

    fn spot(rung: usize, name: &str, intensity: f64, gflops: f64) -> RooflinePoint {
        let (point, source) = (Point { intensity, gflops }, FigureSource::Measured);
        let roofs = ROOFS[usize::from(gflops > 60_000.0)];
        RooflinePoint { rung, name: name.to_owned(), point, bytes: 1.0, source, roofs }
    }

    fn spots() -> [RooflinePoint; 5] {
        [
            spot(0, "naive_rows", 1.2, 500.0),
            spot(1, "naive", 31.0, 7_900.0),
            spot(2, "tiled", 31.0, 8_114.0),
            spot(3, "cuBLAS", 402.0, 51_229.0),
            spot(5, "half_tensor", 500.0, 400_000.0),
        ]
    }

    fn roofline<'a>(roofs: &'a [Roofs], spots: &'a [RooflinePoint], look: Look) -> Roofline<'a> {
        Roofline { roofs, traffic: Traffic::Dram, spots, current: 2, look }
    }

    #[test]
    fn points_stand_under_the_roofs_with_their_figures_beside_them() {
        let spots = spots();
        assert_snapshot!(picture::text(roofline(&ROOFS, &spots, RICH), 100, 18), @"
         GFLOP/s                                                                 FLOP/byte   GFLOP/s of roof
                                  640.0 TFLOP/s: tensor cores  a / naive_rows          1.2       500    10 %
                                              ·──────────────  b ─ naive                31     7,900    13 %
                                           ···      f         ►c ─ tiled                31     8,114    14 %
                                        ···                    d ─ cuBLAS              402    51,229    85 %
        100,000                  60.0 TFLOP/s: FMA in float32  f ─ half_tensor         500   400,000    62 %
                                  ───────────────────────────
                              ····   │             d           / slope: memory bandwidth is the limit
                           ···       │                         ─ roof: arithmetic is the limit
                        ···          │                           far below: something else is the limit
         10,000      ···             cb tiled
                  ···
                ··   4.0 TB/s: DRAM copy

          1,000
                    a

                  1.0         10           100      FLOP/byte
        ");
        let single = roofline(&ROOFS[..1], &spots[..4], ASCII);
        assert_snapshot!(picture::text(single, 76, 16), @"
         GFLOP/s                                                             of roof
        100,000            60.0 TFLOP/s: FMA in float32  a / naive_rows         10 %
                                -----------------------  b - naive              13 %
                              ..   |           d        >c - tiled              14 %
                           ...     |                     d - cuBLAS             85 %
                         ..        |
         10,000        ..          |                     / bandwidth is the limit
                    ...            cb tiled              - arithmetic is the limit
                  ..                                       far below: another limit
                ..   4.0 TB/s: DRAM copy

          1,000

                   a

                 1.0         10         100   FLOP/byte
        ");
        assert_snapshot!(picture::text(single, 50, 18), @"
         GFLOP/s
        100,000               60.0 TFLOP/s: FMA in float32
                                .-----------------d-------
                             ...    |
                          ...       |
         10,000       ....          cb tiled
                   ...
                ...  4.0 TB/s: DRAM copy

          1,000
                    a

                  1.0         10          100    FLOP/byte
                               FLOP/byte   GFLOP/s of roof
         a / naive_rows              1.2       500    10 %
         b - naive                    31     7,900    13 %
        >c - tiled                    31     8,114    14 %
         d - cuBLAS                  402    51,229    85 %
        ");
        picture::survives(|look| roofline(&ROOFS, &spots, look));
        picture::survives(|look| roofline(&[], &[], look));
    }
}
