//! Four neighbouring warps that execute `wgmma` together.

use super::step::Pc;
use std::collections::VecDeque;

/// Warps of a warpgroup.
pub(super) const WARPS: usize = 4;

/// What the warps of one warpgroup have executed together.
///
/// They need not do so at one time (`.sync` is about one warp), but each has to execute the same
/// (`.aligned`: "all threads in the warpgroup must execute the same `wgmma.mma_async`", PTX ISA).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Warpgroup {
    /// How many each has executed.
    done: [u64; WARPS],
    /// Those that not all four have executed.
    open: VecDeque<Pc>,
}

impl Warpgroup {
    /// A warp executes its next one.
    ///
    /// # Errors
    /// A warp for which that was another one.
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

    /// Of the first that not all four have executed: one that has, it, and one that has not.
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
