//! Which registers matter, if the values that some instructions read do: those that these are made
//! of, without regard to the order of the instructions.

use super::graph::Graph;
use crate::ptx::Use;
use crate::sim::program::{Inst, Reg};

/// The registers that an instruction `wants`, and those that these are made of, by their numbers. A
/// guard is a part of what its instruction makes.
pub fn relevant(insts: &[Inst], wants: impl Fn(&Inst) -> Vec<Reg>) -> Vec<bool> {
    let node = |reg: Reg| insts.len() + reg.number();
    // From an instruction to the registers that it reads, from these to those that write them.
    let edges = |(pc, inst): (usize, &Inst)| {
        let edge = |(reg, _, how): (Reg, _, Use)| {
            if how.writes() { (node(reg), pc) } else { (pc, node(reg)) }
        };
        let guard = inst.guard.map(|(reg, _)| (pc, node(reg)));
        inst.op.operands().into_iter().map(edge).chain(guard).collect::<Vec<_>>()
    };
    let wanted = insts.iter().flat_map(wants).map(node);
    let graph = Graph::of_edges(insts.iter().enumerate().flat_map(edges), wanted);
    (insts.len()..graph.next.len()).map(|node| graph.reaches(node)).collect()
}
