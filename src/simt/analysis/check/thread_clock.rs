//! The accesses of a block that a thread knows to have come before.

mod grid_clock;

use super::epoch::{Epoch, IN_FLIGHT, ThreadId};
pub(super) use grid_clock::GridClock;
use std::collections::BTreeMap;

/// Accesses of one block: all in epochs below `floor`, and more of each warp and of individual
/// threads.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadClock {
    pub(super) floor: Epoch,
    pub(super) warps: Vec<Epoch>,
    pub(super) threads: BTreeMap<ThreadId, Epoch>,
}

impl ThreadClock {
    /// Whether the access of `thread` at `epoch` is included.
    pub(super) fn holds(&self, thread: ThreadId, epoch: Epoch) -> bool {
        let warp = self.warps.get(thread.warp()).copied().unwrap_or(0);
        let own = self.threads.get(&thread).copied().unwrap_or(0);
        epoch != IN_FLIGHT && epoch < self.floor.max(warp).max(own)
    }

    fn has_warps(&self) -> bool {
        self.warps.iter().any(|epoch| *epoch > 0)
    }

    /// Whether it includes no access.
    pub(super) fn is_empty(&self) -> bool {
        self.floor == 0 && self.threads.is_empty() && !self.has_warps()
    }

    /// Whether joining `other` would add nothing.
    fn includes(&self, other: &Self) -> bool {
        let warps = |of: &Self, warp| of.warps.get(warp).copied().unwrap_or(0);
        let holds = |(thread, epoch): (&ThreadId, &Epoch)| self.threads.get(thread) >= Some(epoch);
        self.floor >= other.floor
            && self.threads.len() >= other.threads.len()
            && (0..other.warps.len()).all(|warp| warps(self, warp) >= warps(other, warp))
            && other.threads.iter().all(holds)
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.floor = self.floor.max(other.floor);
        if self.warps.len() < other.warps.len() {
            self.warps.resize(other.warps.len(), 0);
        }
        for (mine, theirs) in self.warps.iter_mut().zip(&other.warps) {
            *mine = (*mine).max(*theirs);
        }
        for (thread, theirs) in &other.threads {
            let mine = self.threads.entry(*thread).or_insert(0);
            *mine = (*mine).max(*theirs);
        }
    }
}
