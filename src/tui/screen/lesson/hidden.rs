//! What the screen hides while a question is open, since it would be its answer.

use crate::lesson::document::Kind;
use crate::lesson::thing::View;
use crate::lesson::walk::Topic;
use crate::report::sentence;
use crate::tui::app::App;
use crate::tui::layout::Panel;
use crate::tui::layout::text::wrap_balanced;
use crate::tui::lesson::{Taking, panel_of};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Clear, Widget};
use std::borrow::Cow;

/// Whether a question is open whose answer may be what comes after the step that stands.
pub fn asks(app: &App) -> bool {
    let open = app.lesson.as_deref().filter(|lesson| lesson.question().is_some());
    open.is_some_and(|lesson| !lesson.walk.shows_symptoms())
}

/// Whether it is asked what is changed in the kernel.
pub fn asks_name(app: &App) -> bool {
    app.lesson.as_deref().is_some_and(|lesson| lesson.question().is_some())
}

/// Whether what to do about a finding is asked, now or later in the lesson.
pub fn asks_remedy(app: &App) -> bool {
    let asks = |lesson: &Taking| lesson.walk.will_ask(Topic::Remedy);
    asks_name(app) || app.lesson.as_deref().is_some_and(asks)
}

/// Whether what a panel shows is to be predicted: it would show the answer, or an access that is not
/// the one that the question is about.
pub fn hides(app: &App, panel: Panel) -> bool {
    let Some(lesson) = app.lesson.as_deref() else { return false };
    if panel == Panel::Measured {
        let shown = lesson.now().reply.as_ref().and_then(|reply| reply.view);
        return shown != Some(View::Measured) && lesson.walk.will_ask(Topic::Time);
    }
    let open = lesson.question();
    // It compares two runs to their ends.
    if panel == Panel::Compare {
        return open.is_some();
    }
    if matches!(panel, Panel::Warps | Panel::Timeline) {
        return lesson.walk.asks(Topic::Block);
    }
    open.is_some_and(|question| {
        let about = question.right.view;
        let about = about.filter(|view| matches!(view, View::Lines | View::Banks | View::Value));
        let costs = panel == Panel::Cost && lesson.walk.asks(Topic::Cost);
        question.kind != Kind::Pick && (costs || about.map(panel_of) == Some(panel))
    })
}

/// Whether the open question asks what an access costs.
fn asks_cost(app: &App) -> bool {
    let question = app.lesson.as_deref().and_then(Taking::question);
    let view = question.and_then(|question| question.right.view);
    view.is_some_and(|view| matches!(view, View::Lines | View::Banks))
}

/// The steps after which the timeline is hidden, if a question is open: of what an access costs, the
/// other warps' accesses tell as well.
pub fn hides_from(app: &App) -> Option<usize> {
    asks(app).then(|| if asks_cost(app) { 0 } else { app.at() })
}

/// The steps at which a finding shows, which may be the answer to an open question.
pub fn found_at(app: &App) -> &[usize] {
    if asks(app) { &[] } else { app.session.found_at() }
}

/// The sentence of a step that only computes, in the words of the source: not every reader of a lesson
/// knows PTX.
pub fn in_source(app: &App) -> Option<String> {
    let session = app.lesson.as_ref().map(|_| &app.session)?;
    // A caption, and what is found, are no PTX.
    if app.sentence() != session.sentence() || session.worst().is_some() {
        return None;
    }
    sentence::in_source(session.problem(), session.trace(), session.replay())
}

/// The sentence without what is asked.
pub fn told<'s>(app: &App, sentence: &'s str) -> Cow<'s, str> {
    let found = app.session.worst().is_some();
    match app.lesson.as_deref() {
        Some(lesson) => lesson.walk.redacted(sentence, found),
        None => sentence.into(),
    }
}

/// Says on a panel that what it will show is to be predicted, now or later.
pub fn draw_prediction(app: &App, panel: Panel, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    buf.set_style(area, app.look.ground());
    let asked = |lesson: &Taking| panel != Panel::Measured || lesson.walk.asks(Topic::Time);
    let told = if app.lesson.as_deref().is_some_and(asked) {
        "hidden until you answer"
    } else {
        "the lesson asks this later"
    };
    let lines = wrap_balanced(told, area.width, area.height);
    Text::styled(lines.join("\n"), app.look.dim()).render(area, buf);
}
