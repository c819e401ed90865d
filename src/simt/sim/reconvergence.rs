//! Reconvergence points of branches: the immediate post-dominator of the branch's block.

use super::access::Pc;
use super::flow::{Dominators, Graph, basic_blocks};
use super::program::Inst;
use ptx::{ControlOp, Op};
use std::ops::Range;

/// Control-flow properties of each instruction.
pub(super) struct Reconvergence {
    /// For a branch: its reconvergence point, through which every path passes before the thread
    /// exits.
    pub(super) reconverge_at: Vec<Option<Pc>>,
    /// Whether the instruction only leads to the thread's exit.
    pub(super) ends: Vec<bool>,
    /// The basic blocks, in text order.
    pub(super) blocks: Vec<Range<usize>>,
    /// The reversed control-flow graph: the blocks, and after the last the exit node.
    pub(super) backwards: Graph,
}

/// Analyses a program whose last instruction is an unguarded `exit` or `ret`.
///
/// Blocks that only lead to the thread's exit are not counted as successors: lanes that go there
/// end at once (see `exec::control::branch`), so neither they nor the other lanes wait for each
/// other.
pub(super) fn analyse(insts: &[Inst]) -> Reconvergence {
    let ends = ends(insts);
    let (blocks, ways) = basic_blocks(insts);
    let goes_on = |block: &usize| !ends[blocks[*block].start];
    let leaves: Vec<_> = ways.iter().map(|ways| !ways.iter().all(goes_on)).collect();
    let next = ways.into_iter().map(|ways| ways.into_iter().filter(goes_on).collect());
    let backwards = backwards(next.collect(), &leaves);
    let post_dominators = Dominators::of(&backwards);
    let mut meet = vec![None; insts.len()];
    for (block, range) in blocks.iter().enumerate() {
        let last = range.end - 1;
        if matches!(insts[last].op, Op::Control(ControlOp::Bra { .. } | ControlOp::Switch { .. })) {
            // The nearest post-dominator may be the exit node, which is not a block.
            let next = post_dominators.nearest(block).and_then(|next| blocks.get(next));
            meet[last] = next.map(|next| Pc(next.start as u32));
        }
    }
    Reconvergence { reconverge_at: meet, ends, blocks, backwards }
}

/// Marks every `exit`, and unguarded jumps that lead to one.
fn ends(insts: &[Inst]) -> Vec<bool> {
    let mut ends: Vec<bool> = insts
        .iter()
        .map(|inst| inst.guard.is_none() && matches!(inst.op, Op::Control(ControlOp::Exit)))
        .collect();
    let mut seen = vec![false; insts.len()];
    for start in 0..insts.len() {
        let (mut at, mut way) = (start, Vec::new());
        while let (Op::Control(ControlOp::Bra { target }), None) = (&insts[at].op, insts[at].guard)
            && !std::mem::replace(&mut seen[at], true)
        {
            way.push(at);
            at = target.0 as usize;
        }
        let leads = ends[at];
        for pc in way {
            ends[pc] = leads;
        }
    }
    ends
}

/// Maximum number of infinite loops that are treated separately.
const MAX_ENDLESS: usize = 64;

/// The reversed control-flow graph, with an exit node after each block that has no successor.
///
/// Loops that are left only by exiting the thread, or never, still need reconvergence points: the
/// exit node is added as a successor where they `leave`, or otherwise at their back edge.
fn backwards(mut next: Vec<Vec<usize>>, leaves: &[bool]) -> Graph {
    let exit = next.len();
    next.iter_mut().filter(|next| next.is_empty()).for_each(|next| next.push(exit));
    next.push(Vec::new());
    for round in 0.. {
        let graph = Graph::reversed(&next, [exit]);
        let endless = || (0..exit).filter(|block| !graph.reaches(*block));
        let closes = |block: &usize| next[*block].iter().any(|next| next <= block);
        let leaving: Vec<_> = endless().filter(|block| leaves[*block]).collect();
        let chosen = match (leaving.is_empty(), round < MAX_ENDLESS) {
            (false, _) => leaving,
            (true, true) => endless().rfind(closes).into_iter().collect(),
            (true, false) => endless().collect(),
        };
        if chosen.is_empty() {
            return graph;
        }
        for block in chosen {
            next[block].push(exit);
        }
    }
    unreachable!("each round makes the end follow one block more")
}
