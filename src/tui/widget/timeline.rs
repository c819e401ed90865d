//! The whole block by warp, from step to step: which warps compute, move data or wait.

use super::panel::fitting;
use super::pen::Pen;
use super::warps::window;
use crate::report::number::grouped;
use crate::study::superstep::{Superstep, UnorderedAccesses};
use crate::tui::layout::text;
use crate::tui::theme::{Depth, Glyphs, Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::Widget;
use std::ops::Range;

mod legend;

use crate::tui::chart::{ChartColumns, HEAD, SpanMark, StepKind};
pub use legend::ExecutedKinds;

/// A chart with a row per warp and one for the block, and a column per range of steps. The axis is
/// not time: columns stand for executed warp instructions, and are cut where warps begin something else.
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    /// The state of each warp in each column; as wide as [`crate::tui::chart::across`] returns.
    pub columns: &'a ChartColumns,
    /// The kinds of instructions of the run as far as it is recorded.
    pub executed: &'a ExecutedKinds,
    /// The instructions that multiply and add: "FMA", or those of tensor cores.
    pub multiplies: &'static str,
    /// Steps done so far.
    pub at: usize,
    /// The warp that the other panels show.
    pub selected: usize,
    /// The steps at which a finding shows.
    pub found: &'a [usize],
    /// What lies between the barriers of the block, which the axis numbers.
    pub bands: &'a [Superstep],
    /// Where a barrier is missing between two accesses.
    pub unordered: &'a [UnorderedAccesses],
    /// The steps after which all is hidden: it is to be predicted.
    pub hides: Option<usize>,
    pub look: Look,
}

/// Returns the warp in the row at `y` of the screen.
pub fn warp_at(timeline: &Timeline<'_>, area: Rect, y: u16) -> Option<usize> {
    let rows = timeline.rows(area.height);
    timeline.shown(rows).nth(usize::from(y.checked_sub(area.y)? / rows.pitch))
}

/// The rows of the chart, from above: the warps, the block, the axis, the legend.
#[derive(Clone, Copy)]
struct TimelineRows {
    /// Warps in view.
    warps: u16,
    /// Rows of each warp, and of the block.
    pitch: u16,
    block: bool,
    axis: bool,
    legend: bool,
}

impl TimelineRows {
    /// Divides `height` rows. The warps come first, then the legend, the block, the axis. If not
    /// all warps fit, they leave room for the legend and the block.
    fn of(height: u16, warps: usize) -> Self {
        let all = u16::try_from(warps).unwrap_or(u16::MAX);
        let (legend, block, axis) = match height.checked_sub(all) {
            Some(spare) => (spare > 0, spare > 1, spare > 2),
            None => (height > 3, height > 5, false),
        };
        let block = block && warps > 0;
        let bars = height - u16::from(legend) - u16::from(axis);
        let pitch = bars.checked_div(all.saturating_add(u16::from(block))).unwrap_or(1).clamp(1, 6);
        let warps = (bars / pitch).saturating_sub(u16::from(block)).min(all);
        Self { warps, pitch, block, axis, legend }
    }

    /// Returns the row after the bars.
    fn bottom(self) -> u16 {
        (self.warps + u16::from(self.block)) * self.pitch
    }
}

impl Timeline<'_> {
    /// Returns the title and the note of a panel whose content is `area`: the warps shown, if not
    /// all, and the legend, if it has no row of its own.
    pub fn title(&self, area: Rect) -> (String, String) {
        let titles = ["Timeline: steps, not time".to_owned(), "Timeline (steps)".to_owned()];
        let rows = self.rows(area.height);
        let (shown, all) = (self.shown(rows), self.columns.warps());
        let some = if shown.len() < all && !shown.is_empty() {
            format!("w{}-{} of {all}", shown.start, shown.end - 1)
        } else {
            String::new()
        };
        let Range { start, end } = self.columns.window;
        let [start, end] = [start, end].map(|steps| grouped(steps as u64));
        let range = format!("{start}-{end}");
        if rows.legend || self.hides.is_some() {
            let both = format!("{some}, {range}");
            let notes = if some.is_empty() { [range, some.clone()] } else { [both, some.clone()] };
            return fitting(&titles, &notes, area.width);
        }
        let [long, short, terse, main] = self.executed.texts(self.look, self.multiplies);
        fitting(&titles, &[long, short, terse, main, some], area.width)
    }

    fn rows(&self, height: u16) -> TimelineRows {
        TimelineRows::of(height, self.columns.warps())
    }

    /// Returns the warps in view.
    fn shown(&self, rows: TimelineRows) -> Range<usize> {
        window(self.columns.warps(), self.selected, rows.warps)
    }

    fn warp(&self, pen: &mut Pen<'_>, y: u16, warp: usize, thick: u16) {
        let chosen = warp == self.selected;
        let style = if chosen { self.look.chosen() } else { self.look.text() };
        if chosen {
            pen.text(0, y, self.look.pick("►", ">"), style);
        }
        let name = if warp < 10 { format!("w{warp}") } else { warp.to_string() };
        pen.text(1, y, &name, style);
        self.bar(pen, y, self.columns.row(warp), thick);
    }

    /// Draws a row, run by run of equal cells.
    fn bar(&self, pen: &mut Pen<'_>, y: u16, marks: &[SpanMark], thick: u16) {
        let done = self.columns.column(self.at).map_or(marks.len(), |column| column + 1);
        let (past, ahead) = marks.split_at(done.min(marks.len()));
        let mut first = 0;
        for run in past.chunk_by(SpanMark::eq) {
            let columns = first..first + run.len();
            first = columns.end;
            let passes = self.columns.passes(columns.clone());
            for row in 0..thick {
                self.run(pen, (columns.start as u16, y + row), run, row == thick / 2, passes);
            }
        }
        for (mark, x) in ahead.iter().zip(HEAD + first as u16..) {
            let middle = (0..thick).filter(|row| *row == thick / 2 || mark.first.is_instruction());
            let (text, style) = mark.ahead(self.look);
            middle.for_each(|row| _ = pen.text(x, y + row, text, style));
        }
    }

    /// Draws one row of a run of equal cells; the middle one names it.
    fn run(
        &self,
        pen: &mut Pen<'_>,
        (x, y): (u16, u16),
        run: &[SpanMark],
        middle: bool,
        passes: u8,
    ) {
        let Some(mark) = run.first() else { return };
        let Some(span) = mark.span() else {
            let (text, style) = mark.drawn(self.look);
            return pen.repeat(HEAD + x, y, run.len() as u16, text, style);
        };
        let (look, style) = (self.look, span.style(self.look));
        let filled = look.depth != Depth::Mono && look.glyphs == Glyphs::Basic;
        let text = match span {
            StepKind::Before | StepKind::Wait | StepKind::After if !middle => return,
            _ if filled && span.is_instruction() && span != StepKind::Other => " ",
            _ => span.mark(look),
        };
        pen.repeat(HEAD + x, y, run.len() as u16, text, style);
        let passes = passes.to_string();
        let label = match span {
            _ if !middle => return,
            StepKind::Conflict if passes.len() <= run.len() => &passes,
            _ => legend::label(span, look),
        };
        pen.text(HEAD + x, y, label, style);
    }

    /// Hides what comes after the steps done, and says so.
    fn hide(&self, pen: &mut Pen<'_>, rows: u16) {
        let Some(from) = self.hides.filter(|_| rows > 0) else { return };
        let first = HEAD + self.columns.column(from).map_or(0, |column| column as u16 + 1);
        let room = (HEAD + self.columns.width() as u16).saturating_sub(first);
        let style = self.look.ground();
        for y in 0..rows {
            pen.repeat(first, y, room, " ", Style::reset().patch(style));
        }
    }

    /// Says what is hidden, beside the playhead.
    fn say_hidden(&self, pen: &mut Pen<'_>, rows: u16) {
        let Some(from) = self.hides.filter(|_| rows > 0) else { return };
        let column = |step| self.columns.column(step).unwrap_or(0) as u16;
        let (from, at) = (column(from), column(self.at));
        let before = (from + 2)..at.saturating_sub(1).max(from + 2);
        let first = from.max(at) + 2;
        let after = first..(self.columns.width() as u16).saturating_sub(1).max(first);
        let room = if before.len() > after.len() { before } else { after };
        let said = text::fitting(&HIDDEN, room.len() as u16);
        pen.text(HEAD + room.start, (rows - 1) / 2, said, self.look.dim());
    }

    /// Draws the playhead through every row, on the ground of the screen.
    fn playhead(&self, pen: &mut Pen<'_>, rows: u16) {
        let Some(column) = self.columns.column(self.at) else { return };
        let ground = self.look.ground().bg.unwrap_or(Color::Reset);
        let style = Style::new().bg(ground).patch(self.look.strong(Role::Here));
        for y in 0..rows {
            pen.text(HEAD + column as u16, y, self.look.pick("┃", "|"), style);
        }
    }

    /// Draws the axis: barriers as ticks, the steps done heavier.
    fn axis(&self, pen: &mut Pen<'_>, y: u16) {
        let done = self.columns.column(self.at);
        for column in 0..self.columns.width() {
            let past = done.is_some_and(|done| column <= done);
            let style = if past { self.look.chosen() } else { self.look.dim() };
            let barrier = self.columns.barriers.contains(&column) && (past || self.hides.is_none());
            let glyph = match (barrier, past) {
                (true, _) => self.look.pick("┼", "+"),
                (false, true) => self.look.pick("━", "="),
                (false, false) => self.look.pick("─", "-"),
            };
            pen.text(HEAD + column as u16, y, glyph, style);
        }
        self.number_bands(pen, y);
        for column in self.missing() {
            let style = self.look.strong(Role::Bad);
            pen.text(HEAD + column as u16, y, self.look.pick("╎", ":"), style);
        }
        for column in self.found.iter().filter_map(|step| self.columns.column(*step)) {
            let style = self.look.strong(Role::Bad);
            pen.text(HEAD + column as u16, y, self.look.pick("▲", "!"), style);
        }
        if let Some(column) = done {
            let style = self.look.strong(Role::Here);
            pen.text(HEAD + column as u16, y, self.look.pick("●", "O"), style);
        }
    }

    /// Numbers the supersteps between the ticks, where there is room.
    fn number_bands(&self, pen: &mut Pen<'_>, y: u16) {
        if self.bands.len() < 2 {
            return;
        }
        for (number, band) in (1..).zip(self.bands) {
            let ends = [band.steps.start, band.steps.end].map(|step| self.columns.column(step));
            let [Some(first), Some(last)] = ends else { continue };
            let free = self.free(first + AIR..last);
            let room = free.len();
            let past = band.steps.start <= self.at;
            let is_open = past || self.hides.is_none();
            let meets = self.told().any(|pair| pair.superstep + 1 == number);
            let names = if meets { &MISSING[..] } else { &[""] };
            let texts = names.iter().map(|name| format!(" {number}{name} "));
            let Some(text) = texts.filter(|_| is_open).find(|text| text.len() <= room) else {
                continue;
            };
            let style = match (meets, past) {
                (true, _) => self.look.strong(Role::Bad),
                (false, true) => self.look.chosen(),
                (false, false) => self.look.dim(),
            };
            let x = HEAD + (free.start + (room - text.len()) / 2) as u16;
            pen.text(x, y, &text, style);
        }
    }

    /// The widest columns of these between the marks of findings and of missing barriers.
    fn free(&self, columns: Range<usize>) -> Range<usize> {
        let found = self.found.iter().filter_map(|step| self.columns.column(*step));
        let mut marks: Vec<_> = found.chain(self.missing()).collect();
        marks.sort_unstable();
        let ends = marks.into_iter().filter(|column| columns.contains(column)).chain([columns.end]);
        let mut from = columns.start;
        let gaps = ends.map(|end| std::mem::replace(&mut from, end + 1)..end);
        gaps.max_by_key(ExactSizeIterator::len).unwrap_or(columns)
    }

    /// Where a barrier is missing, as far as that is not to be predicted.
    fn told(&self) -> impl Iterator<Item = &UnorderedAccesses> {
        self.unordered.iter().filter(|pair| self.hides.is_none() || pair.steps[1] <= self.at)
    }

    /// The columns in which barriers are missing: just before the second of two accesses.
    fn missing(&self) -> impl Iterator<Item = usize> {
        self.told().filter_map(|pair| {
            let [first, second] = pair.steps.map(|step| self.columns.column(step));
            let column = second?.saturating_sub(1).max(first? + 1);
            (column < second?).then_some(column)
        })
    }
}

/// What is said of a superstep in which a barrier is missing, the longest first.
const MISSING: [&str; 4] = [": a barrier is missing", ": no barrier", "!", ""];

/// Blanks on either side of the number of a superstep.
const AIR: usize = 1;

/// The note in place of hidden content.
const HIDDEN: [&str; 3] =
    ["what comes now is hidden until you answer", "hidden until you answer", "hidden"];

impl Widget for Timeline<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let rows = self.rows(pen.height());
        let thick = rows.pitch.max(2) - 1;
        for (row, warp) in (0..).zip(self.shown(rows)) {
            self.warp(&mut pen, row * rows.pitch, warp, thick);
        }
        let mut bottom = rows.bottom();
        if rows.block {
            let y = bottom - rows.pitch;
            pen.text(0, y, "all", self.look.dim());
            self.bar(&mut pen, y, self.columns.block(), thick);
        }
        self.hide(&mut pen, bottom);
        self.playhead(&mut pen, bottom);
        self.say_hidden(&mut pen, bottom);
        if rows.axis {
            self.axis(&mut pen, bottom);
            bottom += 1;
        }
        if rows.legend && self.hides.is_none() {
            self.executed.draw(&mut pen, bottom, self.multiplies);
        }
    }
}
