//! What the memory panels show: the previous event's accesses, and the words held now.

use crate::trace::SharedWord;
use crate::tui::facts::{arrivals, passes, staged};
use crate::tui::motion::MotionFrame;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::glow::Glow;
use std::borrow::Cow;

/// Returns what the previous event touched, if the highlight is the current event's rather than a
/// pointed or followed one.
pub(super) fn glow<'a, T>(view: &ViewModel<'a>, of: fn(&'a MotionFrame) -> &'a [T]) -> Glow<'a, T> {
    let by_event = view.run.pointed.is_none() && view.run.followed.is_none();
    let motion = view.app.in_motion().filter(|_| by_event);
    motion.map_or(Glow::NONE, |motion| Glow { of: of(motion.from()), left: motion.glow() })
}

/// Returns the current words of shared memory: an event may fill them in several passes, or the last
/// of several arrivals may make them old.
pub(super) fn held(view: &ViewModel<'_>) -> Vec<SharedWord> {
    let words = passes::shared(view.app)
        .map_or_else(|| Cow::Borrowed(arrivals::words(view.app)), Cow::Owned);
    staged::words(view.session, &words)
}
