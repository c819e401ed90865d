//! `wgmma` in flight: a warp's results are written to registers at the wait; and warpgroups, four
//! adjacent warps that execute them together.

use crate::sim::access::Pc;
use crate::sim::block_group::WARPS;
use ptx::CopyGroup;
use std::collections::VecDeque;

/// Maximum number of a warp's operations in flight; a kernel that waits never comes near it.
pub(in crate::sim) const MAX_PENDING_WGMMA: usize = 1 << 16;

/// The wgmma operations that a warp has issued and not waited for, oldest first.
///
/// Hardware may read the factors and write the sums at any time up to the wait. Here both happen at
/// the wait, so that a kernel that does not wait, or overwrites a factor too early, gets the wrong
/// result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct PendingWgmma {
    begun: VecDeque<WgmmaInFlight>,
    /// The number of groups that it has committed.
    committed: u32,
}

/// A wgmma operation in flight.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sim) struct WgmmaInFlight {
    /// The `wgmma` instruction.
    pub(in crate::sim) pc: Pc,
    /// The descriptors of a, if it has one, and of b.
    pub(in crate::sim) descriptors: [u64; 2],
    /// Whether it adds to the registers' contents.
    pub(in crate::sim) adds: bool,
    /// The number of the group that it belongs to or will belong to.
    group: u32,
}

impl PendingWgmma {
    /// Issues an operation; returns whether there was room for it.
    pub(in crate::sim) fn begin(&mut self, pc: Pc, descriptors: [u64; 2], adds: bool) -> bool {
        let room = self.begun.len() < MAX_PENDING_WGMMA;
        if room {
            let group = self.committed;
            self.begun.push_back(WgmmaInFlight { pc, descriptors, adds, group });
        }
        room
    }

    /// Executes a group operation; returns the wgmma operations that complete, oldest first.
    pub(in crate::sim) fn command(&mut self, command: CopyGroup) -> Vec<WgmmaInFlight> {
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
    pub(in crate::sim) fn bytes(&self) -> usize {
        size_of::<WgmmaInFlight>() * self.begun.len()
    }
}

/// The `wgmma` instructions that the warps of a warpgroup have executed.
///
/// The warps need not execute them at the same time (`.sync` concerns one warp), but each must
/// execute the same sequence (`.aligned`: "all threads in the warpgroup must execute the same
/// `wgmma.mma_async`", PTX ISA).
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct Warpgroup {
    /// The number that each warp has executed.
    done: [u64; WARPS],
    /// The instructions that some but not all of the warps have executed, oldest first.
    open: VecDeque<Pc>,
}

impl Warpgroup {
    /// Records that a warp executes its next `wgmma`.
    ///
    /// # Errors
    /// The rank of a warp that executed a different one in its place.
    pub(in crate::sim) fn execute(&mut self, rank: usize, pc: Pc) -> Result<(), usize> {
        let turn = self.done[rank];
        let ahead = (turn - self.first()) as usize;
        match self.open.get(ahead) {
            Some(other) if *other != pc => {
                return Err((0..WARPS).find(|other| self.done[*other] > turn).unwrap_or(rank));
            }
            Some(_) => {}
            None => self.open.push_back(pc),
        }
        self.done[rank] += 1;
        while self.open.len() as u64 > self.last() - self.first() {
            self.open.pop_front();
        }
        Ok(())
    }

    /// If the warps have executed different numbers of instructions: a warp that has executed the
    /// first one that is not common to all, that instruction, and a warp that has not executed it.
    pub(in crate::sim) fn apart(&self) -> Option<(usize, Pc, usize)> {
        let pc = *self.open.front()?;
        let first = self.first();
        let of = |has: bool| (0..WARPS).find(|rank| (self.done[*rank] > first) == has);
        Some((of(true)?, pc, of(false)?))
    }

    fn first(&self) -> u64 {
        self.done.into_iter().fold(u64::MAX, u64::min)
    }

    fn last(&self) -> u64 {
        self.done.into_iter().fold(0, u64::max)
    }
}
