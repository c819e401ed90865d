//! The card at the end of a run: whether C is right, what the block cost, and what to look at next.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::keymap::Key;
use crate::tui::layout::middle;
use crate::tui::layout::text::{width, wrapped};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct EndCard<'a> {
    /// What has ended, and how: "Block (2,2) of tiled 16x16 is done".
    pub title: &'a str,
    /// Whether it came out well, and the sentence that says so; `None` if it is not known.
    pub verdict: Option<&'a (bool, String)>,
    /// The facts, a paragraph each.
    pub facts: &'a [String],
    /// Keys for what to look at next, and what each shows.
    pub next: &'a [(Key, String)],
    pub look: Look,
}

/// The widest card that is easy to read.
const WIDEST: u16 = 84;

impl Widget for EndCard<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let columns = area.width.min(WIDEST);
        let room = columns.saturating_sub(6).max(1);
        let facts: Vec<_> = self.facts.iter().map(|fact| wrapped(fact, room)).collect();
        let verdict = self.verdict.map(|(fine, text)| (*fine, wrapped(text, room)));
        let keys = self.rows_of_keys(room);
        let lines = facts.iter().map(Vec::len).sum::<usize>() + keys.len() + 1;
        let lines = lines + verdict.as_ref().map_or(0, |(_, lines)| lines.len() + 1);
        let note = "any key closes this";
        let frame = PanelFrame { number: None, title: self.title, note, focused: true, look };
        let inner = frame.popup(middle(area, (columns, lines as u16 + 2)), buf);
        let mut pen = Pen::new(inner, buf, look);
        let mut y = 0;
        if let Some((fine, lines)) = verdict {
            for (number, line) in lines.iter().enumerate() {
                let role = if fine { Role::C } else { Role::Bad };
                match number {
                    0 => pen.verdict(y, fine, line),
                    _ => _ = pen.text(2, y, line, look.strong(role)),
                }
                y += 1;
            }
            y += 1;
        }
        for line in facts.iter().flatten() {
            pen.text(2, y, line, look.text());
            y += 1;
        }
        y += 1;
        for row in keys {
            let mut x = 2;
            for (key, text) in row {
                let style = look.text().add_modifier(Modifier::BOLD | Modifier::REVERSED);
                x = pen.text(x, y, &format!(" {key} "), style) + 1;
                x = pen.text(x, y, text, look.text()) + 2;
            }
            y += 1;
        }
    }
}

impl EndCard<'_> {
    /// The keys in rows of at most `room` columns.
    fn rows_of_keys(&self, room: u16) -> Vec<Vec<&(Key, String)>> {
        let (mut rows, mut x) = (vec![Vec::new()], 0);
        for item @ (key, text) in self.next {
            let wide = width(&key.to_string()) + width(text) + 5;
            if x + wide > room + 2 && x > 0 {
                rows.push(Vec::new());
                x = 0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(item);
            }
            x += wide;
        }
        rows
    }
}
