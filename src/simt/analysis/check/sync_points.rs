//! What tells a thread of others: atomic operations whose results decide on what is done, and loads
//! that are made again and again until they give what it waits for.

use crate::ptx::{ControlOp, MemoryOp, Op, Space, Strength};
use crate::sim::flow::{Graph, solve, successors};
use crate::sim::{Inst, Program, Reg};
use std::collections::BTreeSet;

/// Registers that hold something of a value.
type Held = BTreeSet<Reg>;

/// Instructions after which a result is no longer followed: it may decide on anything then.
const PATIENCE: usize = 1 << 16;

/// Instructions of a loop that waits for a value, at most; one that does more is no such loop.
const SPIN: usize = 1 << 10;

/// For each instruction, whether it is an atomic operation whose result comes to a guard of the same
/// thread, or to others through memory that is not global.
pub(super) fn consumed_atomics(program: &Program) -> Vec<bool> {
    let graph = graph(program);
    let tells = |(pc, inst): (usize, &Inst)| match inst.op {
        Op::Memory(MemoryOp::Atom { dst: Some(dst), .. }) => decides(program, &graph, pc + 1, dst),
        _ => false,
    };
    program.insts.iter().enumerate().map(tells).collect()
}

/// Every instruction of a program, and those at which its lanes may go on.
fn graph(program: &Program) -> Graph {
    let all = 0..program.insts.len();
    let next = all.clone().map(|pc| successors(&program.insts, pc).collect());
    Graph::new(next.collect(), all)
}

/// Whether what a register holds before the instruction at `from` decides on anything.
fn decides(program: &Program, graph: &Graph, from: usize, reg: Reg) -> bool {
    let mut decides = false;
    let transfer = |pc: usize, held: &Held| {
        let after = after(&program.insts[pc], held.clone());
        decides |= after.is_none();
        after.filter(|held| !held.is_empty())
    };
    let start = (from, Held::from([reg]));
    let found = solve(graph, &[start], PATIENCE, transfer, |_, held, other| held.extend(other));
    found.is_none() || decides
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

/// For each instruction, whether it is a volatile load of a loop that does nothing but wait for what
/// it gives: of a flag, then, and not of data.
pub(super) fn spin_loads(program: &Program) -> Vec<bool> {
    let graph = graph(program);
    let volatile = |inst: &Inst| {
        matches!(inst.op, Op::Memory(MemoryOp::Ld { strength: Strength::Volatile, .. }))
    };
    let all = program.insts.iter().enumerate();
    all.map(|(pc, inst)| volatile(inst) && is_awaited(program, &graph, pc)).collect()
}

/// Whether a branch on what the load at `load` gives can lead back to it, with the same address and
/// nothing written on the way.
fn is_awaited(program: &Program, graph: &Graph, load: usize) -> bool {
    let operands = program.insts[load].op.operands();
    let registers = |reads: bool| {
        let of = operands.iter().filter(move |(.., how)| how.reads() == reads);
        of.map(|(reg, ..)| *reg).collect::<Held>()
    };
    let (address, loaded) = (registers(true), registers(false));
    let transfer = |pc: usize, (decided, held): &(bool, Held)| {
        let inst = &program.insts[pc];
        let mut operands = inst.op.operands().into_iter();
        let moves = operands.any(|(reg, _, how)| !how.reads() && address.contains(&reg));
        if pc == load || moves || does_more(&inst.op) {
            return None;
        }
        let mut held = held.clone();
        pass_on(inst, &mut held);
        let decides = inst.guard.is_some_and(|(guard, _)| held.contains(&guard));
        Some((*decided || decides, held))
    };
    let join = |_, (decided, held): &mut (bool, Held), other: &(bool, Held)| {
        *decided |= other.0;
        held.extend(&other.1);
    };
    let found = solve(graph, &[(load + 1, (false, loaded))], SPIN, transfer, join);
    found.and_then(|found| found.before[load].clone()).is_some_and(|(decided, _)| decided)
}

/// Whether an instruction does something that others see, or that cannot be followed here.
const fn does_more<O, L>(op: &Op<O, L>) -> bool {
    matches!(
        op,
        Op::Memory(MemoryOp::St { .. } | MemoryOp::Atom { .. })
            | Op::Control(ControlOp::Bar { .. } | ControlOp::Call { .. } | ControlOp::Ret)
    )
}
