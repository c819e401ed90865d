//! Finds the loops in which a warp waits for what another warp writes.

use super::flow::{Flow, Loop, relevant};
use super::program::Inst;
use crate::ptx::{AtomicOp, ControlOp, MemoryOp, Op};

/// For each instruction, whether it ends a round of a loop that waits: without a barrier, and left
/// depending on memory that it loads anew in every round.
pub(super) fn ends_round(insts: &[Inst]) -> Vec<bool> {
    let flow = Flow::of(insts);
    let mut ends = vec![false; insts.len()];
    for spin in flow.loops().iter().filter(|found| waits(insts, &flow, found)) {
        spin.ends.iter().for_each(|block| ends[flow.blocks[*block].end - 1] = true);
    }
    ends
}

/// Whether it may load the same value again and again: a ticket taken with an atomic addition is
/// another one in every round.
fn polls(inst: &Inst) -> bool {
    let takes = matches!(inst.op, Op::Memory(MemoryOp::Atom { op: AtomicOp::Add, .. }));
    inst.touches().is_some() && !takes
}

fn waits(insts: &[Inst], flow: &Flow, found: &Loop) -> bool {
    let body = || found.blocks.iter().flat_map(|block| &insts[flow.blocks[*block].clone()]);
    let is_barrier = |inst: &Inst| matches!(inst.op, Op::Control(ControlOp::Bar { .. }));
    let loads = |inst: &&Inst| polls(inst);
    if body().any(is_barrier) || !body().any(|inst| loads(&inst)) {
        return false;
    }
    let leaves = |block: &&usize| {
        flow.graph.next[**block].iter().any(|to| found.blocks.binary_search(to).is_err())
    };
    let exits = found.blocks.iter().filter(leaves).map(|block| &insts[flow.blocks[*block].end - 1]);
    let exits: Vec<_> = exits.collect();
    let decides = relevant(insts, |inst| {
        let exit = exits.iter().any(|exit| std::ptr::eq(*exit, inst));
        inst.guard.filter(|_| exit).map(|(reg, _)| reg).into_iter().collect()
    });
    let written = |inst: &Inst| inst.op.operands().into_iter().filter(|of| of.2.writes());
    let mut loaded = body().filter(loads).flat_map(written);
    loaded.any(|(reg, ..)| decides.get(reg.number()) == Some(&true))
}
