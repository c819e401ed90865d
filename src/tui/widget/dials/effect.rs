//! What a setting of the dials does: a table with a row for each size, and what is found.

use crate::tui::layout::text::{width, wrap_balanced};
use crate::tui::theme::Role;
use crate::tui::widget::pen::Pen;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// What a setting does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DialEffect {
    /// A row for each size.
    pub table: EffectTable,
    /// What is found first, or why it does not compile, and what to do about it.
    pub found: Vec<(String, Option<Role>)>,
    /// What was said to the last turn or choice.
    pub said: Option<String>,
    /// A row for each setting that has been tried: of many, the last ones are drawn.
    pub settings: EffectTable,
    /// What has been tried so far, and how many settings do what.
    pub tried: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectTable {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// A row: its name, and a cell for each column.
    pub rows: Vec<(String, Vec<EffectCell>)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectCell {
    pub text: String,
    /// Whether it says that something is right or wrong.
    pub means: Option<Role>,
}

impl EffectCell {
    /// A text without a verdict.
    pub fn plain(text: String) -> Self {
        Self { text, means: None }
    }

    /// A text that is good news, or bad news.
    pub fn verdict(text: String, good: bool) -> Self {
        Self { text, means: Some(if good { Role::C } else { Role::Bad }) }
    }
}

/// Columns between two columns of the table.
const GAP: u16 = 3;

impl DialEffect {
    /// Draws the table, below it what is found and what has been tried, and at the bottom the keys.
    pub(super) fn draw(&self, pen: &mut Pen<'_>, keys: &[Line<'static>]) {
        let look = pen.look;
        let foot = (keys.len() as u16).min(pen.height());
        let end = pen.height() - foot;
        let mut y = self.table.draw(pen, (0, end));
        // Blank rows between the parts, as far as there is room for them.
        let room = pen.width().saturating_sub(2);
        let parts = [self.found_lines(room), self.said_lines(room), self.tried_lines(room)];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let lines: usize = parts.iter().map(Vec::len).sum();
        let spare = end.saturating_sub(y + lines as u16);
        for (index, part) in parts.into_iter().enumerate() {
            y += u16::from(usize::from(spare) > index);
            for (text, means) in part {
                if y >= end {
                    break;
                }
                let style = means.map_or(look.text(), |role| look.strong(role));
                pen.text(1, y, &text, style);
                y += 1;
            }
        }
        self.settings.draw(pen, (y, end));
        for (y, line) in (end..).zip(&keys[..foot.into()]) {
            pen.widget(Rect::new(1, y, room, 1), line);
        }
    }

    fn found_lines(&self, room: u16) -> Vec<(String, Option<Role>)> {
        let lines = |(text, means): &(String, Option<Role>)| {
            let lines = wrap_balanced(text, room, 3);
            let means = *means;
            lines.into_iter().map(move |line| (line, means)).collect::<Vec<_>>()
        };
        self.found.iter().flat_map(lines).collect()
    }

    fn said_lines(&self, room: u16) -> Vec<(String, Option<Role>)> {
        let said = self.said.iter().flat_map(|said| wrap_balanced(said, room, 3));
        said.map(|line| (line, None)).collect()
    }

    fn tried_lines(&self, room: u16) -> Vec<(String, Option<Role>)> {
        let tried = wrap_balanced(&self.tried, room, 3);
        tried.into_iter().map(|line| (line, None)).collect()
    }
}

impl EffectTable {
    /// Draws it between two rows, of many rows the last ones; returns the row after it.
    fn draw(&self, pen: &mut Pen<'_>, (top, end): (u16, u16)) -> u16 {
        let room = usize::from(end.saturating_sub(top + 1));
        if self.rows.is_empty() || self.heads.is_empty() || room == 0 {
            return top;
        }
        let rows = &self.rows[self.rows.len().saturating_sub(room)..];
        let look = pen.look;
        let names = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        let cell = |row: &(String, Vec<EffectCell>), column: usize| {
            row.1.get(column).map_or(0, |cell| width(&cell.text))
        };
        let mut x = 1 + names;
        for (column, head) in self.heads.iter().enumerate() {
            let widest = rows.iter().map(|row| cell(row, column)).max().unwrap_or(0);
            x += GAP + widest.max(width(head));
            if x > pen.width() {
                break;
            }
            pen.right(x, top, head, look.dim());
            for (y, (_, cells)) in (top + 1..end).zip(rows) {
                let Some(EffectCell { text, means }) = cells.get(column) else { continue };
                let style = means.map_or(look.text(), |role| look.strong(role));
                pen.right(x, y, text, style);
            }
        }
        for (y, (name, _)) in (top + 1..end).zip(rows) {
            pen.text(1, y, name, look.text());
        }
        top + rows.len() as u16 + 1
    }
}
