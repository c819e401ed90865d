//! Warpgroups: four adjacent warps that execute `wgmma` together.

use super::step::Pc;
use std::collections::VecDeque;

/// Number of warps in a warpgroup.
pub(super) const WARPS: usize = 4;

/// The `wgmma` instructions that the warps of a warpgroup have executed.
///
/// The warps need not execute them at the same time (`.sync` concerns one warp), but each must
/// execute the same sequence (`.aligned`: "all threads in the warpgroup must execute the same
/// `wgmma.mma_async`", PTX ISA).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Warpgroup {
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
    pub(super) fn execute(&mut self, rank: usize, pc: Pc) -> Result<(), usize> {
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
    pub(super) fn apart(&self) -> Option<(usize, Pc, usize)> {
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
