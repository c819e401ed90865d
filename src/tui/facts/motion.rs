//! What the motion to the next position starts from.

use super::{arrivals, passes, shared_now, touched};
use crate::tui::app::App;
use crate::tui::motion::Shown;

/// Returns what has to be kept of the position shown for the motion to the next one. What the event
/// has touched is left out where it cannot be seen to fade.
pub fn seen(app: &App) -> Shown {
    let session = &app.session;
    let (place, shared) = ((session.id(), session.at()), session.place().shared.clone());
    if !app.look.glows() {
        return Shown { place, shared, ..Shown::default() };
    }
    let (words, elements) = (shared_now(session), touched(session));
    Shown { place, words, elements, shared }
}

/// Returns the number of things that happened in turn on the way from position `from` to the one
/// shown: passes over the banks, or arrivals at a barrier.
pub fn turns(app: &App, from: usize) -> usize {
    passes::count(app).max(arrivals::turns(&app.session, from))
}
