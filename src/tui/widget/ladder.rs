//! The ladder: how fast each kernel of the story is, beside the library and beside the one before.

use super::measured::strip;
use super::pen::{Pen, width};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

/// The rungs at one size.
#[derive(Clone, Copy, Debug)]
pub struct Ladder<'a> {
    /// The kernels, in the order of the story; the library, if it was measured, last.
    pub rungs: &'a [Rung<'a>],
    /// Where the figures come from, and for which size.
    pub origin: &'a str,
    /// How it is drawn.
    pub look: Look,
}

/// One kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rung<'a> {
    /// What it is called here.
    pub name: &'a str,
    /// 10^9 floating-point operations a second, measured.
    pub gflops: f64,
    /// The part of the library's speed.
    pub of_library: Option<f64>,
    /// Its speed as a multiple of the one before it in the story.
    pub over_previous: Option<f64>,
    /// Whether its figure is of an older form of the kernel.
    pub stale: bool,
    /// Whether it is the kernel that is selected.
    pub current: bool,
}

/// Columns of the figures, each right-aligned; the last are given up first where room is short.
const FIGURES: [(&str, u16); 3] = [("GFLOP/s", 9), ("of cuBLAS", 11), ("step", 8)];

/// Columns of a bar below which it says nothing.
const LEAST_BAR: u16 = 8;

impl Rung<'_> {
    fn figures(&self) -> [String; 3] {
        let share = self.of_library.map_or(String::new(), |part| format!("{:.1} %", 100.0 * part));
        let step = self.over_previous.map_or(String::new(), |times| format!("{times:.2}x"));
        [format!("{:.0}", self.gflops), share, step]
    }

    fn style(&self, look: Look) -> Style {
        if self.current { look.strong(Role::Here) } else { look.text() }
    }
}

impl Ladder<'_> {
    /// How many of the figures have room beside names and bars.
    fn shown(names: u16, room: u16) -> usize {
        let needed = |count: usize| FIGURES[..count].iter().map(|(_, width)| width).sum::<u16>();
        (1..=FIGURES.len()).rev().find(|n| names + needed(*n) + LEAST_BAR <= room).unwrap_or(1)
    }

    /// The first of the rungs on the screen, so that the selected one is among them.
    fn first(&self, rows: u16) -> usize {
        let current = self.rungs.iter().position(|rung| rung.current).unwrap_or(0);
        (current + 1).saturating_sub(rows.into())
    }
}

impl Widget for Ladder<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let names = self.rungs.iter().map(|rung| width(rung.name)).max().unwrap_or(0) + 2;
        let figures = &FIGURES[..Self::shown(names, pen.width())];
        let taken: u16 = figures.iter().map(|(_, width)| width).sum();
        let room = pen.width().saturating_sub(names + taken + 1);
        let mut end = names + room + 1;
        for (head, width) in figures {
            end += width;
            pen.right(end, 0, head, look.dim());
        }
        // What is not compared with the library is no measure for those that are.
        let compared = |rung: &&Rung<'_>| rung.of_library.is_some();
        let measure = self.rungs.iter().filter(compared).map(|rung| rung.gflops);
        let all = self.rungs.iter().map(|rung| rung.gflops);
        let best = measure.reduce(f64::max).unwrap_or_else(|| all.fold(0.0, f64::max));
        let rows = pen.height().saturating_sub(2);
        for (rung, y) in self.rungs.iter().skip(self.first(rows)).zip(1..=rows) {
            let style = rung.style(look);
            if rung.current {
                pen.text(0, y, look.pick("►", ">"), style);
            }
            let end = pen.text(1, y, rung.name, style);
            pen.text(end, y, if rung.stale { "*" } else { "" }, style);
            let role = if rung.current { Role::Here } else { Role::Wait };
            if room >= LEAST_BAR && best > 0.0 {
                let eighths = (rung.gflops / best * f64::from(room) * 8.0).round() as u16;
                strip(&mut pen, names, y, eighths.clamp(1, room * 8), role);
            }
            let mut end = names + room + 1;
            for ((_, width), (text, first)) in
                figures.iter().zip(rung.figures().iter().zip([true, false, false]))
            {
                end += width;
                let weight = if first { Modifier::BOLD } else { Modifier::empty() };
                pen.right(end, y, text, style.add_modifier(weight));
            }
        }
        let below = (self.rungs.len() as u16).min(rows) + 1;
        pen.text(1, below.min(pen.height().saturating_sub(1)), self.origin, look.dim());
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use insta::assert_snapshot;

    fn rungs() -> [Rung<'static>; 4] {
        let rung = |name, gflops, over_previous, current| {
            let of_library = Some(gflops / 51_229.0);
            Rung { name, gflops, of_library, over_previous, stale: false, current }
        };
        [
            rung("naive_rows", 498.0, None, false),
            rung("naive", 5_323.0, Some(10.69), false),
            Rung { stale: true, ..rung("tiled", 8_114.0, Some(1.52), true) },
            rung("cuBLAS", 51_229.0, None, false),
        ]
    }

    #[test]
    fn each_rung_is_a_bar_with_its_share_and_its_step() {
        let rungs = rungs();
        let origin = "size 4096, recorded on NVIDIA H200, 2026-11-21; * of an older kernel";
        let ladder = |look| Ladder { rungs: &rungs, origin, look };
        assert_snapshot!(picture::text(ladder(RICH), 80, 7), @"
                                                              GFLOP/s  of cuBLAS    step
         naive_rows ▍                                             498      1.0 %
         naive      ████                                         5323     10.4 %  10.69x
        ►tiled*     ██████▏                                      8114     15.8 %   1.52x
         cuBLAS     ███████████████████████████████████████     51229    100.0 %
         size 4096, recorded on NVIDIA H200, 2026-11-21; * of an older kernel
        ");
        assert_snapshot!(picture::text(ladder(ASCII), 32, 4), @"
                                 GFLOP/s
         naive      =               5323
        >tiled*     =               8114
         size 4096, recorded on NVIDIA H
        ");
        picture::survives(ladder);
    }
}
