//! In which order a block's warps run: a choice of the simulation, shown as such.

use std::fmt;

/// The order of the warps. Hardware promises none; a sound kernel gives the same C under all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One instruction of each warp in turn.
    #[default]
    RoundRobin,
    /// Each warp to its next barrier (or its end) in turn.
    ToBarrier,
    /// Any ready warp, from a seed.
    Random(u64),
    /// One instruction of each warp in turn; but in one barrier interval of the block, one warp
    /// runs ahead of all others until it waits.
    Ahead {
        /// The warp's number in the block.
        warp: u8,
        /// Barriers that the whole block has passed.
        interval: u32,
    },
    /// Each warp in turn to its next barrier, and once in every barrier interval to this line of
    /// the CUDA source, as if a barrier stood before it.
    Before(u32),
}

impl fmt::Display for Order {
    /// As the command line takes it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => out.write_str("round-robin"),
            Self::ToBarrier => out.write_str("to-barrier"),
            Self::Random(seed) => write!(out, "random:{seed}"),
            Self::Before(line) => write!(out, "before:{line}"),
            Self::Ahead { warp, interval } => write!(out, "ahead:{warp}@{interval}"),
        }
    }
}

/// Picks the warp that issues next.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    order: Order,
    last: u32,
    random: u64,
    interval: u32,
}

impl Scheduler {
    pub(super) fn new(order: Order) -> Self {
        let random = if let Order::Random(seed) = order { seed } else { 0 };
        Self { order, last: u32::MAX, random, interval: 0 }
    }

    /// The line before which warps wait for each other, if they do.
    pub(super) fn line(&self) -> Option<u32> {
        match self.order {
            Order::Before(line) => Some(line),
            _ => None,
        }
    }

    /// One of the warps in `ready` (bit n = warp n); none if there is none.
    pub(super) fn pick(&mut self, ready: u32) -> Option<u32> {
        if ready == 0 {
            return None;
        }
        let stays = self.last < 32 && ready >> self.last & 1 == 1;
        self.last = match self.order {
            Order::ToBarrier | Order::Before(_) if stays => self.last,
            Order::Ahead { warp, interval }
                if interval == self.interval
                    && ready.checked_shr(warp.into()).unwrap_or(0) & 1 == 1 =>
            {
                warp.into()
            }
            Order::ToBarrier | Order::Before(_) | Order::RoundRobin | Order::Ahead { .. } => {
                next_after(ready, self.last)
            }
            Order::Random(_) => nth(ready, (self.draw() % u64::from(ready.count_ones())) as u32),
        };
        Some(self.last)
    }

    /// A barrier has released the block: turns begin anew with the first warp.
    pub(super) fn released(&mut self) {
        self.last = u32::MAX;
        self.interval += 1;
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

/// The first set bit above `last`, or else the first of all.
fn next_after(ready: u32, last: u32) -> u32 {
    let above = if last >= 31 { 0 } else { ready & (u32::MAX << (last + 1)) };
    if above == 0 { ready.trailing_zeros() } else { above.trailing_zeros() }
}

/// The `index`-th set bit.
fn nth(mut ready: u32, index: u32) -> u32 {
    for _ in 0..index {
        ready &= ready - 1;
    }
    ready.trailing_zeros()
}
