//! What the screen hides while a question is open, since it would be its answer.

use crate::lesson::session::Topic;
use crate::report::sentence;
use crate::study::superstep::UnorderedAccesses;
use crate::tui::app::App;
use crate::tui::layout::text::width;
use crate::tui::layout::{PANELS, Panel};
use crate::tui::lesson::ActiveLesson;
use std::borrow::Cow;

/// What a lesson hides at a moment.
#[derive(Clone, Debug)]
pub struct Redacted<'a> {
    /// Whether a question is open whose answer may be what comes after the step that stands.
    pub asks: bool,
    /// Whether it is asked what is changed in the kernel.
    pub asks_name: bool,
    /// Whether what to do about a finding is asked, now or later in the lesson.
    pub asks_remedy: bool,
    /// The steps after which the timeline is hidden: of what an access costs, the other warps'
    /// accesses tell as well.
    pub from: Option<usize>,
    /// The steps at which a finding shows, unless that may be the answer.
    pub found: &'a [usize],
    /// The accesses between which a barrier is missing, unless that may be the answer.
    pub unordered: &'a [UnorderedAccesses],
    panels: Vec<Panel>,
}

impl<'a> Redacted<'a> {
    pub fn of(app: &'a App) -> Self {
        let (asks, lesson) = (asks(app), app.mode.lesson());
        let asks_name = lesson.is_some_and(|lesson| lesson.question().is_some());
        let later = lesson.is_some_and(|lesson| lesson.session.will_ask(Topic::Remedy));
        let cost = lesson.is_some_and(ActiveLesson::asks_cost);
        let unordered = app.run.session.unordered();
        let hides = |panel: &Panel| lesson.is_some_and(|lesson| lesson.hides(*panel));
        Self {
            asks,
            asks_name,
            asks_remedy: asks_name || later,
            from: asks.then(|| if cost { 0 } else { app.at() }),
            found: if asks { &[] } else { app.run.session.found_at() },
            unordered: if asks || asks_name || later { &[] } else { unordered },
            panels: PANELS.iter().map(|row| row.panel).filter(hides).collect(),
        }
    }

    /// Whether what a panel shows is to be predicted.
    pub fn hides(&self, panel: Panel) -> bool {
        self.panels.contains(&panel)
    }
}

/// Whether a question is open whose answer may be what comes after the step that stands.
pub fn asks(app: &App) -> bool {
    let open = app.mode.lesson().filter(|lesson| lesson.question().is_some());
    open.is_some_and(|lesson| !lesson.session.shows_symptoms())
}

/// The sentence of a step that only computes, in the words of the source: not every reader of a lesson
/// knows PTX. Where the line has no room, its number alone.
pub fn in_source(app: &App, room: u16) -> Option<String> {
    let session = app.mode.lesson().map(|_| &app.run.session)?;
    // A caption, and what is found, are no PTX.
    if app.sentence() != session.sentence() || session.worst().is_some() {
        return None;
    }
    let line = sentence::in_source(session.problem(), session.trace(), session.replay())?;
    let number = line.split(": ").next().unwrap_or(&line);
    Some(if width(&line) <= room { line } else { format!("{number}.") })
}

/// The sentence without what is asked.
pub fn sentence<'s>(app: &App, sentence: &'s str) -> Cow<'s, str> {
    let found = app.run.session.worst().is_some();
    match app.mode.lesson() {
        Some(lesson) => lesson.session.redacted(sentence, found),
        None => sentence.into(),
    }
}
