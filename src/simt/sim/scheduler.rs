//! In which order a block's warps run: a choice of the simulation, shown as such.

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
    /// For each instruction, whether warps wait for each other before it; empty if they never do.
    held: Arc<[bool]>,
    /// Of a script, the piece that comes next, and what each warp has executed.
    piece: usize,
    done: [u32; (MAX_THREADS_PER_BLOCK / WARP_SIZE) as usize],
}

impl Scheduler {
    pub(super) fn new(order: Order, program: &Program) -> Self {
        let random = if let Order::Random(seed) = order { seed } else { 0 };
        let (last, held, done) = (u32::MAX, order.held(program), Default::default());
        Self { order, last, random, interval: 0, held, piece: 0, done }
    }

    /// Whether warps wait for each other before some of their accesses, and those that have been
    /// let past one of them: once in a barrier interval, or once in all.
    #[inline]
    pub(super) fn holds(&self) -> Option<Bypass> {
        match self.order {
            Order::Before(_) => Some(Bypass::Interval),
            Order::InStep(_) => Some(Bypass::Access),
            _ => None,
        }
    }

    /// Whether both pick the same warps from now on, as far as that is known without their past.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let orders =
            matches!(self.order, Order::RoundRobin | Order::ToBarrier | Order::EarlyCopies);
        orders && self.order == other.order && self.last == other.last
    }

    /// Whether warps wait for each other before the instruction at `pc`.
    pub(super) fn holds_at(&self, pc: Pc) -> bool {
        self.held.get(pc.0 as usize).is_some_and(|held| *held)
    }

    /// Whether copies land when they begin.
    pub(super) fn lands_early(&self) -> bool {
        self.order == Order::EarlyCopies
    }

    /// One of the warps in `ready` (bit n = warp n); none if there is none.
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

    /// The warp that will be picked of those in `ready`.
    pub(super) fn next(&self, ready: u32) -> Option<u32> {
        match self.order {
            Order::RoundRobin if ready != 0 => Some(next_after(ready, self.last)),
            _ => self.clone().pick(ready),
        }
    }

    /// In an order other than one of each in turn.
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

    /// The same warp as before, as long as it can.
    fn stay(&self, ready: u32) -> u32 {
        let stays = self.last < 32 && ready >> self.last & 1 == 1;
        if stays { self.last } else { next_after(ready, self.last) }
    }

    /// The warp of the first piece that is not over and can run.
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

    /// The warp that ran last has come to a barrier: the piece that it was of is over.
    pub(super) fn at_barrier(&mut self) {
        self.piece += 1;
    }

    /// A barrier has released the block: turns begin anew with the first warp.
    pub(super) fn released(&mut self) {
        self.last = u32::MAX;
        self.interval += 1;
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.random)
    }
}

/// How long a warp that was let past an access need not wait before one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bypass {
    /// To the next barrier of the block.
    Interval,
    /// For this access only.
    Access,
}

fn has(ready: u32, warp: u8) -> bool {
    ready.checked_shr(warp.into()).unwrap_or(0) & 1 == 1
}

/// The first set bit above `last`, or else the first of all; `u32::MAX` is below the first.
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
