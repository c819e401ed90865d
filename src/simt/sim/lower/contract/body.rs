//! What contraction is to look at.

use crate::sim::access::Pc;
use crate::sim::program::{CallSite, Inst, Reg, RowInit};
use std::collections::HashMap;
use std::ops::Range;

/// The instructions of a program, and what is known of them before.
pub(super) struct Body<'p> {
    pub(super) insts: &'p [Inst],
    pub(super) blocks: &'p [Range<usize>],
    /// The first block of each function.
    pub(super) starts: Vec<usize>,
    pub(super) calls: &'p HashMap<Pc, CallSite>,
    pub(super) given: HashMap<Reg, RowInit>,
}

impl Body<'_> {
    pub(super) fn block_of(&self, pc: usize) -> usize {
        self.blocks.partition_point(|block| block.end <= pc)
    }

    pub(super) fn site(&self, pc: usize) -> Option<&CallSite> {
        self.calls.get(&Pc(pc as u32))
    }
}
