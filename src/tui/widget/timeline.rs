//! The whole block by warp, from step to step: which warps compute, move data or wait.

use super::panel::fitting;
use super::pen::Pen;
use super::warps::window;
use crate::tui::theme::{Depth, Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use std::ops::Range;

mod columns;

pub use columns::{Columns, Span, Tick, columns};

/// A chart with a row per warp and a column per range of steps. The axis is not time: each column
/// holds the same number of executed warp instructions.
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    /// The state of each warp in each column; as wide as [`chart`] returns.
    pub columns: &'a Columns,
    /// Steps done so far.
    pub at: usize,
    /// The warp that the other panels show.
    pub selected: usize,
    /// How it is drawn.
    pub look: Look,
}

/// Columns before the chart.
const HEAD: u16 = 4;

/// Returns the screen columns that the chart takes of a panel's content: pass their number to
/// [`columns`].
pub fn chart(area: Rect) -> Range<u16> {
    let first = area.x.saturating_add(HEAD).min(area.right());
    first..area.right().saturating_sub(1).max(first)
}

/// Returns the number of steps done that a column of the screen stands for, if it is on the chart.
pub fn step_at(area: Rect, window: &Range<usize>, x: u16) -> Option<usize> {
    let chart = chart(area);
    chart
        .contains(&x)
        .then(|| columns::first_step(window, chart.len(), usize::from(x - chart.start)))
}

impl Timeline<'_> {
    /// Returns the title and the note of a panel whose content is `area`: the warps shown, if not
    /// all, and the legend, if it has no row of its own.
    pub fn title(&self, area: Rect, len: usize) -> (String, String) {
        let titles = ["Timeline (one row per warp)", "Timeline"].map(str::to_owned);
        let (shown, all) = (self.shown(area.height).0, self.columns.warps());
        let some = if shown.len() < all && !shown.is_empty() {
            format!("w{}-{} of {all}", shown.start, shown.end - 1)
        } else {
            String::new()
        };
        let steps = format!("step {}/{len}: steps, not time", self.at);
        let means = if self.legend_row(area.height).is_some() { steps } else { self.means() };
        let joined = if some.is_empty() { means.clone() } else { format!("{some}, {means}") };
        let last = if some.is_empty() { means } else { some };
        fitting(&titles, &[joined, last, String::new()], area.width)
    }

    /// Returns the legend as one line of text.
    fn means(&self) -> String {
        let word = |(span, word): (Span, &str)| format!("{} {word}", bar(self.look, span, 0, 1).0);
        LEGEND.map(word).join("  ")
    }

    /// Returns the warps in view, the rows per warp, and whether there is an axis below them.
    fn shown(&self, height: u16) -> (Range<usize>, u16, bool) {
        let warps = self.columns.warps();
        let (rows, pitch) = rows(height, warps);
        (window(warps, self.selected, rows), pitch, rows < height)
    }

    /// Returns the row of the legend, if there is one.
    fn legend_row(&self, height: u16) -> Option<u16> {
        let (shown, pitch, axis) = self.shown(height);
        let row = shown.len() as u16 * pitch + u16::from(axis);
        Some(row).filter(|row| *row < height)
    }

    fn bars(&self, pen: &mut Pen<'_>, y: u16, warp: usize, thick: u16) {
        let chosen = warp == self.selected;
        let style = if chosen { self.look.strong(Role::Here) } else { self.look.text() };
        if chosen {
            pen.text(0, y, self.look.pick("►", ">"), style);
        }
        let name = if warp < 10 { format!("w{warp}") } else { warp.to_string() };
        pen.text(1, y, &name, style);
        for (column, span) in (0..).zip(self.columns.row(warp)) {
            for row in 0..thick {
                let (glyph, style) = bar(self.look, *span, row, thick);
                pen.text(HEAD + column, y + row, glyph, style);
            }
        }
    }

    /// Draws the playhead through every row; the bar that it covers stays visible around it.
    fn playhead(&self, pen: &mut Pen<'_>, rows: u16) {
        let Some(column) = self.columns.column(self.at) else { return };
        for y in 0..rows {
            let style = self.look.strong(Role::Here);
            pen.text(HEAD + column as u16, y, self.look.pick("┃", "|"), style);
        }
    }

    /// Draws the axis: barriers as ticks, the steps done heavier.
    fn axis(&self, pen: &mut Pen<'_>, y: u16) {
        let done = self.columns.column(self.at);
        for column in 0..self.columns.width() {
            let past = done.is_some_and(|done| column <= done);
            let style = if past { self.look.strong(Role::Here) } else { self.look.dim() };
            let glyph = match (self.columns.barriers.contains(&column), past) {
                (true, _) => self.look.pick("┼", "+"),
                (false, true) => self.look.pick("━", "="),
                (false, false) => self.look.pick("─", "-"),
            };
            pen.text(HEAD + column as u16, y, glyph, style);
        }
        if let Some(column) = done {
            let style = self.look.strong(Role::Here);
            pen.text(HEAD + column as u16, y, self.look.pick("●", "O"), style);
        }
    }

    fn legend(&self, pen: &mut Pen<'_>, y: u16) {
        let mut x = HEAD;
        for (span, word) in LEGEND {
            if x + super::pen::width(word) + 2 > pen.width() {
                return;
            }
            let (glyph, style) = bar(self.look, span, 0, 1);
            pen.text(x, y, glyph, style);
            x = pen.text(x + 2, y, word, self.look.dim()) + 2;
        }
        if x + 9 <= pen.width() {
            pen.text(x, y, self.look.pick("┼", "+"), self.look.dim());
            x = pen.text(x + 2, y, "barrier", self.look.dim()) + 2;
        }
        let Range { start, end } = self.columns.window;
        let range = format!("steps {start}-{end}");
        if x + super::pen::width(&range) <= pen.width() {
            pen.right(pen.width() - 1, y, &range, self.look.dim());
        }
    }
}

const LEGEND: [(Span, &str); 5] = [
    (Span::Load, "load"),
    (Span::Store, "store"),
    (Span::Fma, "FMA"),
    (Span::Alu, "ALU"),
    (Span::Wait, "wait"),
];

impl Widget for Timeline<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let (shown, pitch, axis) = self.shown(pen.height());
        for (row, warp) in shown.clone().enumerate() {
            self.bars(&mut pen, row as u16 * pitch, warp, pitch.max(2) - 1);
        }
        let bottom = shown.len() as u16 * pitch;
        self.playhead(&mut pen, bottom);
        if axis {
            self.axis(&mut pen, bottom);
        }
        if let Some(row) = self.legend_row(pen.height()) {
            self.legend(&mut pen, row);
        }
    }
}

/// Returns the warp in the row at `y` of the screen.
pub fn warp_at(timeline: &Timeline<'_>, area: Rect, y: u16) -> Option<usize> {
    let (mut shown, pitch, _) = timeline.shown(area.height);
    shown.nth(usize::from(y.checked_sub(area.y)? / pitch))
}

/// Returns the rows for the bars, and the rows per warp: with room to spare, bars are thicker and
/// separated. The axis takes the row after them, unless the last warp needs it.
fn rows(height: u16, warps: usize) -> (u16, u16) {
    let axis = height > 1 && usize::from(height) != warps;
    let rows = height.saturating_sub(u16::from(axis));
    let pitch = usize::from(rows.saturating_sub(1)).checked_div(warps).unwrap_or(1);
    (rows, pitch.clamp(1, 4) as u16)
}

/// Draws one row of a bar that is `thick` rows high.
///
/// Thickness shows work: arithmetic fills the bar, moving data half of it, waiting is a thin line.
fn bar(look: Look, span: Span, row: u16, thick: u16) -> (&'static str, Style) {
    let area = |role| match look.depth {
        Depth::Mono => Style::new(),
        Depth::Ansi | Depth::Indexed | Depth::True => Style::new().fg(look.pixel(role)),
    };
    let (upper, lower) = (row < thick.div_ceil(2), row >= thick / 2);
    let (full, line) = (thick > 1, row == thick / 2);
    match span {
        Span::Before | Span::After if line => (look.pick("·", "."), look.dim()),
        Span::Wait if line => (look.pick("─", "w"), look.ink(Role::Wait)),
        Span::Load if lower => (look.pick(if full { "█" } else { "▄" }, "L"), area(Role::Memory)),
        Span::Store if upper => (look.pick(if full { "█" } else { "▀" }, "S"), area(Role::Memory)),
        Span::Fma => (look.pick("█", "F"), area(Role::C)),
        Span::Alu => (look.pick("▒", "c"), area(Role::C)),
        Span::Before | Span::After | Span::Idle | Span::Wait | Span::Load | Span::Store => {
            (" ", look.dim())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::{self, ASCII, MONO, RICH};
    use super::*;
    use crate::trace::Kind;
    use insta::assert_snapshot;

    /// Two warps, each run to its next barrier in turn: load, store, barrier, FMA, exit.
    fn ticks() -> Vec<Tick> {
        let load = [Kind::GlobalLoad; 4].into_iter().chain([Kind::SharedStore; 2]);
        let first: Vec<Kind> = load.chain([Kind::Barrier]).collect();
        let second: Vec<Kind> = [Kind::Fma; 6].into_iter().chain([Kind::Exit]).collect();
        let run = |warp: u16, kinds: &[Kind], released: bool| {
            let tick = move |kind: &Kind| Tick {
                warp,
                kind: *kind,
                released: released && *kind == Kind::Barrier,
            };
            kinds.iter().map(tick).collect::<Vec<_>>()
        };
        [
            run(0, &first, false),
            run(1, &first, true),
            run(0, &second, false),
            run(1, &second, false),
        ]
        .concat()
    }

    fn chart_of(width: usize) -> Columns {
        let ticks = ticks();
        columns(0..ticks.len(), width, 2, |step| ticks[step])
    }

    fn timeline(columns: &Columns, look: Look) -> Timeline<'_> {
        Timeline { columns, at: 14, selected: 1, look }
    }

    #[test]
    fn thickness_is_work() {
        let columns = chart_of(28);
        assert_snapshot!(picture::text(timeline(&columns, RICH), 72, 4), @"
         w0 ▄▄▄▄▀▀────────┃█████········
        ►w1 ·······▄▄▄▄▀▀ ┃      ██████·
            ━━━━━━━━━━━━━┼●─────────────
            ▄ load  ▀ store  █ FMA  ▒ ALU  ─ wait  ┼ barrier         steps 0-28
        ");
        assert_snapshot!(picture::text(timeline(&columns, ASCII), 33, 3), @"
         w0 LLLLSSwwwwwwww|FFFFF........
        >w1 .......LLLLSS |      FFFFFF.
            =============+O-------------
        ");
        assert_snapshot!(picture::text(timeline(&columns, MONO), 33, 8), @"
         w0     ██        ┃█████
            ████  ────────┃█████········
                          ┃
        ►w1            ██ ┃      ██████
            ·······████   ┃      ██████·
                          ┃
            ━━━━━━━━━━━━━┼●─────────────
            ▄ load  ▀ store  █ FMA  ▒ ALU
        ");
    }

    #[test]
    fn the_playhead_and_the_selected_warp_are_marked() {
        let columns = chart_of(28);
        let buf = picture::buffer(timeline(&columns, RICH), 33, 3);
        let here = RICH.ink(Role::Here).fg.expect("an ink has a colour");
        assert_eq!((buf[(18, 0)].symbol(), buf[(18, 0)].fg), ("┃", here));
        assert_eq!((buf[(0, 1)].symbol(), buf[(0, 1)].fg), ("►", here));
    }

    #[test]
    fn a_click_goes_to_the_step_under_it() {
        let area = Rect::new(10, 2, 33, 3);
        assert_eq!(chart(area), 14..42);
        assert_eq!(step_at(area, &(0..28), 14), Some(0));
        assert_eq!(step_at(area, &(0..28), 24), Some(10));
        assert_eq!(step_at(area, &(1000..2000), 41), Some(1964));
        assert_eq!(step_at(area, &(0..28), 13), None);
        assert_eq!(step_at(area, &(0..28), 42), None);
        let columns = chart_of(28);
        assert_eq!(warp_at(&timeline(&columns, RICH), area, 3), Some(1));
        assert_eq!(warp_at(&timeline(&columns, RICH), area, 4), None);
    }

    #[test]
    fn every_size_survives() {
        let columns = chart_of(28);
        picture::survives(|look| timeline(&columns, look));
        let none = super::columns(0..0, 40, 0, |_| unreachable!("there is no step"));
        picture::survives(|look| timeline(&none, look));
    }
}
