//! A warp's wgmma operations in flight: their results are written to registers at the wait.

use super::step::Pc;
use ptx::CopyGroup;
use std::collections::VecDeque;

/// Maximum number of a warp's operations in flight; a kernel that waits never comes near it.
pub(super) const MAX_PENDING_WGMMA: usize = 1 << 16;

/// The wgmma operations that a warp has issued and not waited for, oldest first.
///
/// Hardware may read the factors and write the sums at any time up to the wait. Here both happen at
/// the wait, so that a kernel that does not wait, or overwrites a factor too early, gets the wrong
/// result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PendingWgmma {
    begun: VecDeque<WgmmaInFlight>,
    /// The number of groups that it has committed.
    committed: u32,
}

/// A wgmma operation in flight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WgmmaInFlight {
    /// The `wgmma` instruction.
    pub(super) pc: Pc,
    /// The descriptors of a, if it has one, and of b.
    pub(super) descriptors: [u64; 2],
    /// Whether it adds to the registers' contents.
    pub(super) adds: bool,
    /// The number of the group that it belongs to or will belong to.
    group: u32,
}

impl PendingWgmma {
    /// Issues an operation; returns whether there was room for it.
    pub(super) fn begin(&mut self, pc: Pc, descriptors: [u64; 2], adds: bool) -> bool {
        let room = self.begun.len() < MAX_PENDING_WGMMA;
        if room {
            let group = self.committed;
            self.begun.push_back(WgmmaInFlight { pc, descriptors, adds, group });
        }
        room
    }

    /// Executes a group operation; returns the wgmma operations that complete, oldest first.
    pub(super) fn command(&mut self, command: CopyGroup) -> Vec<WgmmaInFlight> {
        let left = match command {
            CopyGroup::Commit => {
                self.committed = self.committed.saturating_add(1);
                return Vec::new();
            }
            CopyGroup::WaitAll => 0,
            CopyGroup::WaitAllBut(left) => left,
        };
        let due = self.committed.saturating_sub(left);
        let count = self.begun.iter().take_while(|product| product.group < due).count();
        self.begun.drain(..count).collect()
    }

    /// Approximate memory use in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<WgmmaInFlight>() * self.begun.len()
    }
}
