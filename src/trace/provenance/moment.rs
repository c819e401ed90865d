//! One step of a run, and what its flow of data depends on.

use super::At;
use crate::sim::{Access, LaneMask, Step, Transfer};

/// One step, with what its flow of data depends on.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Steps done when it had been executed.
    pub(super) index: u32,
    /// Barriers that the block had passed before it.
    pub(super) interval: u32,
    pub(super) step: Step,
    /// What copies have brought into shared memory.
    pub(super) landed: Vec<Access>,
    /// Of a choice, and of a product that may add: the lanes in which its predicate is set.
    pub(super) chosen: LaneMask,
    /// Of a shuffle: the lane from which each takes its value.
    pub(super) sources: Option<Box<[u8; 32]>>,
    /// Of a function's end: what comes back.
    pub(super) results: Vec<Transfer>,
}

impl Moment {
    /// A lane at the step.
    pub(super) fn at(&self, lane: u8) -> At {
        At { index: self.index, pc: self.step.pc, warp: self.step.warp, lane }
    }
}
