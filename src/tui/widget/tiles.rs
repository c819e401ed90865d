//! The card after a change of the tile: what every tile costs, and two of them beside each other.

use super::measured::strip_of;
use super::panel::PanelFrame;
use super::pen::Pen;
use crate::report::tiles::{Row, number};
use crate::tui::keymap::Key;
use crate::tui::layout::text::{cut, width, wrapped};
use crate::tui::layout::{CARD, has_bars, middle};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct TileCard<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// Every tile of the kernel, from the smallest.
    pub steps: &'a [TileStep],
    /// What the change changes.
    pub sentence: &'a str,
    /// The figures of the tile before and of the one now.
    pub rows: &'a [Row],
    /// Where the figures come from.
    pub basis: &'a str,
    /// Keys for what to look at next, and what each shows.
    pub next: &'a [(Key, String)],
    pub look: Look,
}

#[derive(Clone, Debug)]
pub struct TileStep {
    pub tile: String,
    /// Whether it is compared.
    pub state: TileRole,
    /// The sectors requested for each element of C, once they are counted.
    pub sectors: Option<f64>,
    /// The passes of shared loads for 32 multiply-adds; 0 in a kernel without shared memory.
    pub passes: Option<f64>,
}

/// The place of a tile in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileRole {
    Now,
    Before,
    /// It is another one.
    Other,
}

/// Columns of a value, of a change, of a label.
const VALUE: u16 = 13;
const CHANGE: u16 = 13;
const LABEL: u16 = 34;
/// A picture: its heading, its value for a tile, and its colour.
type Picture = (&'static str, fn(&TileStep) -> Option<f64>, Role);

const PICTURES: [Picture; 2] = [
    ("sectors requested, for an element of C", |step| step.sectors, Role::Memory),
    ("passes of shared loads, for 32 FMAs", |step| step.passes, Role::Shared),
];

/// Columns of a picture, and of all in it but the names and the longest bar.
const PICTURE: u16 = 40;
const AROUND: u16 = 17;

impl TileRole {
    const fn word(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Before => "before",
            Self::Other => "",
        }
    }
}

impl Widget for TileCard<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let columns = area.width.min(CARD);
        let room = columns.saturating_sub(6).max(1);
        let (sentence, basis) = (wrapped(self.sentence, room), wrapped(self.basis, room));
        let head = if has_bars(area) { self.steps.len() as u16 + 1 } else { 1 };
        let rows = self.rows.len() as u16;
        let lines = head + (sentence.len() + basis.len()) as u16 + rows + 2;
        // On a small screen the rows that the sentence speaks of come first.
        let rows = self.rows_within((rows + area.height).saturating_sub(lines + 2));
        let lines = head + (sentence.len() + basis.len() + rows.len()) as u16 + 2;
        // Empty rows set the parts apart where there is room for them.
        let spare = area.height.saturating_sub(lines + 2).min(4);
        let named = |state| self.steps.iter().find(|step| step.state == state);
        let [before, now] = [TileRole::Before, TileRole::Now]
            .map(|state| named(state).map_or("", |step| &step.tile));
        let title = format!("{}: tile {now} after tile {before}", self.kernel);
        let note = "any key closes this";
        let frame = PanelFrame { number: None, title: &title, note, focused: true, look };
        let inner = frame.popup(middle(area, (columns, lines + spare + 2)), buf);
        let mut pen = Pen::new(inner, buf, look);
        if head > 1 {
            self.bars(&mut pen);
        } else {
            self.slider(&mut pen);
        }
        let mut y = head + u16::from(spare > 0);
        for line in &sentence {
            pen.text(2, y, line, look.bold());
            y += 1;
        }
        y += u16::from(spare > 1);
        y += self.table(&mut pen, y, [before, now], &rows) + u16::from(spare > 2);
        for line in &basis {
            pen.text(2, y, line, look.dim());
            y += 1;
        }
        self.keys(&mut pen, y + u16::from(spare > 3));
    }
}

impl TileCard<'_> {
    /// Returns this many of the figures: all that the sentence mentions, and the last of the others.
    fn rows_within(&self, most: u16) -> Vec<&Row> {
        let mut over = self.rows.len().saturating_sub(usize::from(most));
        let stays = |row: &&Row| {
            let leaves = over > 0 && !row.told;
            over -= usize::from(leaves);
            !leaves
        };
        self.rows.iter().filter(stays).collect()
    }

    /// Draws the tiles in one row.
    fn slider(&self, pen: &mut Pen<'_>) {
        let look = self.look;
        let mut x = pen.text(2, 0, "tile", look.dim()) + 2;
        for step in self.steps {
            let (style, word) = (self.style(step.state), step.state.word());
            let name = match step.state {
                TileRole::Now => format!("[{}]", step.tile),
                TileRole::Before | TileRole::Other => step.tile.clone(),
            };
            x = pen.text(x, 0, &name, style) + 1;
            x = pen.text(x, 0, word, look.dim()) + 2;
        }
    }

    /// Draws a bar for each tile: what it requests from L1, and how it loads shared memory.
    fn bars(&self, pen: &mut Pen<'_>) {
        let passes = self.steps.iter().any(|step| step.passes.is_some_and(|passes| passes > 0.0));
        let count = 1 + usize::from(passes);
        for ((what, of, role), x) in PICTURES.into_iter().take(count).zip([2, 2 + PICTURE]) {
            pen.text(x, 0, what, self.look.bold());
            let most = self.steps.iter().filter_map(of).fold(0.0, f64::max);
            for (step, y) in self.steps.iter().zip(1..) {
                self.bar(pen, (x, y), step, (of(step), most), role);
            }
        }
    }

    fn bar(
        &self,
        pen: &mut Pen<'_>,
        (x, y): (u16, u16),
        step: &TileStep,
        (value, most): (Option<f64>, f64),
        role: Role,
    ) {
        let look = self.look;
        let names = self.steps.iter().map(|step| width(&step.tile)).max().unwrap_or(0);
        let (start, longest) = (x + names + 3, PICTURE.saturating_sub(names + AROUND));
        let mark = if step.state == TileRole::Now { look.pick("►", ">") } else { " " };
        pen.text(x, y, mark, self.style(step.state));
        pen.right(start - 1, y, &step.tile, self.style(step.state));
        let Some(value) = value else {
            pen.text(start, y, "not counted yet", look.dim());
            return;
        };
        let eighths = (value / most.max(1e-9) * f64::from(longest) * 8.0).round() as u16;
        strip_of(pen, start, y, eighths.max(1), role);
        let end = start + 1 + eighths.max(1).div_ceil(8);
        let end = pen.text(end, y, &number(value), look.text());
        pen.text(end + 1, y, step.state.word(), look.dim());
    }

    fn style(&self, state: TileRole) -> ratatui::style::Style {
        match state {
            TileRole::Now => self.look.bold(),
            TileRole::Before | TileRole::Other => self.look.text(),
        }
    }

    /// Draws the figures; returns the number of rows.
    fn table(&self, pen: &mut Pen<'_>, y: u16, tiles: [&str; 2], rows: &[&Row]) -> u16 {
        let look = self.look;
        let change = if pen.width() >= 62 { CHANGE + 2 } else { 1 };
        let label = pen.width().saturating_sub(2 + 2 * VALUE + change).min(LABEL);
        let ends = [2 + label + VALUE, 2 + label + 2 * VALUE];
        let bold = look.bold();
        pen.text(2, y, "tile", bold);
        for (tile, end) in tiles.into_iter().zip(ends) {
            pen.right(end, y, tile, bold);
        }
        for (row, y) in rows.iter().zip(y + 1..) {
            let style = if row.told { bold } else { look.text() };
            pen.text(2, y, &cut(&row.label, label), if row.told { bold } else { look.dim() });
            for (value, end) in row.values.iter().zip(ends) {
                pen.right(end, y, value, style);
            }
            if change > 1 {
                pen.text(ends[1] + 2, y, &row.change, style);
            }
        }
        rows.len() as u16 + 1
    }

    /// Draws the keys that lead on, as many as fit.
    fn keys(&self, pen: &mut Pen<'_>, y: u16) {
        let look = self.look;
        let mut x = 2;
        for (key, text) in self.next {
            let key = format!(" {key} ");
            if x + width(&key) + 1 + width(text) > pen.width() {
                return;
            }
            x = pen.text(x, y, &key, look.key_cap());
            x = pen.text(x + 1, y, text, look.text()) + 2;
        }
    }
}
