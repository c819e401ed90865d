//! Why one kernel is faster than another: times and counts side by side, the one that moved lit.

use super::pen::Pen;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// Two kernels.
#[derive(Clone, Copy, Debug)]
pub struct Why<'a> {
    /// What they are called: the one before in the story, and the selected one.
    pub names: [&'a str; 2],
    /// What is known of both.
    pub figures: &'a [Figure<'a>],
    /// How it is drawn.
    pub look: Look,
}

/// One figure of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<'a> {
    /// What is counted, with its unit.
    pub label: &'a str,
    /// Whether it is measured, simulated or a model.
    pub source: &'a str,
    /// Of the one before, and of the selected one.
    pub values: [f64; 2],
    /// Whether it is a result (a time) rather than something that may be the reason for one.
    pub result: bool,
}

/// Columns of the labels, of each figure and of the change.
const LABEL: u16 = 30;
const FIGURE: u16 = 16;
const CHANGE: u16 = 12;

impl Figure<'_> {
    /// How many times less it is, as a logarithm: 0 where nothing moved. A count of nothing at all
    /// on one side is a great change, but not an endless one.
    fn moved(&self) -> f64 {
        let least = if self.result { f64::MIN_POSITIVE } else { 0.5 };
        let [before, after] = self.values.map(|value| value.max(least));
        (before / after).ln()
    }

    fn change(&self) -> String {
        match self.values {
            _ if self.moved().abs() < 0.005 => "the same".to_owned(),
            [before, _] if before <= 0.0 => "new".to_owned(),
            [_, after] if after <= 0.0 => "gone".to_owned(),
            [before, after] if before > after => format!("{:.2}x less", before / after),
            [before, after] => format!("{:.2}x more", after / before),
        }
    }
}

impl Why<'_> {
    /// The reason that went down most.
    fn reason(&self) -> Option<usize> {
        let reasons = self.figures.iter().enumerate().filter(|(_, figure)| !figure.result);
        let moved = reasons.map(|(index, figure)| (index, figure.moved()));
        let most = moved.max_by(|a, b| a.1.total_cmp(&b.1));
        most.filter(|(_, moved)| *moved > 0.05).map(|(index, _)| index)
    }
}

impl Widget for Why<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let bold = look.text().add_modifier(Modifier::BOLD);
        let label = LABEL.min(pen.width().saturating_sub(2 * FIGURE + CHANGE));
        let ends = [label + FIGURE, label + 2 * FIGURE, label + 2 * FIGURE + CHANGE];
        for (end, name) in ends.into_iter().zip(self.names) {
            pen.right(end, 0, name, bold);
        }
        let reason = self.reason();
        for ((index, figure), y) in self.figures.iter().enumerate().zip(1..) {
            let lit = Some(index) == reason;
            let style = match (lit, figure.result) {
                (true, _) => look.strong(Role::Here),
                (false, true) => bold,
                (false, false) => look.text(),
            };
            if lit {
                pen.text(0, y, look.pick("►", ">"), style);
            }
            let name: String = figure.label.chars().take(usize::from(label)).collect();
            pen.text(1, y, &name, style);
            let cells = figure.values.map(written);
            let [before, after] = &cells;
            for (end, cell) in ends.into_iter().zip([before, after, &figure.change()]) {
                pen.right(end, y, cell, style);
            }
            pen.text(ends[2] + 2, y, figure.source, look.dim());
        }
    }
}

/// A count with its thousands apart; a small figure with three digits behind the point.
fn written(value: f64) -> String {
    if value.fract() != 0.0 && value < 1e4 {
        return format!("{value:.3}");
    }
    let digits = format!("{value:.0}");
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, RICH};
    use super::*;
    use insta::assert_snapshot;

    fn figures() -> [Figure<'static>; 4] {
        let figure = |label, source, values, result| Figure { label, source, values, result };
        [
            figure("time, ms", "measured", [0.0258, 0.0169], true),
            figure("global load sectors", "simulated", [16_777_216.0, 2_097_152.0], false),
            figure("shared wavefronts", "simulated", [0.0, 6_815_744.0], false),
            figure("FFMA", "simulated", [134_217_728.0, 134_217_728.0], false),
        ]
    }

    #[test]
    fn the_count_that_fell_most_is_lit() {
        let figures = figures();
        let why = |look| Why { names: ["naive", "tiled"], figures: &figures, look };
        assert_snapshot!(picture::text(why(RICH), 90, 6), @"
                                                 naive           tiled
         time, ms                                0.026           0.017  1.53x less  measured
        ►global load sectors                16,777,216       2,097,152  8.00x less  simulated
         shared wavefronts                           0       6,815,744         new  simulated
         FFMA                              134,217,728     134,217,728    the same  simulated
        ");
        assert_snapshot!(picture::text(why(ASCII), 60, 6), @"
                                   naive           tiled
         time, ms                  0.026           0.017  1.53x less
        >global load sect     16,777,216       2,097,152  8.00x less
         shared wavefront              0       6,815,744         new
         FFMA                134,217,728     134,217,728    the same
        ");
        picture::survives(why);
    }
}
