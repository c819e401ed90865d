//! The command palette: an input line and the commands that match.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::keymap::{COMMANDS, Keymap};
use crate::tui::layout::middle;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct Palette<'a> {
    /// The key bindings.
    pub keymap: &'a Keymap,
    /// The text typed.
    pub query: &'a str,
    /// The index of the selected match.
    pub selected: usize,
    pub look: Look,
}

/// Columns of a command's name and of its first key: with 80 columns, the help fits next to them.
const NAME: u16 = 18;
const KEY: u16 = 10;

impl Widget for Palette<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        // Above the middle, so that more of what the user looks for stays visible.
        let place = middle(area, (90, 20));
        let place = Rect { y: area.y + (area.height - place.height) / 3, ..place };
        let found = self.keymap.found(self.query);
        let note = format!("{} of them, Enter runs", found.len());
        let frame =
            PanelFrame { number: None, title: "Commands", note: &note, focused: true, look };
        let mut pen = Pen::new(frame.popup(place, buf), buf, look);
        let x = pen.text(1, 0, "> ", look.chosen());
        let x = pen.text(x, 0, self.query, look.text());
        pen.text(x, 0, look.pick("█", "_"), look.chosen());
        let rows = usize::from(pen.height().saturating_sub(1));
        let first = self.selected.saturating_sub(rows.saturating_sub(1));
        for (row, command) in found.iter().enumerate().skip(first).take(rows) {
            let y = (row - first) as u16 + 1;
            let chosen = row == self.selected;
            let style = if chosen { look.bar() } else { look.text() };
            if chosen {
                pen.wash(0, y, pen.width(), style);
                pen.text(0, y, look.pick("►", ">"), style);
            }
            let index = COMMANDS.iter().position(|known| known.name == command.name);
            pen.text(1, y, command.name, style);
            if let Some(key) = index.and_then(|index| self.keymap.keys(index).first()) {
                pen.text(1 + NAME, y, &key.to_string(), style);
            }
            pen.text(1 + NAME + KEY, y, command.help, style);
        }
    }
}
