//! The smallest screen: the sentence, and how far the run is.

use super::super::app::App;
use super::super::layout::Areas;
use super::super::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Widget, Wrap};

/// Draws both, the sentence on all rows but the last.
pub fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    let text = Text::styled(app.session.sentence(), app.look.text());
    Paragraph::new(text).wrap(Wrap { trim: true }).render(areas.sentence, buf);
    let (at, len) = (app.session.at(), app.session.trace().len());
    let area = areas.scrubber;
    let done = usize::from(area.width) * at / len.max(1);
    let glyph = app.look.pick("━", "=");
    let progress = glyph.repeat(done.min(area.width.into()));
    Line::styled(progress, app.look.ink(Role::Here)).render(area, buf);
}
