//! Forwards: from an element of global memory to everything that its value went into.

mod together;

use super::backwards::BackwardsRun;
use super::flow::{Edge, ValueFlow};
use super::moment::StepValues;
use super::moves::moves;
use super::product::products;
use super::{ByteRange, MemoryWord, ProvenanceError, words};
use crate::sim::{Access, Direction, LaneMask, Machine, Pc, Reg};
use crate::work::WorkToken;
use ptx::Space;
use std::collections::HashMap;

/// The history of the value of one element during a block's run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueHistory {
    /// In the order in which they happened.
    pub events: Vec<ValueEvent>,
    /// The elements of global memory that were stored with a value that depends on it, ascending.
    pub outputs: Vec<Output>,
}

/// An operation of a warp on the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueEvent {
    /// Steps done after its execution.
    pub index: u32,
    pub pc: Pc,
    pub warp: u16,
    /// The lanes that handled the value.
    pub lanes: LaneMask,
    /// The kind of operation.
    pub what: EventKind,
    /// The number of times: once for every lane, except that a value multiplied by a tensor core
    /// goes into several products at once.
    pub times: u32,
}

/// The operations on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// It is loaded from global memory.
    Loaded,
    /// It is stored in shared memory, at this byte.
    Kept(u32),
    /// It is loaded from shared memory, at this byte.
    Read(u32),
    /// It is combined with another value.
    Used,
    /// A value that depends on it is stored in global memory.
    Stored,
}

/// An element whose value depends on the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Output {
    pub addr: u64,
    /// The warp that stored it.
    pub warp: u16,
    /// The lane that stored it.
    pub lane: u8,
}

impl ValueHistory {
    /// Follows the value that the block of `machine`, which has not run yet, finds in these bytes
    /// of global memory.
    ///
    /// A block that faults is followed as far as it ran.
    ///
    /// # Errors
    /// It is cancelled, or the block does not end.
    pub fn of(
        machine: Machine,
        bytes: ByteRange,
        token: &WorkToken,
    ) -> Result<Self, ProvenanceError> {
        let mut run = BackwardsRun::new(machine);
        let mut spread = Reached::from(bytes);
        let mut reach = Self::default();
        while let Some(moment) = run.next() {
            spread.on(&run.flows[moment.step.pc.0 as usize], &moment, &mut reach);
            run.goes_on(token)?;
        }
        reach.outputs.sort_unstable();
        reach.outputs.dedup();
        Ok(reach)
    }

    /// Returns how many lanes loaded the value from global memory, and in how many requests of
    /// warps.
    pub fn fetched(&self) -> (u64, u64) {
        self.count(|what| what == EventKind::Loaded)
    }

    /// Returns how often the value was combined with another, by each lane or in each product of a
    /// tensor core, and in how many steps.
    pub fn used(&self) -> (u64, u64) {
        self.count(|what| what == EventKind::Used)
    }

    fn count(&self, of: impl Fn(EventKind) -> bool) -> (u64, u64) {
        let events = self.events.iter().filter(|event| of(event.what));
        events.fold((0, 0), |(times, steps), event| (times + u64::from(event.times), steps + 1))
    }
}

/// For each lane, the bytes of a register that are the value itself, and those that depend on it.
#[derive(Clone, Copy, Debug, Default)]
struct RegisterMarks {
    same: [u8; 32],
    made: [u8; 32],
}

/// The bytes of a word of memory that are the value itself, and those that depend on it.
#[derive(Clone, Copy, Debug, Default)]
struct WordMarks {
    same: u8,
    made: u8,
}

/// The registers and words that the value has reached at one point of the run.
#[derive(Debug, Default)]
struct Reached {
    regs: HashMap<(u16, Reg), RegisterMarks>,
    memory: HashMap<MemoryWord, WordMarks>,
}

impl Reached {
    fn from(bytes: ByteRange) -> Self {
        let word = |(index, _, same)| (MemoryWord::Global(index), WordMarks { same, made: 0 });
        let memory = words(bytes.addr, bytes.count).map(word).collect();
        Self { memory, ..Self::default() }
    }

    /// Advances from before a step to after it.
    fn on(&mut self, flow: &ValueFlow, moment: &StepValues, reach: &mut ValueHistory) {
        match flow {
            ValueFlow::Nothing => {}
            ValueFlow::Pass { edges, .. } => self.pass(moment, edges, reach),
            ValueFlow::Reduce { from, to } => self.reduce(moment, *from, *to, reach),
            ValueFlow::Multiply(_) | ValueFlow::Product(_) => {
                self.multiply(moment, &products(flow, moment), reach);
            }
            ValueFlow::Atomic { to, from, each, size, replaces } => {
                self.atomic(moment, (to, from), (*each, *size, *replaces), reach);
            }
            _ => {
                for moves in moves(flow, moment) {
                    self.shift(moment, &moves, reach);
                }
            }
        }
    }

    fn pass(&mut self, moment: &StepValues, edges: &[Edge], reach: &mut ValueHistory) {
        let from: Vec<_> = edges.iter().map(|edge| self.get(moment, edge.from)).collect();
        let (mut to, mut used): (Vec<(Reg, RegisterMarks)>, _) = (Vec::new(), LaneMask::NONE);
        for (edge, from) in edges.iter().zip(&from) {
            let place = to.iter().position(|(reg, _)| *reg == edge.to);
            let place = place.unwrap_or_else(|| {
                to.push((edge.to, RegisterMarks::default()));
                to.len() - 1
            });
            from.pass(*edge, edge.lanes(moment), &mut to[place].1);
            if edge.combines() {
                used = used.or(from.lanes());
            }
        }
        reach.use_by(moment, used.and(moment.step.active));
        for (reg, marks) in &to {
            self.set(moment, *reg, marks);
        }
    }

    /// Returns the marks of `size` bytes from an address on, counted from there.
    fn at(
        &self,
        moment: &StepValues,
        space: Space,
        lane: usize,
        (addr, size): (u64, u8),
    ) -> WordMarks {
        let mut found = WordMarks::default();
        for (index, skip, bytes) in words(addr, size) {
            let word = MemoryWord::new(space, index, moment.step.warp, lane);
            let Some(mark) = self.memory.get(&word) else { continue };
            let moved = |mask: u8| (mask & bytes) >> bytes.trailing_zeros() << skip;
            found.same |= moved(mark.same);
            found.made |= moved(mark.made);
        }
        found
    }

    /// Sets the marks of a whole word.
    fn mark(&mut self, word: MemoryWord, mark: WordMarks) {
        if mark.is_blank() {
            self.memory.remove(&word);
        } else {
            self.memory.insert(word, mark);
        }
    }

    /// Marks the words of a lane's element of `size` bytes at an address.
    fn put(
        &mut self,
        moment: &StepValues,
        space: Space,
        lane: usize,
        (addr, size): (u64, u8),
        mark: WordMarks,
    ) {
        for (index, skip, bytes) in words(addr, size) {
            let word = MemoryWord::new(space, index, moment.step.warp, lane);
            let was = self.memory.get(&word).copied().unwrap_or_default();
            let moved = |mask: u8| mask >> skip << bytes.trailing_zeros() & bytes;
            let same = was.same & !bytes | moved(mark.same);
            let made = was.made & !bytes | moved(mark.made);
            self.mark(word, WordMarks { same, made });
        }
    }

    fn get(&self, moment: &StepValues, reg: Reg) -> RegisterMarks {
        self.regs.get(&(moment.step.warp, reg)).copied().unwrap_or_default()
    }

    /// Sets the marks of a register in the lanes that the step wrote.
    fn set(&mut self, moment: &StepValues, reg: Reg, marks: &RegisterMarks) {
        let key = (moment.step.warp, reg);
        if marks.is_blank() && !self.regs.contains_key(&key) {
            return;
        }
        let held = self.regs.entry(key).or_default();
        for lane in moment.step.active.lanes() {
            (held.same[lane], held.made[lane]) = (marks.same[lane], marks.made[lane]);
        }
        if held.is_blank() {
            self.regs.remove(&key);
        }
    }
}

impl RegisterMarks {
    /// Adds to `to` what flows along an edge in these lanes.
    fn pass(&self, edge: Edge, lanes: LaneMask, to: &mut Self) {
        if self.is_blank() {
            return;
        }
        for lane in lanes.lanes() {
            let (same, made) = (self.same[lane], self.made[lane]);
            if edge.combines() {
                to.made[lane] |= edge.on(same | made);
            } else {
                to.same[lane] |= edge.on(same);
                to.made[lane] |= edge.on(made);
            }
        }
    }

    /// Returns the lanes that hold the value itself, or a part of it.
    fn lanes(&self) -> LaneMask {
        (0..32).filter(|lane| self.same[*lane] != 0).collect()
    }

    fn is_blank(&self) -> bool {
        self.same == [0; 32] && self.made == [0; 32]
    }
}

impl WordMarks {
    const fn is_blank(self) -> bool {
        self.same == 0 && self.made == 0
    }
}

/// The lanes of an access that touched the value, and the address at which the first of them did.
#[derive(Clone, Debug, Default)]
struct TouchingLanes {
    lanes: u32,
    addr: u64,
}

impl TouchingLanes {
    fn add(&mut self, lane: usize, addr: u64, same: u8) {
        if same != 0 {
            if self.lanes == 0 {
                self.addr = addr + u64::from(same.trailing_zeros());
            }
            self.lanes |= 1 << lane;
        }
    }

    fn event(&self, moment: &StepValues, access: &Access) -> Option<ValueEvent> {
        let what = match (access.space, access.direction) {
            _ if self.lanes == 0 => return None,
            (Space::Shared, Direction::Load) => EventKind::Read(self.addr as u32),
            (Space::Shared, Direction::Store | Direction::Atomic) => {
                EventKind::Kept(self.addr as u32)
            }
            (Space::Global | Space::Generic, Direction::Load) => EventKind::Loaded,
            (Space::Global | Space::Generic, Direction::Store | Direction::Atomic)
            | (Space::Distributed | Space::Local | Space::Param | Space::Const, _) => return None,
        };
        Some(moment.event(LaneMask(self.lanes), what))
    }
}

impl StepValues {
    fn event(&self, lanes: LaneMask, what: EventKind) -> ValueEvent {
        let (index, pc, warp) = (self.index, self.step.pc, self.step.warp);
        ValueEvent { index, pc, warp, lanes, what, times: lanes.count() }
    }
}
