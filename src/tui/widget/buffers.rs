//! The buffers of a kernel that computes no product: what of each the block has touched, and touches
//! now.

use super::pen::Pen;
use crate::tui::layout::text::width;
use crate::tui::theme::{Look, Role, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// The buffers, one under the other.
#[derive(Clone, Copy, Debug)]
pub struct BuffersPanel<'a> {
    pub rows: &'a [Row],
    pub look: Look,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    /// Its elements: `f32[4096]`.
    pub elements: String,
    /// The number of its 4-byte words, at least 1.
    pub words: u64,
    /// The first and the last word that the block has touched, and the text that says so.
    pub touched: Option<((u64, u64), String)>,
    /// The words that are touched now.
    pub now: Vec<u64>,
}

/// Screen rows of a buffer: its name, its bar and a gap.
const ROWS: u16 = 3;

impl Widget for BuffersPanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        // Without room for the gaps they stand without them.
        let each = if pen.height() < ROWS * self.rows.len() as u16 { ROWS - 1 } else { ROWS };
        for (row, y) in self.rows.iter().zip((0..pen.height()).step_by(each.into())) {
            self.head(row, y, &mut pen);
            for x in 0..pen.width() {
                let tone = row.tone(x, pen.width());
                if self.look.has_pixels() {
                    pen.text(x, y + 1, " ", Style::new().bg(self.look.tone(tone)));
                } else {
                    pen.text(x, y + 1, self.look.mark(tone), self.look.mark_style(tone));
                }
            }
        }
    }
}

impl BuffersPanel<'_> {
    /// The name, the elements and, where there is room, what was touched.
    fn head(&self, row: &Row, y: u16, pen: &mut Pen<'_>) {
        let bold = self.look.bold();
        let x = pen.text(0, y, &row.name, bold) + 2;
        let x = pen.text(x, y, &row.elements, self.look.dim());
        let said = row.touched.as_ref().map_or("not touched yet", |(_, said)| said);
        if x + 2 + width(said) <= pen.width() {
            pen.right(pen.width(), y, said, self.look.text());
        }
    }
}

impl Row {
    /// The tone of a column of the bar.
    fn tone(&self, x: u16, columns: u16) -> Tone {
        let edge = |x: u16| u64::from(x) * self.words / u64::from(columns.max(1));
        // A column of a small buffer shows one word, which others show as well.
        let (first, last) = (edge(x), edge(x + 1).max(edge(x) + 1) - 1);
        let meets = |from: u64, to: u64| from <= last && first <= to;
        if self.now.iter().any(|word| meets(*word, *word)) {
            return Tone::Full(Role::Here);
        }
        match &self.touched {
            Some(((from, to), _)) if meets(*from, *to) => Tone::Half(Role::Memory),
            _ => Tone::Faint,
        }
    }
}
