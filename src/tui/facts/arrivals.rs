//! Substeps of one event, such as warps that arrive at a barrier: shown in the order of arrival, with
//! the warps as they were at the run's positions in between.

use super::passes;
use crate::report::sentence;
use crate::sim::WarpState;
use crate::trace::{OpKind, SharedWord, StepRecord, WarpNow};
use crate::tui::app::App;
use crate::tui::facts;
use crate::tui::motion::{Motion, MotionFrame};
use crate::tui::session::Session;

/// The warps while some are still to arrive, and the gate while it opens.
#[derive(Debug, Default)]
pub(in crate::tui) struct Arrivals {
    /// The warps, and the one that has just arrived; `None` once all are there.
    pub midway: Option<(Vec<WarpNow>, usize)>,
    /// How far the gate has opened, from 0 to 1.
    pub opening: Option<f32>,
}

/// The part of the time that the arrivals take; in the rest, the gate opens.
const ARRIVING: f32 = 0.75;

/// The most steps to look back for what a warp did before it arrived.
const BACK: usize = 1 << 12;

/// Returns the number of warps that arrived at the barrier on the way from a position to the one
/// shown, if there were several.
pub(in crate::tui) fn count(session: &Session, from: usize) -> usize {
    Some(arrived(session, from).len()).filter(|count| *count > 1).unwrap_or(0)
}

/// Returns what has to be kept of the position shown for the motion to the next one.
pub fn seen(app: &App) -> MotionFrame {
    let session = &app.run.session;
    MotionFrame { place: (session.id(), session.at()), shared: session.place().shared.clone() }
}

/// Returns the number of things that happened in turn on the way from position `from` to the one
/// shown: passes over the banks, or arrivals at a barrier.
pub fn turns(app: &App, from: usize) -> usize {
    passes::count(app).max(count(&app.run.session, from))
}

/// Describes what happens: while warps are still to arrive, not as if all had.
pub(in crate::tui) fn sentence(app: &App) -> &str {
    let sentence = app.sentence();
    let still = app.in_motion().is_some() && Arrivals::of(app).midway.is_some();
    if still { sentence::arriving(sentence) } else { sentence }
}

/// Returns the words of shared memory: while warps are still to arrive, what they hold is not yet
/// old.
pub(in crate::tui) fn words(app: &App) -> &[SharedWord] {
    let (shown, before) = (&app.run.session.place().shared, app.in_motion().map(Motion::from));
    // It is not known if the user has gone to that position.
    let before = before.map(|from| &from.shared).filter(|words| words.len() == shown.len());
    before.filter(|_| Arrivals::of(app).midway.is_some()).unwrap_or(shown)
}

/// Returns the steps in which warps arrived at a barrier on the way from a position to the one
/// shown, without those before an earlier opening of the gate.
fn arrived(session: &Session, from: usize) -> Vec<usize> {
    let records = session.trace().records();
    let steps = from..session.at().min(records.len());
    let earlier = from..steps.end.saturating_sub(1);
    let begin = earlier.rev().find(|step| records[*step].released).map_or(from, |open| open + 1);
    (begin..steps.end).filter(|step| records[*step].kind == OpKind::Barrier).collect()
}

impl Arrivals {
    /// Returns the current view.
    pub(in crate::tui) fn of(app: &App) -> Self {
        let Some((motion, part)) =
            app.in_motion().and_then(|motion| Some((motion, motion.turns()?)))
        else {
            return Self::default();
        };
        let session = &app.run.session;
        let all = arrived(session, motion.from().place.1);
        if all.len() < 2 || facts::gate(session).is_none() {
            return Self { midway: None, opening: Some(part) };
        }
        if part >= ARRIVING {
            return Self { midway: None, opening: Some((part - ARRIVING) / (1.0 - ARRIVING)) };
        }
        // With the last one, the gate opens.
        let count = (part / ARRIVING * (all.len() - 1) as f32) as usize;
        let (here, coming) = all.split_at(count.min(all.len() - 2) + 1);
        let last = session.trace().records()[here[here.len() - 1]].warp;
        Self { midway: Some((midway(session, coming), last.into())), opening: None }
    }

    /// Returns the warps at the current substep, given those at the event's end.
    pub(in crate::tui) fn warps<'a>(&'a self, shown: &'a [WarpNow]) -> &'a [WarpNow] {
        self.midway.as_ref().map_or(shown, |(midway, _)| midway)
    }
}

/// Returns the warps as they were before these steps' arrivals: the arriving ones still did what they
/// did before, and the others waited.
fn midway(session: &Session, coming: &[usize]) -> Vec<WarpNow> {
    let (place, records) = (session.place(), session.trace().records());
    let open = place.step.as_ref().is_some_and(|step| step.released.is_some());
    let before = |arrival: usize| {
        let own = |record: &&StepRecord| record.warp == records[arrival].warp;
        let mut earlier = records[arrival.saturating_sub(BACK)..arrival].iter().rev().filter(own);
        earlier.find(|record| record.kind.is_event()).map_or(OpKind::Compute, |record| record.kind)
    };
    let moment = |(number, warp): (usize, &WarpNow)| {
        let arrival = coming.iter().find(|step| usize::from(records[**step].warp) == number);
        match arrival {
            Some(arrival) => WarpNow {
                state: WarpState::Ready,
                kind: before(*arrival),
                last: None,
                arrivals: warp.arrivals.saturating_sub(1),
                ..warp.clone()
            },
            None if open && warp.state == WarpState::Ready => {
                WarpNow { state: WarpState::Waiting, ..warp.clone() }
            }
            None => warp.clone(),
        }
    };
    place.warps.iter().enumerate().map(moment).collect()
}
