//! The words that shared memory holds now.

use crate::trace::SharedWord;
use crate::tui::facts::{arrivals, passes, staged};
use crate::tui::view_model::ViewModel;
use std::borrow::Cow;

/// Returns the current words of shared memory: an event may fill them in several passes, or the last
/// of several arrivals may make them old.
pub(super) fn held(view: &ViewModel<'_>) -> Vec<SharedWord> {
    let words = passes::shared(view.app)
        .map_or_else(|| Cow::Borrowed(arrivals::words(view.app)), Cow::Owned);
    staged::words(view.session, &words)
}
