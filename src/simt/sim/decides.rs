//! The control state of a program: the values that determine where lanes go and what they access.

use super::access::Pc;
use super::flow::relevant;
use super::program::{ControlState, Inst, Program, Reg, Spans};
use ptx::{ControlOp, MatrixOp, MemoryOp, Op, Space};
use std::borrow::Borrow;
use std::ops::RangeInclusive;
use std::sync::{Arc, PoisonError};

impl ControlState {
    /// The control state of these instructions; `placed` and `spans` say where and when their registers
    /// live.
    pub(super) fn of<I: Borrow<Inst>>(insts: &[I], placed: &[Reg], spans: &Spans) -> Self {
        let mut loaded = LoadedSpaces::default();
        let matters = loop {
            let matters = relevant(insts, |inst| deciding(inst, loaded));
            let now = LoadedSpaces::of(insts, &matters);
            if now == loaded {
                break matters;
            }
            // What is stored there may be reloaded, and then matters.
            loaded = now;
        };
        // As if no store to global memory were ever reloaded.
        let own = LoadedSpaces { global: false, ..loaded };
        let at_once = relevant(insts, |inst| deciding(inst, own));
        let numbers = matters.iter().enumerate().filter_map(|(number, on)| on.then_some(number));
        let held = |number: usize| Some((placed[number], spans[number].clone()?));
        let reads = loaded != LoadedSpaces::default();
        let is_global = |inst: &Inst, matters: &[bool]| {
            loads(inst, matters).is_some_and(|space| !is_own(space))
        };
        let global = |inst: &Inst| reads && copies(inst) || is_global(inst, &matters);
        let first = |inst: &Inst| copies(inst) || is_global(inst, &at_once);
        let is_clock = |inst: &Inst| matches!(inst.op, Op::Control(ControlOp::Clock { .. }));
        Self {
            registers: numbers.filter_map(held).collect(),
            reads,
            reads_global: insts.iter().map(|inst| global(inst.borrow())).collect(),
            reads_at_once: insts.iter().map(|inst| first(inst.borrow())).collect(),
            clock: insts.iter().any(|inst| is_clock(inst.borrow())),
        }
    }

    /// The rows that hold control state for lanes at one of these instructions.
    pub(super) fn rows(&self, at: &[Pc]) -> impl Iterator<Item = Reg> {
        let holds =
            |span: &RangeInclusive<usize>| at.iter().any(|pc| span.contains(&(pc.0 as usize)));
        self.registers.iter().filter(move |(_, span)| holds(span)).map(|(reg, _)| *reg)
    }
}

impl Program {
    /// The control state of its blocks, computed on first use.
    pub(super) fn decides(&self) -> &ControlState {
        self.decides.get_or_init(|| ControlState::of(&self.insts, &self.placed, &self.spans))
    }

    /// The control state if only these instructions, by their numbers, are executed. A counter that is
    /// only used after a loop is none of the loop's.
    pub(super) fn decides_among(&self, executed: &[bool]) -> Arc<ControlState> {
        let mut last = self.decides_among.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.as_ref().filter(|(of, _)| of == executed) {
            return Arc::clone(known);
        }
        let insts = self.insts.iter().zip(executed).filter(|(_, executed)| **executed);
        let insts: Vec<_> = insts.map(|(inst, _)| inst).collect();
        let decides = Arc::new(ControlState::of(&insts, &self.placed, &self.spans));
        *last = Some((executed.to_vec(), Arc::clone(&decides)));
        decides
    }
}

/// The memory spaces that hold control state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LoadedSpaces {
    own: bool,
    global: bool,
}

impl LoadedSpaces {
    fn of<I: Borrow<Inst>>(insts: &[I], matters: &[bool]) -> Self {
        let spaces = insts.iter().filter_map(|inst| loads(inst.borrow(), matters));
        let add = |all: Self, space| Self {
            own: all.own || is_own(space) || space == Space::Generic,
            global: all.global || !is_own(space),
        };
        spaces.fold(Self::default(), add)
    }

    /// Whether stores to `space` may be reloaded as control state.
    fn has(self, space: Option<Space>) -> bool {
        let is = |space| if is_own(space) { self.own } else { self.global };
        (self.own || self.global) && space.is_none_or(|space| space == Space::Generic || is(space))
    }
}

/// The space from which an instruction loads control state, if a kernel can write there.
fn loads(inst: &Inst, matters: &[bool]) -> Option<Space> {
    let space = inst.op.space().filter(|space| is_own(*space) || is_of_all(*space))?;
    let matters = |reg: Reg| matters.get(reg.number()) == Some(&true);
    let mut operands = inst.op.operands().into_iter();
    operands.any(|(reg, _, how)| how.writes() && matters(reg)).then_some(space)
}

/// Whether it is private to the block or the thread.
const fn is_own(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Distributed | Space::Local)
}

/// Whether all blocks may share it.
const fn is_of_all(space: Space) -> bool {
    matches!(space, Space::Global | Space::Generic)
}

/// Whether an instruction may copy global memory to where it is loaded later.
fn copies(inst: &Inst) -> bool {
    let is_store = matches!(inst.op, Op::Memory(MemoryOp::St { .. }));
    let writes = inst.op.operands().into_iter().any(|(.., how)| how.writes());
    inst.op.is_of_memory() && !is_store && !writes
}

/// The registers through which an instruction influences control flow: its guard, and its inputs unless
/// it only computes. A stored value matters only where it may be reloaded.
fn deciding(inst: &Inst, loaded: LoadedSpaces) -> Vec<Reg> {
    let mut found: Vec<_> = inst.guard.into_iter().map(|(reg, _)| reg).collect();
    if !inst.op.is_of_registers() {
        let again = loaded.has(inst.op.space());
        let kept = if again { Vec::new() } else { only_stored(&inst.op) };
        let read = inst.op.operands().into_iter().filter(|(.., how)| !how.writes());
        found.extend(read.map(|(reg, ..)| reg).filter(|reg| !kept.contains(reg)));
    }
    found
}

/// The registers that a store writes to memory, without those of its address.
fn only_stored(op: &Op<Reg, Pc>) -> Vec<Reg> {
    let (src, addr) = match op {
        Op::Memory(MemoryOp::St { src, addr, .. })
        | Op::Matrix(MatrixOp::StMatrix { src, addr, .. }) => (src, addr.base),
        _ => return Vec::new(),
    };
    src.iter().copied().filter(|reg| *reg != addr).collect()
}
