//! Lights on the panels what is pointed at to answer, and what an answer counts.

use super::places::point;
use crate::lesson::thing::Thing;
use crate::tui::app::App;
use crate::tui::layout::Panel;
use crate::tui::screen::panels;
use crate::tui::widget::chosen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Lights what a lesson lights on a panel that has been drawn.
pub fn mark(app: &App, panel: Panel, area: Rect, buf: &mut Buffer) {
    let Some(lesson) = app.lesson.as_deref() else { return };
    let now = lesson.now();
    let places = |thing: &Thing| places(app, panel, area, thing);
    if now.question.is_some() {
        let marked: Vec<_> = lesson.input.marked.iter().flat_map(places).collect();
        chosen::mark(buf, app.look, &marked);
        let pointed: Vec<_> = lesson.input.pointer.iter().flat_map(places).collect();
        chosen::point(buf, app.look, &pointed);
    }
    // On its way to the evidence, the run does not show yet what is lit there.
    let reply = now.reply.as_ref().filter(|reply| reply.play_to.is_none_or(|to| to == app.at()));
    let lit: Vec<_> = reply.iter().flat_map(|reply| &reply.marks).flat_map(places).collect();
    chosen::evidence(buf, app.look, &lit);
}

/// Returns the columns and half rows that show a thing on a panel.
fn places(app: &App, panel: Panel, area: Rect, thing: &Thing) -> Vec<Rect> {
    match thing {
        // The panel of the warps lights them itself.
        Thing::Warp(_) | Thing::Lane(_) | Thing::Thread { .. } => Vec::new(),
        thing => point(app, thing).map_or_else(Vec::new, |at| panels::places(app, panel, area, at)),
    }
}
