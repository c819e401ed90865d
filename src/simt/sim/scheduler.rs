//! Chooses which of a block's warps issues next, according to an [`Order`].

use super::order::Order;
use super::program::Program;
use super::step::Pc;
use crate::launch::{MAX_THREADS_PER_BLOCK, WARP_SIZE};
use crate::matrix::mixed;
use std::sync::Arc;

/// Picks the warp that issues next.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    order: Order,
    last: u32,
    random: u64,
    interval: u32,
    /// For each instruction, whether warps are held before it; empty if they never are.
    held: Arc<[bool]>,
    /// In a script: the index of the current piece, and the instructions that each warp has
    /// executed.
    piece: usize,
    done: [u32; (MAX_THREADS_PER_BLOCK / WARP_SIZE) as usize],
}

impl Scheduler {
    pub(super) fn new(order: Order, program: &Program) -> Self {
        let random = if let Order::Random(seed) = order { seed } else { 0 };
        let (last, held, done) = (u32::MAX, order.held(program), Default::default());
        Self { order, last, random, interval: 0, held, piece: 0, done }
    }

    /// If the order holds warps before some accesses: how long a released warp is not held again.
    #[inline]
    pub(super) fn holds(&self) -> Option<Bypass> {
        match self.order {
            Order::Before(_) => Some(Bypass::Interval),
            Order::InStep(_) => Some(Bypass::Access),
            _ => None,
        }
    }

    /// Whether both are certain to pick the same warps from now on; false for orders whose choice
    /// depends on more than the warp that ran last.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let orders =
            matches!(self.order, Order::RoundRobin | Order::ToBarrier | Order::EarlyCopies);
        orders && self.order == other.order && self.last == other.last
    }

    /// Whether warps are held before the instruction at `pc`.
    pub(super) fn holds_at(&self, pc: Pc) -> bool {
        self.held.get(pc.0 as usize).is_some_and(|held| *held)
    }

    /// Whether copies land when they are issued.
    pub(super) fn lands_early(&self) -> bool {
        self.order == Order::EarlyCopies
    }

    /// Picks one of the warps in `ready` (bit n = warp n), or `None` if there is none.
    #[inline]
    pub(super) fn pick(&mut self, ready: u32) -> Option<u32> {
        if ready == 0 {
            return None;
        }
        self.last = match self.order {
            Order::RoundRobin => next_after(ready, self.last),
            _ => self.pick_other(ready),
        };
        Some(self.last)
    }

    /// The warp that [`Self::pick`] would return.
    pub(super) fn next(&self, ready: u32) -> Option<u32> {
        match self.order {
            Order::RoundRobin if ready != 0 => Some(next_after(ready, self.last)),
            _ => self.clone().pick(ready),
        }
    }

    /// Picks a warp in any order other than round-robin.
    fn pick_other(&mut self, ready: u32) -> u32 {
        match self.order {
            Order::ToBarrier | Order::Before(_) | Order::InStep(_) | Order::EarlyCopies => {
                self.stay(ready)
            }
            Order::Ahead { warp, interval } if interval == self.interval && has(ready, warp) => {
                warp.into()
            }
            Order::RoundRobin | Order::Ahead { .. } => next_after(ready, self.last),
            Order::Random(_) => nth(ready, (self.draw() % u64::from(ready.count_ones())) as u32),
            Order::Scripted(_) => self.as_written(ready),
        }
    }

    /// The same warp as last time, as long as it is ready.
    fn stay(&self, ready: u32) -> u32 {
        let stays = self.last < 32 && ready >> self.last & 1 == 1;
        if stays { self.last } else { next_after(ready, self.last) }
    }

    /// The warp of the first piece of the script that is not over and can run.
    fn as_written(&mut self, ready: u32) -> u32 {
        let Order::Scripted(script) = &self.order else { return self.stay(ready) };
        let left = script.pieces().iter().skip(self.piece);
        let runs = |warp: u8, until: Option<u32>| {
            has(ready, warp) && until.is_none_or(|until| self.done[usize::from(warp)] < until)
        };
        let over = left.clone().take_while(|piece| !runs(piece.warp, piece.until)).count();
        self.piece += over;
        let warp = script.pieces().get(self.piece).map(|piece| piece.warp.into());
        let warp = warp.unwrap_or_else(|| self.stay(ready));
        self.done[warp as usize] += 1;
        warp
    }

    /// The last warp has reached a barrier, which ends its piece of the script.
    pub(super) fn at_barrier(&mut self) {
        self.piece += 1;
    }

    /// A barrier has released the block: start again with the first warp.
    pub(super) fn released(&mut self) {
        self.last = u32::MAX;
        self.interval += 1;
    }

    /// Draws the next number of SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.random)
    }
}

/// How long a warp that was released past an access is not held again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bypass {
    /// Until the next barrier of the block.
    Interval,
    /// For this access only.
    Access,
}

fn has(ready: u32, warp: u8) -> bool {
    ready.checked_shr(warp.into()).unwrap_or(0) & 1 == 1
}

/// The first set bit above `last`, or otherwise the lowest; `u32::MAX` counts as below bit 0.
fn next_after(ready: u32, last: u32) -> u32 {
    let from = last.wrapping_add(1) % 32;
    (from + ready.rotate_right(from).trailing_zeros()) % 32
}

/// The `index`-th set bit.
fn nth(mut ready: u32, index: u32) -> u32 {
    for _ in 0..index {
        ready &= ready - 1;
    }
    ready.trailing_zeros()
}
