//! What is not performed in a lesson, since it would show what is asked.

use super::lesson::point_at;
use super::pick;
use crate::lesson::document::keys;
use crate::lesson::session::Topic;
use crate::tui::action::{Action, ValueAction};
use crate::tui::app::App;
use crate::tui::keymap::named;

/// Shown instead of times that the lesson asks for later.
const LATER: &str = "this lesson asks about times later: they are hidden until then";

/// Whether an action is not performed since a question is open, or comes, whose answer it would show.
/// A click on what can be picked points there instead.
pub(super) fn takes(app: &mut App, action: Action) -> bool {
    let Some(lesson) = app.mode.lesson() else { return false };
    let times = action == Action::OpenMeasure && lesson.session.will_ask(Topic::Time);
    if !lesson.waits() {
        app.message = times.then(|| LATER.to_owned()).or(app.message.take());
        return times;
    }
    if let (None, Some(target)) = (&lesson.busy, pick::hit(app, action)) {
        point_at(app, target);
        return !matches!(action, Action::Focus(_));
    }
    let answers = (moves(action) && !is_evidence(app, action)) || action == Action::SavePicture;
    let refused = times || answers && !names(app, action);
    if let Some(lesson) = app.mode.lesson_mut().filter(|_| refused) {
        lesson.refused = true;
    }
    refused
}

/// Whether an action looks at the run where that is the evidence, and does not replace it.
fn is_evidence(app: &App, action: Action) -> bool {
    let symptoms = app.mode.lesson().is_some_and(|lesson| lesson.session.shows_symptoms());
    symptoms && !replaces(action)
}

/// Whether the page names the key of an action, which then does not give away the answer.
fn names(app: &App, action: Action) -> bool {
    let text = app.mode.lesson().map(|lesson| &lesson.now().text[..]).unwrap_or_default();
    keys(text).into_iter().any(|key| named(key).is_some_and(|command| command.action == action))
}

/// Whether an action moves the run, or replaces it by another one.
pub(in crate::tui) const fn moves(action: Action) -> bool {
    let steps = matches!(
        action,
        Action::PlayPause
            | Action::Forward
            | Action::Back
            | Action::NextPhase
            | Action::PreviousPhase
            | Action::NextMatch(_)
            | Action::PreviousMatch(_)
            | Action::NextFinding
            | Action::PreviousFinding
            | Action::OpenFindings
            | Action::First
            | Action::Last
            | Action::Restart
            | Action::Seek(_)
            | Action::Value(ValueAction::Go)
    );
    steps || replaces(action)
}

/// Whether an action replaces the run by another one.
const fn replaces(action: Action) -> bool {
    matches!(
        action,
        Action::NextKernel
            | Action::NextRung
            | Action::PreviousRung
            | Action::ClimbOn
            | Action::RaceAgain
            | Action::NextTile
            | Action::SwitchNumbers
            | Action::PreviousTile
            | Action::NextOrder
            | Action::OpenBlocks
            | Action::SelectBlock(_)
    )
}
