//! Control flow between instructions: what a thread can reach, and which branches decide it.

use super::sources::RegisterWriters;
use crate::analysis::check::Participant;
use crate::sim::flow::{FlowGraph, NaturalLoop};
use crate::sim::{Inst, Pc, Program, Reg};
use ptx::{ControlOp, Op};
use std::collections::{BTreeSet, VecDeque};

/// The instructions that a thread can come to after one.
pub(super) struct SuccessorInsts<'a> {
    program: &'a Program,
    comes_to: Vec<bool>,
}

impl<'a> SuccessorInsts<'a> {
    pub(super) fn new(program: &'a Program, from: Pc) -> Self {
        let mut after = Self { program, comes_to: vec![false; program.insts.len()] };
        let mut open = after.next(from);
        while let Some(pc) = open.pop() {
            let Some(known) = after.comes_to.get_mut(pc.0 as usize) else { continue };
            if !std::mem::replace(known, true) {
                open.extend(after.next(pc));
            }
        }
        after
    }

    fn next(&self, pc: Pc) -> Vec<Pc> {
        let Some(inst) = self.program.insts.get(pc.0 as usize) else { return Vec::new() };
        let ends = match &inst.op {
            Op::Control(ControlOp::Bra { .. } | ControlOp::Exit | ControlOp::Ret) => {
                inst.guard.is_none()
            }
            Op::Control(ControlOp::Switch { .. }) => true,
            _ => false,
        };
        let jumps = inst.op.targets().iter().copied();
        let on = (!ends).then_some(Pc(pc.0 + 1));
        jumps.chain(on).collect()
    }

    pub(super) fn has(&self, pc: Pc) -> bool {
        self.comes_to.get(pc.0 as usize).copied().unwrap_or(false)
    }

    fn any(&self, is: impl Fn(&Inst) -> bool) -> bool {
        let insts = self.program.insts.iter().zip(&self.comes_to);
        insts.filter(|(_, comes)| **comes).any(|(inst, _)| is(inst))
    }
}

/// Of two participants that never come to each other's instruction, the one that ends without a
/// barrier or another access, and whether the other has passed a barrier.
pub(super) fn ended<'p>(
    program: &Program,
    [first, second]: [&'p Participant; 2],
) -> Option<(&'p Participant, bool)> {
    let [one, two] = [first, second].map(|side| SuccessorInsts::new(program, side.pc));
    if first.pc == second.pc || one.has(second.pc) || two.has(first.pc) {
        return None;
    }
    let goes_on = |inst: &Inst| is_barrier(inst) || inst.op.is_of_memory();
    let ends = |after: &SuccessorInsts<'_>| !after.any(goes_on);
    let (side, other) = match (ends(&one), ends(&two)) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let barriers = (0..).map(Pc).zip(&program.insts).filter(|(_, inst)| is_barrier(inst));
    let mut behind = barriers.map(|(pc, _)| SuccessorInsts::new(program, pc));
    Some((side, behind.any(|after| after.has(other.pc))))
}

pub(super) const fn is_barrier(inst: &Inst) -> bool {
    inst.op.is_barrier()
}

/// A branch at which threads of a block part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fork {
    pub(super) pc: Pc,
    /// Whether one way leaves a loop in which the instruction lies that the other leads to.
    pub(super) leaves_loop: bool,
    /// Whether whole warps go one way.
    pub(super) is_of_warps: bool,
}

/// The branches that decide whether a thread comes to an instruction, and at which threads of a block
/// may part, the innermost first.
pub(super) fn forks(program: &Program, pc: Pc) -> Vec<Fork> {
    let flow = FlowGraph::of(&program.insts);
    let sources = RegisterWriters::new(program);
    let loops = flow.loops();
    let target = flow.block_of(pc.0 as usize);
    let (mut open, mut seen) = (VecDeque::from([target]), BTreeSet::new());
    let mut found = Vec::new();
    while let Some(block) = open.pop_front() {
        for from in deciders(&flow, block).filter(|from| seen.insert(*from)) {
            open.push_back(from);
            let last = flow.blocks[from].end - 1;
            let Some(condition) = condition(&program.insts[last]) else { continue };
            if !sources.varies(condition) {
                continue;
            }
            let leaves = |of: &NaturalLoop| {
                let inside = |block: &usize| of.blocks.contains(block);
                inside(&target) && inside(&from) && !flow.graph.next[from].iter().all(inside)
            };
            let is_of_warps = sources.is_of_whole_warps(condition);
            let leaves_loop = loops.iter().any(leaves);
            found.push(Fork { pc: Pc(last as u32), leaves_loop, is_of_warps });
        }
    }
    found
}

/// The blocks of which one way out leads to this one for certain, and the other does not.
fn deciders(flow: &FlowGraph, block: usize) -> impl Iterator<Item = usize> {
    let leads = move |to: &usize| *to == block || flow.post_dominates(block, *to);
    let decides = move |from: &usize| {
        flow.graph.next[*from].iter().any(leads)
            && (*from == block || !flow.post_dominates(block, *from))
    };
    (0..flow.blocks.len()).filter(decides)
}

/// The register that decides where a branch goes.
fn condition(inst: &Inst) -> Option<Reg> {
    match &inst.op {
        Op::Control(ControlOp::Switch { index, .. }) => Some(*index),
        _ => inst.guard.map(|(reg, _)| reg),
    }
}
