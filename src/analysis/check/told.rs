//! Which atomic operations tell a thread what was there: their results decide on what is done.

use crate::ptx::{Op, Space};
use crate::sim::{Inst, Pc, Program, Reg};
use std::collections::{BTreeMap, HashSet};

/// Instructions after which a result is no longer followed: it may decide on anything then.
const PATIENCE: usize = 1 << 16;

/// For each instruction, whether it is an atomic operation whose result comes to a guard of the same
/// thread, or to others through memory that is not global.
pub(super) fn told(program: &Program) -> Vec<bool> {
    let tells = |(pc, inst): (u32, &Inst)| match inst.op {
        Op::Atom { dst: Some(dst), .. } => decides(program, Pc(pc + 1), dst),
        _ => false,
    };
    (0..).zip(&program.insts).map(tells).collect()
}

/// Whether what a register holds before the instruction at `from` decides on anything.
fn decides(program: &Program, from: Pc, reg: Reg) -> bool {
    let mut open = BTreeMap::from([(from, HashSet::from([reg]))]);
    let mut known: BTreeMap<Pc, HashSet<Reg>> = BTreeMap::new();
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
        let goes_on = inst.guard.is_some() || !inst.op.ends_block();
        let next = goes_on.then_some(Pc(pc.0 + 1));
        for pc in next.into_iter().chain(inst.op.targets().iter().copied()) {
            open.entry(pc).or_default().extend(&held);
        }
    }
    true
}

/// The registers that hold something of it behind an instruction; none if it decides on something.
fn after(inst: &Inst, mut held: HashSet<Reg>) -> Option<HashSet<Reg>> {
    let operands = inst.op.operands();
    let reads = operands.iter().any(|(reg, _, how)| how.reads() && held.contains(reg));
    let decides = match inst.op {
        Op::St { space, .. } => reads && space != Space::Global,
        Op::Atom { .. } | Op::Switch { .. } => reads,
        Op::Call { .. } | Op::Ret => true,
        _ => false,
    };
    if decides || inst.guard.is_some_and(|(guard, _)| held.contains(&guard)) {
        return None;
    }
    for (reg, ..) in operands.iter().filter(|(.., how)| !how.reads()) {
        match (reads, inst.guard) {
            (true, _) => _ = held.insert(*reg),
            (false, None) => _ = held.remove(reg),
            (false, Some(_)) => {}
        }
    }
    Some(held)
}
