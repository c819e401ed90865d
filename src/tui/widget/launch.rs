//! The launch of a user's kernel, and the counts of its block so far.

use super::pen::Pen;
use crate::tui::layout::text::{width, wrapped};
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Facts and counts with their labels, in one column or two.
#[derive(Clone, Copy, Debug)]
pub struct LaunchPanel<'a> {
    /// The launch: kernel, grid, block, arguments.
    pub facts: &'a [(&'static str, String)],
    /// The block's simulated counts so far: as written in PTX and, if it differs, as executed in
    /// SASS.
    pub counts: &'a [(&'static str, String, Option<String>)],
    /// What causes the difference, and what is unknown about it.
    pub notes: &'a [String],
    pub look: Look,
}

/// Columns of the facts' labels, and of the counts with their figures.
const LABEL: u16 = 13;
const COUNT: u16 = 42;
/// Columns that the facts need next to the counts.
const FACTS: u16 = LABEL + 12;

impl Widget for LaunchPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let bold = self.look.bold();
        let count = self.counts().min(pen.width());
        let beside = pen.width() >= FACTS + count && pen.height() <= self.rows();
        let below = self.facts.len() as u16 + 1;
        let (x, top) = if beside { (pen.width() - count, 0) } else { (0, below) };
        let room = if beside { x - LABEL - 1 } else { pen.width().saturating_sub(LABEL) };
        for ((label, value), y) in self.facts.iter().zip(0..) {
            pen.text(0, y, label, self.look.dim());
            let fits: String = value.chars().take(room.into()).collect();
            pen.text(LABEL, y, &fits, bold);
        }
        for ((label, written, executed), y) in self.counts.iter().zip(top..) {
            pen.text(x, y, label, self.look.dim());
            let both = both(written, executed.as_ref());
            let fits = width(label) + width(&both) < count;
            pen.right(x + count, y, if fits { &both } else { written }, bold);
        }
        let (room, first) =
            if beside { (x - 2, below) } else { (pen.width(), top + self.counts.len() as u16 + 1) };
        let lines = self.notes.iter().flat_map(|note| wrapped(note, room));
        for (line, y) in lines.zip(first..pen.height()) {
            pen.text(0, y, &line, self.look.text());
        }
    }
}

/// Formats `96` or `96 -> 24`.
fn both(written: &str, executed: Option<&String>) -> String {
    executed.map_or_else(|| written.to_owned(), |executed| format!("{written} -> {executed}"))
}

impl LaunchPanel<'_> {
    /// The number of columns of the counts.
    fn counts(&self) -> u16 {
        let needs = self.counts.iter().map(|(label, written, executed)| {
            width(label) + 1 + width(&both(written, executed.as_ref()))
        });
        needs.max().unwrap_or(0).max(COUNT)
    }

    /// The number of rows of all parts, one below the other.
    fn rows(&self) -> u16 {
        (self.facts.len() + self.counts.len()) as u16 + 1
    }
}
