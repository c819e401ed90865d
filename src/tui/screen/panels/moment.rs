//! What several panels show of the moment: what glows after an event, and what shared memory holds.

use crate::trace::Word;
use crate::tui::app::App;
use crate::tui::facts::{arrivals, passes, staged};
use crate::tui::motion::Shown;
use crate::tui::widget::glow::Glow;
use std::borrow::Cow;

/// Returns those things that the event before has touched, where what is highlighted now is what the
/// event has touched, and not a point or a followed value.
pub(super) fn glow<'a, T>(app: &'a App, of: fn(&'a Shown) -> &'a [T]) -> Glow<'a, T> {
    let by_event = app.pointed.is_none() && app.followed.is_none();
    let motion = app.in_motion().filter(|_| by_event);
    motion.map_or(Glow::NONE, |motion| Glow { of: of(motion.from()), left: motion.glow() })
}

/// Returns the words of shared memory at the moment, which an event may fill in several passes or
/// which may become old with the last of several arrivals.
pub(super) fn held(app: &App) -> Vec<Word> {
    let words = passes::shared(app).map_or_else(|| Cow::Borrowed(arrivals::words(app)), Cow::Owned);
    staged::words(&app.session, &words)
}
