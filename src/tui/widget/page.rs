//! A page of a lesson: text that can be turned, above a foot that is always in view.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::tui::layout::text_area;
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// A page in its frame.
#[derive(Clone, Copy, Debug)]
pub struct PagePanel<'a> {
    /// Its title: place and name.
    pub title: &'a str,
    /// A note in the frame: how far it is.
    pub note: &'a str,
    /// All lines of the text.
    pub body: &'a [Line<'static>],
    /// The first of them in view.
    pub first: u16,
    /// The lines below it.
    pub foot: &'a [Line<'static>],
    /// Whether they follow the text, if there is room to spare; otherwise they are at the bottom.
    pub follows: bool,
    pub look: Look,
}

impl Widget for PagePanel<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let Self { title, note, look, .. } = self;
        PanelFrame { number: None, title, note, focused: true, look }.render(area, buf);
        let inside = text_area(area);
        let mut pen = Pen::new(inside, buf, look);
        let foot = (self.foot.len() as u16).min(pen.height());
        let room = pen.height() - foot;
        let rows = self.body.iter().skip(self.first.into()).take(room.into());
        for (y, row) in (0..).zip(rows) {
            pen.widget(Rect::new(0, y, inside.width, 1), row);
        }
        let from = if self.follows { room.min(self.body.len() as u16) } else { room };
        for (y, row) in (from..).zip(&self.foot[..foot.into()]) {
            pen.widget(Rect::new(0, y, inside.width, 1), row);
        }
    }
}
