//! The basic blocks of a program, and its loops.

use super::dominators::Dominators;
use super::graph::Graph;
use crate::sim::program::Inst;
use ptx::{ControlOp, Op};
use std::ops::Range;

/// The basic blocks of a program and their control-flow graph.
#[derive(Debug)]
pub struct FlowGraph {
    /// The instructions of each block, in text order.
    pub blocks: Vec<Range<usize>>,
    /// The control-flow graph, whose nodes are the blocks.
    pub graph: Graph,
    dominators: Dominators,
    /// Of the reversed graph, in which a node after the last block is the thread's exit.
    post_dominators: Dominators,
}

#[derive(Debug)]
pub struct NaturalLoop {
    /// The block at which each iteration begins.
    pub header: usize,
    /// All its blocks, ascending.
    pub blocks: Vec<usize>,
    /// The blocks with a back edge to the header.
    pub ends: Vec<usize>,
}

impl FlowGraph {
    /// The control flow of a program that starts at its first instruction.
    pub fn of(insts: &[Inst]) -> Self {
        let (blocks, next) = basic_blocks(insts);
        let exit = next.len();
        let exits =
            |block: &Range<usize>| matches!(insts[block.end - 1].op, Op::Control(ControlOp::Exit));
        let out = |(after, block): (&Vec<usize>, &Range<usize>)| {
            let leaves = after.is_empty() || exits(block);
            after.iter().copied().chain(leaves.then_some(exit)).collect()
        };
        let out: Vec<_> = next.iter().zip(&blocks).map(out).chain([Vec::new()]).collect();
        let post_dominators = Dominators::of(&Graph::reversed(&out, [exit]));
        let graph = Graph::new(next, [0]);
        Self { blocks, dominators: Dominators::of(&graph), post_dominators, graph }
    }

    /// The block that contains an instruction.
    pub fn block_of(&self, pc: usize) -> usize {
        self.blocks.partition_point(|block| block.end <= pc)
    }

    /// Whether every path from block `a` to the exit passes through block `b`.
    pub fn post_dominates(&self, b: usize, a: usize) -> bool {
        self.post_dominators.dominates(b, a)
    }

    /// Whether every path to block `b` passes through block `a`.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        self.dominators.dominates(a, b)
    }

    /// All loops; back edges to the same header belong to one loop.
    pub fn loops(&self) -> Vec<NaturalLoop> {
        let (mut headers, mut ends) = (Vec::new(), vec![Vec::new(); self.blocks.len()]);
        for from in self.graph.order.iter().copied() {
            for header in self.graph.next[from].iter().filter(|to| self.dominates(**to, from)) {
                if ends[*header].is_empty() {
                    headers.push(*header);
                }
                ends[*header].push(from);
            }
        }
        let mut seen_for = vec![None; self.blocks.len()];
        let found = headers.into_iter().map(|header| {
            let ends = std::mem::take(&mut ends[header]);
            NaturalLoop { header, blocks: self.body(header, &ends, &mut seen_for), ends }
        });
        found.collect()
    }

    /// The header and the blocks from which an end is reached without passing through it,
    /// ascending. `seen_for` holds, for each block, the header for which it was last visited.
    fn body(&self, header: usize, ends: &[usize], seen_for: &mut [Option<usize>]) -> Vec<usize> {
        let (mut body, mut open) = (vec![header], ends.to_vec());
        seen_for[header] = Some(header);
        while let Some(block) = open.pop() {
            if seen_for[block].replace(header) != Some(header) {
                body.push(block);
                open.extend(&self.graph.before[block]);
            }
        }
        body.sort_unstable();
        body
    }
}

/// The basic blocks of a program in text order, and the successors of each, ascending.
pub fn basic_blocks(insts: &[Inst]) -> (Vec<Range<usize>>, Vec<Vec<usize>>) {
    let mut leads = vec![false; insts.len()];
    leads[0] = true;
    for (pc, inst) in insts.iter().enumerate() {
        inst.op.targets().iter().for_each(|target| leads[target.0 as usize] = true);
        if inst.op.ends_block() && pc + 1 < insts.len() {
            leads[pc + 1] = true;
        }
    }
    let starts: Vec<_> = (0..insts.len()).filter(|pc| leads[*pc]).collect();
    let ends = starts.iter().skip(1).copied().chain([insts.len()]);
    let blocks: Vec<_> = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
    let block_of = |pc: usize| starts.partition_point(|start| *start <= pc) - 1;
    let next = blocks.iter().map(|block| {
        let mut next: Vec<_> = successors(insts, block.end - 1).map(block_of).collect();
        next.sort_unstable();
        next.dedup();
        next
    });
    let next = next.collect();
    (blocks, next)
}

/// The instructions at which lanes may continue after executing the one at `pc`.
pub fn successors(insts: &[Inst], pc: usize) -> impl Iterator<Item = usize> {
    let inst = &insts[pc];
    let falls = (inst.guard.is_some() || !inst.op.ends_block()) && pc + 1 < insts.len();
    let jumps = inst.op.targets().iter().map(|target| target.0 as usize);
    falls.then_some(pc + 1).into_iter().chain(jumps)
}
