//! Summarises the steps of a window: what each warp does in each column of a chart.
//!
//! The axis is the steps of the block, cut at phases (see [`groups`]), so that warps that do the same
//! have the same cells. Within a group of columns, an executing warp has a cell for each kind of
//! instruction, in order and in proportion as far as there is room; any other warp shows its state:
//! waiting, or ready. If every step has a column of its own, it shows the step.

use super::phases::{LEAD, StepGroup, allot, groups};
use super::span::{SpanMark, StepKind};
use crate::trace::StepRecord;
use std::ops::Range;

/// A chart of a window of steps: compute it once per window, not once per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartColumns {
    /// The steps it shows.
    pub window: Range<usize>,
    /// The columns in which a barrier released the block, ascending.
    pub barriers: Vec<usize>,
    /// The first step of each column.
    starts: Vec<usize>,
    /// The states row by row: one row per warp, then the row of the block.
    marks: Vec<SpanMark>,
    /// For each column, the most passes of an access with a bank conflict in its group.
    passes: Vec<u8>,
}

/// The number of steps before the window that are searched for each warp's state at its start.
const LOOKED_BACK: usize = 1 << 15;

impl ChartColumns {
    /// The number of columns.
    pub const fn width(&self) -> usize {
        self.starts.len()
    }

    /// The number of warps.
    pub fn warps(&self) -> usize {
        self.marks.len().checked_div(self.width()).unwrap_or(0).saturating_sub(1)
    }

    pub fn row(&self, warp: usize) -> &[SpanMark] {
        self.marks.get(warp * self.width()..(warp + 1) * self.width()).unwrap_or_default()
    }

    /// Returns the columns of the whole block: what was executed, by whichever warp.
    pub fn block(&self) -> &[SpanMark] {
        self.row(self.warps())
    }

    /// Returns the most passes of an access with a bank conflict in these columns.
    pub fn passes(&self, columns: Range<usize>) -> u8 {
        self.passes.get(columns).and_then(|passes| passes.iter().max()).copied().unwrap_or(0)
    }

    /// Returns the column of a step; the end of the window belongs to the last column.
    pub fn column(&self, step: usize) -> Option<usize> {
        let Range { start, end } = self.window;
        let inside = (start..=end).contains(&step) && start < end && self.width() > 0;
        let next = self.starts.partition_point(|first| *first < step);
        let begins = self.starts.get(next) == Some(&step);
        inside.then(|| if begins { next } else { next.saturating_sub(1) })
    }

    pub(in crate::tui) fn first_step(&self, column: usize) -> Option<usize> {
        self.starts.get(column).copied()
    }

    /// Fills a row's cells in a group of columns.
    fn lay(&mut self, row: usize, columns: Range<usize>, marks: &[SpanMark]) {
        let first = row * self.width();
        self.marks[first + columns.start..first + columns.end].copy_from_slice(marks);
    }
}

/// Computes what every warp does in each of `width` columns over the steps of `window`.
///
/// Examines only the window's steps and a bounded number before it.
pub fn columns(
    window: Range<usize>,
    width: usize,
    warps: usize,
    step: impl Fn(usize) -> StepRecord,
) -> ChartColumns {
    let mut chart = ChartColumns {
        marks: vec![SpanMark::default(); (warps + 1) * width],
        passes: vec![0; width],
        starts: (0..width).map(|column| window.start + window.len() * column / width).collect(),
        window: window.clone(),
        barriers: Vec::new(),
    };
    if warps == 0 || window.is_empty() || width == 0 {
        return chart;
    }
    let steps: Vec<_> = window.clone().map(&step).collect();
    let mut walk = ColumnWalk::from(window.start, warps, &step);
    let groups = groups(&steps, width);
    for StepGroup { steps, columns } in &groups {
        let first = |column| window.start + steps.start + steps.len() * column / columns.len();
        chart.starts[columns.clone()]
            .iter_mut()
            .enumerate()
            .for_each(|(column, start)| *start = first(column));
    }
    for StepGroup { steps: range, columns } in groups {
        let records = &steps[range.clone()];
        let passes = records.iter().filter(|step| step.conflict).map(|step| step.passes);
        chart.passes[columns.clone()].fill(passes.max().unwrap_or(0));
        if columns.len() < records.len() {
            for row in 0..=warps {
                let marks = walk.row(row, records, columns.len());
                chart.lay(row, columns.clone(), &marks);
            }
        }
        for (at, record) in (window.start + range.start..).zip(records) {
            if walk.take(record, at) {
                chart.barriers.extend(chart.column(at));
            }
            let own = |column: &usize| chart.starts[*column] == at;
            if columns.len() >= records.len() {
                let all: Vec<_> = columns.clone().filter(own).collect();
                for row in 0..=warps {
                    let mark = SpanMark::one(walk.now(row, record));
                    for column in &all {
                        chart.lay(row, *column..column + 1, &[mark]);
                    }
                }
            }
        }
    }
    chart.barriers.dedup();
    chart
}

/// Lays out runs of instructions in `columns` cells: each run in order or, if there are too many, each
/// kind in the order in which it first occurs. Without room for all kinds, the last cell has several.
fn laid(runs: &[(StepKind, usize)], columns: usize) -> Vec<SpanMark> {
    let mut parts = runs.to_vec();
    if runs.len() > columns {
        parts.clear();
        for (span, steps) in runs {
            match parts.iter_mut().find(|(known, _)| known == span) {
                Some((_, all)) => *all += steps,
                None => parts.push((*span, *steps)),
            }
        }
    }
    let own = parts.len().min(columns) - usize::from(parts.len() > columns);
    let rest: Vec<_> = parts[own..].iter().map(|(span, _)| *span).collect();
    let marks = parts[..own].iter().map(|(span, _)| SpanMark::one(*span));
    let marks = marks.chain((!rest.is_empty()).then(|| SpanMark::of(&rest)));
    let lengths: Vec<_> = parts.iter().take(columns).map(|(_, steps)| (*steps, true)).collect();
    marks.zip(allot(&lengths, columns)).flat_map(|(mark, count)| vec![mark; count]).collect()
}

/// Returns what is executed in these steps, by one warp or by all, as runs of one kind. Other instructions
/// count if they are many or nothing else is executed.
fn runs(steps: &[StepRecord], warp: Option<usize>) -> Vec<(StepKind, usize)> {
    let own = steps.iter().filter(|step| warp.is_none_or(|warp| usize::from(step.warp) == warp));
    let spans: Vec<_> = own.map(StepKind::of).collect();
    let all = spans.chunk_by(StepKind::eq).map(|run| (run[0], run.len()));
    let counts = |(span, steps): &(StepKind, usize)| *span != StepKind::Other || *steps >= LEAD;
    let kinds: Vec<_> = all.clone().filter(counts).collect();
    let all: Vec<_> = all.collect();
    let mut runs: Vec<(StepKind, usize)> = Vec::new();
    for (span, steps) in if kinds.is_empty() { all } else { kinds } {
        match runs.last_mut() {
            Some((last, sum)) if *last == span => *sum += steps,
            _ => runs.push((span, steps)),
        }
    }
    runs
}

/// The state of a warp at one moment, and the step at which it last executed.
#[derive(Clone, Copy)]
struct WarpMoment {
    span: StepKind,
    last: usize,
    /// The barrier at which it waits, if it does.
    barrier: u8,
}

/// The warps on the way through the steps.
struct ColumnWalk {
    warps: Vec<WarpMoment>,
    /// The step executed last.
    at: usize,
}

impl ColumnWalk {
    /// Returns the warps at the start of a window, from a bounded search backwards.
    fn from(start: usize, warps: usize, step: impl Fn(usize) -> StepRecord) -> Self {
        let nothing = if start > LOOKED_BACK { StepKind::Idle } else { StepKind::Before };
        let mut walk = Self {
            warps: vec![WarpMoment { span: nothing, last: start, barrier: 0 }; warps],
            at: start,
        };
        for at in start.saturating_sub(LOOKED_BACK)..start {
            walk.take(&step(at), at);
        }
        walk
    }

    /// Executes a step; returns whether a barrier released the block.
    fn take(&mut self, step: &StepRecord, at: usize) -> bool {
        self.at = at;
        if let Some(now) = self.warps.get_mut(usize::from(step.warp)) {
            *now = WarpMoment { span: StepKind::from(step), last: at, barrier: step.barrier };
        }
        if step.released {
            // Other warps may wait at another barrier.
            let waits = |warp: &&mut WarpMoment| {
                warp.span == StepKind::Wait && warp.barrier == step.barrier
            };
            self.warps.iter_mut().filter(waits).for_each(|warp| warp.span = StepKind::Idle);
        }
        step.released
    }

    /// What a warp, or the block after all warps, does at the step that has just been executed.
    fn now(&self, row: usize, step: &StepRecord) -> StepKind {
        match self.warps.get(row) {
            Some(now) if usize::from(step.warp) == row && now.span != StepKind::Wait => {
                StepKind::of(step)
            }
            // It keeps an instruction until the turns of all have passed.
            Some(now) if now.span.is_instruction() && self.at - now.last >= self.warps.len() => {
                StepKind::Idle
            }
            Some(now) => now.span,
            None => StepKind::of(step),
        }
    }

    /// The cells of a warp, or of the block after all warps, in a group of steps that come now.
    fn row(&self, row: usize, steps: &[StepRecord], columns: usize) -> Vec<SpanMark> {
        let now = self.warps.get(row);
        let runs = runs(steps, now.map(|_| row));
        match now.map(|now| now.span) {
            _ if !runs.is_empty() => laid(&runs, columns),
            Some(span) if !span.is_instruction() => vec![SpanMark::one(span); columns],
            _ => vec![SpanMark::one(StepKind::Idle); columns],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Pc;
    use crate::trace::OpKind;

    fn step(warp: usize, kind: OpKind) -> StepRecord {
        let warp = warp as u16;
        let (passes, conflict, released) = (0, false, false);
        StepRecord { pc: Pc(0), fma: 0, warp, kind, passes, conflict, released, barrier: 0 }
    }

    /// A row in which each cell shows one state.
    fn spans(row: &[SpanMark]) -> Vec<StepKind> {
        row.iter().map(|mark| mark.span().expect("one state")).collect()
    }

    fn alternate(at: usize) -> StepRecord {
        step(at % 2, OpKind::Fma)
    }

    #[test]
    fn round_robin_looks_continuous_even_where_a_column_is_one_step() {
        let chart = columns(0..8, 8, 2, alternate);
        assert_eq!(spans(chart.row(0)), [StepKind::Fma; 8]);
        assert_eq!(spans(chart.row(1))[0], StepKind::Before);
        assert_eq!(spans(chart.row(1))[1..], [StepKind::Fma; 7]);
        assert_eq!(spans(chart.block()), [StepKind::Fma; 8]);
    }

    #[test]
    fn a_column_of_one_step_shows_exactly_that_step() {
        let kinds =
            [OpKind::GlobalLoad, OpKind::Compute, OpKind::SharedStore, OpKind::Fma, OpKind::Branch];
        let chart = columns(0..5, 5, 1, |at| step(0, kinds[at]));
        let each = [
            StepKind::GlobalLoad,
            StepKind::Other,
            StepKind::SharedStore,
            StepKind::Fma,
            StepKind::Other,
        ];
        assert_eq!(spans(chart.row(0)), each);
        let chart = columns(0..5, 10, 1, |at| step(0, kinds[at]));
        assert_eq!(spans(chart.row(0)), each.map(|span| [span; 2]).concat());
    }

    #[test]
    fn a_warp_is_ready_while_others_have_longer_turns() {
        // Warp 0 loads once; then warp 1 runs alone.
        let chart = columns(0..8, 8, 2, |at| step(usize::from(at > 0), OpKind::GlobalLoad));
        let row = spans(chart.row(0));
        assert_eq!(row[..2], [StepKind::GlobalLoad; 2], "until its turn would have come again");
        assert_eq!(row[2..], [StepKind::Idle; 6]);
    }

    #[test]
    fn a_window_knows_who_was_waiting_when_it_begins() {
        // Warp 0 arrives at step 2, warp 1 runs until step 9 and releases it.
        let tick = |at| match at {
            0..2 => step(0, OpKind::GlobalLoad),
            2 => step(0, OpKind::Barrier),
            9 => StepRecord { released: true, ..step(1, OpKind::Barrier) },
            _ => step(1, OpKind::Compute),
        };
        let chart = columns(5..10, 5, 2, tick);
        assert_eq!(spans(chart.row(0))[..4], [StepKind::Wait; 4]);
        assert_eq!(spans(chart.row(1))[..4], [StepKind::Other; 4]);
        assert_eq!(chart.barriers, [4]);
    }

    #[test]
    fn a_barrier_of_some_warps_leaves_the_others_waiting() {
        let tick = |at| match at {
            0 => StepRecord { barrier: 1, ..step(0, OpKind::Barrier) },
            1 => StepRecord { barrier: 2, ..step(1, OpKind::Barrier) },
            4 => StepRecord { barrier: 2, released: true, ..step(2, OpKind::Barrier) },
            _ => step(2, OpKind::Compute),
        };
        let chart = columns(0..8, 8, 3, tick);
        assert_eq!(spans(chart.row(0)), [StepKind::Wait; 8]);
        let row = spans(chart.row(1));
        assert_eq!((row[3], row[5]), (StepKind::Wait, StepKind::Idle));
    }

    #[test]
    fn more_columns_than_steps_stretch_the_steps() {
        let chart = columns(0..2, 8, 1, |_| step(0, OpKind::GlobalLoad));
        assert_eq!(chart.column(0), Some(0));
        assert_eq!(chart.column(1), Some(4));
        assert_eq!(chart.column(2), Some(7));
        assert_eq!(chart.column(3), None);
    }

    #[test]
    fn every_step_has_a_column_and_every_column_a_step() {
        let chart = columns(7..107, 33, 1, |_| step(0, OpKind::Fma));
        for column in 0..33 {
            let found = chart.column(chart.first_step(column).expect("a step"));
            assert_eq!(found, Some(column));
        }
    }
}
