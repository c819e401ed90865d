//! Runs a whole grid: blocks in parallel on every core where their order is of no account, observed
//! while they run and then dropped.

use super::Counters;
use super::memo::Memo;
use super::vectorise::{Replacement, SmemVectorisation};
use crate::launch::{Dim3, Launch};
use crate::sim::{Effect, Fault, FaultKind, Inst, Machine, Memory, Program, Repeats, Repetition};
use crate::work::{WorkToken, are_stopped, share};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Default number of instructions (of warps) after which a block is aborted: many times what the
/// largest matrices take.
pub const BUDGET: u64 = 100_000_000;

/// Instructions between two looks at whether a block is to go on: less than a millisecond.
const LOOK: u64 = 1 << 12;

/// Observes the steps of blocks, one block after another.
pub trait Observer: Send {
    /// Block number `number` of the grid is about to run, or a group of which it is the first.
    fn start(&mut self, machine: &Machine, number: u64);

    /// The machine has executed a step: [`Machine::last`].
    fn step(&mut self, machine: &Machine);

    /// The block has ended or failed; returns whether to run further blocks.
    fn end(&mut self, machine: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()>;

    /// Whether the block is to go on, asked now and then.
    fn goes_on(&self) -> bool {
        true
    }

    /// The block was stopped before its end.
    fn stopped(&mut self) {}
}

/// Runs the block that `machine` makes for each position of the grid, and returns the observers,
/// made by `observer`, with what they have seen: as if the blocks had run one after another.
///
/// So they do where one writes what another touches. Other blocks run on every core; whether they
/// meet shows while they run. A block is aborted as one that does not end when that is proved, or
/// after `budget` instructions.
pub fn observe<O: Observer>(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    observer: impl Fn() -> O + Sync,
) -> Vec<O> {
    let mut how = BlockExecution::Together;
    loop {
        match attempt(how, (launch, budget), &machine, &observer) {
            Ok(observers) => return observers,
            Err(next) => how = next,
        }
    }
}

/// How the blocks of a grid run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlockExecution {
    /// At the same time, as long as none writes what another touches.
    Together,
    /// One after another.
    InTurn,
}

impl BlockExecution {
    /// In turn if the program says that blocks act on each other.
    fn of(program: &Program) -> Self {
        if program.insts.iter().any(Inst::updates_global) { Self::InTurn } else { Self::Together }
    }
}

/// Tries to run a grid in this way, with new observers. On failure, memory is as it was before.
///
/// # Errors
/// The way in which to try again.
pub(super) fn attempt<O: Observer>(
    how: BlockExecution,
    (launch, budget): (Launch, u64),
    machine: &(impl Fn(Dim3) -> Machine + Sync),
    observer: &(impl Fn() -> O + Sync),
) -> Result<Vec<O>, BlockExecution> {
    let first = machine(Dim3::at(0, 0));
    let groups = BlockGroups { grid: launch.grid, shape: first.blocks().shape() };
    let (how, memory) = (how.max(BlockExecution::of(first.program())), first.memory().clone());
    let first = Mutex::new(Some(first));
    let run = |(observer, among): (&mut O, Option<&Among>), index| {
        let first = if index == 0 { take(&first) } else { None };
        let machine = first.unwrap_or_else(|| machine(groups.place(index)));
        let next = run_one((machine, groups.first(index)), budget, observer, among);
        if memory.meeting().is_unknown { ControlFlow::Break(()) } else { next }
    };
    let seen = match how {
        BlockExecution::InTurn => {
            let mut one = observer();
            let _ = (0..groups.count()).try_for_each(|index| run((&mut one, None), index));
            Ok(vec![one])
        }
        BlockExecution::Together => together(groups, &memory, run, observer),
    };
    let unknown = memory.meeting().is_unknown;
    let stopped = |all: &Vec<O>| are_stopped() || !all.iter().all(O::goes_on);
    match seen {
        Ok(observers) if !unknown || stopped(&observers) => Ok(observers),
        Ok(_) => {
            memory.rewind(None);
            Err(how)
        }
        Err(next) => {
            memory.rewind(None);
            Err(next)
        }
    }
}

/// What blocks that run at the same time know of each other.
#[derive(Debug)]
struct Among {
    /// The lowest number of a block that lets none after it run.
    last: AtomicU64,
    /// Whether one waits for what another writes.
    waits: AtomicBool,
}

/// Runs the groups of blocks on every core.
///
/// # Errors
/// They are to run in turn: some meet, or one waits for others, or one lets no more run of which
/// some have run already.
fn together<O: Observer>(
    groups: BlockGroups,
    memory: &Memory,
    run: impl Fn((&mut O, Option<&Among>), u64) -> ControlFlow<()> + Sync,
    observer: impl Fn() -> O + Sync,
) -> Result<Vec<O>, BlockExecution> {
    let among = Among { last: AtomicU64::new(u64::MAX), waits: AtomicBool::new(false) };
    let worker = || (observer(), None);
    let work = |(observer, began): &mut (O, Option<u64>), index| {
        began.get_or_insert(index);
        let next = run((observer, Some(&among)), index);
        if next.is_break() {
            among.last.fetch_min(groups.first(index), Relaxed);
        }
        if memory.meeting().meet { ControlFlow::Break(()) } else { next }
    };
    let mut workers = share(groups.count(), worker, work);
    let last = among.last.into_inner();
    if are_stopped() || !workers.iter().all(|(observer, _)| observer.goes_on()) {
        return Ok(workers.into_iter().map(|(observer, _)| observer).collect());
    }
    if memory.meeting().is_unknown {
        return Err(BlockExecution::Together);
    }
    if memory.meeting().meet || among.waits.into_inner() || (1..u64::MAX).contains(&last) {
        return Err(BlockExecution::InTurn);
    }
    if last == 0 {
        // Whoever ran it has run no other.
        workers.retain(|(_, began)| *began == Some(0));
        memory.rewind(Some(0));
    }
    Ok(workers.into_iter().map(|(observer, _)| observer).collect())
}

/// The blocks of a launch in groups, each of which a machine runs.
#[derive(Clone, Copy)]
struct BlockGroups {
    grid: Dim3,
    shape: Dim3,
}

/// Takes the machine that was made to learn the size of the groups.
fn take(first: &Mutex<Option<Machine>>) -> Option<Machine> {
    first.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl BlockGroups {
    /// Their number along each axis; the last may be cut off, which is a fault.
    fn along(self) -> Dim3 {
        let Self { grid, shape } = self;
        Dim3::new(grid.x.div_ceil(shape.x), grid.y.div_ceil(shape.y), grid.z.div_ceil(shape.z))
    }

    fn count(self) -> u64 {
        self.along().volume()
    }

    /// The position in the grid of the first block of a group.
    fn place(self, number: u64) -> Dim3 {
        let Dim3 { x, y, z } = self.along().place(number);
        Dim3::new(x * self.shape.x, y * self.shape.y, z * self.shape.z)
    }

    /// The number in the grid of the first block of a group.
    fn first(self, number: u64) -> u64 {
        self.grid.number(self.place(number))
    }
}

/// An observer of blocks that runs on until its work is cancelled, and counts them.
pub(super) struct While<'a, O> {
    pub(super) observer: O,
    /// The blocks that have ended.
    pub(super) blocks: u64,
    token: &'a WorkToken,
}

impl<'a, O> While<'a, O> {
    /// Has seen no block yet.
    pub(super) const fn new(observer: O, token: &'a WorkToken) -> Self {
        Self { observer, blocks: 0, token }
    }
}

impl<O: Observer> Observer for While<'_, O> {
    fn start(&mut self, machine: &Machine, number: u64) {
        self.observer.start(machine, number);
    }

    #[inline]
    fn step(&mut self, machine: &Machine) {
        self.observer.step(machine);
    }

    fn end(&mut self, machine: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        self.blocks += 1;
        self.observer.end(machine, end)?;
        self.token.ask()
    }

    fn goes_on(&self) -> bool {
        !self.token.is_cancelled()
    }

    fn stopped(&mut self) {
        self.observer.stopped();
    }
}

/// Like [`observe`], but with one observer for all blocks, which run one after another.
pub fn observe_in_turn(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine,
    observer: &mut impl Observer,
) {
    let shape = machine(Dim3::at(0, 0)).blocks().shape();
    let groups = BlockGroups { grid: launch.grid, shape };
    let _ = (0..groups.count()).try_for_each(|index| {
        let machine = machine(groups.place(index));
        observe_block(machine, groups.first(index), budget, observer)
    });
}

/// Runs one block, number `number` of its grid, under an observer.
pub fn observe_block(
    machine: Machine,
    number: u64,
    budget: u64,
    observer: &mut impl Observer,
) -> ControlFlow<()> {
    run_one((machine, number), budget, observer, None)
}

/// Runs one block, perhaps among others that run at the same time.
fn run_one(
    (mut machine, number): (Machine, u64),
    budget: u64,
    observer: &mut impl Observer,
    among: Option<&Among>,
) -> ControlFlow<()> {
    observer.start(&machine, number);
    let Some(end) = run_to_end((&mut machine, number), budget, observer, among) else {
        observer.stopped();
        return ControlFlow::Break(());
    };
    observer.end(&mut machine, end)
}

/// Runs a block to its end, or to where it is to stop, which is none.
fn run_to_end(
    (machine, number): (&mut Machine, u64),
    budget: u64,
    observer: &mut impl Observer,
    among: Option<&Among>,
) -> Option<Result<(), Fault>> {
    let mut repetition = Repetition::default();
    for issued in 1..=budget {
        match machine.step() {
            Ok(None) => return (!are_stopped()).then_some(Ok(())),
            Ok(Some(_)) => observer.step(machine),
            Err(fault) => return Some(Err(fault)),
        }
        if let Some(repeats) = repetition.sees(machine) {
            if let (Repeats::UnlessWritten(_), Some(among)) = (&repeats, among) {
                among.waits.store(true, Relaxed);
                return None;
            }
            return Some(Err(no_end(machine, issued, Some(repeats))));
        }
        if issued.is_multiple_of(LOOK) {
            if let Some(lasts) = repetition.outlasts(budget) {
                return Some(Err(no_end(machine, issued, Some(lasts))));
            }
            if repetition.is_lost(budget) {
                return Some(Err(no_end(machine, issued, None)));
            }
            let needless = |among: &Among| number > among.last.load(Relaxed);
            if !observer.goes_on() || among.is_some_and(needless) {
                return None;
            }
        }
    }
    Some(Err(no_end(machine, budget, None)))
}

/// Returns the fault of a block that has not ended after so many instructions.
pub fn no_end(machine: &Machine, issued: u64, repeats: Option<Repeats>) -> Fault {
    let last = machine.last();
    let (block, line) = (machine.block(), machine.program().inst(last.pc).line);
    let (kind, warp, pc) = (FaultKind::NoEnd(issued, repeats), last.warp, last.pc);
    Fault { kind, block, warp, lane: None, pc, line }
}

/// Adds up the counts of blocks.
#[derive(Debug, Default)]
pub(super) struct GridCount {
    sum: Counters,
    memo: Memo,
    /// The SASS accesses in place of those of the PTX; computed at the first one.
    joins: Option<SmemVectorisation>,
    number: u64,
    fault: Option<(u64, Fault)>,
}

impl GridCount {
    /// Returns the counts since the last call.
    pub(super) fn take(&mut self) -> Counters {
        let mut sum = std::mem::take(&mut self.sum);
        self.memo.settle(&mut sum);
        sum
    }
}

impl Observer for GridCount {
    fn start(&mut self, _: &Machine, number: u64) {
        self.number = number;
    }

    #[inline]
    fn step(&mut self, machine: &Machine) {
        let (step, Self { sum, memo, joins, .. }) = (machine.last(), self);
        match &step.effect {
            Effect::Memory(access)
                if !access.active.is_empty() && !access.route.is_distributed() =>
            {
                let count = || counted(joins, machine);
                memo.add((step.pc, machine.repeats()), access, sum, count);
            }
            _ => sum.add(step, Replacement::default()),
        }
    }

    fn end(&mut self, _: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        let Err(fault) = end else { return ControlFlow::Continue(()) };
        self.fault = Some((self.number, fault));
        ControlFlow::Break(())
    }
}

/// Counts the machine's last step, which has made an access.
#[cold]
fn counted(joins: &mut Option<SmemVectorisation>, machine: &Machine) -> Counters {
    let (step, mut sum) = (machine.last(), Counters::default());
    let joins = joins.get_or_insert_with(|| SmemVectorisation::of(machine.program()));
    sum.add(step, joins.instead(step.pc));
    sum
}

/// Runs the block that `machine` makes for each position of the grid, and adds up their counts.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn run(launch: Launch, machine: impl Fn(Dim3) -> Machine + Sync) -> Result<Counters, Fault> {
    run_within((launch, None), BUDGET, machine, &WorkToken::default()).map(|(counters, _)| counters)
}

/// Like [`run`], but for one block if one is named, with another budget, and until the work is
/// cancelled; with the number of blocks that were run.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn run_within(
    (launch, only): (Launch, Option<Dim3>),
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    token: &WorkToken,
) -> Result<(Counters, u64), Fault> {
    let new = || While::new(GridCount::default(), token);
    let counts = match only {
        None => observe(launch, budget, machine, new),
        Some(block) => {
            let mut count = new();
            let _ = observe_block(machine(block), 0, budget, &mut count);
            vec![count]
        }
    };
    let blocks = counts.iter().map(|count| count.blocks).sum();
    let counts = counts.into_iter().map(|count| count.observer);
    Ok((sum(counts.map(|mut count| (count.take(), count.fault)))?, blocks))
}

/// Adds up the counts of every core, unless a block had a fault.
fn sum(counts: impl Iterator<Item = (Counters, Option<(u64, Fault)>)>) -> Result<Counters, Fault> {
    let (mut sum, mut faults) = (Counters::default(), Vec::new());
    for (counters, fault) in counts {
        sum.merge(&counters);
        faults.extend(fault);
    }
    let first = faults.into_iter().min_by_key(|(number, _)| *number);
    first.map_or(Ok(sum), |(_, fault)| Err(fault))
}

/// Runs one block to its end.
///
/// # Errors
/// The block's fault.
pub fn run_block(machine: Machine) -> Result<Counters, Fault> {
    let mut count = GridCount::default();
    let _ = observe_block(machine, 0, BUDGET, &mut count);
    let did = count.take();
    count.fault.map_or(Ok(did), |(_, fault)| Err(fault))
}
