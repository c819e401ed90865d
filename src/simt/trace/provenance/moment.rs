//! One step of a run, and the values on which its data flow depends.

use super::LaneStep;
use crate::sim::{Access, LaneMask, Step, Transfer};

/// One step, with the values on which its data flow depends.
#[derive(Clone, Debug)]
pub(super) struct StepValues {
    /// Steps done after its execution.
    pub(super) index: u32,
    /// Barriers that the block had passed before it.
    pub(super) interval: u32,
    pub(super) step: Step,
    /// The accesses by which copies have landed in shared memory.
    pub(super) landed: Vec<Access>,
    /// For a selection or a `wgmma`: the lanes in which its predicate is set.
    pub(super) chosen: LaneMask,
    /// For a shuffle: the lane from which each lane takes its value.
    pub(super) sources: Option<Box<[u8; 32]>>,
    /// For a function's return: the values passed back.
    pub(super) results: Vec<Transfer>,
}

impl StepValues {
    pub(super) fn at(&self, lane: u8) -> LaneStep {
        LaneStep { index: self.index, pc: self.step.pc, warp: self.step.warp, lane }
    }
}
