//! The ladder: a bar per kernel, with its share of the library's speed and its speed-up.

use super::scene::{PictureScene, idea};
use crate::matrix::Precision;
use crate::report::number::grouped;
use crate::tui::layout::text::{fitting, width, wrapped};
use crate::tui::theme::Look;
use crate::tui::widget::measured::strip;
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let told = shown.rungs.iter().enumerate();
    let rungs: Vec<_> = told
        .map(|(index, told)| LadderRung {
            name: &told.name,
            precision: told.precision,
            gflops: told.row.gflops,
            of_library: told.of_library,
            over_previous: told.over_previous,
            library: told.is_library(),
            stale: told.is_stale(),
            current: index == shown.rung,
        })
        .collect();
    let older = if rungs.iter().any(|rung| rung.stale) { "; * of an older kernel" } else { "" };
    let origin = format!("size {}, {}{older}", shown.size, scene.origin());
    let idea = shown.current().and_then(idea).unwrap_or_default();
    Ladder { rungs: &rungs, idea: &idea, origin: &origin, look: scene.look }.render(area, buf);
    "GFLOP/s, measured: more is better".to_owned()
}

/// The rungs, and below them their origin.
#[derive(Clone, Copy, Debug)]
struct Ladder<'a> {
    /// The kernels in teaching order, each ladder with its library.
    rungs: &'a [LadderRung<'a>],
    /// The selected kernel's one new idea; empty if there is none.
    idea: &'a str,
    /// The origin of the figures.
    origin: &'a str,
    look: Look,
}

#[derive(Clone, Copy, Debug)]
struct LadderRung<'a> {
    name: &'a str,
    /// The precision of its factors: halves have their own ladder.
    precision: Precision,
    /// 10^9 floating-point operations per second.
    gflops: f64,
    /// The fraction of its library's speed.
    of_library: Option<f64>,
    /// Its speed relative to its predecessor.
    over_previous: Option<f64>,
    library: bool,
    /// Whether its figure was measured with an older version of the kernel.
    stale: bool,
    /// Whether it is selected.
    current: bool,
}

/// Columns of the figures, each right-aligned; the last are omitted first if space is short.
const FIGURES: [(&str, u16); 3] = [("GFLOP/s", 9), ("of cuBLAS", 11), ("vs above", 9)];

/// The least useful width of a bar.
const LEAST_BAR: u16 = 8;

#[derive(Clone, Copy)]
enum LadderRow<'a> {
    Rung(&'a LadderRung<'a>),
    /// The start of the second ladder: the speed of its longest bar.
    Halves(f64),
}

/// The layout: columns of the names and of the bars, and the number of figures.
#[derive(Clone, Copy)]
struct LadderColumns {
    /// Whether names are those of the kernels alone.
    is_rail: bool,
    names: u16,
    bars: u16,
    figures: usize,
}

impl<'a> LadderRung<'a> {
    /// Its name without its tile.
    fn kernel(&self) -> &'a str {
        self.name.split(' ').next().unwrap_or(self.name)
    }

    fn figures(&self) -> [String; 3] {
        let share = self.of_library.map_or(String::new(), |part| format!("{:.1} %", 100.0 * part));
        let step = self.over_previous.map_or(String::new(), |times| format!("{times:.2}x"));
        [grouped(self.gflops.round() as u64), share, step]
    }

    fn style(&self, look: Look) -> Style {
        if self.current { look.chosen() } else { look.text() }
    }
}

impl<'a> Ladder<'a> {
    fn with_precision(&self, precision: Precision) -> impl Iterator<Item = &'a LadderRung<'a>> {
        self.rungs.iter().filter(move |rung| rung.precision == precision)
    }

    /// The speed of the longest bar of a ladder.
    fn best(&self, precision: Precision) -> f64 {
        self.with_precision(precision).map(|rung| rung.gflops).fold(0.0, f64::max)
    }

    /// Returns all rows: one ladder, then the other on its own scale.
    fn steps(&self) -> Vec<LadderRow<'a>> {
        let half = self.best(Precision::Half);
        let between = (half > 0.0).then_some(LadderRow::Halves(half));
        let rungs = |precision| self.with_precision(precision).map(LadderRow::Rung);
        rungs(Precision::Single).chain(between).chain(rungs(Precision::Half)).collect()
    }

    /// Lays out as many figures as leave room for bars; a rail has names without their tiles.
    fn columns(&self, room: u16) -> LadderColumns {
        let widest = |of: fn(&LadderRung<'a>) -> &'a str| {
            self.rungs.iter().map(|rung| width(of(rung))).max().unwrap_or(0) + 2
        };
        let (full, short) = (widest(|rung| rung.name), widest(LadderRung::kernel));
        let is_rail = full + FIGURES[0].1 + LEAST_BAR >= room;
        let names = if is_rail { short } else { full };
        let needed = |count: usize| FIGURES[..count].iter().map(|(_, width)| width).sum::<u16>();
        let all = (1..=FIGURES.len()).rev();
        let figures = all.into_iter().find(|n| names + needed(*n) + LEAST_BAR < room).unwrap_or(1);
        LadderColumns {
            is_rail,
            names,
            bars: room.saturating_sub(names + needed(figures) + 1),
            figures,
        }
    }

    fn rung(&self, pen: &mut Pen<'_>, y: u16, rung: &LadderRung<'_>, columns: LadderColumns) {
        let LadderColumns { is_rail, names, bars, figures } = columns;
        let (look, style) = (self.look, rung.style(self.look));
        if rung.current {
            pen.text(0, y, look.pick("►", ">"), style);
        }
        let name = if is_rail { rung.kernel() } else { rung.name };
        let end = pen.text(1, y, name, style);
        pen.text(end, y, if rung.stale { "*" } else { "" }, style);
        let best = self.best(rung.precision);
        if bars >= LEAST_BAR && best > 0.0 {
            let eighths = |gflops: f64| (gflops / best * f64::from(bars) * 8.0).round() as u16;
            let library = self.with_precision(rung.precision).find(|rung| rung.library);
            if let Some(library) = library.filter(|library| library.gflops > rung.gflops) {
                let mark = names + eighths(library.gflops).saturating_sub(1) / 8;
                pen.text(mark, y, look.pick("│", "|"), look.dim());
            }
            strip(pen, names, y, eighths(rung.gflops).clamp(1, bars * 8), rung.current);
        }
        let mut end = names + bars + 1;
        for (index, ((_, width), text)) in
            FIGURES.iter().zip(rung.figures()).enumerate().take(figures)
        {
            end += width;
            let weight = if index == 0 { Modifier::BOLD } else { Modifier::empty() };
            pen.right(end, y, &text, style.add_modifier(weight));
        }
    }

    /// Returns the first visible row out of `rows`, so that the selected rung is among them.
    fn first(steps: &[LadderRow<'_>], rows: u16) -> usize {
        let is_current =
            |step: &LadderRow<'_>| matches!(step, LadderRow::Rung(rung) if rung.current);
        let current = steps.iter().position(is_current).unwrap_or(0);
        (current + 1).saturating_sub(rows.into())
    }
}

impl Widget for Ladder<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let columns = self.columns(pen.width());
        let mut end = columns.names + columns.bars + 1;
        for (head, width) in &FIGURES[..columns.figures] {
            end += width;
            pen.right(end, 0, head, look.dim());
        }
        let steps = self.steps();
        // The last row states the origin of the figures.
        let rows = pen.height().saturating_sub(2);
        for (step, y) in steps.iter().skip(Self::first(&steps, rows)).zip(1..=rows) {
            match step {
                LadderRow::Rung(rung) => self.rung(&mut pen, y, rung, columns),
                LadderRow::Halves(best) => {
                    let texts = halves(*best);
                    pen.text(1, y, fitting(&texts, pen.width().saturating_sub(1)), look.dim());
                }
            }
        }
        let below = (steps.len() as u16).min(rows) + 1;
        let last = pen.height().saturating_sub(1);
        let hidden = steps.len() - steps.len().min(rows.into());
        let more = if hidden == 0 { String::new() } else { format!("; {hidden} rows more") };
        let room = pen.width().saturating_sub(2);
        let origin = wrapped(&format!("{}{more}", self.origin), room);
        let below = below.min(last);
        for (line, y) in origin.iter().zip(below..=last) {
            pen.text(1, y, line, look.dim());
        }
        let below = below + origin.len() as u16;
        let idea = wrapped(self.idea, room);
        let spare = (last + 1).saturating_sub(below);
        if let Some(gap) = spare.checked_sub(idea.len() as u16) {
            for (line, y) in idea.iter().zip(below + gap.min(1)..) {
                pen.text(1, y, line, look.text());
            }
        }
    }
}

/// Returns the text between the ladders, the longest wording first: the second has bars on a scale
/// of its own.
fn halves(best: f64) -> [String; 3] {
    let best = if best < 1e3 { format!("{best:.0} G") } else { format!("{:.0} T", best / 1e3) };
    let scale = format!("here a full bar is {best}FLOP/s");
    [
        format!("half precision, sums in float32; {scale}"),
        format!("half precision; {scale}"),
        "half precision".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    fn rung(name: &str, gflops: f64, over_previous: Option<f64>) -> LadderRung<'_> {
        let (of_library, library) = (Some(gflops / 51_229.0), name == "cuBLAS");
        let (precision, stale, current) = (Precision::Single, false, false);
        LadderRung { name, precision, gflops, of_library, over_previous, library, stale, current }
    }

    fn rungs() -> [LadderRung<'static>; 7] {
        let half = |rung| LadderRung { precision: Precision::Half, of_library: None, ..rung };
        [
            rung("naive_rows", 498.0, None),
            rung("naive", 5_323.0, Some(10.69)),
            LadderRung { stale: true, current: true, ..rung("tiled", 8_114.0, Some(1.52)) },
            rung("sgemm", 52_202.0, Some(6.43)),
            rung("cuBLAS", 51_229.0, None),
            half(rung("half_plain", 41_268.0, None)),
            half(rung("half_tensor", 398_617.0, Some(9.66))),
        ]
    }

    #[test]
    fn each_rung_is_a_bar_with_its_share_and_its_step() {
        let rungs = rungs();
        let origin = "size 4096, recorded on NVIDIA H200, 2026-11-21; * of an older kernel";
        let idea = "tiled: tiles of A and B shared by the block";
        let ladder = |look| Ladder { rungs: &rungs, idea, origin, look };
        assert_snapshot!(picture::text(ladder(RICH), 80, 13), @"
                                                             GFLOP/s  of cuBLAS vs above
         naive_rows  ▍                                   │       498      1.0 %
         naive       ███▊                                │     5,323     10.4 %   10.69x
        ►tiled*      █████▊                              │     8,114     15.8 %    1.52x
         sgemm       █████████████████████████████████████    52,202    101.9 %    6.43x
         cuBLAS      ████████████████████████████████████▎    51,229    100.0 %
         half precision, sums in float32; here a full bar is 399 TFLOP/s
         half_plain  ███▉                                     41,268
         half_tensor █████████████████████████████████████   398,617               9.66x
         size 4096, recorded on NVIDIA H200, 2026-11-21; * of an older kernel

         tiled: tiles of A and B shared by the block
        ");
        assert_snapshot!(picture::text(ladder(ASCII), 60, 6), @"
                                         GFLOP/s  of cuBLAS vs above
         naive_rows                  |       498      1.0 %
         naive       =               |     5,323     10.4 %   10.69x
        >tiled*      ==              |     8,114     15.8 %    1.52x
         sgemm       =================    52,202    101.9 %    6.43x
         size 4096, recorded on NVIDIA H200, 2026-11-21; * of an
        ");
        assert_snapshot!(picture::text(ladder(ASCII), 32, 4), @"
                                 GFLOP/s
         naive               |     5,323
        >tiled*      =       |     8,114
         size 4096, recorded on NVIDIA
        ");
        picture::survives(ladder);
    }

    #[test]
    fn the_selected_rung_is_in_view_and_one_ladder_may_stand_alone() {
        let mut rungs = rungs();
        rungs[2].current = false;
        rungs[6].current = true;
        let ladder = |rungs| Ladder { rungs, idea: "", origin: "here", look: ASCII };
        assert_snapshot!(picture::text(ladder(&rungs), 50, 5), @"
                                        GFLOP/s  of cuBLAS
         half precision; here a full bar is 399 TFLOP/s
         half_plain  =                   41,268
        >half_tensor ================   398,617
         here; 5 rows more
        ");
        assert_snapshot!(picture::text(ladder(&rungs[5..]), 50, 5), @"
                                        GFLOP/s  of cuBLAS
         half precision; here a full bar is 399 TFLOP/s
         half_plain  =                   41,268
        >half_tensor ================   398,617
         here
        ");
    }
}
