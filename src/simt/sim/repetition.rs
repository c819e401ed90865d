//! Proves that a block never ends: it returns to an earlier state.

use super::access::{Access, Direction};
use super::flow::FlowGraph;
use super::induction::{self, Rounds};
use super::machine::Machine;
use super::program::{ControlState, Reg};
use super::repeats::Repeats;
use ptx::Space;
use std::collections::HashMap;
use std::sync::Arc;

/// Steps before a block is watched: few terminating blocks take longer without a loop.
const FIRST: u64 = 1 << 14;

/// Steps before induction is tried, which costs as much as many steps.
const LATE: u64 = 1 << 18;

/// Attempts at induction per kept state.
const TRIES: usize = 8;

/// Steps after which a block in a single loop without a known end may be stopped: two seconds with all
/// checks.
const PATIENCE: u64 = 1 << 23;

/// Such a block gets at least this fraction of its budget.
const PART: u64 = 12;

/// Gives up on rounds that access more words of global memory.
const MOST: usize = 1 << 16;

/// Watches the steps of a block for a state to which it returns.
///
/// It compares each state with one kept from before, which moves on at each power of two: so it
/// finds a cycle of any length (Brent, "An Improved Monte Carlo Factorization Algorithm", 1980,
/// section 2).
#[derive(Debug, Default)]
pub struct Repetition {
    steps: u64,
    /// The step at which the next state is kept.
    next: u64,
    kept: Option<Box<Machine>>,
    /// The step at which the state was kept.
    kept_at: u64,
    /// The instructions executed since, and their control state once it is known.
    executed: Vec<bool>,
    decides: Option<Arc<ControlState>>,
    /// Whether a load from global memory has influenced control flow since.
    reads: bool,
    /// The sets of changing registers for which induction has been tried.
    tried: Vec<Vec<Reg>>,
    /// The block is known to run for at least so many steps.
    lasts: u64,
    /// Whether half of its steps were in one loop and nothing else.
    in_one_loop: bool,
    round: RoundMemory,
}

/// What is known of the global memory that a round reads and writes. All other state equals that of
/// the previous round.
#[derive(Debug, Default)]
enum RoundMemory {
    /// Nothing.
    #[default]
    Open,
    /// Its words are being collected.
    Collected(Words),
    /// The words of the previous round with their values after it, and the words of this round.
    Compared(HashMap<u64, u32>, Words),
}

/// The addresses of words, and what is done to them.
type Words = HashMap<u64, RoundAccess>;

/// What a round does to a word of global memory.
#[derive(Clone, Copy, Debug, Default)]
struct RoundAccess {
    loaded: bool,
    stored: bool,
    /// Whether a value loaded from it influences control flow, other than by way of a store and reload.
    decides: bool,
}

/// Which words a block waits for.
type Which = fn(&RoundAccess) -> bool;

impl Repetition {
    /// Observes the step that the machine has just executed; returns a proof that the block never ends
    /// once there is one.
    #[inline]
    pub fn sees(&mut self, machine: &Machine) -> Option<Repeats> {
        self.steps += 1;
        if self.steps < FIRST { None } else { self.look(machine) }
    }

    #[inline(never)]
    fn look(&mut self, machine: &Machine) -> Option<Repeats> {
        if self.steps >= self.next {
            self.in_one_loop = self.steps >= PATIENCE && self.is_one_loop(machine);
            self.keep(machine);
            return None;
        }
        let (step, kept) = (machine.last(), self.kept.as_ref()?);
        let pc = step.pc.0 as usize;
        if !std::mem::replace(&mut self.executed[pc], true) {
            self.decides = None;
            self.reads |= machine.program().decides().reads_global[pc];
        }
        if let RoundMemory::Collected(words) | RoundMemory::Compared(_, words) = &mut self.round {
            let decides = machine.program().decides().reads_at_once[pc];
            step.accesses().iter().for_each(|access| collect(words, access, decides));
        }
        let here = (step.warp, step.pc) == (kept.last().warp, kept.last().pc);
        if !here {
            return None;
        }
        let among = || machine.program().decides_among(&self.executed);
        let decides = self.decides.get_or_insert_with(among);
        if machine.has_same_state_as(kept, decides) {
            return self.returned(machine);
        }
        if self.steps < LATE { None } else { self.moved(machine) }
    }

    /// Same place, other control state: tries induction.
    #[cold]
    fn moved(&mut self, machine: &Machine) -> Option<Repeats> {
        let (kept, decides) = (self.kept.as_ref()?, self.decides.as_ref()?);
        let moving = induction::moving(kept, machine, decides)?;
        if self.tried.contains(&moving) || self.tried.len() >= TRIES {
            return None;
        }
        self.tried.push(moving);
        let steps = self.steps - self.kept_at;
        match induction::prove(kept, machine, steps, decides)? {
            Rounds::Endless => Some(Repeats::Evenly),
            Rounds::AtLeast(more) => {
                self.lasts = self.lasts.max(self.steps.saturating_add(more));
                None
            }
        }
    }

    /// The proof, if any, that a block stopped at its budget would have gone on.
    pub fn outlasts(&self, budget: u64) -> Option<Repeats> {
        (self.lasts > budget).then(|| Repeats::AtLeast(self.lasts - self.steps))
    }

    /// Whether to stop a block before its budget is spent: it is in a single loop without a known end.
    /// Nested loops may legitimately be long.
    pub fn is_lost(&self, budget: u64) -> bool {
        self.in_one_loop && self.lasts == 0 && self.steps >= budget / PART
    }

    /// Whether all recently executed instructions belong to one loop.
    fn is_one_loop(&self, machine: &Machine) -> bool {
        let flow = FlowGraph::of(&machine.program().insts);
        let runs = |block: &usize| self.executed.get(flow.blocks[*block].start) == Some(&true);
        let mut loops = flow.loops().into_iter().filter(|found| runs(&found.header));
        let (Some(found), None) = (loops.next(), loops.next()) else { return false };
        (0..flow.blocks.len()).filter(runs).all(|block| found.blocks.contains(&block))
    }

    fn keep(&mut self, machine: &Machine) {
        (self.kept_at, self.next) = (self.steps, 2 * self.steps.max(FIRST));
        (self.reads, self.round) = (false, RoundMemory::Open);
        self.tried.clear();
        (self.executed, self.decides) = (vec![false; machine.program().insts.len()], None);
        if !machine.program().decides().clock {
            self.kept = Some(Box::new(machine.clone()));
        }
    }

    /// The block is in the kept state again. If loads from global memory influence control flow, two more
    /// rounds show whether they return the same values.
    fn returned(&mut self, machine: &Machine) -> Option<Repeats> {
        if !self.reads {
            return Some(Repeats::Always);
        }
        // Further rounds may take as long as this one.
        self.next = 2 * self.steps;
        let (words, waits): (Words, Option<Which>) = match std::mem::take(&mut self.round) {
            RoundMemory::Open => {
                self.round = RoundMemory::Collected(Words::new());
                return None;
            }
            RoundMemory::Collected(words) => {
                // What the round stores does not influence the next one.
                let is_fed = |of: &RoundAccess| of.decides && of.stored;
                let proved = words.len() < MOST && !words.values().any(is_fed);
                (words, proved.then_some(|of| of.decides))
            }
            RoundMemory::Compared(before, words) => {
                let same = |addr: &u64| before.get(addr) == Some(&word(machine, *addr));
                let proved = words.len() < MOST && words.keys().all(same);
                (words, proved.then_some(|of| of.loaded))
            }
        };
        if let Some(waits) = waits {
            let loaded = words.iter().filter(|(_, of)| waits(of)).map(|(addr, _)| *addr);
            let mut loaded: Vec<_> = loaded.map(|addr| (addr, word(machine, addr))).collect();
            loaded.sort_unstable();
            let waits = Repeats::UnlessWritten(loaded.as_slice().into());
            return Some(if loaded.is_empty() { Repeats::Always } else { waits });
        }
        if words.len() < MOST {
            let values = words.keys().map(|addr| (*addr, word(machine, *addr)));
            self.round = RoundMemory::Compared(values.collect(), Words::new());
        }
        None
    }
}

/// The value of a word of global memory.
fn word(machine: &Machine, addr: u64) -> u32 {
    let found = machine.memory().locate(addr);
    found.map_or(0, |(buffer, offset)| buffer.load(offset / 4))
}

/// Adds the words of global memory that a step accesses; `decides` if its loads may influence control
/// flow.
fn collect(words: &mut Words, access: &Access, decides: bool) {
    if access.space != Space::Global || words.len() >= MOST {
        return;
    }
    let loads = access.direction != Direction::Store;
    let stores = access.direction != Direction::Load;
    for (_, addr) in access.touched() {
        for word in (addr & !3..addr + u64::from(access.bytes)).step_by(4) {
            let of = words.entry(word).or_default();
            of.loaded |= loads;
            of.stored |= stores;
            of.decides |= loads && decides;
        }
    }
}
