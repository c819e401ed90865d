//! Epochs and threads: when in a block an access happened, and which thread made it.

use crate::sim::MAX_WARPS;

/// A number that grows with every synchronisation of a block: an access in a lower epoch is not yet
/// ordered before one in a higher epoch, but cannot come after it.
pub(super) type Epoch = u32;

/// The epoch of a write in flight: ordered before nothing, not even for its own thread.
pub(super) const IN_FLIGHT: Epoch = Epoch::MAX;

/// A thread of a machine's blocks: its warp times 32, plus its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ThreadId(pub(super) u16);

/// The number of the first engine: no machine runs as many threads.
const ENGINES: u16 = (MAX_WARPS * 32) as u16;

impl ThreadId {
    /// The engine that executes the transfers that one object counts: they are no accesses of the thread
    /// that starts them, but as if of a thread of their own.
    pub(super) const fn engine(number: usize) -> Self {
        Self(ENGINES + number as u16)
    }

    pub(super) const fn is_engine(self) -> bool {
        self.0 >= ENGINES
    }

    pub(super) fn engine_number(self) -> Option<usize> {
        self.0.checked_sub(ENGINES).map(usize::from)
    }

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
