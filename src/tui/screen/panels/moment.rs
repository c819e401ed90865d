//! What panels of memory show of the moment: what was touched before, and the words that are held.

use crate::trace::Word;
use crate::tui::facts::{arrivals, passes, staged};
use crate::tui::motion::Shown;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::glow::Glow;
use std::borrow::Cow;

/// Returns those things that the event before has touched, where what is highlighted now is what the
/// event has touched, and not a point or a followed value.
pub(super) fn glow<'a, T>(view: &ViewModel<'a>, of: fn(&'a Shown) -> &'a [T]) -> Glow<'a, T> {
    let by_event = view.run.pointed.is_none() && view.run.followed.is_none();
    let motion = view.app.in_motion().filter(|_| by_event);
    motion.map_or(Glow::NONE, |motion| Glow { of: of(motion.from()), left: motion.glow() })
}

/// Returns the words of shared memory at the moment, which an event may fill in several passes or
/// which may become old with the last of several arrivals.
pub(super) fn held(view: &ViewModel<'_>) -> Vec<Word> {
    let words = passes::shared(view.app)
        .map_or_else(|| Cow::Borrowed(arrivals::words(view.app)), Cow::Owned);
    staged::words(view.session, &words)
}
