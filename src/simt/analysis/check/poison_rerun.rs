//! Does an uninitialised read affect the output? Reruns the block with other poison and compares
//! what it writes.

use super::checks::Checks;
use super::finding::{Finding, FindingKind, Findings};
use super::initcheck::UninitialisedReads;
use crate::analysis::grid::{self, Observer, While};
use crate::launch::Dim3;
use crate::sim::{Allocation, Fault, Fill, Machine, Memory, Poison};
use ptx::Space;
use std::cell::OnceCell;
use std::ops::ControlFlow;

/// Instructions between two looks at whether to go on.
const LOOK: u64 = 1 << 12;

/// Reruns blocks with other contents in uninitialised memory: a read of it matters only if that
/// changes what they write.
pub(super) struct PoisonRerun<'a, M> {
    checks: &'a Checks<'a>,
    /// Memory after the run.
    memory: &'a Memory,
    /// Makes the memory before the run.
    again: &'a dyn Fn() -> Memory,
    machine: &'a M,
    /// Instructions executed by the whole grid. A block that runs alone may wait for others for
    /// ever; it is aborted after twice as many.
    of_grid: u64,
    /// Whether poison in shared memory, and in registers, changes what the whole grid writes.
    grid_matters: [OnceCell<bool>; 2],
}

/// Where values are read that nothing has written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unwritten {
    /// Shared memory, and registers of inactive lanes.
    Shared,
    /// A thread's own registers.
    Registers,
    Global,
}

impl Unwritten {
    fn of(finding: &Finding) -> Self {
        match finding.place {
            _ if finding.kind == FindingKind::UnsetRegister => Self::Registers,
            Some(place) if place.space != Space::Shared => Self::Global,
            _ => Self::Shared,
        }
    }

    /// A machine with that poison there; global memory is poisoned before it is made.
    fn poison(self, machine: Machine, junk: Poison) -> Machine {
        match self {
            Self::Shared => machine.with_poison(junk),
            Self::Registers => machine.with_poisoned_registers(junk),
            Self::Global => machine,
        }
    }
}

/// The outcome of a block that runs alone.
struct LoneBlock {
    /// The words that it wrote: buffer, word, value.
    written: Vec<(usize, u64, u32)>,
    /// Whether it executed the read in question.
    came: bool,
}

impl<'a, M: Fn(Dim3, Memory) -> Machine + Sync> PoisonRerun<'a, M> {
    pub(super) fn new(
        checks: &'a Checks<'a>,
        (memory, again): (&'a Memory, &'a dyn Fn() -> Memory),
        machine: &'a M,
        of_grid: u64,
    ) -> Self {
        Self { checks, memory, again, machine, of_grid, grid_matters: Default::default() }
    }

    /// Returns one finding for each kind of read that matters, for the first of the kept blocks in
    /// which it does.
    pub(super) fn those_that_matter(
        &self,
        unread: &UninitialisedReads,
        races: &[Finding],
    ) -> Vec<Finding> {
        let mut findings = Findings::default();
        for left in unread.left() {
            let mut blocks = left.blocks().filter(|(_, finding)| !raced(races, finding));
            if let Some((number, finding)) = blocks.find(|(_, finding)| self.matters(finding)) {
                findings.add_counted(number, left.counted(finding));
            }
        }
        findings.list().cloned().collect()
    }

    fn matters(&self, finding: &Finding) -> bool {
        let unwritten = Unwritten::of(finding);
        let before = self.alone(finding, unwritten, None);
        if !before.came {
            let known = match unwritten {
                Unwritten::Shared => &self.grid_matters[0],
                Unwritten::Registers => &self.grid_matters[1],
                Unwritten::Global => return false,
            };
            let all = self.checks.only.is_none();
            return all && *known.get_or_init(|| self.changes_the_grid(unwritten));
        }
        let changes = |junk| self.alone(finding, unwritten, Some(junk)).written != before.written;
        Poison::ALL.into_iter().any(changes)
    }

    /// Runs a block alone. With `junk`, that poison is in place of zeros where nothing was written.
    fn alone(&self, read: &Finding, unwritten: Unwritten, junk: Option<Poison>) -> LoneBlock {
        let is_global = unwritten == Unwritten::Global;
        let global = junk.filter(|_| is_global).map_or(Fill::Zero, Fill::Poison);
        let unfilled = |name: &str| self.checks.unfilled.contains(&name);
        let fill = |buffer: &Allocation| {
            let partly = || buffer.poisoned(junk.filter(|_| is_global)?);
            if unfilled(&buffer.name) { Some(global.clone()) } else { partly() }
        };
        let mut machine = (self.machine)(read.block, self.memory.layered(fill));
        if let Some(junk) = junk {
            machine = unwritten.poison(machine, junk);
        }
        let mut came = false;
        for issued in 0..self.checks.budget.min(2 * self.of_grid) {
            if issued.is_multiple_of(LOOK) && self.checks.token.is_cancelled() {
                break;
            }
            if !matches!(machine.step(), Ok(Some(_))) {
                break;
            }
            came |= read.sides.iter().any(|side| side.pc == machine.last().pc);
        }
        LoneBlock { written: machine.memory().written(), came }
    }

    /// For a block that executes the read only because others ran before it, such as the last block
    /// of a reduction: whether all blocks, run in turn, write something else with poison.
    fn changes_the_grid(&self, unwritten: Unwritten) -> bool {
        let before = self.whole(unwritten, None);
        Poison::ALL.into_iter().any(|junk| self.whole(unwritten, Some(junk)) != before)
    }

    /// Returns global memory after the whole grid, its blocks run one after another.
    fn whole(&self, unwritten: Unwritten, junk: Option<Poison>) -> Vec<u32> {
        let memory = (self.again)();
        let machine = |block| {
            let machine = (self.machine)(block, memory.clone());
            match junk {
                Some(junk) => unwritten.poison(machine, junk),
                None => machine,
            }
        };
        let budget = self.checks.budget;
        let mut observer = While::new(Unobserved, self.checks.token);
        grid::observe_in_turn(self.checks.launch, budget, machine, &mut observer);
        let words = |buffer: &Allocation| {
            let words = 0..buffer.bytes / 4;
            words.map(|word| buffer.load(word)).collect::<Vec<_>>()
        };
        memory.buffers().iter().flat_map(words).collect()
    }
}

/// An observer that ignores every step.
struct Unobserved;

impl Observer for Unobserved {
    fn start(&mut self, _: &Machine, _: u64) {}

    fn step(&mut self, _: &Machine) {}

    fn end(&mut self, _: &mut Machine, _: Result<(), Fault>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Whether the read came too early for another reason: blocks race for the location.
fn raced(races: &[Finding], read: &Finding) -> bool {
    let between = races.iter().filter(|race| race.interval.is_none());
    let mut sides = between.flat_map(|race| &race.sides);
    sides.any(|side| read.sides.iter().any(|other| other.source() == side.source()))
}
