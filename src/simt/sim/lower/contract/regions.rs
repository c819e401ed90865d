//! The regions within which ptxas contracts: basic blocks as it merges them, cut by instructions that
//! it expands into several blocks.

use super::body::Body;
use super::uses::Uses;
use super::values::is_exact_quotient;
use crate::sim::access::Pc;
use crate::sim::flow::Graph;
use crate::sim::program::{Inst, Reg};
use ptx::{BinaryOp, ControlOp, LaneOp, MemoryOp, Op, Strength, Type};

/// The number of each instruction's region.
pub(super) fn regions(body: &Body<'_>, next: &[Vec<usize>], uses: &Uses) -> Vec<usize> {
    let mut region = vec![0; body.insts.len()];
    let mut number = 0;
    for chain in merged(body, next, uses).chains() {
        number += 1;
        for pc in chain.iter().filter_map(|block| body.blocks.get(*block)).cloned().flatten() {
            number += usize::from(splits(&body.insts[pc]));
            region[pc] = number;
        }
    }
    region
}

/// The graph of the blocks in which something is left to do. The node after the last is the exit.
fn merged(body: &Body<'_>, next: &[Vec<usize>], uses: &Uses) -> Graph {
    let is_empty = |block: usize| {
        let jumps = |inst: &Inst| matches!(inst.op, Op::Control(ControlOp::Bra { .. }));
        body.blocks[block].clone().all(|pc| uses.is_idle(pc) || jumps(&body.insts[pc]))
    };
    let forward = |mut block: usize| {
        for _ in 0..next.len() {
            match next[block][..] {
                [after] if is_empty(block) => block = after,
                _ => break,
            }
        }
        block
    };
    let after = |(next, block): (&Vec<usize>, &std::ops::Range<usize>)| {
        let last = &body.insts[block.end - 1];
        let leaves = matches!(last.op, Op::Control(ControlOp::Exit | ControlOp::Ret));
        let exit = leaves.then_some(body.blocks.len());
        let mut after: Vec<_> = next.iter().map(|block| forward(*block)).chain(exit).collect();
        after.sort_unstable();
        after.dedup();
        after
    };
    let ways = next.iter().zip(body.blocks).map(after).chain([Vec::new()]);
    Graph::new(ways.collect(), body.starts.iter().copied())
}

/// Whether ptxas expands an instruction into several blocks, or moves nothing across it.
fn splits(inst: &Inst) -> bool {
    match &inst.op {
        Op::Lane(op) => is_exact_quotient(op) || is_quotient(op),
        Op::Memory(MemoryOp::Fence(strength)) => *strength != Strength::Weak,
        Op::Control(
            ControlOp::Trap { .. } | ControlOp::Call { .. } | ControlOp::CallMissing { .. },
        ) => true,
        op => inst.guard.is_some() && is_hidden_branch(op),
    }
}

/// An integer division other than of 32 bits without a sign.
fn is_quotient(op: &LaneOp<Reg>) -> bool {
    match op {
        LaneOp::Binary { op: BinaryOp::Div | BinaryOp::Rem, ty, .. } => {
            ty.is_integer() && *ty != Type::U32
        }
        _ => false,
    }
}

/// An instruction that ptxas executes behind a branch if it is guarded.
const fn is_hidden_branch(op: &Op<Reg, Pc>) -> bool {
    op.is_of_memory()
        || matches!(
            op,
            Op::Warp(_) | Op::Matrix(_) | Op::Control(ControlOp::Bar { .. } | ControlOp::Hint)
        )
}
