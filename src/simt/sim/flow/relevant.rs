//! The registers on which the operands of some instructions depend, regardless of the order of the
//! instructions.

use super::graph::Graph;
use crate::sim::program::{Inst, Reg};
use ptx::Use;
use std::borrow::Borrow;

/// Returns, by register number, whether a register is among those that `wants` names for some
/// instruction or contributes to one of them. A guard contributes to what its instruction writes.
pub fn relevant<I: Borrow<Inst>>(insts: &[I], wants: impl Fn(&Inst) -> Vec<Reg>) -> Vec<bool> {
    let insts: Vec<&Inst> = insts.iter().map(Borrow::borrow).collect();
    let node = |reg: Reg| insts.len() + reg.number();
    // Edges lead from an instruction to the registers that it reads, and from a register to the
    // instructions that write it.
    let edges = |(pc, inst): (usize, &&Inst)| {
        let edge = |(reg, _, how): (Reg, _, Use)| {
            if how.writes() { (node(reg), pc) } else { (pc, node(reg)) }
        };
        let guard = inst.guard.map(|(reg, _)| (pc, node(reg)));
        inst.op.operands().into_iter().map(edge).chain(guard).collect::<Vec<_>>()
    };
    let wanted = insts.iter().flat_map(|inst| wants(inst)).map(node);
    let graph = Graph::of_edges(insts.iter().enumerate().flat_map(edges), wanted);
    (insts.len()..graph.next.len()).map(|node| graph.reaches(node)).collect()
}
