//! A block's barriers: who has arrived, and when that is enough.

use super::mask::LaneMask;
use super::program::Reg;
use crate::launch::WARP_SIZE;
use crate::ptx::Reduction;

/// Barriers of a block (PTX ISA, `bar`).
pub(super) const BARRIERS: usize = 16;

/// What lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    /// The barrier's number.
    pub(super) id: u8,
    /// How many threads it needs; none: all of the block.
    pub(super) threads: Option<u32>,
    /// `bar.arrive`: the lanes wait for their own warp only.
    pub(super) passing: bool,
    /// Whether the barrier has counted these lanes' warp with them.
    pub(super) counted: bool,
    /// `bar.red`: over what, into what, and the lanes in which the operand is true.
    pub(super) vote: Option<(Reduction, Reg, LaneMask)>,
}

/// One barrier since it was last complete.
///
/// It counts warps: "barrier causes the executing thread to wait for all non-exited threads from
/// its warp and marks the warp's arrival" (PTX ISA, `barrier`). Where in the program they arrive
/// makes no difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Barrier {
    /// The warps that have arrived (bit n: warp n).
    warps: u32,
    /// Their threads, every warp as a whole.
    arrived: u32,
    /// How many it needs, if it was told.
    threads: Option<u32>,
    /// Whether one of them only arrived, and does not wait for the others.
    passed: bool,
    /// Threads that took part in a vote, and those of them that voted yes.
    voters: u32,
    ayes: u32,
}

impl Barrier {
    /// All live lanes of `warp` are here, and wait so.
    pub(super) fn arrive(&mut self, warp: u32, lanes: impl Iterator<Item = (LaneMask, Wait)>) {
        self.warps |= 1 << warp;
        self.arrived += WARP_SIZE;
        for (lanes, wait) in lanes {
            self.threads = self.threads.or(wait.threads);
            self.passed |= wait.passing;
            if let Some((_, _, ayes)) = wait.vote {
                self.voters += lanes.count();
                self.ayes += ayes.count();
            }
        }
    }

    /// Whether enough have arrived. Without a number it needs every warp in `live`: from compute
    /// capability 7.0 on, all threads that have not exited (CUDA Programming Guide, "Compute
    /// Capability 7.x", "Independent Thread Scheduling").
    pub(super) fn complete(&self, live: u32) -> bool {
        match self.threads {
            Some(threads) => self.arrived >= threads,
            None => self.arrived > 0 && self.holds(live),
        }
    }

    /// Whether it parts everything that the warps in `live` did before from all that follows.
    pub(super) fn is_whole(&self, live: u32) -> bool {
        self.holds(live) && !self.passed
    }

    /// Whether all warps of `set` have arrived.
    pub(super) fn holds(&self, set: u32) -> bool {
        self.warps & set == set
    }

    /// The result of `bar.red`.
    pub(super) fn result(&self, reduction: Reduction) -> u64 {
        match reduction {
            Reduction::Popc => self.ayes.into(),
            Reduction::And => (self.ayes == self.voters).into(),
            Reduction::Or => (self.ayes > 0).into(),
        }
    }
}
