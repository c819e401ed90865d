//! Runs the whole grid, with counts and checks.

use super::barrier::LanesAtPc;
use super::block_conflicts::BlockConflicts;
use super::checks::Checks;
use super::finding::{AccessKind, Finding, FindingKind, Findings};
use super::initcheck::UninitialisedReads;
use super::poison_rerun::PoisonRerun;
use super::shared_pages::{self, SharedPages};
use super::touch::SharedWords;
use super::{Checker, WatchedBuffer, endless, fences};
use crate::analysis::Counters;
use crate::analysis::grid::{self, BlockExecution, GridCount, Observer, While};
use crate::launch::Dim3;
use crate::sim::{Fault, FaultKind, Machine, Memory, Repeats};
use ptx::MemoryScope;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The counts and findings of a run.
#[derive(Debug)]
pub struct CheckOutcome {
    /// Counts of the blocks, as far as they ran.
    pub counters: Counters,
    /// The errors found; empty if the kernel has none.
    pub findings: Vec<Finding>,
    /// Stores that would race if they were not of the same value in this run, and indices that leave
    /// their row.
    pub same: Vec<Finding>,
    /// Indices that leave their row of an array.
    pub left_rows: Vec<Finding>,
    /// Global memory after the run.
    pub memory: Memory,
    /// The number of blocks that were run.
    pub blocks: u64,
}

/// Rounds after which no more units are examined: where blocks race, they may touch other memory in
/// each run.
const ROUNDS: usize = 8;

/// Discoveries of one round that require another.
struct New {
    /// Buffers that turn out to be written although that was not known.
    untracked_buffers: BTreeSet<usize>,
    /// Units that several blocks touch.
    shared_words: SharedWords,
}

/// Runs the grid on the memory that `memory` makes. Runs it again for each buffer that turns out to
/// be written although that was not known, and to see who accesses the memory that several blocks
/// touch: nothing is kept of the rest.
pub fn run<M>(checks: &Checks<'_>, memory: impl Fn() -> Memory, machine: M) -> CheckOutcome
where
    M: Fn(Dim3, Memory) -> Machine + Sync,
{
    let mut watched: BTreeSet<usize> = BTreeSet::new();
    let mut first = Some(memory());
    let numbered = first.iter().flat_map(Memory::buffers).enumerate();
    let unfilled = numbered
        .filter(|(_, buffer)| checks.unfilled.contains(&&*buffer.name) || buffer.written.is_some());
    watched.extend(unfilled.map(|(number, _)| number));
    let mut suspects = SharedWords::default();
    for round in 0.. {
        let fresh = first.take().unwrap_or_else(&memory);
        let (checked, new) = once(checks, (&watched, &suspects), (fresh, &memory), &machine);
        let more = shared_pages::extend(&mut suspects, new.shared_words) && round < ROUNDS;
        if checks.token.is_cancelled() || !more && new.untracked_buffers.is_subset(&watched) {
            return checked;
        }
        watched.extend(new.untracked_buffers);
    }
    unreachable!("every round but the last ones watches another buffer")
}

fn once<M>(
    checks: &Checks<'_>,
    (watched, suspects): (&BTreeSet<usize>, &SharedWords),
    (memory, again): (Memory, &dyn Fn() -> Memory),
    machine: &M,
) -> (CheckOutcome, New)
where
    M: Fn(Dim3, Memory) -> Machine + Sync,
{
    // Parameters whose address is taken lie in a buffer of the machine's own, after these.
    let watch = |number: &usize| {
        let buffer = memory.buffers().get(*number)?;
        let filled = !checks.unfilled.contains(&&*buffer.name);
        let filled = filled && buffer.written.is_none();
        let (base, bytes) = (buffer.base, buffer.bytes);
        Some(WatchedBuffer {
            buffer: *number,
            base,
            bytes,
            filled,
            written: buffer.written.clone(),
        })
    };
    let watched: Vec<_> = watched.iter().filter_map(watch).collect();
    let make = |block| machine(block, memory.clone());
    // Which thread signals which is observed as it happens, so the blocks run in turn.
    let in_turn = || fences::scope(make(Dim3::at(0, 0)).program()) == Some(MemoryScope::Gpu);
    let mut how = if checks.only.is_none() && in_turn() {
        BlockExecution::InTurn
    } else {
        BlockExecution::Together
    };
    let (observed, overlap, between) = loop {
        let overlap = Arc::new(SharedPages::new());
        let between = Arc::new(BlockConflicts::new(checks.launch, suspects.clone()));
        let new = || While::new(Observed::new(&watched, (&overlap, &between)), checks.token);
        let observed = match checks.only {
            None => grid::attempt(how, (checks.launch, checks.budget), &make, &new),
            Some(block) => {
                let mut one = new();
                let _ = grid::observe_block(make(block), 0, checks.budget, &mut one);
                Ok(vec![one])
            }
        };
        match observed {
            Ok(observed) => break (observed, overlap, between),
            Err(next) => how = next,
        }
    };
    let mut sum = CheckTotals::default();
    for While { observer, blocks, .. } in observed {
        sum.add(observer, blocks);
    }
    let mut findings: Vec<_> = sum.findings.list().cloned().collect();
    if checks.only.is_none() && !sum.stopped && !checks.token.is_cancelled() {
        for finding in &mut findings {
            settle(finding, &memory);
        }
    }
    findings.extend(between.findings());
    let same = sum.same.list().cloned().chain(between.same()).collect();
    let left_rows = sum.left_rows.list().cloned().collect();
    let new = New { untracked_buffers: sum.strays, shared_words: overlap.suspects() };
    let CheckTotals { counters, blocks, .. } = sum;
    // Who is told to stop looks no further.
    if !checks.token.is_cancelled() {
        let of_grid = counters.ptx.warp_instructions;
        let retry = PoisonRerun::new(checks, (&memory, again), machine, of_grid);
        findings.extend(retry.those_that_matter(&sum.unread, &findings));
    }
    (CheckOutcome { counters, findings, same, left_rows, memory, blocks }, new)
}

/// Says of a block that waits for another whether one has come, once all have run.
fn settle(finding: &mut Finding, memory: &Memory) {
    if let FindingKind::NoEnd(found) = &mut finding.kind {
        found.end.settle(memory);
    }
}

/// One worker's blocks.
struct Observed<'a> {
    count: GridCount,
    watched: &'a [WatchedBuffer],
    blocks: (Arc<SharedPages>, Arc<BlockConflicts>),
    /// Made for the first block.
    checker: Option<Checker>,
    /// Whether a block does not end, so that others are not run.
    stopped: bool,
}

impl<'a> Observed<'a> {
    fn new(
        watched: &'a [WatchedBuffer],
        (overlap, between): (&Arc<SharedPages>, &Arc<BlockConflicts>),
    ) -> Self {
        let blocks = (Arc::clone(overlap), Arc::clone(between));
        Self { count: GridCount::default(), watched, blocks, checker: None, stopped: false }
    }
}

impl Observer for Observed<'_> {
    fn start(&mut self, machine: &Machine, number: u64) {
        let new = || Checker::new(machine, self.watched.to_vec(), self.blocks.clone());
        self.checker.get_or_insert_with(new).start(machine, number);
    }

    fn step(&mut self, machine: &Machine) {
        self.count.step(machine);
        if let Some(checker) = &mut self.checker {
            checker.step(machine);
        }
    }

    fn stopped(&mut self) {
        if let Some(checker) = &mut self.checker {
            checker.end(Ok(()));
        }
    }

    fn end(&mut self, machine: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        let Some(checker) = &mut self.checker else { return ControlFlow::Continue(()) };
        if let Err(Fault { kind: FaultKind::NoEnd(issued, repeats), .. }) = end {
            // Whether another block ends its wait shows when these have run.
            let waits = matches!(repeats, Some(Repeats::UnlessWritten(_)));
            checker.goes_round(machine, issued, repeats);
            checker.end(Ok(()));
            self.stopped |= !waits;
            return if waits { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        }
        checker.end(end);
        // The run starts again, and watches what it did not.
        if checker.untracked_buffers.is_empty() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

impl Checker {
    fn goes_round(&mut self, machine: &mut Machine, issued: u64, repeats: Option<Repeats>) {
        let (found, round) = endless::look(machine, issued, repeats);
        let side = |(warp, lanes, pc)| {
            self.standing(&LanesAtPc { warp, lanes, pc, did: AccessKind::Stand })
        };
        let finding = Finding {
            kind: FindingKind::NoEnd(found),
            block: self.block,
            interval: Some(self.interval),
            place: None,
            sides: round.into_iter().map(side).collect(),
            missing: None,
            words: 0,
            blocks: 0,
        };
        self.findings.add(self.number, finding);
    }
}

#[derive(Default)]
struct CheckTotals {
    counters: Counters,
    findings: Findings,
    same: Findings,
    left_rows: Findings,
    unread: UninitialisedReads,
    strays: BTreeSet<usize>,
    stopped: bool,
    blocks: u64,
}

impl CheckTotals {
    fn add(&mut self, mut observed: Observed<'_>, blocks: u64) {
        self.blocks += blocks;
        self.counters.merge(&observed.count.take());
        self.stopped |= observed.stopped;
        if let Some(checker) = observed.checker {
            self.findings.merge(checker.findings);
            self.same.merge(checker.same);
            self.left_rows.merge(checker.left_rows);
            self.unread.merge(checker.uninitialised);
            self.strays.extend(checker.untracked_buffers);
        }
    }
}
