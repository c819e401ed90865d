//! Accesses through which threads communicate: atomics whose result is used, and loads in spin
//! loops.

use crate::sim::flow::{Graph, solve, successors};
use crate::sim::{Inst, Pc, Program, Reg};
use ptx::{ControlOp, MemoryOp, Op, Space, Strength};
use std::collections::BTreeSet;

/// Registers that depend on a value.
type Held = BTreeSet<Reg>;

/// Limit of analysed instructions after which a result is no longer followed: it is then assumed to
/// be used.
const PATIENCE: usize = 1 << 16;

/// Limit of instructions in a spin loop; a longer loop does not count as one.
const SPIN: usize = 1 << 10;

/// For each instruction, whether it is an atomic operation whose result is used: it reaches a guard
/// of the same thread, another atomic, or other threads through memory that is not global.
pub(super) fn consumed_atomics(program: &Program) -> Vec<bool> {
    let graph = graph(program);
    let tells = |(pc, inst): (usize, &Inst)| match &inst.op {
        Op::Memory(MemoryOp::Atom { dst, .. }) => {
            dst.iter().any(|dst| decides(program, &graph, pc + 1, *dst))
        }
        _ => false,
    };
    program.insts.iter().enumerate().map(tells).collect()
}

/// For each instruction, whether it is a test of a phase whose result decides on nothing:
/// the thread goes on as if the phase were complete.
pub(super) fn untested_waits(program: &Program) -> BTreeSet<Pc> {
    let test = |(pc, inst): (usize, &Inst)| match &inst.op {
        Op::Async(op) => op.test().map(|dst| (pc, dst)),
        _ => None,
    };
    let tests: Vec<_> = program.insts.iter().enumerate().filter_map(test).collect();
    if tests.is_empty() {
        return BTreeSet::new();
    }
    let graph = graph(program);
    let decides = |(pc, dst): &(usize, Option<Reg>)| {
        dst.is_some_and(|dst| decides(program, &graph, pc + 1, dst))
    };
    tests.iter().filter(|test| !decides(test)).map(|(pc, _)| Pc(*pc as u32)).collect()
}

/// The control-flow graph of a program, with a node for each instruction.
fn graph(program: &Program) -> Graph {
    let all = 0..program.insts.len();
    let next = all.clone().map(|pc| successors(&program.insts, pc).collect());
    Graph::new(next.collect(), all)
}

/// Whether the value in a register before the instruction at `from` decides on anything.
fn decides(program: &Program, graph: &Graph, from: usize, reg: Reg) -> bool {
    let mut decides = false;
    let transfer = |pc: usize, held: &Held| {
        if leads_on(program, pc) {
            return Some(held.clone());
        }
        let after = after(&program.insts[pc], held.clone());
        decides |= after.is_none();
        after.filter(|held| !held.is_empty())
    };
    let start = (from, Held::from([reg]));
    let found = solve(graph, &[start], PATIENCE, transfer, |_, held, other| held.extend(other));
    found.is_none() || decides
}

/// Whether an instruction is a branch after which the thread goes on at the same place, taken or not.
fn leads_on(program: &Program, pc: usize) -> bool {
    let Op::Control(ControlOp::Bra { target }) = program.insts[pc].op else { return false };
    let place = |mut pc: usize| {
        for _ in 0..SPIN {
            match program.insts.get(pc) {
                Some(Inst { op: Op::Control(ControlOp::Bra { target }), guard: None, .. }) => {
                    pc = target.0 as usize;
                }
                _ => break,
            }
        }
        pc
    };
    place(target.0 as usize) == place(pc + 1)
}

/// Returns the registers that depend on the value after an instruction, or `None` if the
/// instruction decides on something by it.
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

/// Updates the registers that depend on the value: results computed from it do as well, overwritten
/// registers no longer do.
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

/// For each instruction, whether it is a volatile load in a loop that only waits for its value,
/// which is then a flag and not data.
pub(super) fn spin_loads(program: &Program) -> Vec<bool> {
    let graph = graph(program);
    let volatile = |inst: &Inst| {
        matches!(inst.op, Op::Memory(MemoryOp::Ld { strength: Strength::Volatile, .. }))
    };
    let all = program.insts.iter().enumerate();
    all.map(|(pc, inst)| volatile(inst) && is_awaited(program, &graph, pc)).collect()
}

/// Whether a branch on the value of the load at `load` can lead back to it, with the same address
/// and nothing written on the way.
fn is_awaited(program: &Program, graph: &Graph, load: usize) -> bool {
    let operands = program.insts[load].op.operands();
    let registers = |reads: bool| {
        let of = operands.iter().filter(move |(.., how)| how.reads() == reads);
        of.map(|(reg, ..)| *reg).collect::<Held>()
    };
    let (address, loaded) = (ComputedAddress::of(program, registers(true)), registers(false));
    let transfer = |pc: usize, (decided, held): &(bool, Held)| {
        let inst = &program.insts[pc];
        if pc == load || address.is_moved_by(pc, inst) || does_more(&inst.op) {
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

/// The registers that an address is computed from, and the instructions that compute it: compilers
/// may do so again in each round of a loop.
struct ComputedAddress {
    registers: Held,
    computed_at: BTreeSet<usize>,
}

impl ComputedAddress {
    /// Follows the registers of an address back through those that one instruction alone writes, and
    /// computes from registers.
    fn of(program: &Program, registers: Held) -> Self {
        let mut open: Vec<_> = registers.iter().copied().collect();
        let mut address = Self { registers, computed_at: BTreeSet::new() };
        while let Some(reg) = open.pop() {
            let mut writers =
                program.insts.iter().enumerate().filter(|(_, inst)| writes(inst, reg));
            let Some((pc, inst)) = writers.next() else { continue };
            if writers.next().is_none() && inst.guard.is_none() && inst.op.is_of_registers() {
                address.computed_at.insert(pc);
                let operands = inst.op.operands().into_iter().filter(|(.., how)| how.reads());
                open.extend(
                    operands.map(|(reg, ..)| reg).filter(|reg| address.registers.insert(*reg)),
                );
            }
        }
        address
    }

    /// Whether an instruction can change the address.
    fn is_moved_by(&self, pc: usize, inst: &Inst) -> bool {
        !self.computed_at.contains(&pc) && self.registers.iter().any(|reg| writes(inst, *reg))
    }
}

fn writes(inst: &Inst, register: Reg) -> bool {
    inst.op.operands().iter().any(|(reg, _, how)| !how.reads() && *reg == register)
}

/// Whether an instruction does something that others can see, or that cannot be followed here.
const fn does_more<O, L>(op: &Op<O, L>) -> bool {
    op.is_of_barrier_of_blocks()
        || matches!(
            op,
            Op::Memory(MemoryOp::St { .. } | MemoryOp::Atom { .. })
                | Op::Control(ControlOp::Bar { .. } | ControlOp::Call { .. } | ControlOp::Ret)
        )
}
