//! What tells a thread of others: atomic operations whose results decide on what is done, and loads
//! that are made again and again until they give what it waits for.

use crate::ptx::{ControlOp, MemoryOp, Op, Space, Strength};
use crate::sim::{Inst, Pc, Program, Reg};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Registers that hold something of a value.
type Held = BTreeSet<Reg>;

/// Instructions after which a result is no longer followed: it may decide on anything then.
const PATIENCE: usize = 1 << 16;

/// Instructions of a loop that waits for a value, at most; one that does more is no such loop.
const SPIN: usize = 1 << 10;

/// For each instruction, whether it is an atomic operation whose result comes to a guard of the same
/// thread, or to others through memory that is not global.
pub(super) fn told(program: &Program) -> Vec<bool> {
    let tells = |(pc, inst): (u32, &Inst)| match inst.op {
        Op::Memory(MemoryOp::Atom { dst: Some(dst), .. }) => decides(program, Pc(pc + 1), dst),
        _ => false,
    };
    (0..).zip(&program.insts).map(tells).collect()
}

/// Whether what a register holds before the instruction at `from` decides on anything.
fn decides(program: &Program, from: Pc, reg: Reg) -> bool {
    let mut open = BTreeMap::from([(from, Held::from([reg]))]);
    let mut known: BTreeMap<Pc, Held> = BTreeMap::new();
    for _ in 0..PATIENCE {
        let Some((pc, held)) = open.pop_first() else { return false };
        let before = known.entry(pc).or_default();
        if held.is_subset(before) {
            continue;
        }
        before.extend(&held);
        let inst = program.inst(pc);
        let Some(held) = after(inst, before.clone()) else { return true };
        if held.is_empty() {
            continue;
        }
        for pc in next(pc, inst) {
            open.entry(pc).or_default().extend(&held);
        }
    }
    true
}

/// The registers that hold something of it behind an instruction; none if it decides on something.
fn after(inst: &Inst, mut held: Held) -> Option<Held> {
    let operands = inst.op.operands();
    let reads = operands.iter().any(|(reg, _, how)| how.reads() && held.contains(reg));
    let decides = match inst.op {
        Op::Memory(MemoryOp::St { space, .. }) => reads && space != Space::Global,
        Op::Memory(MemoryOp::Atom { .. }) | Op::Control(ControlOp::Switch { .. }) => reads,
        Op::Control(ControlOp::Call { .. } | ControlOp::Ret) => true,
        _ => false,
    };
    if decides || inst.guard.is_some_and(|(guard, _)| held.contains(&guard)) {
        return None;
    }
    pass_on(inst, &mut held);
    Some(held)
}

/// What an instruction computes of the value holds something of it as well; what it overwrites does
/// no longer.
fn pass_on(inst: &Inst, held: &mut Held) {
    let operands = inst.op.operands();
    let reads = operands.iter().any(|(reg, _, how)| how.reads() && held.contains(reg));
    for (reg, ..) in operands.iter().filter(|(.., how)| !how.reads()) {
        match (reads, inst.guard) {
            (true, _) => _ = held.insert(*reg),
            (false, None) => _ = held.remove(reg),
            (false, Some(_)) => {}
        }
    }
}

/// Where the lanes that execute an instruction may go on.
fn next(pc: Pc, inst: &Inst) -> impl Iterator<Item = Pc> + '_ {
    let goes_on = inst.guard.is_some() || !inst.op.ends_block();
    let next = goes_on.then_some(Pc(pc.0 + 1));
    next.into_iter().chain(inst.op.targets().iter().copied())
}

/// For each instruction, whether it is a volatile load of a loop that does nothing but wait for what
/// it gives: of a flag, then, and not of data.
pub(super) fn spins(program: &Program) -> Vec<bool> {
    let volatile = |inst: &Inst| {
        matches!(inst.op, Op::Memory(MemoryOp::Ld { strength: Strength::Volatile, .. }))
    };
    let all = (0..).map(Pc).zip(&program.insts);
    all.map(|(pc, inst)| volatile(inst) && is_awaited(program, pc)).collect()
}

/// Whether a branch on what the load at `load` gives can lead back to it, with the same address and
/// nothing written on the way.
fn is_awaited(program: &Program, load: Pc) -> bool {
    let operands = program.inst(load).op.operands();
    let registers = |reads: bool| {
        let of = operands.iter().filter(move |(.., how)| how.reads() == reads);
        of.map(|(reg, ..)| *reg).collect::<Held>()
    };
    let (address, loaded) = (registers(true), registers(false));
    let mut open = vec![(Pc(load.0 + 1), false, loaded)];
    let mut seen = HashSet::new();
    while let Some((pc, mut decided, mut held)) = open.pop() {
        if pc == load && decided {
            return true;
        }
        if pc == load || seen.len() >= SPIN || !seen.insert((pc, decided, held.clone())) {
            continue;
        }
        let inst = program.inst(pc);
        let mut operands = inst.op.operands().into_iter();
        let moves = operands.any(|(reg, _, how)| !how.reads() && address.contains(&reg));
        if moves || does_more(&inst.op) {
            continue;
        }
        pass_on(inst, &mut held);
        decided |= inst.guard.is_some_and(|(guard, _)| held.contains(&guard));
        open.extend(next(pc, inst).map(|pc| (pc, decided, held.clone())));
    }
    false
}

/// Whether an instruction does something that others see, or that cannot be followed here.
const fn does_more<O, L>(op: &Op<O, L>) -> bool {
    matches!(
        op,
        Op::Memory(MemoryOp::St { .. } | MemoryOp::Atom { .. })
            | Op::Control(ControlOp::Bar { .. } | ControlOp::Call { .. } | ControlOp::Ret)
    )
}
