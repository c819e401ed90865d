//! A page of text over the panels: the help's words and keys, or a lesson.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::help::{
    BOTH, GlossaryEntry, HelpLine, PICTURE, PicturePiece, outer, page_of, starts,
};
use crate::tui::layout::{middle, text_area};
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// A scrollable page.
#[derive(Clone, Copy, Debug)]
pub struct HelpPage<'a> {
    pub title: &'a str,
    pub lines: &'a [HelpLine],
    /// The first line in view.
    pub first: u16,
    pub look: Look,
}

/// Columns for the keys.
const KEYS: u16 = 24;

impl Widget for HelpPage<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let starts = starts(self.lines);
        let page = page_of(&starts, self.first);
        let end = starts.get(page + 1).map_or(self.lines.len(), |next| usize::from(*next));
        let rows = end - starts.get(page).map_or(0, |start| usize::from(*start));
        let outer = outer(area);
        let outer = middle(outer, (outer.width, (rows as u16).saturating_add(2)));
        let shown = text_area(outer);
        let below = end.saturating_sub(usize::from(self.first + shown.height));
        let more = if below > 0 { format!("{below} more below, ") } else { String::new() };
        let arrows = look.pick("◄ ►", "Left Right");
        let note = format!("{more}{arrows} page {} of {}, Esc closes", page + 1, starts.len());
        PanelFrame { number: None, title: self.title, note: &note, focused: true, look }
            .popup(outer, buf);
        let mut pen = Pen::new(shown, buf, look);
        let lines = self.lines.iter().take(end).skip(self.first.into());
        for (y, line) in (0..shown.height).zip(lines) {
            match line {
                HelpLine::Page(text) => _ = pen.text(0, y, text, look.bold()),
                HelpLine::Heading(text) => _ = pen.text(0, y, text, look.bold()),
                HelpLine::Text(text) => _ = pen.text(0, y, text, look.text()),
                HelpLine::Word(word) => draw_word(*word, &mut pen, y),
                HelpLine::Keys(keys, does) => {
                    let end = pen.text(0, y, keys, look.bold());
                    pen.text(KEYS.max(end + 1), y, does, look.text());
                }
            }
        }
    }
}

/// Draws picture, word and meaning in a row.
fn draw_word(word: GlossaryEntry, pen: &mut Pen<'_>, y: u16) {
    let look = pen.look;
    word.picture.iter().fold(0, |x, piece| {
        pen.text(x, y, look.pick(piece.basic, piece.ascii), style(*piece, look))
    });
    pen.text(PICTURE, y, word.name, look.bold());
    pen.text(BOTH, y, word.means, look.text());
}

fn style(piece: PicturePiece, look: Look) -> Style {
    piece.ink.map_or_else(|| look.dim(), |role| look.ink(role))
}
