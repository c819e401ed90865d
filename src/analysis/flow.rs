//! The flow of control of a program: basic blocks, which of them dominate which, and the loops.

use crate::sim::Inst;
use std::ops::Range;

/// The basic blocks of a program and how they follow each other.
#[derive(Debug)]
pub(super) struct Flow {
    /// In the order of the text.
    pub(super) blocks: Vec<Block>,
    /// Those that can be reached, in reverse postorder: before each all that dominate it.
    pub(super) order: Vec<usize>,
    /// For each block its place in `order`; none if it cannot be reached.
    rank: Vec<Option<usize>>,
    /// For each block the nearest one that dominates it; the first block is its own.
    above: Vec<Option<usize>>,
}

/// Instructions that are executed one after the other.
#[derive(Debug)]
pub(super) struct Block {
    /// Their numbers.
    pub(super) insts: Range<usize>,
    /// The blocks that may follow.
    pub(super) next: Vec<usize>,
    /// The blocks that it may follow, as far as they can be reached.
    pub(super) before: Vec<usize>,
}

/// A natural loop.
#[derive(Debug)]
pub(super) struct Loop {
    /// The block where each round begins.
    pub(super) header: usize,
    /// All its blocks, ascending.
    pub(super) blocks: Vec<usize>,
    /// Those from which the next round begins.
    pub(super) ends: Vec<usize>,
}

impl Flow {
    pub(super) fn of(insts: &[Inst]) -> Self {
        let mut blocks = blocks(insts);
        let order = reverse_postorder(&blocks);
        let mut rank = vec![None; blocks.len()];
        for (place, block) in order.iter().enumerate() {
            rank[*block] = Some(place);
        }
        for block in &order {
            for next in blocks[*block].next.clone() {
                blocks[next].before.push(*block);
            }
        }
        let mut flow = Self { above: vec![None; blocks.len()], blocks, order, rank };
        flow.find_dominators();
        flow
    }

    /// Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    fn find_dominators(&mut self) {
        self.above[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for block in self.order.clone().into_iter().skip(1) {
                let known = self.blocks[block].before.iter().filter(|b| self.above[**b].is_some());
                let found = known.copied().reduce(|a, b| self.nearest_common(a, b));
                changed |= found != self.above[block];
                self.above[block] = found;
            }
        }
    }

    /// The nearest block that dominates both.
    fn nearest_common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            let later = if self.rank[a] > self.rank[b] { &mut a } else { &mut b };
            *later = self.above[*later].unwrap_or(0);
        }
        a
    }

    /// Whether every way to block `b` leads through block `a`.
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        self.rank[a].is_some() && self.rank[b].is_some() && self.nearest_common(a, b) == a
    }

    /// The blocks, in the order of the text, in chains: in a chain each block has no other way on
    /// than into the next, and the next no other way in.
    pub(super) fn chains(&self) -> Vec<Vec<usize>> {
        let follower = |block: usize| match self.blocks[block].next[..] {
            [next] if self.blocks[next].before == [block] && next != block => Some(next),
            _ => None,
        };
        let mut follows = vec![false; self.blocks.len()];
        (0..self.blocks.len()).filter_map(follower).for_each(|block| follows[block] = true);
        let heads = (0..self.blocks.len()).filter(|block| !follows[*block]);
        heads.map(|head| std::iter::successors(Some(head), |b| follower(*b)).collect()).collect()
    }

    /// Every loop once; loops with one header are one loop.
    pub(super) fn loops(&self) -> Vec<Loop> {
        let (mut headers, mut ends) = (Vec::new(), vec![Vec::new(); self.blocks.len()]);
        for from in self.order.iter().copied() {
            for header in self.blocks[from].next.iter().filter(|to| self.dominates(**to, from)) {
                if ends[*header].is_empty() {
                    headers.push(*header);
                }
                ends[*header].push(from);
            }
        }
        let mut seen_for = vec![None; self.blocks.len()];
        let found = headers.into_iter().map(|header| {
            let ends = std::mem::take(&mut ends[header]);
            Loop { header, blocks: self.body(header, &ends, &mut seen_for), ends }
        });
        found.collect()
    }

    /// The header and the blocks from which the ends are reached without passing it, ascending.
    /// `seen_for` says of each block for which header it has been seen last.
    fn body(&self, header: usize, ends: &[usize], seen_for: &mut [Option<usize>]) -> Vec<usize> {
        let (mut body, mut open) = (vec![header], ends.to_vec());
        seen_for[header] = Some(header);
        while let Some(block) = open.pop() {
            if seen_for[block].replace(header) != Some(header) {
                body.push(block);
                open.extend(&self.blocks[block].before);
            }
        }
        body.sort_unstable();
        body
    }
}

/// Blocks with their successors, and without their predecessors.
fn blocks(insts: &[Inst]) -> Vec<Block> {
    let mut starts = vec![false; insts.len()];
    starts[0] = true;
    for (pc, inst) in insts.iter().enumerate() {
        for target in inst.op.targets() {
            starts[target.0 as usize] = true;
        }
        if inst.op.ends_block() && pc + 1 < insts.len() {
            starts[pc + 1] = true;
        }
    }
    let starts: Vec<_> = (0..insts.len()).filter(|pc| starts[*pc]).collect();
    let ends = starts.iter().skip(1).copied().chain([insts.len()]);
    let block_of = |pc: usize| starts.partition_point(|start| *start <= pc) - 1;
    let block = |insts_of: Range<usize>| {
        let last = &insts[insts_of.end - 1];
        let falls = last.guard.is_some() || !last.op.ends_block();
        let falls = (falls && insts_of.end < insts.len()).then_some(insts_of.end);
        let jumps = last.op.targets().iter().map(|target| target.0 as usize);
        let mut next: Vec<_> = falls.into_iter().chain(jumps).map(block_of).collect();
        next.sort_unstable();
        next.dedup();
        Block { insts: insts_of, next, before: Vec::new() }
    };
    starts.iter().zip(ends).map(|(start, end)| block(*start..end)).collect()
}

fn reverse_postorder(blocks: &[Block]) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; blocks.len()], Vec::new());
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, way)) = stack.pop() {
        match blocks[block].next.get(way) {
            Some(next) => {
                stack.push((block, way + 1));
                if !std::mem::replace(&mut seen[*next], true) {
                    stack.push((*next, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
