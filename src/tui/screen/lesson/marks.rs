//! Lights on the panels what is pointed at to answer, and what an answer counts.

use crate::lesson::thing::Thing;
use crate::tui::app::App;
use crate::tui::facts::things::point;
use crate::tui::layout::Panel;
use crate::tui::screen::panels;
use crate::tui::widget::chosen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Lights what a lesson lights on a panel that has been drawn.
pub fn mark(app: &App, panel: Panel, area: Rect, buf: &mut Buffer) {
    let Some(lesson) = app.lesson.as_deref() else { return };
    let now = lesson.now();
    let places = |things: Vec<&Thing>| places(app, panel, area, &things);
    if now.question.is_some() {
        chosen::mark(buf, app.look, &places(lesson.input.marked.iter().collect()));
        chosen::point(buf, app.look, &places(lesson.input.pointer.iter().collect()));
    }
    // On its way to the evidence, the run does not show yet what is lit there.
    let reply = now.reply.as_ref().filter(|reply| reply.play_to.is_none_or(|to| to == app.at()));
    let lit = reply.iter().flat_map(|reply| &reply.marks).collect();
    let lit = places(lit);
    match panel {
        // What is used and what is not is told by the colours.
        Panel::Lines | Panel::Banks => chosen::underline(buf, app.look, &lit),
        _ => chosen::evidence(buf, app.look, &lit),
    }
}

/// Returns the columns and half rows that show things on a panel.
fn places(app: &App, panel: Panel, area: Rect, things: &[&Thing]) -> Vec<Rect> {
    // The panel of the warps lights these itself.
    let own =
        |thing: &&&Thing| !matches!(thing, Thing::Warp(_) | Thing::Lane(_) | Thing::Thread { .. });
    let points: Vec<_> = things.iter().filter(own).filter_map(|thing| point(app, thing)).collect();
    panels::places(app, panel, area, &points)
}
