//! Which values of a program decide how a block goes on: where its lanes go and what they access.

use super::flow::relevant;
use super::program::{Decides, Inst, Program, Reg, Spans};
use super::step::Pc;
use ptx::{ControlOp, MatrixOp, MemoryOp, Op, Space};
use std::borrow::Borrow;
use std::ops::RangeInclusive;
use std::sync::{Arc, PoisonError};

impl Decides {
    /// What decides in these instructions, whose registers live in `placed` rows for those `spans`.
    pub(super) fn of<I: Borrow<Inst>>(insts: &[I], placed: &[Reg], spans: &Spans) -> Self {
        let mut loaded = Loaded::default();
        let matters = loop {
            let matters = relevant(insts, |inst| deciding(inst, loaded));
            let now = Loaded::of(insts, &matters);
            if now == loaded {
                break matters;
            }
            // What is stored there is loaded again, and decides then.
            loaded = now;
        };
        // As if nothing were loaded again that is stored to global memory.
        let own = Loaded { global: false, ..loaded };
        let at_once = relevant(insts, |inst| deciding(inst, own));
        let numbers = matters.iter().enumerate().filter_map(|(number, on)| on.then_some(number));
        let held = |number: usize| Some((placed[number], spans[number].clone()?));
        let reads = loaded != Loaded::default();
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

    /// The rows that hold a deciding value for lanes that stand at one of these instructions.
    pub(super) fn rows(&self, at: &[Pc]) -> impl Iterator<Item = Reg> {
        let holds =
            |span: &RangeInclusive<usize>| at.iter().any(|pc| span.contains(&(pc.0 as usize)));
        self.registers.iter().filter(move |(_, span)| holds(span)).map(|(reg, _)| *reg)
    }
}

impl Program {
    /// What decides how its blocks go on; found out when it is first asked for.
    pub(super) fn decides(&self) -> &Decides {
        self.decides.get_or_init(|| Decides::of(&self.insts, &self.placed, &self.spans))
    }

    /// State that influences control flow if only these instructions are executed, by their numbers. A
    /// counter whose value is only used after a loop decides nothing in the loop.
    pub(super) fn decides_among(&self, executed: &[bool]) -> Arc<Decides> {
        let mut last = self.decides_among.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.as_ref().filter(|(of, _)| of == executed) {
            return Arc::clone(known);
        }
        let insts = self.insts.iter().zip(executed).filter(|(_, executed)| **executed);
        let insts: Vec<_> = insts.map(|(inst, _)| inst).collect();
        let decides = Arc::new(Decides::of(&insts, &self.placed, &self.spans));
        *last = Some((executed.to_vec(), Arc::clone(&decides)));
        decides
    }
}

/// The spaces from which values are loaded that matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Loaded {
    own: bool,
    global: bool,
}

impl Loaded {
    fn of<I: Borrow<Inst>>(insts: &[I], matters: &[bool]) -> Self {
        let spaces = insts.iter().filter_map(|inst| loads(inst.borrow(), matters));
        let add = |all: Self, space| Self {
            own: all.own || is_own(space) || space == Space::Generic,
            global: all.global || !is_own(space),
        };
        spaces.fold(Self::default(), add)
    }

    /// Whether what is stored in `space` may be loaded from there.
    fn has(self, space: Option<Space>) -> bool {
        let is = |space| if is_own(space) { self.own } else { self.global };
        (self.own || self.global) && space.is_none_or(|space| space == Space::Generic || is(space))
    }
}

/// The space from which an instruction loads a value that matters, if a kernel can write there.
fn loads(inst: &Inst, matters: &[bool]) -> Option<Space> {
    let space = inst.op.space().filter(|space| is_own(*space) || is_of_all(*space))?;
    let matters = |reg: Reg| matters.get(reg.number()) == Some(&true);
    let mut operands = inst.op.operands().into_iter();
    operands.any(|(reg, _, how)| how.writes() && matters(reg)).then_some(space)
}

/// Whether it is memory of the block or of the thread.
const fn is_own(space: Space) -> bool {
    matches!(space, Space::Shared | Space::Distributed | Space::Local)
}

/// Whether it may be memory of all blocks.
const fn is_of_all(space: Space) -> bool {
    matches!(space, Space::Global | Space::Generic)
}

/// Whether an instruction may move global memory to where it is loaded later.
fn copies(inst: &Inst) -> bool {
    let is_store = matches!(inst.op, Op::Memory(MemoryOp::St { .. }));
    let writes = inst.op.operands().into_iter().any(|(.., how)| how.writes());
    inst.op.is_of_memory() && !is_store && !writes
}

/// The registers by which an instruction decides: its guard, and what it reads unless it only
/// computes. A stored value decides nothing where none is loaded.
fn deciding(inst: &Inst, loaded: Loaded) -> Vec<Reg> {
    let mut found: Vec<_> = inst.guard.into_iter().map(|(reg, _)| reg).collect();
    if !inst.op.is_of_registers() {
        let again = loaded.has(inst.op.space());
        let kept = if again { Vec::new() } else { only_stored(&inst.op) };
        let read = inst.op.operands().into_iter().filter(|(.., how)| !how.writes());
        found.extend(read.map(|(reg, ..)| reg).filter(|reg| !kept.contains(reg)));
    }
    found
}

/// The registers whose values a store only copies, and not its address.
fn only_stored(op: &Op<Reg, Pc>) -> Vec<Reg> {
    let (src, addr) = match op {
        Op::Memory(MemoryOp::St { src, addr, .. })
        | Op::Matrix(MatrixOp::StMatrix { src, addr, .. }) => (src, addr.base),
        _ => return Vec::new(),
    };
    src.iter().copied().filter(|reg| *reg != addr).collect()
}
