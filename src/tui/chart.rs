//! The timeline's window onto the run, and the columns that summarise its steps.

use super::session::Session;
use super::task::RunId;
use super::widget::timeline::{Columns, Tally, columns};
use crate::kernel::Problem;
use std::ops::Range;

/// The contents of the timeline.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The steps in view, summarised by column.
    pub columns: Columns,
    /// The instructions of the run so far.
    pub tally: Tally,
    /// How often the window has been halved.
    pub closer: u32,
    /// The run, and its length, for which the columns were computed.
    made_for: (RunId, usize),
}

/// The fewest steps that the timeline shows.
const LEAST_WINDOW: usize = 32;

impl Chart {
    /// Creates an empty chart for a run of this problem.
    pub fn of(problem: &Problem) -> Self {
        let (columns, tally) = (Columns::default(), Tally::default());
        Self { columns, tally, closer: closeness(problem), made_for: (RunId(0), 0) }
    }

    /// Shows half as many steps.
    pub fn closer(&mut self) {
        self.closer = (self.closer + 1).min(24);
    }

    /// Shows twice as many.
    pub fn wider(&mut self) {
        self.closer = self.closer.saturating_sub(1);
    }

    /// Updates the chart to the state of a run, in `width` columns.
    pub fn settle(&mut self, session: &Session, width: usize) {
        let trace = session.trace();
        let made_for = (session.id(), trace.len());
        let window = window(trace.len(), session.at(), self.closer, &self.columns.window);
        let fits = self.columns.window == window && self.columns.width() == width;
        if fits && self.made_for == made_for {
            return;
        }
        self.count(session);
        let warps = session.place().warps.len();
        self.columns = columns(window, width, warps, |step| trace.records()[step]);
        self.made_for = made_for;
    }

    /// Counts what has been recorded since the last time.
    fn count(&mut self, session: &Session) {
        let (run, counted) = self.made_for;
        if run != session.id() {
            self.tally = Tally::default();
        }
        let counted = if run == session.id() { counted } else { 0 };
        self.tally.add(&session.trace().records()[counted..]);
    }
}

/// Returns how often to halve the timeline so that it shows about four tiles of work: all steps of
/// a long run at once would show nothing but multiply-adds. For a user's kernel, a stretch of K as
/// long as four tiles of the usual size; for kernels with much work per tile, one tile.
fn closeness(problem: &Problem) -> u32 {
    let tiles = problem.k_tiles().unwrap_or(problem.size.k / 16);
    let much = problem.variant().is_some_and(|variant| variant.fma_per_thread() > 128);
    tiles.max(1).ilog2().saturating_sub(if much { 0 } else { 2 })
}

/// Returns the steps that the timeline shows: the run halved `closer` times, with `at` among them.
/// The window does not move as long as it contains `at`.
fn window(len: usize, at: usize, closer: u32, was: &Range<usize>) -> Range<usize> {
    let size = len.checked_shr(closer).unwrap_or(0).max(LEAST_WINDOW).min(len);
    if was.len() == size && was.end <= len && (was.start..=was.end).contains(&at) {
        return was.clone();
    }
    // A quarter of the window lies before `at`: what comes next matters more.
    let start = at.saturating_sub(size / 4).min(len - size);
    start..start + size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timelines_window_follows_by_pages() {
        assert_eq!(window(1000, 500, 0, &(0..0)), 0..1000);
        let page = window(1000, 500, 2, &(0..0));
        assert_eq!(page, 438..688);
        assert_eq!(window(1000, 600, 2, &page), page);
        assert_eq!(window(1000, 690, 2, &page), 628..878);
        assert_eq!(window(1000, 1000, 2, &page), 750..1000);
        assert_eq!(window(0, 0, 3, &(0..0)), 0..0);
        assert_eq!(window(1000, 0, 99, &(0..0)), 0..LEAST_WINDOW);
    }
}
