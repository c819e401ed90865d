//! Summarises the steps of a window: what each warp does in each column of a chart.
//!
//! The axis is the steps of the block: every column stands for equally many. What is 100 % in a
//! row is therefore the steps of the window, each of which counts for one state of the warp:
//!
//! - the instruction that it executed last, until its turn comes again: taking turns with seven
//!   others, a warp's instructions count eight steps each, so that their shares are true;
//! - waiting at a barrier, from its arrival to its release;
//! - ready, as long as others have longer turns.
//!
//! The row of the whole block has one instruction at each step: it is true to scale in any order of
//! the warps. A column that covers several steps shows one state; [`Shares`] chooses it so that
//! cells and steps have the same shares along a row.

use super::shares::{Shares, stretch};
use super::span::Span;
use crate::trace::StepRecord;
use std::ops::Range;

/// A chart of a window of steps: compute it once per window, not once per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The steps it shows.
    pub window: Range<usize>,
    /// The columns in which a barrier released the block, ascending.
    pub barriers: Vec<usize>,
    width: usize,
    /// The states row by row: one row per warp, then the row of the block.
    spans: Vec<Span>,
    /// For each column, the most passes of an access with a bank conflict in its stretch.
    passes: Vec<u8>,
}

/// The approximate number of steps examined for a chart; longer windows are sampled at equal
/// distances.
const LOOKED_AT: usize = 1 << 16;

/// The number of steps before the window that are searched for each warp's state at its start.
const LOOKED_BACK: usize = 1 << 15;

impl Columns {
    /// The number of columns.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The number of warps.
    pub fn warps(&self) -> usize {
        self.spans.len().checked_div(self.width).unwrap_or(0).saturating_sub(1)
    }

    /// Returns one warp's columns.
    pub fn row(&self, warp: usize) -> &[Span] {
        self.spans.get(warp * self.width..(warp + 1) * self.width).unwrap_or_default()
    }

    /// Returns the columns of the whole block: what was executed, by whichever warp.
    pub fn block(&self) -> &[Span] {
        self.row(self.warps())
    }

    /// Returns the most passes that an access with a bank conflict takes in these columns.
    pub fn passes(&self, columns: Range<usize>) -> u8 {
        self.passes.get(columns).and_then(|passes| passes.iter().max()).copied().unwrap_or(0)
    }

    /// Returns the column of a step; the end of the window belongs to the last column.
    pub fn column(&self, step: usize) -> Option<usize> {
        let Range { start, end } = self.window;
        let inside = (start..=end).contains(&step) && start < end && self.width > 0;
        inside.then(|| ((step - start) * self.width / (end - start)).min(self.width - 1))
    }
}

/// Computes what every warp does in each of `width` columns over the steps of `window`.
///
/// Examines only the window's steps (some 65,000 at most) and a bounded number before it.
pub fn columns(
    window: Range<usize>,
    width: usize,
    warps: usize,
    step: impl Fn(usize) -> StepRecord,
) -> Columns {
    let mut chart = Columns {
        spans: vec![Span::Before; (warps + 1) * width],
        passes: vec![0; width],
        width,
        window: window.clone(),
        barriers: Vec::new(),
    };
    if warps == 0 || window.is_empty() {
        return chart;
    }
    let stride = prime(window.len() / LOOKED_AT);
    let mut walk = Walk::from(window.start, warps, stride, &step);
    let mut shares = vec![Shares::default(); warps + 1];
    let stretch = stretch(window.len(), width, warps);
    let (mut next, mut passes) = (window.start, 0);
    for first in (0..width).step_by(stretch) {
        let last = (first + stretch).min(width);
        let mut own = None;
        for column in first..last {
            let place = ((column - first) as f64 + 0.5) / (last - first) as f64;
            // Of a column of less than one step, the next ones repeat the state after it.
            let least = first_step(&window, width, column) + 1;
            let until = first_step(&window, width, column + 1).max(least);
            if next >= until {
                walk.tally(&mut shares, place);
            }
            while next < until {
                let record = step(next);
                if walk.take(&record, next) {
                    chart.barriers.push(column);
                }
                let passes = if record.conflict { record.passes } else { 0 };
                own = own.max(Some(passes));
                walk.tally(&mut shares, place);
                next += stride;
            }
        }
        passes = own.unwrap_or(passes);
        chart.passes[first..last].fill(passes);
        for (row, shares) in shares.iter_mut().enumerate() {
            shares.lay(&mut chart.spans[row * width + first..row * width + last]);
        }
    }
    chart.barriers.dedup();
    chart
}

/// Returns the distance between examined steps: a prime, so that among warps that take turns or run
/// in a loop, each is sampled at every phase.
fn prime(least: usize) -> usize {
    let least = least.max(1);
    let is_prime = |n: &usize| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    // There is always a prime between a number and its double.
    (least..=2 * least).find(is_prime).unwrap_or(least)
}

/// Returns the first step of a column.
pub(super) fn first_step(window: &Range<usize>, width: usize, column: usize) -> usize {
    window.start + window.len() * column / width.max(1)
}

/// The state of a warp at one moment, and the step at which it last executed.
#[derive(Clone, Copy)]
struct Now {
    span: Span,
    last: usize,
    /// The barrier at which it waits, if it does.
    barrier: u8,
}

/// The warps on the way through the steps.
struct Walk {
    warps: Vec<Now>,
    /// The steps for which a warp keeps an instruction: until the turns of all have passed.
    turn: usize,
    /// The step executed last, and what it was.
    at: usize,
    executed: Span,
}

impl Walk {
    /// Returns the warps at the start of a window, as far as a bounded search back tells.
    fn from(start: usize, warps: usize, stride: usize, step: impl Fn(usize) -> StepRecord) -> Self {
        let nothing = if start > LOOKED_BACK { Span::Idle } else { Span::Before };
        let mut walk = Self {
            warps: vec![Now { span: nothing, last: start, barrier: 0 }; warps],
            turn: warps * stride,
            at: start,
            executed: Span::Before,
        };
        for at in start.saturating_sub(LOOKED_BACK)..start {
            walk.take(&step(at), at);
        }
        walk
    }

    /// Executes a step; returns whether a barrier released the block.
    fn take(&mut self, step: &StepRecord, at: usize) -> bool {
        (self.at, self.executed) = (at, Span::of(step));
        if let Some(now) = self.warps.get_mut(usize::from(step.warp)) {
            *now = Now { span: Span::from(step), last: at, barrier: step.barrier };
        }
        if step.released {
            // Other warps may wait at another barrier.
            let waits = |warp: &&mut Now| warp.span == Span::Wait && warp.barrier == step.barrier;
            self.warps.iter_mut().filter(waits).for_each(|warp| warp.span = Span::Idle);
        }
        step.released
    }

    /// Counts one step for the state of each warp, and for the block.
    fn tally(&self, shares: &mut [Shares], place: f64) {
        let over = |now: &Now| now.span.is_instruction() && self.at - now.last >= self.turn;
        let warps = self.warps.iter().map(|now| if over(now) { Span::Idle } else { now.span });
        for (span, shares) in warps.chain([self.executed]).zip(shares) {
            shares.add(span, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Pc;
    use crate::trace::Kind;

    fn step(warp: usize, kind: Kind) -> StepRecord {
        let warp = warp as u16;
        let (passes, conflict, released) = (0, false, false);
        StepRecord { pc: Pc(0), fma: 0, warp, kind, passes, conflict, released, barrier: 0 }
    }

    fn alternate(at: usize) -> StepRecord {
        step(at % 2, Kind::Fma)
    }

    #[test]
    fn round_robin_looks_continuous_even_where_a_column_is_one_step() {
        let chart = columns(0..8, 8, 2, alternate);
        assert_eq!(chart.row(0), [Span::Fma; 8]);
        assert_eq!(chart.row(1)[0], Span::Before);
        assert_eq!(chart.row(1)[1..], [Span::Fma; 7]);
        assert_eq!(chart.block(), [Span::Fma; 8]);
    }

    #[test]
    fn a_column_of_one_step_shows_exactly_that_step() {
        let kinds = [Kind::GlobalLoad, Kind::Compute, Kind::SharedStore, Kind::Fma, Kind::Branch];
        let chart = columns(0..5, 5, 1, |at| step(0, kinds[at]));
        let spans = [Span::GlobalLoad, Span::Other, Span::SharedStore, Span::Fma, Span::Other];
        assert_eq!(chart.row(0), spans);
        let chart = columns(0..5, 10, 1, |at| step(0, kinds[at]));
        assert_eq!(chart.row(0), spans.map(|span| [span; 2]).concat());
    }

    #[test]
    fn a_warp_is_ready_while_others_have_longer_turns() {
        // Warp 0 loads once; then warp 1 runs alone.
        let chart = columns(0..8, 8, 2, |at| step(usize::from(at > 0), Kind::GlobalLoad));
        assert_eq!(
            chart.row(0)[..2],
            [Span::GlobalLoad; 2],
            "until its turn would have come again"
        );
        assert_eq!(chart.row(0)[2..], [Span::Idle; 6]);
    }

    #[test]
    fn a_window_knows_who_was_waiting_when_it_begins() {
        // Warp 0 arrives at step 2, warp 1 runs until step 9 and releases it.
        let tick = |at| match at {
            0..2 => step(0, Kind::GlobalLoad),
            2 => step(0, Kind::Barrier),
            9 => StepRecord { released: true, ..step(1, Kind::Barrier) },
            _ => step(1, Kind::Compute),
        };
        let chart = columns(5..10, 5, 2, tick);
        assert_eq!(chart.row(0)[..4], [Span::Wait; 4]);
        assert_eq!(chart.row(1)[..4], [Span::Other; 4]);
        assert_eq!(chart.barriers, [4]);
    }

    #[test]
    fn a_barrier_of_some_warps_leaves_the_others_waiting() {
        let tick = |at| match at {
            0 => StepRecord { barrier: 1, ..step(0, Kind::Barrier) },
            1 => StepRecord { barrier: 2, ..step(1, Kind::Barrier) },
            4 => StepRecord { barrier: 2, released: true, ..step(2, Kind::Barrier) },
            _ => step(2, Kind::Compute),
        };
        let chart = columns(0..8, 8, 3, tick);
        assert_eq!(chart.row(0), [Span::Wait; 8]);
        assert_eq!((chart.row(1)[3], chart.row(1)[5]), (Span::Wait, Span::Idle));
    }

    #[test]
    fn more_columns_than_steps_stretch_the_steps() {
        let chart = columns(0..2, 8, 1, |_| step(0, Kind::GlobalLoad));
        assert_eq!(chart.column(0), Some(0));
        assert_eq!(chart.column(1), Some(4));
        assert_eq!(chart.column(2), Some(7));
        assert_eq!(chart.column(3), None);
    }

    #[test]
    fn passes_are_those_of_the_columns_own_steps_however_few_are_examined() {
        let conflict = |at| {
            let passes = if at < 100_000 { 32 } else { 2 };
            StepRecord { passes, conflict: true, ..step(0, Kind::SharedLoad) }
        };
        for len in [200_000, 2_000_000] {
            let chart = columns(0..len, 100, 1, |at| conflict(at * 200_000 / len));
            assert_eq!([10, 90].map(|column| chart.passes(column..column + 1)), [32, 2], "{len}");
        }
    }

    #[test]
    fn huge_windows_are_sampled() {
        let looked = std::cell::Cell::new(0_usize);
        let tick = |at| {
            looked.set(looked.get() + 1);
            alternate(at)
        };
        columns(100_000_000..200_000_000, 100, 2, tick);
        assert!(looked.get() < 2 * LOOKED_AT + LOOKED_BACK, "{} steps", looked.get());
    }

    #[test]
    fn warps_that_take_turns_for_long_are_all_seen() {
        // Two warps in a loop of four instructions, one of which multiplies and adds.
        let kind = |at: usize| if at / 2 % 4 == 3 { Kind::Fma } else { Kind::Compute };
        let chart = columns(0..1 << 23, 66, 2, |at| step(at % 2, kind(at)));
        for row in 0..3 {
            let fma = chart.row(row).iter().filter(|span| **span == Span::Fma).count();
            assert!(fma.abs_diff(66 / 4) <= 1, "row {row}: {fma} of 66");
        }
    }

    #[test]
    fn every_step_has_a_column_and_every_column_a_step() {
        let chart = Columns { window: 7..107, width: 33, ..Columns::default() };
        for column in 0..33 {
            let found = chart.column(first_step(&chart.window, 33, column));
            assert_eq!(found.map(|found| found.abs_diff(column) <= 1), Some(true));
        }
    }
}
