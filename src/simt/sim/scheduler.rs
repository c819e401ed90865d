//! Chooses which of a block's warps issues next, according to an [`Order`].

use super::access::Pc;
use super::block_group::MAX_WARPS;
use super::order::Order;
use super::program::Program;
use super::spin::SpinRounds;
use super::warp_set::WarpSet;
use crate::matrix::mixed;
use std::sync::Arc;

/// Picks the warp that issues next.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    order: Order,
    last: u32,
    random: u64,
    interval: u32,
    /// The instructions, by number, at which the order treats a warp differently: see
    /// [`Order::marked`].
    marked: Arc<[bool]>,
    /// The instructions that end a round of a loop that waits.
    ends_round: Arc<[bool]>,
    /// Of each warp, the rounds of such loops.
    rounds: [SpinRounds; MAX_WARPS as usize],
    /// The warps that spin, or in [`Order::ByPhase`] have ended such a round, and let the others go
    /// first.
    yielding: WarpSet,
    /// The instructions issued since a warp last yielded.
    since: u32,
    /// In a script: the index of the current piece, and the instructions that each warp has
    /// executed.
    piece: usize,
    done: [u32; MAX_WARPS as usize],
}

/// Instructions after which a warp no longer lets others go first: one of them may wait for it in a
/// loop that does not look like one that waits.
const FAIR: u32 = 1 << 12;

impl Scheduler {
    pub(super) fn new(order: Order, program: &Program) -> Self {
        let random = if let Order::Random(seed) = order { seed } else { 0 };
        let (last, marked, done) = (u32::MAX, order.marked(program), [0; MAX_WARPS as usize]);
        let ends_round = Arc::clone(program.rounds());
        let rounds = [SpinRounds::default(); MAX_WARPS as usize];
        let (interval, yielding, since, piece) = (0, WarpSet::NONE, 0, 0);
        Self {
            order,
            last,
            random,
            interval,
            marked,
            ends_round,
            rounds,
            yielding,
            since,
            piece,
            done,
        }
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

    /// Whether both are certain to pick the same warps from now on; false for a random order, and as
    /// long as an order counts barriers or instructions.
    pub(super) fn has_same_state_as(&self, other: &Self) -> bool {
        let settled = |this: &Self| match &this.order {
            Order::Random(_) => false,
            Order::Ahead { interval, .. } => this.interval > *interval,
            Order::Scripted(script) => this.piece >= script.pieces().len(),
            _ => true,
        };
        let state = |this: &Self| (this.last, this.yielding, this.since, this.rounds);
        settled(self) && settled(other) && self.order == other.order && state(self) == state(other)
    }

    /// Whether the order treats a warp differently at the instruction at `pc`.
    pub(super) fn marks(&self, pc: Pc) -> bool {
        self.marked.get(pc.0 as usize).is_some_and(|marked| *marked)
    }

    /// Whether the order is [`Order::ByPhase`]: the warps at marked instructions go first, in turn.
    #[inline]
    pub(super) fn is_by_phase(&self) -> bool {
        self.order == Order::ByPhase
    }

    /// Whether the branch at `pc` ends a round of a loop that waits.
    #[inline]
    pub(super) fn ends_round(&self, pc: Pc) -> bool {
        self.ends_round.get(pc.0 as usize) == Some(&true)
    }

    /// The warp that ran last has ended a round of a loop that waits, with `here` as what decides
    /// how it goes on. If it spins, it lets the other `ready` warps go first; returns whether it does.
    pub(super) fn round_ended(&mut self, here: impl FnOnce() -> u64, ready: WarpSet) -> bool {
        let spins = self.rounds[self.last as usize].spins(here);
        if spins || self.is_by_phase() {
            let last = WarpSet::of(self.last);
            let yielding = self.yielding.or(last);
            self.yielding = if ready.without(yielding).is_empty() { last } else { yielding };
            self.since = 0;
        }
        spins
    }

    /// Those of these ready warps that do not let others go first; if there are none, all. A script
    /// says itself who goes first.
    #[inline]
    pub(super) fn not_yielding(&self, ready: WarpSet) -> WarpSet {
        // So it is at most steps.
        if self.yielding.is_empty() {
            return ready;
        }
        let eager = ready.without(self.yielding);
        if eager.is_empty() || self.is_written() { ready } else { eager }
    }

    /// Whether a script says which warp is next.
    fn is_written(&self) -> bool {
        let Order::Scripted(script) = &self.order else { return false };
        self.piece < script.pieces().len()
    }

    /// Counts an instruction while warps let others go first.
    #[cold]
    fn wait(&mut self) {
        self.since += 1;
        if self.since >= FAIR {
            (self.yielding, self.since) = (WarpSet::NONE, 0);
        }
    }

    /// Whether copies land when they are issued.
    pub(super) fn lands_early(&self) -> bool {
        self.order == Order::EarlyCopies
    }

    /// Picks one of the warps that can issue, or `None` if there is none.
    #[inline]
    pub(super) fn pick(&mut self, issuable: Issuable) -> Option<u32> {
        let Issuable { warps, in_turn, .. } = issuable;
        if warps.is_empty() {
            return None;
        }
        if !self.yielding.is_empty() {
            self.wait();
        }
        self.last = match self.order {
            Order::RoundRobin => next_after(warps, self.last),
            _ if in_turn => next_after(warps, self.last),
            _ => self.pick_other(warps),
        };
        Some(self.last)
    }

    /// The warp that [`Self::pick`] would return.
    pub(super) fn next(&self, issuable: Issuable) -> Option<u32> {
        match self.order {
            Order::RoundRobin if !issuable.warps.is_empty() => {
                Some(next_after(issuable.warps, self.last))
            }
            _ => self.clone().pick(issuable),
        }
    }

    /// Picks a warp in any order other than round-robin.
    fn pick_other(&mut self, ready: WarpSet) -> u32 {
        match self.order {
            Order::ToBarrier
            | Order::ByPhase
            | Order::Before(_)
            | Order::InStep(_)
            | Order::EarlyCopies => self.stay(ready),
            Order::Ahead { warp, interval } if interval == self.interval && has(ready, warp) => {
                warp.into()
            }
            Order::RoundRobin | Order::Ahead { .. } => next_after(ready, self.last),
            Order::Random(_) => nth(ready, (self.draw() % u64::from(ready.0.count_ones())) as u32),
            Order::Scripted(_) => self.as_written(ready),
        }
    }

    /// The same warp as last time, as long as it is ready.
    fn stay(&self, ready: WarpSet) -> u32 {
        let stays = self.last < MAX_WARPS && ready.has(self.last);
        if stays { self.last } else { next_after(ready, self.last) }
    }

    /// The warp of the first piece of the script that is not over and can run.
    fn as_written(&mut self, ready: WarpSet) -> u32 {
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
        (self.last, self.yielding, self.since) = (u32::MAX, WarpSet::NONE, 0);
        self.interval += 1;
    }

    /// Draws the next number of SplitMix64.
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.random)
    }
}

/// The warps that can issue next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Issuable {
    pub(super) warps: WarpSet,
    /// Those that may execute the access at which the order is holding them.
    pub(super) released_past: WarpSet,
    /// Whether they issue one instruction each in turn, even in an order in which a warp stays.
    pub(super) in_turn: bool,
}

impl Issuable {
    /// Every ready warp.
    #[inline]
    pub(super) const fn every(warps: WarpSet) -> Self {
        Self { warps, released_past: WarpSet::NONE, in_turn: false }
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

fn has(ready: WarpSet, warp: u8) -> bool {
    u32::from(warp) < MAX_WARPS && ready.has(warp.into())
}

/// The first set bit above `last`, or otherwise the lowest; `u32::MAX` counts as below bit 0.
fn next_after(ready: WarpSet, last: u32) -> u32 {
    let from = last.wrapping_add(1) % MAX_WARPS;
    (from + ready.0.rotate_right(from).trailing_zeros()) % MAX_WARPS
}

/// The `index`-th set bit.
fn nth(ready: WarpSet, index: u32) -> u32 {
    let mut ready = ready.0;
    for _ in 0..index {
        ready &= ready - 1;
    }
    ready.trailing_zeros()
}
