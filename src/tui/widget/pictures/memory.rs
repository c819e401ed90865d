//! The memory hierarchy: for each level how soon a word comes, how many come at a time, what two
//! kernels take from it, and what the selected one keeps there.

use super::scene::PictureScene;
use crate::report::charts::FigureSource;
use crate::report::charts::memory::{MemoryLevel, Storey, cycles, rungs, storeys, story};
use crate::report::number::moved;
use crate::timing::pack::Pack;
use crate::tui::layout::text::{fitting, wrapped};
use crate::tui::theme::{Look, Role};
use crate::tui::widget::measured::{eighths, strip_of};
use crate::tui::widget::pen::Pen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// Draws the picture; returns the note of its frame.
pub(super) fn draw(scene: &PictureScene<'_>, area: Rect, buf: &mut Buffer) -> String {
    let shown = &scene.shown;
    let Some(storeys) = storeys(shown) else {
        scene.say("this pack holds no latencies: measure with r, or record it anew", area, buf);
        return String::new();
    };
    let names: Vec<_> = rungs(shown).iter().map(|rung| rung.name.clone()).collect();
    let story = story(shown);
    let cycles: Vec<_> =
        storeys.iter().map(|storey| cycles(shown.pack, storey.latency_ns)).collect();
    let (storeys, names, story, cycles) = (&*storeys, &*names, &*story, &*cycles);
    MemoryPicture { storeys, cycles, names, story, look: scene.look }.render(area, buf);
    measured(shown.pack)
}

/// When latencies and rates were measured.
fn measured(pack: &Pack) -> String {
    let seen = pack.ceilings.as_ref().and_then(|most| most.hierarchy.as_ref());
    let date = seen.and_then(|seen| seen.date.as_deref()).unwrap_or(&pack.date);
    format!("latencies and rates measured on {}, {date}", pack.device)
}

/// The levels, the nearest first.
#[derive(Clone, Copy, Debug)]
struct MemoryPicture<'a> {
    /// What is known of each.
    storeys: &'a [Storey],
    /// The latency of each in cycles, if the clock is known.
    cycles: &'a [Option<f64>],
    /// The kernels whose bytes are known: the one compared with, if there is one, and the selected
    /// one.
    names: &'a [String],
    /// The explanation, in paragraphs.
    story: &'a [String],
    look: Look,
}

/// Columns of the levels' names, of a latency, of a rate, and of the bytes of a kernel.
const LABEL: u16 = 14;
const LATENCY: u16 = 7;
const CYCLES: u16 = 11;
const RATE: u16 = 6;
const BYTES: u16 = 12;

/// The width from which on latencies are given in cycles too.
const ROOMY: u16 = 100;

/// Where the columns of the picture lie.
struct MemoryColumns {
    bar: u16,
    /// Columns of a latency's figure.
    latency: u16,
    /// The first column of the rates' bars.
    rate: u16,
    /// The ends of the columns of bytes.
    bytes: Vec<u16>,
}

impl MemoryPicture<'_> {
    fn columns(&self, width: u16) -> MemoryColumns {
        let latency = LATENCY + if width >= ROOMY { CYCLES } else { 0 };
        let kernels = self.names.len() as u16;
        let figures = 1 + LABEL + latency + RATE + 2 + kernels * BYTES;
        let bar = width.saturating_sub(figures) / 2;
        let rate = 1 + LABEL + bar + latency + 2;
        let first = rate + bar + RATE;
        let bytes = (1..=kernels).map(|kernel| first + kernel * BYTES).collect();
        MemoryColumns { bar, latency, rate, bytes }
    }

    fn heads(&self, pen: &mut Pen<'_>, columns: &MemoryColumns) {
        let dim = self.look.dim();
        let wait = ["latency: each load waits for the last", "latency"];
        let room = columns.bar + columns.latency - 1;
        pen.text(1 + LABEL, 0, fitting(&wait, room), dim);
        let rate = ["bytes a cycle for each SM", "bytes a cycle, SM", "B/cycle"];
        pen.text(columns.rate, 0, fitting(&rate, columns.bar + RATE), dim);
        let last = self.names.len().saturating_sub(1);
        for (index, (name, end)) in self.names.iter().zip(&columns.bytes).enumerate() {
            let style = if index == last { self.look.bold() } else { self.look.text() };
            let short = name.split(' ').next().unwrap_or_default();
            let wordings = [name.clone(), short.to_owned()];
            pen.right(*end, 0, fitting(&wordings, BYTES - 1), style);
        }
    }

    /// Draws a level into row `y`.
    fn row(&self, pen: &mut Pen<'_>, y: u16, index: usize, columns: &MemoryColumns) {
        let Some(storey) = self.storeys.get(index) else { return };
        let (look, text) = (self.look, self.look.text());
        pen.text(1, y, storey.level.word(), text.add_modifier(Modifier::BOLD));
        let longest = largest(self.storeys.iter().map(|storey| storey.latency_ns));
        let role = role(storey.level);
        strip_of(pen, 1 + LABEL, y, eighths(storey.latency_ns, longest, columns.bar), role);
        let end = 1 + LABEL + columns.bar + LATENCY;
        let digits = usize::from(storey.latency_ns < 99.5);
        pen.right(end, y, &format!("{:.digits$} ns", storey.latency_ns), text);
        let cycles = self.cycles.get(index).copied().flatten();
        if let Some(cycles) = cycles.filter(|_| columns.latency > LATENCY) {
            pen.right(end + CYCLES, y, &format!("{cycles:.0} cycles"), look.dim());
        }
        if let Some(rate) = storey.rate {
            let widest = largest(self.storeys.iter().filter_map(|storey| storey.rate));
            strip_of(pen, columns.rate, y, eighths(rate, widest, columns.bar), role);
            // A rate that was not measured is marked, and explained below.
            let mark = if storey.rate_is == FigureSource::Model { "*" } else { "" };
            let end = columns.rate + columns.bar + RATE;
            pen.right(end, y, &format!("{rate:.0}{mark}"), text);
        }
        for (bytes, end) in storey.bytes.iter().zip(&columns.bytes) {
            let told = bytes.map_or("?".to_owned(), |(bytes, _)| moved(bytes));
            pen.right(*end, y, &told, text);
        }
    }

    /// What the marks and figures are.
    fn legend(&self) -> String {
        let counts = self.storeys.iter().flat_map(|storey| &storey.bytes).flatten();
        let simulated = counts.clone().any(|(_, source)| *source == FigureSource::Simulated);
        let counts = if simulated { "simulated or measured" } else { "measured" };
        format!(
            "On the right: bytes that each kernel takes from a level, counts {counts}: of registers \
             12 bytes for an FMA, of shared memory 128 for a pass, of L1 32 for a \
             sector, of L2 and DRAM all that they move. * model: the operands of 128 FMAs."
        )
    }

    /// Writes paragraphs from row `y` on, each only if all of it fits; returns the row after them.
    fn say(&self, pen: &mut Pen<'_>, mut y: u16, text: &str, dim: bool) -> u16 {
        let lines = wrapped(text, pen.width().saturating_sub(2));
        if y + lines.len() as u16 > pen.height() {
            return y;
        }
        let style = if dim { self.look.dim() } else { self.look.text() };
        for line in lines {
            pen.text(1, y, &line, style);
            y += 1;
        }
        y
    }
}

/// A level's colour: that of the accesses to it, or C's for the accumulators.
const fn role(level: MemoryLevel) -> Role {
    match level {
        MemoryLevel::Registers => Role::C,
        MemoryLevel::Shared => Role::Shared,
        MemoryLevel::L1 | MemoryLevel::L2 | MemoryLevel::Dram => Role::Memory,
    }
}

/// The largest of some values, and more than 0.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::MIN_POSITIVE, f64::max)
}

impl Widget for MemoryPicture<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let columns = self.columns(pen.width());
        self.heads(&mut pen, &columns);
        let levels = self.storeys.len() as u16;
        // A second row for each level says what is kept there; a third sets it apart.
        let each = (pen.height().saturating_sub(4) / levels.max(1)).clamp(1, 3);
        for (index, storey) in self.storeys.iter().enumerate() {
            let y = 1 + index as u16 * each;
            self.row(&mut pen, y, index, &columns);
            if each > 1 {
                let room = pen.width().saturating_sub(1 + LABEL);
                pen.text(1 + LABEL, y + 1, fitting(&storey.keeps, room), self.look.dim());
            }
        }
        let mut y = 1 + levels * each + u16::from(each == 2);
        for paragraph in self.story {
            y = self.say(&mut pen, y, paragraph, false);
        }
        y += u16::from(y + 3 < pen.height());
        self.say(&mut pen, y, &self.legend(), true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Size;
    use crate::report::charts::counts::ChartCounts;
    use crate::report::charts::{ChartData, Traffic};
    use crate::timing::pack::packs;
    use crate::tui::widget::picture::{self, ASCII, RICH};
    use insta::assert_snapshot;

    /// What is recorded of a rung of the embedded pack.
    fn drawn(rung: usize, look: Look, width: u16, height: u16) -> (String, String) {
        let counts = ChartCounts::default();
        let shown =
            ChartData::new(&packs()[0], &counts, Size::square(4096), (rung, None), Traffic::Dram);
        let scene = PictureScene { shown, now: false, counting: None, look };
        let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
        let note = draw(&scene, buf.area, &mut buf);
        (picture::rows(&buf, |cell| cell.symbol().to_owned()), note)
    }

    #[test]
    fn tiled_takes_from_shared_memory_what_naive_takes_from_l1() {
        let (wide, note) = drawn(2, RICH, 116, 26);
        assert_eq!(note, "latencies and rates measured on NVIDIA H200, 2026-11-23");
        assert_snapshot!("memory_wide", wide);
        assert_snapshot!("memory_80", drawn(2, ASCII, 77, 19).0);
        assert_snapshot!("memory_low", drawn(0, ASCII, 77, 10).0);
    }

    #[test]
    fn every_size_survives() {
        let storeys: Vec<_> = MemoryLevel::ALL
            .into_iter()
            .map(|level| Storey {
                level,
                latency_ns: 330.0,
                rate: None,
                rate_is: FigureSource::Model,
                bytes: vec![None, Some((1e12, FigureSource::Simulated))],
                keeps: vec!["the sums".to_owned()],
            })
            .collect();
        let names = ["naive 16", "double_buffered 128x128x16"].map(str::to_owned);
        let story = ["A word waits.".to_owned()];
        let (storeys, names, story, cycles) = (&*storeys, &names[..], &story[..], &[None; 5][..]);
        picture::survives(|look| MemoryPicture { storeys, cycles, names, story, look });
    }
}
