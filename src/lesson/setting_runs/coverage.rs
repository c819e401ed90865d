//! What all blocks do to the matrices: the requests to each, and the elements of C that are stored.

use crate::analysis::coalesce;
use crate::analysis::grid::{self, Observer};
use crate::kernel::Problem;
use crate::launch::WARP_SIZE;
use crate::lesson::error::RunError;
use crate::matrix::{Operand, Size};
use crate::sim::{Access, Direction, Fault, Machine, Order, Program};
use ptx::Space;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most work of a grid that is run for this, in multiply-adds: some tenths of a second.
const MOST: f64 = (1_u64 << 26) as f64;

/// Instructions of a block after which it is aborted.
const BUDGET: u64 = 10_000_000;

/// What all blocks do to the matrices.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// For each matrix and direction, what was asked of it.
    pub traffic: BTreeMap<(Operand, bool), AccessTraffic>,
    /// The threads of the grid that store an element of C.
    pub storing: u64,
    /// For each element of C, row by row, whether it is stored.
    pub stored: Vec<bool>,
    /// Whether blocks ended before their end.
    pub faulted: bool,
    /// The instructions of the thread that executes most, and those of all threads.
    pub executed: (u64, u64),
    /// The words stored to shared memory that no thread loads before they are overwritten, or the
    /// block ends.
    pub unread: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessTraffic {
    pub requests: u64,
    /// Sectors of 32 bytes.
    pub sectors: u64,
}

/// Runs every block of a problem.
pub(super) fn measure(problem: &Problem, program: &Arc<Program>) -> Result<Coverage, RunError> {
    let size = problem.size;
    if !is_small(size) {
        return Err(RunError::TooLargeToRun(size));
    }
    let memory = match problem.catalogue() {
        Some(_) => problem.bounds_only_memory(program),
        None => problem.dense_memory(program),
    };
    let machine =
        |block| problem.machine(Arc::clone(program), block, memory.clone(), Order::default());
    let elements = size.elements(Operand::C) as usize;
    let nothing = || Coverage { stored: vec![false; elements], ..Coverage::default() };
    let watcher = || CoverageObserver {
        problem,
        all: nothing(),
        storing: BTreeSet::new(),
        executed: Vec::new(),
        unread: BTreeSet::new(),
    };
    let parts = grid::observe(problem.launch, BUDGET, machine, watcher);
    Ok(parts.into_iter().fold(nothing(), |all, part| all.and(part.all)))
}

/// Whether every block of this size is run.
pub(super) fn is_small(size: Size) -> bool {
    size.flops() / 2.0 <= MOST
}

impl Coverage {
    fn and(mut self, other: Self) -> Self {
        for (of, traffic) in other.traffic {
            let sum = self.traffic.entry(of).or_default();
            sum.requests += traffic.requests;
            sum.sectors += traffic.sectors;
        }
        self.storing += other.storing;
        self.stored.iter_mut().zip(other.stored).for_each(|(one, other)| *one |= other);
        self.faulted |= other.faulted;
        let (most, all) = other.executed;
        self.executed = (self.executed.0.max(most), self.executed.1 + all);
        self.unread += other.unread;
        self
    }
}

/// Sees the blocks that run on one core.
struct CoverageObserver<'a> {
    problem: &'a Problem,
    all: Coverage,
    /// The threads of the block that have stored an element of C, by number.
    storing: BTreeSet<u32>,
    /// The instructions of each thread of the block, by number.
    executed: Vec<u64>,
    /// The words of shared memory that were stored and not loaded so far.
    unread: BTreeSet<u64>,
}

impl CoverageObserver<'_> {
    fn see(&mut self, machine: &Machine, access: &Access) {
        let Some((_, address)) = access.touched().next() else { return };
        let Some((operand, ..)) = self.problem.element(machine.memory(), address) else { return };
        let cost = coalesce::sectors(access);
        let sum = self.all.traffic.entry((operand, access.direction.writes())).or_default();
        sum.requests += u64::from(cost.requests);
        sum.sectors += u64::from(cost.sectors);
        if access.direction == Direction::Load || operand != Operand::C {
            return;
        }
        let warp = u32::from(machine.last().warp);
        for (lane, address) in access.touched() {
            self.storing.insert(warp * 32 + lane as u32);
            for byte in (0..u64::from(access.bytes)).step_by(4) {
                let element = self.problem.element(machine.memory(), address + byte);
                let columns = self.problem.size.n as usize;
                let index = |row: u32, column: u32| row as usize * columns + column as usize;
                if let Some((Operand::C, row, column)) = element
                    && let Some(stored) = self.all.stored.get_mut(index(row, column))
                {
                    *stored = true;
                }
            }
        }
    }
}

impl CoverageObserver<'_> {
    fn see_shared(&mut self, access: &Access) {
        for (_, address) in access.touched() {
            for word in address / 4..(address + u64::from(access.bytes)).div_ceil(4) {
                if access.direction == Direction::Store {
                    self.all.unread += u64::from(!self.unread.insert(word));
                } else {
                    self.unread.remove(&word);
                }
            }
        }
    }
}

impl Observer for CoverageObserver<'_> {
    fn start(&mut self, _: &Machine, _: u64) {
        self.storing.clear();
        self.executed.clear();
        self.unread.clear();
    }

    fn step(&mut self, machine: &Machine) {
        let step = machine.last();
        for lane in step.active.lanes() {
            let thread = usize::from(step.warp) * WARP_SIZE as usize + lane;
            if thread >= self.executed.len() {
                self.executed.resize(thread + 1, 0);
            }
            self.executed[thread] += 1;
        }
        for access in step.accesses() {
            match access.space {
                Space::Global => self.see(machine, access),
                Space::Shared => self.see_shared(access),
                _ => {}
            }
        }
    }

    fn end(&mut self, _: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        let most = self.executed.iter().copied().max().unwrap_or(0);
        let (before, all) = self.all.executed;
        self.all.executed = (before.max(most), all + self.executed.iter().sum::<u64>());
        self.all.unread += self.unread.len() as u64;
        self.all.storing += self.storing.len() as u64;
        self.all.faulted |= end.is_err();
        ControlFlow::Continue(())
    }
}
