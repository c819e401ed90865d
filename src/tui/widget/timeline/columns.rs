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
    /// For each column, the most passes that an access to shared memory takes.
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

    /// Returns the most passes that an access to shared memory takes in these columns.
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
    let mut next = window.start;
    for first in (0..width).step_by(stretch) {
        let last = (first + stretch).min(width);
        for column in first..last {
            let place = ((column - first) as f64 + 0.5) / (last - first) as f64;
            // Of a column of less than one step, the next ones repeat the state after it.
            let least = first_step(&window, width, column) + 1;
            let until = first_step(&window, width, column + 1).max(least);
            if next >= until {
                chart.passes[column] = chart.passes[column.saturating_sub(1)];
                walk.tally(&mut shares, place);
            }
            while next < until {
                let record = step(next);
                if walk.take(&record, next) {
                    chart.barriers.push(column);
                }
                chart.passes[column] = chart.passes[column].max(record.passes);
                walk.tally(&mut shares, place);
                next += stride;
            }
        }
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
            warps: vec![Now { span: nothing, last: start }; warps],
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
            *now = Now { span: Span::from(step), last: at };
        }
        if step.released {
            for warp in self.warps.iter_mut().filter(|warp| warp.span == Span::Wait) {
                warp.span = Span::Idle;
            }
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
