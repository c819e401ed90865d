//! The first row: what runs, where it stands, how it is stepped.

use super::pen::{Pen, width};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The status bar.
#[derive(Clone, Copy, Debug)]
pub struct Status<'a> {
    /// What it says, the most important first; what has no room is left out.
    pub items: &'a [String],
    /// Whether it plays.
    pub playing: bool,
    /// How it is drawn.
    pub look: Look,
}

impl Widget for Status<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let mut pen = Pen::new(area, buf, self.look);
        let bar = self.look.bar();
        pen.wash(0, 0, pen.width(), bar);
        let mut x = pen.text(1, 0, "matviz", bar);
        let (state, word) =
            if self.playing { (self.look.pick("►", ">"), "playing") } else { ("||", "paused") };
        let end = pen.width().saturating_sub(width(word) + 4);
        for item in self.items {
            if x + 3 + width(item) > end {
                break;
            }
            x = pen.text(x, 0, self.look.pick(" │ ", " | "), bar);
            x = pen.text(x, 0, item, bar);
        }
        let style = if self.playing { self.look.fill(Role::Here) } else { bar };
        pen.right(pen.width(), 0, &format!(" {state} {word} "), style);
    }
}
