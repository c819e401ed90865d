//! Epochs and threads: the time of an access in a block, and its author.

/// A number that grows with every synchronisation of a block: what happened in an epoch below
/// another's is not yet ordered before it, but cannot be after.
pub(super) type Epoch = u32;

/// The epoch of a write that is on its way: ordered before nothing, not even for its own thread.
pub(super) const IN_FLIGHT: Epoch = Epoch::MAX;

/// A thread of a block: its warp times 32, plus its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thread(pub(super) u16);

impl Thread {
    pub(super) const fn new(warp: usize, lane: usize) -> Self {
        Self((warp * 32 + lane) as u16)
    }

    pub(super) const fn warp(self) -> usize {
        (self.0 / 32) as usize
    }

    pub(super) const fn lane(self) -> usize {
        (self.0 % 32) as usize
    }
}
