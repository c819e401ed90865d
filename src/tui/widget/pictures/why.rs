//! Why one kernel is faster than another: the time that each unit needs, the explanation, and the
//! counts of both.

use super::bars::Bars;
use super::scene::{PictureScene, idea};
use crate::report::charts::units::model;
use crate::report::charts::why::{ComparedFigure, UnitTimes, bars, figures, story};
use crate::tui::layout::text::{width, wrapped};
use crate::tui::theme::Look;
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let (kernels, figures, story) = (bars(shown), figures(shown), story(shown));
    let pair = shown.pair();
    let rungs = pair.into_iter().flatten();
    let model = (!kernels.is_empty()).then(|| model(shown.pack).to_owned());
    let ideas: Vec<_> = rungs.filter_map(idea).chain(model).collect();
    let (kernels, figures, story, note) = (&*kernels, &*figures, &*story, &*scene.counting());
    WhyPicture { kernels, figures, story, note, ideas: &ideas, look: scene.look }.render(area, buf);
    match shown.pair() {
        None => "the first of the ladder: Down, a later one",
        Some(_) if shown.beside != shown.rung.checked_sub(1) => "beside the one marked with c",
        Some(_) => "beside the one before",
    }
    .to_owned()
}

/// The comparison of two kernels, or the limits of one.
#[derive(Clone, Copy, Debug)]
struct WhyPicture<'a> {
    /// The kernel compared with, if there is one, and the selected one.
    kernels: &'a [UnitTimes],
    /// The known figures of both.
    figures: &'a [ComparedFigure],
    /// The explanation, in paragraphs.
    story: &'a [String],
    /// What is still to come, or cannot be known.
    note: &'a str,
    /// What is new in each of them, if anything, and what the model of the rates is.
    ideas: &'a [String],
    look: Look,
}

/// Columns of the labels, of each figure, of the change, and of a figure's origin.
const LABEL: u16 = 26;
const FIGURE: u16 = 17;
const CHANGE: u16 = 12;
const SOURCE: u16 = 10;

impl WhyPicture<'_> {
    /// Returns the figures that fit into `rows` rows: of those that are the same, the last are
    /// omitted first.
    fn fitting(&self, rows: usize) -> Vec<&ComparedFigure> {
        let mut figures: Vec<_> = self.figures.iter().collect();
        while figures.len() > rows {
            let same = figures.iter().rposition(|figure| figure.is_same());
            figures.remove(same.unwrap_or(figures.len() - 1));
        }
        figures
    }

    /// Writes paragraphs from row `y` on, as many whole sentences as fit; returns the row after them.
    fn say(&self, pen: &mut Pen<'_>, mut y: u16, texts: &[String]) -> u16 {
        let room = pen.width().saturating_sub(2);
        for text in texts {
            let rows = usize::from(pen.height().saturating_sub(y));
            let ends = text.match_indices(". ").map(|(at, _)| &text[..=at]);
            let parts = ends.chain([text.as_str()]).collect::<Vec<_>>().into_iter().rev();
            let mut parts = parts.map(|part| wrapped(part, room));
            for line in parts.find(|lines| lines.len() <= rows).unwrap_or_default() {
                pen.text(1, y, &line, self.look.text());
                y += 1;
            }
        }
        y
    }

    /// The rows that paragraphs take.
    fn height(pen: &Pen<'_>, texts: &[String]) -> u16 {
        let room = pen.width().saturating_sub(2);
        texts.iter().map(|text| wrapped(text, room).len() as u16).sum()
    }

    /// Draws the figures of both kernels into the rows up to `end`; returns the row after them.
    fn table(&self, pen: &mut Pen<'_>, top: u16, end: u16) -> u16 {
        let look = self.look;
        let bold = look.bold();
        let taken = 2 * FIGURE + CHANGE + SOURCE;
        let label = LABEL.min(pen.width().saturating_sub(taken));
        let ends = [label + FIGURE, label + 2 * FIGURE, label + 2 * FIGURE + CHANGE];
        let names: Vec<_> = self.kernels.iter().map(|needs| &*needs.name).collect();
        // Show both names with their tiles, or neither.
        let long = names.iter().any(|name| width(name) >= FIGURE);
        for (end, name) in ends.into_iter().zip(names) {
            let short = name.split(' ').next().unwrap_or_default();
            pen.right(end, top, if long { short } else { name }, bold);
        }
        let figures = self.fitting(end.saturating_sub(top + 1).into());
        for (figure, y) in figures.iter().zip(top + 1..) {
            let room = usize::from(label.saturating_sub(1));
            let name: String = figure.label.chars().take(room).collect();
            pen.text(1, y, &name, look.text());
            let [before, after] = figure.values.map(written);
            for (end, cell) in ends.into_iter().zip([before, after, figure.change()]) {
                pen.right(end, y, &cell, look.text());
            }
            let gap = if label == LABEL { 2 } else { 1 };
            pen.text(ends[2] + gap, y, figure.source.word(), look.dim());
        }
        top + 1 + figures.len() as u16
    }
}

/// The least number of figures for which a table is worth its heading.
const LEAST_TABLE: u16 = 3;

impl Widget for WhyPicture<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let mut pen = Pen::new(area, buf, look);
        let bars = Bars { kernels: self.kernels, look };
        let mut y = bars.draw(&mut pen, 0);
        if !self.note.is_empty() {
            pen.text(1, y, self.note, look.text());
            y += 1;
        }
        let roomy = y + Self::height(&pen, self.story) < pen.height();
        y += u16::from(roomy && y > 0 && !self.story.is_empty());
        y = self.say(&mut pen, y, self.story);
        let ideas = Self::height(&pen, self.ideas) + 1;
        let rows = 2 + self.figures.len() as u16;
        if !self.figures.is_empty() && y + 2 + LEAST_TABLE <= pen.height() {
            let top = y + u16::from(y > 0);
            let end = if y + rows + ideas <= pen.height() { y + rows } else { pen.height() };
            y = self.table(&mut pen, top, end);
        }
        if y + ideas <= pen.height() {
            self.say(&mut pen, y + 1, self.ideas);
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
    use crate::report::charts::FigureSource;
    use crate::report::charts::units::{GpuUnit, UnitLimit, UnitLoad};
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    fn kernel(name: &str, measured: f64, loads: &[(GpuUnit, f64)]) -> UnitTimes {
        let load = |(unit, ms): &(GpuUnit, f64)| UnitLoad {
            unit: *unit,
            ms: *ms,
            count: FigureSource::Measured,
            rate: if *unit == GpuUnit::L1 { FigureSource::Model } else { FigureSource::Measured },
        };
        let loads: Vec<_> = loads.iter().map(load).collect();
        let limit = loads.iter().copied().reduce(|a, b| if b.ms > a.ms { b } else { a });
        let limit = limit.map(|load| UnitLimit { load, measured });
        UnitTimes { name: name.to_owned(), measured, loads, limit }
    }

    fn kernels() -> [UnitTimes; 2] {
        let before = [
            (GpuUnit::L1, 24.65),
            (GpuUnit::Dram, 1.82),
            (GpuUnit::Shared, 0.0),
            (GpuUnit::Fma, 2.12),
        ];
        let after = [
            (GpuUnit::L1, 1.54),
            (GpuUnit::Dram, 4.05),
            (GpuUnit::Shared, 13.49),
            (GpuUnit::Fma, 2.12),
        ];
        [kernel("naive 16", 25.48, &before), kernel("tiled 16", 16.93, &after)]
    }

    fn figures() -> [ComparedFigure; 3] {
        let figure = |label, source, values| ComparedFigure { label, source, values };
        [
            figure("time, ms", FigureSource::Measured, [25.482, 16.934]),
            figure("global load sectors", FigureSource::Simulated, [16_777_216.0, 2_097_152.0]),
            figure("registers a thread", FigureSource::Module, [32.0, 32.0]),
        ]
    }

    #[test]
    fn the_longest_bar_is_named_and_the_measured_time_stands_across() {
        let (kernels, figures) = (kernels(), figures());
        let story =
            ["The work moved: L1 24.7 -> 1.54 ms, but shared memory 0 -> 13.5 ms.".to_owned()];
        let why = |look| WhyPicture {
            kernels: &kernels,
            figures: &figures,
            story: &story,
            note: "",
            ideas: &[],
            look,
        };
        assert_snapshot!("why_wide", picture::text(why(RICH), 116, 15));
        assert_snapshot!("why_80", picture::text(why(ASCII), 77, 12));
        let alone = WhyPicture { kernels: &kernels[..1], figures: &[], ..why(ASCII) };
        assert_snapshot!("why_alone", picture::text(alone, 77, 8));
        picture::survives(why);
    }

    #[test]
    fn what_has_no_room_is_left_out_from_the_end() {
        let (kernels, figures) = (kernels(), figures());
        let ideas = ["naive: one thread per element".to_owned()];
        let why = |height| {
            let why = WhyPicture {
                kernels: &kernels,
                figures: &figures,
                story: &[],
                note: "counting naive",
                ideas: &ideas,
                look: ASCII,
            };
            picture::text(why, 77, height)
        };
        assert!(why(7).contains("measured") && why(7).contains("counting naive"));
        assert!(!why(9).contains("time, ms") && why(13).contains("time, ms"), "{}", why(13));
        assert!(why(15).contains("naive: one thread"), "{}", why(15));
    }
}
