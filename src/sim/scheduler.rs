//! In which order a block's warps run: a choice of the simulation, shown as such.

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
}

/// Picks the warp that issues next.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    order: Order,
    last: u32,
    random: u64,
}

impl Scheduler {
    pub(super) fn new(order: Order) -> Self {
        let random = if let Order::Random(seed) = order { seed } else { 0 };
        Self { order, last: u32::MAX, random }
    }

    /// One of the warps in `ready` (bit n = warp n); none if there is none.
    pub(super) fn pick(&mut self, ready: u32) -> Option<u32> {
        if ready == 0 {
            return None;
        }
        let stays = self.last < 32 && ready >> self.last & 1 == 1;
        self.last = match self.order {
            Order::ToBarrier if stays => self.last,
            Order::ToBarrier | Order::RoundRobin => next_after(ready, self.last),
            Order::Random(_) => nth(ready, (self.draw() % u64::from(ready.count_ones())) as u32),
        };
        Some(self.last)
    }

    /// A barrier has released the block: turns begin anew with the first warp.
    pub(super) fn released(&mut self) {
        self.last = u32::MAX;
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
