//! A warp's asynchronous products: begun by `wgmma`, in its registers when somebody waits for them.

use super::step::Pc;
use crate::ptx::CopyGroup;
use std::collections::VecDeque;

/// Most products of one warp that may be on their way; none of a kernel that waits comes near.
pub(super) const MAX_PRODUCTS: usize = 1 << 16;

/// What a warp has begun to multiply and has not waited for, the oldest first.
///
/// Hardware reads the factors and writes the sums at any moment up to the wait. Here both happen
/// there, so that a kernel which forgets to wait, or changes a factor too early, sees what it did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PendingWgmma {
    begun: VecDeque<WgmmaInFlight>,
    /// How many groups it has committed.
    committed: u32,
}

/// One product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WgmmaInFlight {
    /// The `wgmma`.
    pub(super) pc: Pc,
    /// The descriptors of a, if it has one, and of b.
    pub(super) descriptors: [u64; 2],
    /// Whether it adds to what the registers hold.
    pub(super) adds: bool,
    /// The number of the group to which it belongs, or will.
    group: u32,
}

impl PendingWgmma {
    /// A product begins; whether there was room for it.
    pub(super) fn begin(&mut self, pc: Pc, descriptors: [u64; 2], adds: bool) -> bool {
        let room = self.begun.len() < MAX_PRODUCTS;
        if room {
            self.begun.push_back(WgmmaInFlight { pc, descriptors, adds, group: self.committed });
        }
        room
    }

    /// What the warp does with its products; those that are complete by it, the oldest first.
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

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<WgmmaInFlight>() * self.begun.len()
    }
}
