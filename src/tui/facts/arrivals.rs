//! Warps that arrive at a barrier in one event.

use crate::trace::OpKind;
use crate::tui::session::Session;

/// Returns the number of warps that arrived at the barrier on the way from a position to the one shown,
/// if there were several; without those before an earlier opening of it.
pub(in crate::tui) fn count(session: &Session, from: usize) -> usize {
    let records = session.trace().records();
    let steps = from..session.at().min(records.len());
    let earlier = from..steps.end.saturating_sub(1);
    let begin = earlier.rev().find(|step| records[*step].released).map_or(from, |open| open + 1);
    let arrived = (begin..steps.end).filter(|step| records[*step].kind == OpKind::Barrier);
    Some(arrived.count()).filter(|count| *count > 1).unwrap_or(0)
}
