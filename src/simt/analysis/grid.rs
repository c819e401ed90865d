//! Runs a whole grid: blocks in parallel on every core, observed while they run and then dropped.

mod company;

use super::Counters;
use super::memo::Memo;
use super::vectorise::{Instead, SmemVectorisation};
use crate::launch::{Dim3, Launch};
use crate::sim::{Effect, Fault, FaultKind, Machine, Repeats, Repetition};
use company::Company;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Default number of instructions (of warps) after which a block is aborted: many times what the
/// largest matrices take.
pub const BUDGET: u64 = 100_000_000;

/// Observes the steps of blocks, one block after another.
pub trait Observer: Send {
    /// Block number `number` of the grid is about to run, or a cluster of which it is the first.
    fn start(&mut self, machine: &Machine, number: u64);

    /// The machine has executed a step: [`Machine::last`].
    fn step(&mut self, machine: &Machine);

    /// The block has ended or failed; returns whether to run further blocks.
    fn end(&mut self, machine: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()>;
}

/// Runs the block that `machine` makes for each position of the grid. One observer for each core,
/// made by `observer`, observes the blocks that run there.
///
/// A block is aborted as one that does not end when that is proved, or after `budget` instructions.
/// One that waits for what another block writes goes on as long as one runs that may write it.
pub fn observe<O: Observer>(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    observer: impl Fn() -> O + Sync,
) -> Vec<O> {
    let first = machine(Dim3::at(0, 0));
    let clusters = Clusters { grid: launch.grid, shape: first.cluster().shape() };
    let first = Mutex::new(Some(first));
    let made = |number| {
        let first = if number == 0 { take(&first) } else { None };
        (clusters.first(number), first.unwrap_or_else(|| machine(clusters.place(number))))
    };
    observe_each(clusters.count(), budget, made, observer)
}

/// The clusters of a launch, each of which a machine runs.
#[derive(Clone, Copy)]
struct Clusters {
    grid: Dim3,
    /// The blocks of each.
    shape: Dim3,
}

/// Takes the machine that was made to learn the size of the clusters.
fn take(first: &Mutex<Option<Machine>>) -> Option<Machine> {
    first.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Clusters {
    /// Their number along each axis; the last may be cut off, which is a fault.
    fn along(self) -> Dim3 {
        let Self { grid, shape } = self;
        Dim3::new(grid.x.div_ceil(shape.x), grid.y.div_ceil(shape.y), grid.z.div_ceil(shape.z))
    }

    fn count(self) -> u64 {
        self.along().volume()
    }

    /// The position in the grid of the first block of a cluster.
    fn place(self, number: u64) -> Dim3 {
        let Dim3 { x, y, z } = self.along().place(number);
        Dim3::new(x * self.shape.x, y * self.shape.y, z * self.shape.z)
    }

    /// The number in the grid of the first block of a cluster.
    fn first(self, number: u64) -> u64 {
        let (Dim3 { x, y, z }, grid) = (self.place(number), self.grid);
        let row = u64::from(z) * u64::from(grid.y) + u64::from(y);
        row * u64::from(grid.x) + u64::from(x)
    }
}

/// Whether further blocks are to be run, asked after each of them.
pub type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// An observer of blocks that runs further ones only as long as it is told to go on, and counts them.
pub(super) struct While<'a, O> {
    /// The observer.
    pub(super) observer: O,
    /// The blocks that have ended.
    pub(super) blocks: u64,
    go_on: GoOn<'a>,
}

impl<'a, O> While<'a, O> {
    /// Has seen no block yet.
    pub(super) const fn new(observer: O, go_on: GoOn<'a>) -> Self {
        Self { observer, blocks: 0, go_on }
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
        if (self.go_on)() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Like [`observe`], but with one observer for all blocks, which run one after another.
pub fn observe_in_turn(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine,
    observer: &mut impl Observer,
) {
    let mut first = Some(machine(Dim3::at(0, 0)));
    let shape = first.as_ref().map_or(Dim3::flat(1, 1), |first| first.cluster().shape());
    let clusters = Clusters { grid: launch.grid, shape };
    let mut numbers = 0..clusters.count();
    let _ = numbers.try_for_each(|number| {
        let machine = first.take().unwrap_or_else(|| machine(clusters.place(number)));
        observe_block(machine, clusters.first(number), budget, observer)
    });
}

/// Like [`observe`], for `count` machines that `machine` makes by their numbers, each with the number
/// of its first block.
fn observe_each<O: Observer>(
    count: u64,
    budget: u64,
    machine: impl Fn(u64) -> (u64, Machine) + Sync,
    observer: impl Fn() -> O + Sync,
) -> Vec<O> {
    let company = Company::default();
    let run = |observer: &mut O, number| {
        let (first, machine) = machine(number);
        company.runs(first);
        let next = observe_among(&company, machine, first, budget, observer);
        company.ends(first);
        next
    };
    share(count, observer, run)
}

/// Hands out the numbers from 0 to `count` in order, to one worker for each core, until a worker
/// breaks off. Returns the workers with what they have gathered.
pub fn share<W: Send>(
    count: u64,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> ControlFlow<()> + Sync,
) -> Vec<W> {
    let next = AtomicU64::new(0);
    let run = || {
        let mut worker = worker();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return worker;
            }
            if work(&mut worker, number).is_break() {
                next.store(count, Relaxed);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count.min(cores as u64)).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Runs one block, number `number` of its grid, under an observer.
pub fn observe_block(
    machine: Machine,
    number: u64,
    budget: u64,
    observer: &mut impl Observer,
) -> ControlFlow<()> {
    observe_among(&Company::default(), machine, number, budget, observer)
}

/// Like [`observe_block`], but among other blocks that run at the same time.
fn observe_among(
    company: &Company,
    mut machine: Machine,
    number: u64,
    budget: u64,
    observer: &mut impl Observer,
) -> ControlFlow<()> {
    observer.start(&machine, number);
    let mut run = || -> Result<(), Fault> {
        let mut waiting = Waiting { company, number, repetition: Repetition::default(), due: None };
        for issued in 1..=budget {
            if machine.step()?.is_none() {
                return Ok(());
            }
            observer.step(&machine);
            if let Some(repeats) = waiting.sees(&machine, issued) {
                return Err(no_end(&machine, issued, Some(repeats)));
            }
        }
        Err(no_end(&machine, budget, None))
    };
    let end = run();
    observer.end(&mut machine, end)
}

/// Watches whether a block comes back to a state, among others that may write what it reads.
struct Waiting<'a> {
    company: &'a Company,
    number: u64,
    repetition: Repetition,
    /// If it waits: the instructions after which it must have come back to its state again.
    due: Option<u64>,
}

impl Waiting<'_> {
    #[inline]
    fn sees(&mut self, machine: &Machine, issued: u64) -> Option<Repeats> {
        let found = self.repetition.sees(machine);
        if found.is_none() && self.due.is_none_or(|due| issued < due) {
            return None;
        }
        self.judge(found, issued)
    }

    #[cold]
    fn judge(&mut self, found: Option<Repeats>, issued: u64) -> Option<Repeats> {
        match found {
            None => {
                self.due = None;
                self.company.runs(self.number);
                None
            }
            Some(Repeats::UnlessWritten(_)) if !self.company.waits(self.number) => {
                // Whoever writes what it waits for needs the core more.
                std::thread::yield_now();
                self.repetition.restart();
                self.due = Some(2 * issued);
                None
            }
            repeats => repeats,
        }
    }
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
pub(super) struct Count {
    sum: Counters,
    memo: Memo,
    /// The SASS accesses in place of those of the PTX; computed at the first one.
    joins: Option<SmemVectorisation>,
    number: u64,
    fault: Option<(u64, Fault)>,
}

impl Count {
    /// Returns the counts since the last call.
    pub(super) fn take(&mut self) -> Counters {
        let mut sum = std::mem::take(&mut self.sum);
        self.memo.settle(&mut sum);
        sum
    }
}

impl Observer for Count {
    fn start(&mut self, _: &Machine, number: u64) {
        self.number = number;
    }

    #[inline]
    fn step(&mut self, machine: &Machine) {
        let (step, Self { sum, memo, joins, .. }) = (machine.last(), self);
        match &step.effect {
            Effect::Memory(access)
                if !access.active.is_empty() && !access.route.is_of_cluster() =>
            {
                let count = || counted(joins, machine);
                memo.add((step.pc, machine.repeats()), access, sum, count);
            }
            _ => sum.add(step, Instead::default()),
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
    run_within(launch, None, BUDGET, machine)
}

/// Like [`run`], but with another budget, and only until `go_on` returns false; with the number of
/// blocks that were run.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn run_while(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    go_on: GoOn<'_>,
) -> Result<(Counters, u64), Fault> {
    let counts = observe(launch, budget, machine, || While::new(Count::default(), go_on));
    let blocks = counts.iter().map(|count| count.blocks).sum();
    let counts = counts.into_iter().map(|count| count.observer);
    Ok((sum(counts.map(|mut count| (count.take(), count.fault)))?, blocks))
}

/// Like [`run`], but for one block if `only` names one, and with another budget.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn run_within(
    launch: Launch,
    only: Option<Dim3>,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
) -> Result<Counters, Fault> {
    let counts = match only {
        None => observe(launch, budget, machine, Count::default),
        Some(block) => {
            let mut count = Count::default();
            let _ = observe_block(machine(block), 0, budget, &mut count);
            vec![count]
        }
    };
    sum(counts.into_iter().map(|mut count| (count.take(), count.fault)))
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
    let mut count = Count::default();
    let _ = observe_block(machine, 0, BUDGET, &mut count);
    let did = count.take();
    count.fault.map_or(Ok(did), |(_, fault)| Err(fault))
}
