//! Finds the loops in which a warp waits for what another warp writes, and the warps that spin there.

use super::flow::{FlowGraph, NaturalLoop, relevant};
use super::hash::Mixer;
use super::program::{Inst, Program};
use super::warp::Warp;
use ptx::{AtomicOp, MemoryOp, Op};
use std::hash::Hasher;
use std::sync::Arc;

/// The most rounds between two checks of a warp that does not spin: a check costs as much as several
/// instructions.
const RARELY: u8 = 63;

/// The rounds of a warp in loops that may wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SpinRounds {
    /// A hash of the control state at the end of the last round that was checked.
    last: Option<u64>,
    /// Rounds until the next check, and rounds since the last one.
    left: u8,
    between: u8,
}

impl SpinRounds {
    /// Called at the end of a round. True if the loop's state is unchanged since the last round: the
    /// warp spins until another warp writes what it reads.
    pub(super) fn spins(&mut self, here: impl FnOnce() -> u64) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        let here = here();
        match self.last.replace(here) {
            Some(last) if last == here => {
                self.between = 0;
                true
            }
            Some(_) => {
                let between = (2 * self.between + 1).min(RARELY);
                *self = Self { last: None, left: between, between };
                false
            }
            None => false,
        }
    }
}

impl Warp {
    /// A hash of the warp's control state, loads aside.
    pub(super) fn deciding(&self, program: &Program) -> u64 {
        let mut hash = Mixer::default();
        let (pc, lanes) = self.next();
        hash.write_u64(u64::from(pc.0) << 32 | u64::from(lanes.0));
        for row in program.decides().rows(&self.stack.places()) {
            self.regs.wide(row).into_iter().for_each(|value| hash.write_u64(value));
        }
        hash.finish()
    }
}

impl Program {
    /// For each instruction, whether it ends a round of a waiting loop; empty if none does. Computed on
    /// first use.
    pub(super) fn rounds(&self) -> &Arc<[bool]> {
        self.rounds.get_or_init(|| {
            let ends = ends_round(&self.insts);
            if ends.contains(&true) { ends.into() } else { [].into() }
        })
    }
}

/// For each instruction, whether it ends a round of a waiting loop: one without a barrier, whose exit
/// depends on memory that it reloads in every round.
fn ends_round(insts: &[Inst]) -> Vec<bool> {
    let flow = FlowGraph::of(insts);
    let mut ends = vec![false; insts.len()];
    for spin in flow.loops().iter().filter(|found| waits(insts, &flow, found)) {
        spin.ends.iter().for_each(|block| ends[flow.blocks[*block].end - 1] = true);
    }
    ends
}

/// Whether it may load the same value in every round; an atomic addition that takes a ticket does
/// not.
fn polls(inst: &Inst) -> bool {
    let takes = matches!(inst.op, Op::Memory(MemoryOp::Atom { op: AtomicOp::Add, .. }));
    inst.touches().is_some() && !takes
}

fn waits(insts: &[Inst], flow: &FlowGraph, found: &NaturalLoop) -> bool {
    let body = || found.blocks.iter().flat_map(|block| &insts[flow.blocks[*block].clone()]);
    let is_barrier = |inst: &Inst| inst.op.is_barrier();
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
