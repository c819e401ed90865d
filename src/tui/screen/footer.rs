//! The last row of the main screen: the keys that matter now, or a message.

use super::lesson;
use crate::tui::facts::pointed;
use crate::tui::keymap::{Context, DOWN, ON};
use crate::tui::layout::PANELS;
use crate::tui::lesson::AnswerInput;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::footer::Footer;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the row.
pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let pointed = pointed::line(view.app, area.width.saturating_sub(2));
    let message = view.app.message.as_deref().or(pointed.as_deref());
    let context = view.app.overlay.as_ref().map_or(view.context, |_| Context::Overlay);
    let found = view.session.found().is_some_and(|found| !found.is_empty());
    let (keymap, look) = (view.keymap, view.look);
    let playing = view.playback.playing;
    let part = view.session.phase().name();
    let point = lesson::pointing(view);
    let down = if view.app.scrolls_listing() { "scroll" } else { DOWN };
    let inside =
        view.display.wanted.zoomed.is_some() || view.run.pointed.is_some() || view.lesson.is_some();
    let on = match view.lesson {
        Some(lesson) if lesson.dials.is_some() => "turn the dials",
        Some(lesson) if lesson.now().over => "to the list",
        _ => ON,
    };
    let (keys, does, at) = typed(view);
    let typed = (!keys.is_empty()).then_some((&*keys, does, at));
    let paging = view.page.as_ref().map(|page| page.paging);
    let turned = view.lesson.and_then(|lesson| lesson.turned);
    let ends = paging.is_none_or(|paging| paging.place(paging.first(turned)).2);
    let fits = ends.then_some("lesson-turn");
    // The question comes after the text.
    let later = if paging.is_some_and(|paging| paging.reads()) { &OF_QUESTION[..] } else { &[] };
    let idle: Vec<_> =
        view.app.idle().into_iter().chain(fits).chain(later.iter().copied()).collect();
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
fn typed(view: &ViewModel<'_>) -> (String, &'static str, usize) {
    let panels = PANELS.iter().filter(|row| row.key.parse::<u32>().is_ok()).count();
    let Some(lesson) = view.lesson else { return Default::default() };
    match view.context {
        _ if view.app.overlay.is_some() => Default::default(),
        Context::Question => match lesson.input.takes() {
            AnswerInput::Offers => (format!("1-{}", lesson.input.order.len()), "choose", 0),
            AnswerInput::Number if lesson.question().is_some() => ("0-9".to_owned(), "type", 0),
            AnswerInput::Number => ("a-z, 0-9".to_owned(), "type", 0),
            AnswerInput::Place => ("0-9".to_owned(), "type its place", 0),
        },
        // They are keys again.
        Context::Lesson if !lesson.now().over => (format!("1-{panels}"), "panels", AFTER),
        _ => Default::default(),
    }
}

/// The keys of a lesson that stand before those of the panels.
const AFTER: usize = 4;
