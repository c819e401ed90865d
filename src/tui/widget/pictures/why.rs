//! Why one kernel is faster than another: times and counts side by side, the decisive one lit.

use super::scene::{Scene, idea};
use crate::report::charts::why::{Figure, Part, figures, moved};
use crate::tui::theme::{Look, Role};
use crate::tui::widget::pen::{Pen, fitting, width, wrapped};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &Scene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let Some(pair) = shown.pair() else {
        scene.say("the first of the story: choose a later kernel", area, buf);
        return String::new();
    };
    let figures = figures(shown);
    let moved = moved(&figures);
    let note = scene.counting();
    let names = [&*pair[0].name, &*pair[1].name];
    let ideas: Vec<_> = pair.iter().filter_map(|rung| idea(rung)).collect();
    let (figures, note, ideas) = (&figures[..], &note[..], &ideas[..]);
    Why { names, figures, moved, note, ideas, look: scene.look }.render(area, buf);
    let marked = shown.beside != shown.rung.checked_sub(1);
    if marked { "beside the one marked with c" } else { "beside the one before" }.to_owned()
}

/// The comparison of two kernels.
#[derive(Clone, Copy, Debug)]
struct Why<'a> {
    /// The names: the kernel compared with, and the selected one.
    names: [&'a str; 2],
    /// The known figures of both.
    figures: &'a [Figure],
    /// The index of the figure that changed most.
    moved: Option<usize>,
    /// What is still to come, or cannot be known.
    note: &'a str,
    /// What is new in each of them, if anything.
    ideas: &'a [String],
    /// How it is drawn.
    look: Look,
}

/// Columns of the labels, of each figure, of the change, and of a figure's origin.
const LABEL: u16 = 26;
const FIGURE: u16 = 17;
const CHANGE: u16 = 12;
const SOURCE: u16 = 10;

impl Why<'_> {
    fn style(&self, index: usize, figure: &Figure) -> Style {
        let look = self.look;
        match figure.part {
            _ if self.moved == Some(index) => look.strong(Role::Here),
            Part::Time => look.text().add_modifier(Modifier::BOLD),
            Part::Cost | Part::Help | Part::Fact => look.text(),
        }
    }

    /// Explains why that figure is lit, the longest wording first.
    fn legend(moved: &Figure, hidden: usize) -> Vec<String> {
        let more =
            if hidden == 0 { String::new() } else { format!("; {hidden} more are the same") };
        let least = moved.least_ms.map(|least| least.map(written));
        let weighed = least.map(|[before, after]| {
            let long = "what moved most, weighed by its time at the GPU's full rate";
            ["what moved most, at full rate", long]
                .map(|what| format!("{what}: {before} -> {after} ms"))
        });
        let plain = "what moved most".to_owned();
        let [short, long] = weighed.unwrap_or_else(|| [plain.clone(), plain.clone()]);
        let with = |text: &str| format!("{text}{more}");
        vec![with(&long), with(&short), with(&plain), plain.clone()]
    }

    /// Returns the figures that fit into `rows` rows, with their indexes: of those that are the
    /// same, the last are omitted first.
    fn fitting(&self, rows: usize) -> Vec<(usize, &Figure)> {
        let mut figures: Vec<_> = self.figures.iter().enumerate().collect();
        while figures.len() > rows {
            let same = figures.iter().rposition(|(_, figure)| figure.is_same());
            figures.remove(same.unwrap_or(figures.len() - 1));
        }
        figures
    }
}

impl Widget for Why<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let bold = look.text().add_modifier(Modifier::BOLD);
        let taken = 2 * FIGURE + CHANGE + SOURCE;
        let label = LABEL.min(pen.width().saturating_sub(taken));
        let ends = [label + FIGURE, label + 2 * FIGURE, label + 2 * FIGURE + CHANGE];
        // Show both names with their tiles, or neither.
        let long = self.names.iter().any(|name| width(name) >= FIGURE);
        for (end, name) in ends.into_iter().zip(self.names) {
            let short = name.split(' ').next().unwrap_or_default();
            pen.right(end, 0, if long { short } else { name }, bold);
        }
        let rows = pen.height().saturating_sub(2 + u16::from(!self.note.is_empty()));
        let figures = self.fitting(rows.into());
        for ((index, figure), y) in figures.iter().zip(1..) {
            let (index, style) = (*index, self.style(*index, figure));
            if self.moved == Some(index) {
                pen.text(0, y, look.pick("►", ">"), style);
            }
            let room = usize::from(label.saturating_sub(1));
            pen.text(1, y, &figure.label.chars().take(room).collect::<String>(), style);
            let [before, after] = figure.values.map(written);
            for (end, cell) in ends.into_iter().zip([before, after, figure.change()]) {
                pen.right(end, y, &cell, style);
            }
            let gap = if label == LABEL { 2 } else { 1 };
            pen.text(ends[2] + gap, y, figure.source.word(), look.dim());
        }
        let mut below = figures.len() as u16 + 1;
        if !self.note.is_empty() {
            pen.text(1, below, self.note, look.dim());
            below += 1;
        }
        if let Some(moved) = self.moved {
            let hidden = self.figures.len() - figures.len();
            let legend =
                fitting(&Self::legend(&self.figures[moved], hidden), pen.width().saturating_sub(2))
                    .to_owned();
            let mark = look.pick("►", ">");
            pen.text(0, below, &format!("{mark} {legend}"), look.ink(Role::Here));
        }
        let ideas = self.ideas.iter().flat_map(|idea| wrapped(idea, pen.width().saturating_sub(2)));
        let ideas: Vec<_> = ideas.collect();
        if below + 1 + ideas.len() as u16 <= pen.height() {
            ideas
                .iter()
                .zip(below + 2..)
                .for_each(|(idea, y)| _ = pen.text(1, y, idea, look.text()));
        }
    }
}

/// Formats a count with grouped thousands, or a small figure with three decimal places.
fn written(value: f64) -> String {
    if value.fract() != 0.0 && value < 1e4 {
        return format!("{value:.3}");
    }
    crate::report::number::grouped(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::charts::Source;
    use crate::report::charts::why::moved;
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    fn figures() -> [Figure; 4] {
        let figure =
            |label, source, values, part| Figure { label, source, values, part, least_ms: None };
        let cost = |label, values, least_ms| Figure {
            least_ms: Some(least_ms),
            ..figure(label, Source::Simulated, values, Part::Cost)
        };
        [
            figure("time, ms", Source::Measured, [0.0258, 0.0169], Part::Time),
            cost("global load sectors", [16_777_216.0, 2_097_152.0], [0.0165, 0.0021]),
            cost("shared wavefronts", [0.0, 1_815_744.0], [0.0, 0.007]),
            figure("registers a thread", Source::Module, [32.0, 32.0], Part::Fact),
        ]
    }

    #[test]
    fn the_count_that_fell_most_is_lit() {
        let figures = figures();
        let names = ["naive 16", "double_buffered 128x128x16"];
        let moved = moved(&figures);
        let why = |look| Why { names, figures: &figures, moved, note: "", ideas: &[], look };
        assert_snapshot!(picture::text(why(RICH), 90, 6), @"
                                              naive  double_buffered
         time, ms                             0.026            0.017  1.53x less  measured
        ►global load sectors             16,777,216        2,097,152  8.00x less  simulated
         shared wavefronts                        0        1,815,744         new  simulated
         registers a thread                      32               32    the same  module
        ► what moved most, weighed by its time at the GPU's full rate: 0.017 -> 0.002 ms
        ");
        let ideas = ["naive: one thread per element".to_owned(), "tiled: shared tiles".to_owned()];
        let why = |look| Why { note: "counting naive", ideas: &ideas, ..why(look) };
        assert_snapshot!(picture::text(why(ASCII), 77, 10), @"
                                         naive  double_buffered
         time, ms                        0.026            0.017  1.53x less measured
        >global load sectors        16,777,216        2,097,152  8.00x less simulated
         shared wavefronts                   0        1,815,744         new simulated
         registers a thread                 32               32    the same module
         counting naive
        > what moved most, at full rate: 0.017 -> 0.002 ms

         naive: one thread per element
         tiled: shared tiles
        ");
        assert_snapshot!(picture::text(why(ASCII), 77, 6), @"
                                         naive  double_buffered
         time, ms                        0.026            0.017  1.53x less measured
        >global load sectors        16,777,216        2,097,152  8.00x less simulated
         shared wavefronts                   0        1,815,744         new simulated
         counting naive
        > what moved most, at full rate: 0.017 -> 0.002 ms; 1 more are the same
        ");
        picture::survives(why);
    }

    #[test]
    fn of_a_slower_kernel_what_costs_more_is_lit() {
        let mut figures = figures();
        for figure in &mut figures {
            figure.values.reverse();
            if let Some(least) = &mut figure.least_ms {
                least.reverse();
            }
        }
        assert_eq!(moved(&figures), Some(1));
        // More registers alone do not make a kernel slower, nor fewer faster.
        let facts = [figures[0].clone(), Figure { values: [32.0, 255.0], ..figures[3].clone() }];
        assert_eq!(moved(&facts), None);
    }
}
