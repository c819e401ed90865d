//! A block's barriers: which warps have arrived, and when a barrier completes.

use super::mask::LaneMask;
use super::program::Reg;
use super::warp_set::WarpSet;
use crate::launch::WARP_SIZE;
use ptx::Reduction;

/// Number of barriers in a block (PTX ISA, `bar`).
pub(super) const BARRIERS: usize = 16;

/// The state of lanes that have reached a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) id: u8,
    /// The number of threads that it expects; `None` means the whole block.
    pub(super) threads: Option<u32>,
    /// `bar.arrive`: the lanes wait only for their own warp.
    pub(super) passing: bool,
    /// Whether the barrier has counted the lanes' warp.
    pub(super) counted: bool,
    /// For `bar.red`: the reduction, the destination, and the lanes whose predicate is true.
    pub(super) vote: Option<(Reduction, Reg, LaneMask)>,
}

/// A barrier's state since it last completed.
///
/// It counts warps: "barrier causes the executing thread to wait for all non-exited threads from
/// its warp and marks the warp's arrival" (PTX ISA, `barrier`). Lanes may arrive at different
/// barrier instructions of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Barrier {
    /// The warps that have arrived.
    warps: WarpSet,
    /// The number of threads that have arrived, counting whole warps.
    arrived: u32,
    /// The expected number of threads, if it was specified.
    threads: Option<u32>,
    /// Whether any warp executed only `bar.arrive` and does not wait.
    passed: bool,
    /// The number of threads that voted, and of those whose predicate was true.
    voters: u32,
    ayes: u32,
}

impl Barrier {
    /// Records that all live lanes of `warp` have arrived, with their waits.
    pub(super) fn arrive(&mut self, warp: u32, lanes: impl Iterator<Item = (LaneMask, Wait)>) {
        self.warps = self.warps.with(warp);
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

    /// Whether enough threads have arrived. Without a thread count it needs every warp in `live`:
    /// from compute capability 7.0 on, all threads that have not exited (CUDA Programming Guide,
    /// "Compute Capability 7.x", "Independent Thread Scheduling").
    pub(super) fn complete(&self, live: WarpSet) -> bool {
        match self.threads {
            Some(threads) => self.arrived >= threads,
            None => self.arrived > 0 && self.holds(live),
        }
    }

    /// Whether it orders everything that the warps in `live` did before it ahead of everything
    /// after it.
    pub(super) fn is_whole(&self, live: WarpSet) -> bool {
        self.holds(live) && !self.passed
    }

    /// Whether all warps of `set` have arrived.
    pub(super) fn holds(&self, set: WarpSet) -> bool {
        self.warps.and(set) == set
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
