//! Where lanes that a branch parts meet again: basic blocks and their immediate post-dominators.

use super::program::Inst;
use super::step::Pc;
use crate::ptx::{ControlOp, Op};

/// What the flow of control says about each instruction.
pub(super) struct Graph {
    /// At a branch: the first instruction that every way on passes before the thread ends.
    pub(super) meet: Vec<Option<Pc>>,
    /// Whether nothing but the thread's end follows.
    pub(super) ends: Vec<bool>,
    /// The basic blocks, in the order of the text.
    pub(super) blocks: Vec<std::ops::Range<usize>>,
    /// Their successors, but for those behind which nothing but the thread's end follows.
    pub(super) next: Vec<Vec<usize>>,
    /// All blocks, each behind those that follow it, but where it follows one of these itself.
    pub(super) backwards: Vec<usize>,
}

/// Analyses a program whose last instruction is an unguarded `exit` or `ret`.
pub(super) fn analyse(insts: &[Inst]) -> Graph {
    let ends = ends(insts);
    let blocks = Blocks::of(insts, &ends);
    let mut order = blocks.reverse_postorder();
    let post = blocks.post_dominators(&order);
    order.retain(|block| *block < blocks.next.len());
    let mut meet = vec![None; insts.len()];
    for (block, range) in blocks.ranges.iter().enumerate() {
        let last = range.end - 1;
        if matches!(insts[last].op, Op::Control(ControlOp::Bra { .. } | ControlOp::Switch { .. })) {
            meet[last] = post[block].map(|next| Pc(blocks.ranges[next].start as u32));
        }
    }
    Graph { meet, ends, blocks: blocks.ranges, next: blocks.next, backwards: order }
}

/// `exit`, and unguarded jumps that lead to one.
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

/// The basic blocks, in the order of the text, and their successors.
///
/// Where nothing but the thread's end follows is no successor: lanes that go there end at once
/// (see `exec::control::branch`), so the others need not wait for them, nor they for the others.
struct Blocks {
    ranges: Vec<std::ops::Range<usize>>,
    next: Vec<Vec<usize>>,
    /// Blocks from which the end is taken for reached although they have successors.
    exits: Vec<bool>,
}

/// Most loops without an end that are told apart.
const MAX_ENDLESS: usize = 64;

impl Blocks {
    fn of(insts: &[Inst], ends: &[bool]) -> Self {
        let mut leader = vec![false; insts.len()];
        leader[0] = true;
        for (pc, inst) in insts.iter().enumerate() {
            for target in inst.op.targets() {
                leader[target.0 as usize] = true;
            }
            if inst.op.ends_block() && pc + 1 < insts.len() {
                leader[pc + 1] = true;
            }
        }
        let starts: Vec<_> = (0..insts.len()).filter(|pc| leader[*pc]).collect();
        let stops = starts.iter().skip(1).copied().chain([insts.len()]);
        let ranges: Vec<_> = starts.iter().zip(stops).map(|(start, end)| *start..end).collect();
        let block_of = |pc: usize| starts.partition_point(|start| *start <= pc) - 1;
        let ways: Vec<Vec<usize>> = ranges
            .iter()
            .map(|range| {
                let last = &insts[range.end - 1];
                let falls = !last.op.ends_block() || last.guard.is_some();
                let fall = (falls && range.end < insts.len()).then(|| block_of(range.end));
                let jumps = last.op.targets().iter().map(|target| block_of(target.0 as usize));
                fall.into_iter().chain(jumps).collect()
            })
            .collect();
        let goes_on = |block: &usize| !ends[starts[*block]];
        let next = ways.iter().map(|ways| ways.iter().copied().filter(goes_on).collect());
        let mut blocks = Self { exits: vec![false; ranges.len()], next: next.collect(), ranges };
        let leaves: Vec<_> = ways.iter().map(|ways| !ways.iter().all(goes_on)).collect();
        blocks.end_loops(&leaves);
        blocks
    }

    /// Loops that are left only by ending the thread, or never, still have places where their
    /// lanes meet: the end is taken to follow where they `leave`, or else where they close.
    fn end_loops(&mut self, leaves: &[bool]) {
        for round in 0.. {
            let mut endless = vec![true; self.next.len() + 1];
            self.reverse_postorder().into_iter().for_each(|block| endless[block] = false);
            let lost = |block: &usize| endless[*block];
            let closes = |block: &usize| self.next[*block].iter().any(|next| next <= block);
            let blocks = || (0..self.next.len()).filter(lost);
            let leaving: Vec<_> = blocks().filter(|block| leaves[*block]).collect();
            let chosen = match (leaving.is_empty(), round < MAX_ENDLESS) {
                (false, _) => leaving,
                (true, true) => blocks().rfind(closes).into_iter().collect(),
                (true, false) => blocks().collect(),
            };
            if chosen.is_empty() {
                return;
            }
            for block in chosen {
                self.exits[block] = true;
            }
        }
    }

    /// The immediate post-dominator of each block; none where only the end of the thread follows
    /// on every way (and for blocks from which the end cannot be reached).
    ///
    /// Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed
    /// graph with a virtual exit behind every `exit` and `ret`.
    fn post_dominators(&self, order: &[usize]) -> Vec<Option<usize>> {
        let exit = self.next.len();
        let mut rank = vec![usize::MAX; exit + 1];
        for (index, block) in order.iter().enumerate() {
            rank[*block] = index;
        }
        let mut post: Vec<Option<usize>> = vec![None; exit + 1];
        post[exit] = Some(exit);
        let mut changed = true;
        while changed {
            changed = false;
            for block in order.iter().copied().filter(|block| *block != exit) {
                let ways = self.ways(block).into_iter().filter(|way| post[*way].is_some());
                let found = ways.reduce(|a, b| intersect(a, b, &post, &rank));
                if found.is_some() && found != post[block] {
                    post[block] = found;
                    changed = true;
                }
            }
        }
        post.truncate(exit);
        post.into_iter().map(|found| found.filter(|block| *block != exit)).collect()
    }

    /// Where control goes from `block`; a block without a successor goes to the exit.
    fn ways(&self, block: usize) -> Vec<usize> {
        let (next, exit) = (&self.next[block], self.next.len());
        let exit = (next.is_empty() || self.exits[block]).then_some(exit);
        next.iter().copied().chain(exit).collect()
    }

    /// Blocks (and the exit, first) in reverse postorder of the reversed graph.
    fn reverse_postorder(&self) -> Vec<usize> {
        let exit = self.next.len();
        let mut before = vec![Vec::new(); exit + 1];
        for block in 0..exit {
            for way in self.ways(block) {
                before[way].push(block);
            }
        }
        let (mut seen, mut order) = (vec![false; exit + 1], Vec::new());
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((block, child)) = stack.pop() {
            match before[block].get(child) {
                Some(next) => {
                    stack.push((block, child + 1));
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
}

/// The nearest block that post-dominates both.
fn intersect(mut a: usize, mut b: usize, post: &[Option<usize>], rank: &[usize]) -> usize {
    while a != b {
        let later = if rank[a] > rank[b] { &mut a } else { &mut b };
        *later = post[*later].expect("only blocks with a post-dominator are compared");
    }
    a
}
