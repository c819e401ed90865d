//! Divides steps into phases: what a warp does of one kind, one warp after the other or several together.

use crate::trace::{OpKind, StepRecord};
use std::collections::BTreeSet;
use std::ops::Range;

/// The kind of a phase. Other instructions prepare the phase that comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PhaseKind {
    Load,
    Store,
    Multiply,
    Result,
}

/// What a cut divides, the finest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PhaseLevel {
    /// Two phases of the same warps.
    Phase,
    /// What is multiplied, and what is loaded next.
    Round,
    /// The turns of two warps.
    Turn,
    /// What comes before a barrier and after it.
    Barrier,
}

/// Steps that are drawn in columns of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepGroup {
    pub(super) steps: Range<usize>,
    pub(super) columns: Range<usize>,
}

/// Instructions before a phase from which on they are a group of their own: they are not a mere
/// address.
pub(super) const LEAD: usize = 16;

/// Columns of a group of several phases, so that each kind has one.
const SEVERAL: usize = 4;

impl PhaseKind {
    const fn of(step: &StepRecord) -> Option<Self> {
        match step.kind {
            OpKind::GlobalLoad => Some(Self::Load),
            OpKind::SharedStore => Some(Self::Store),
            OpKind::SharedLoad | OpKind::Fma => Some(Self::Multiply),
            OpKind::GlobalStore => Some(Self::Result),
            OpKind::Compute | OpKind::Branch | OpKind::Barrier | OpKind::Exit => None,
        }
    }
}

/// Divides steps into as many groups as fit `width` columns: phases or, if these are too many, the turns
/// of warps, what lies between barriers, or several of these.
///
/// Groups of equal length have equally many columns; what is left goes to groups of several warps, so
/// that warps that do the same are drawn alike.
pub(super) fn groups(steps: &[StepRecord], width: usize) -> Vec<StepGroup> {
    let cuts = cuts(steps);
    let starts = |level| {
        let cuts = cuts.iter().filter(move |(of, _)| *of >= level).map(|(_, at)| *at);
        [0].into_iter().chain(cuts).collect::<Vec<_>>()
    };
    let levels =
        [PhaseLevel::Phase, PhaseLevel::Round, PhaseLevel::Turn, PhaseLevel::Barrier].map(starts);
    // Where warps take no turns, that phases alternate must be seen all the same.
    let fits = |(level, starts): &(usize, &Vec<usize>)| {
        starts.len() <= width && (*level < 2 || starts.len() * 2 * SEVERAL >= width)
    };
    let fitting = levels.iter().enumerate().find(fits).map(|(_, starts)| starts.clone());
    let starts = fitting.unwrap_or_else(|| {
        let many = levels.iter().rev().find(|starts| starts.len() * SEVERAL > width);
        let many = many.unwrap_or(&levels[0]);
        let each = (many.len() * SEVERAL).div_ceil(width);
        many.iter().copied().step_by(each).collect()
    });
    let ends = starts[1..].iter().copied().chain([steps.len()]);
    let ranges: Vec<_> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    let joint = |range: &Range<usize>| {
        let warps = |step: &StepRecord| PhaseKind::of(step).map(|_| step.warp);
        steps[range.clone()].iter().filter_map(warps).collect::<BTreeSet<_>>().len() > 1
    };
    let lengths: Vec<_> = ranges.iter().map(|range| (range.len(), joint(range))).collect();
    let mut first = 0;
    let columns = allot(&lengths, width).into_iter().map(|count| {
        first += count;
        first - count..first
    });
    ranges.into_iter().zip(columns).map(|(steps, columns)| StepGroup { steps, columns }).collect()
}

/// Divides `width` columns, at least as many as there are parts, among parts of these lengths: each has
/// one, and equal ones have equally many. What cannot be divided so goes to the longest of those that may
/// have more.
pub(super) fn allot(parts: &[(usize, bool)], width: usize) -> Vec<usize> {
    let scaled = |scale: f64| {
        let columns = parts.iter().map(|(length, _)| ((*length as f64 * scale) as usize).max(1));
        columns.collect::<Vec<_>>()
    };
    let (mut low, mut high) = (0.0, width as f64);
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        let fits = scaled(middle).iter().sum::<usize>() <= width;
        if fits { low = middle } else { high = middle }
    }
    let mut columns = scaled(low);
    let mut longest: Vec<_> = (0..parts.len()).filter(|part| parts[*part].1).collect();
    if longest.is_empty() {
        longest = (0..parts.len()).collect();
    }
    longest.sort_by_key(|part| std::cmp::Reverse(parts[*part].0));
    let left = width.saturating_sub(columns.iter().sum());
    longest.iter().cycle().take(left).for_each(|part| columns[*part] += 1);
    columns
}

/// Returns where a phase begins, and what it is divided from.
fn cuts(steps: &[StepRecord]) -> Vec<(PhaseLevel, usize)> {
    let mut cuts = Vec::new();
    // The current phase, and the warps that have reached it.
    let (mut phase, mut warps) = (None, BTreeSet::new());
    // The start of the current warp's uninterrupted steps, and the end of the last phase.
    let (mut turn, mut done) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &steps[before]);
        if before.is_some_and(|before| before.warp != step.warp) {
            turn = at;
        }
        if before.is_some_and(|before| before.released) {
            cuts.push((PhaseLevel::Barrier, at));
            (phase, warps, turn, done) = (None, BTreeSet::new(), at, at);
        }
        let Some(now) = PhaseKind::of(step) else { continue };
        let first = turn.max(done);
        // A warp that prepares the phase for long reaches it in a turn of its own.
        let goes_on = phase == Some(now) && (warps.contains(&step.warp) || at - first < LEAD);
        done = at + 1;
        if goes_on {
            warps.insert(step.warp);
            continue;
        }
        let again = now == PhaseKind::Load && phase == Some(PhaseKind::Multiply);
        if phase.is_some() {
            let level = match (warps.contains(&step.warp), again) {
                (false, _) => PhaseLevel::Turn,
                (true, true) => PhaseLevel::Round,
                (true, false) => PhaseLevel::Phase,
            };
            cuts.push((level, first));
        }
        if at - first >= LEAD {
            cuts.push((PhaseLevel::Phase, at));
        }
        (phase, warps) = (Some(now), BTreeSet::from([step.warp]));
    }
    cuts
}
