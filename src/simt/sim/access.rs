//! An access of a warp to memory, and the place of an instruction.

use super::mask::LaneMask;
use ptx::Space;

/// The index of an instruction in its lowered program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pc(pub u32);

/// The direction of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Load,
    Store,
    /// Both, atomically in each lane.
    Atomic,
}

impl Direction {
    /// Whether it may modify memory.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Store | Self::Atomic)
    }
}

/// The kind of instruction that performs an access, as far as hardware counts it differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Route {
    /// Each lane on its own: a load, a store, an atomic operation.
    #[default]
    Lanes,
    /// Rows of matrices: `ldmatrix`, `stmatrix`, and `wmma` where ptxas generates these.
    Rows,
    /// Pieces of matrices, given by a descriptor: `wgmma`.
    Wgmma,
    /// A copy through the L1 cache: `cp.async.ca`.
    CopyAll,
    /// A copy that bypasses the L1 cache: `cp.async.cg`.
    CopyGlobal,
    /// Like [`Route::CopyGlobal`], with the number of bytes in a register.
    CopyGlobalSized,
    /// Each lane on its own, some of them in the shared memory of other blocks: distributed shared
    /// memory.
    Distributed {
        /// Those lanes; the others are in their own block's.
        far: LaneMask,
        /// Whether the SASS is one instruction, as it is but for some atomic operations.
        single: bool,
    },
    /// An atomic compare-and-swap: `atom.cas`.
    Compare,
    /// An atomic operation that SASS lacks for shared memory: a loop of a load and a
    /// compare-and-swap, repeated until each lane has succeeded.
    Retry,
    /// Like [`Route::Retry`], but the number of iterations was not measured: some lanes may find
    /// nothing to change.
    RetryMaybe,
}

impl Route {
    /// Whether some lanes reach the shared memory of other blocks.
    pub const fn is_distributed(self) -> bool {
        matches!(self, Self::Distributed { .. })
    }
}

/// The memory access of a warp instruction: its address in each lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The state space: global, shared or local.
    pub space: Space,
    /// Load, store or atomic.
    pub direction: Direction,
    /// Bytes per lane: 1, 2, 4, 8 or 16 (a vector counts as one access).
    pub bytes: u8,
    /// The kind of instruction, as far as hardware counts it differently.
    pub route: Route,
    /// The lanes that took part.
    pub active: LaneMask,
    /// Byte address of each lane within the space; meaningless for inactive lanes. Of shared memory,
    /// that of all blocks of the machine: see [`BlockGroup::of_shared`](super::BlockGroup::of_shared).
    pub addrs: [u64; 32],
}

impl Access {
    /// Its parts in the own block's shared memory and in that of other blocks.
    pub fn near_and_far(&self) -> [Self; 2] {
        let far = match self.route {
            Route::Distributed { far, .. } => far,
            _ => LaneMask::NONE,
        };
        [self.active.without(far), self.active.and(far)].map(|active| Self {
            active,
            route: Route::Lanes,
            ..self.clone()
        })
    }

    /// (lane, byte address) of every active lane, ascending by lane.
    pub fn touched(&self) -> impl Iterator<Item = (usize, u64)> {
        self.active.lanes().map(|lane| (lane, self.addrs[lane]))
    }
}
