//! The last row of the main screen: the keys that matter now, or a message.

use super::lesson;
use crate::tui::app::App;
use crate::tui::facts::pointed;
use crate::tui::keymap::{Context, DOWN, ON};
use crate::tui::layout::PANELS;
use crate::tui::lesson::Takes;
use crate::tui::page::laid;
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
    let down = if app.scrolls_listing() { "scroll" } else { DOWN };
    let inside = app.wanted.zoomed.is_some() || app.pointed.is_some() || app.lesson.is_some();
    let on = match app.lesson.as_deref() {
        Some(lesson) if lesson.board.is_some() => "turn the dials",
        Some(lesson) if lesson.now().over => "to the list",
        _ => ON,
    };
    let (keys, does, at) = typed(app);
    let typed = (!keys.is_empty()).then_some((&*keys, does, at));
    let laid = laid(app, &app.areas());
    let (laid, turned) = (
        laid.as_ref().map(|laid| laid.paging),
        app.lesson.as_deref().and_then(|lesson| lesson.turned),
    );
    let ends = laid.is_none_or(|paging| paging.place(paging.first(turned)).2);
    let fits = ends.then_some("lesson-turn");
    // The question comes after the text.
    let later = if laid.is_some_and(|paging| paging.reads()) { &OF_QUESTION[..] } else { &[] };
    let idle: Vec<_> = app.idle().into_iter().chain(fits).chain(later.iter().copied()).collect();
    let idle = &idle[..];
    Footer {
        keymap,
        context,
        found,
        playing,
        inside,
        on,
        typed,
        idle,
        part,
        down,
        point,
        message,
        look,
    }
    .render(area, buf);
}

/// The commands that are not offered while a page's text is read before its question.
const OF_QUESTION: [&str; 2] = ["question-answer", "question-hint"];

/// What digits, and letters where they are typed, do in a lesson, and its place in the row.
fn typed(app: &App) -> (String, &'static str, usize) {
    let panels = PANELS.iter().filter(|row| row.key.parse::<u32>().is_ok()).count();
    let Some(lesson) = app.lesson.as_deref() else { return Default::default() };
    match app.context() {
        _ if app.overlay.is_some() => Default::default(),
        Context::Question => match lesson.input.takes() {
            Takes::Offers => (format!("1-{}", lesson.input.order.len()), "choose", 0),
            Takes::Number if lesson.question().is_some() => ("0-9".to_owned(), "type", 0),
            Takes::Number => ("a-z, 0-9".to_owned(), "type", 0),
            Takes::Place => ("0-9".to_owned(), "type its place", 0),
        },
        // They are keys again.
        Context::Lesson if !lesson.now().over => (format!("1-{panels}"), "panels", AFTER),
        _ => Default::default(),
    }
}

/// The keys of a lesson that stand before those of the panels.
const AFTER: usize = 4;
