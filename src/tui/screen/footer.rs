//! The last row of the main screen: the keys that matter now, or a message.

use super::{lesson, pointed};
use crate::tui::app::App;
use crate::tui::keymap::{Context, ON};
use crate::tui::widget::footer::Footer;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the row.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let pointed = pointed::line(app, area.width.saturating_sub(2));
    let message = app.message.as_deref().or(pointed.as_deref());
    let context = app.overlay.as_ref().map_or(app.context(), |_| Context::Overlay);
    let found = app.session.found().is_some_and(|found| !found.is_empty());
    let (keymap, look) = (&app.keymap, app.look);
    let playing = app.playback.playing;
    let (part, point) = (app.session.phase().name(), lesson::pointing(app));
    let inside = app.wanted.zoomed.is_some() || app.pointed.is_some() || app.lesson.is_some();
    let on = match app.lesson.as_deref() {
        Some(lesson) if lesson.board.is_some() => "turn the dials",
        Some(lesson) if lesson.now().over => "to the list",
        _ => ON,
    };
    let fits = lesson::shows_end(app).then_some("lesson-turn");
    let idle: Vec<_> = app.idle().into_iter().chain(fits).collect();
    let idle = &idle[..];
    Footer { keymap, context, found, playing, inside, on, idle, part, point, message, look }
        .render(area, buf);
}
