//! The effects of one executed warp instruction: `Step`, `Effect` and `Access`.

use super::in_flight::AsyncEffect;
use super::mask::LaneMask;
use ptx::Space;

/// The index of an instruction in its lowered program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pc(pub u32);

/// One execution of an instruction by a warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The warp's number in its machine: of one block, or of several that run together.
    pub warp: u16,
    /// The instruction.
    pub pc: Pc,
    /// The lanes that executed it, after divergence, guard and exits.
    pub active: LaneMask,
    /// Its effect other than on registers.
    pub effect: Effect,
    /// The barrier that this step completed, by the last arrival or by the exit of lanes that had
    /// not arrived. The waiting lanes continue.
    pub released: Option<u8>,
    /// Lanes that read from a lane that did not execute the instruction with them: their result is
    /// undefined (PTX ISA, `shfl.sync`).
    pub undefined: LaneMask,
}

impl Step {
    /// The number of multiply-adds, over all lanes.
    pub fn multiply_adds(&self) -> u32 {
        match self.effect {
            Effect::Fma | Effect::HalfFma | Effect::Contracted { fused: true, .. } => {
                self.active.count()
            }
            Effect::Mma { multiply_adds, .. }
            | Effect::Async(AsyncEffect::Wgmma { multiply_adds, .. }) => multiply_adds,
            _ => 0,
        }
    }

    /// The accesses that reach memory in this step, in order: for a copy that starts, the load; for
    /// a wgmma that is issued, the shared memory that it will read.
    pub fn accesses(&self) -> &[Access] {
        match &self.effect {
            Effect::Memory(access) => std::slice::from_ref(access),
            Effect::Accesses(accesses) => accesses,
            Effect::Async(effect) => effect.accesses(),
            _ => &[],
        }
    }
}

/// The effect of a step that is visible outside the warp's registers.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one step lives at a time, and a box for each costs time"
)]
pub enum Effect {
    /// Registers only.
    Compute,
    /// Registers only, by a float32 or float64 fused multiply-add: the work that is counted.
    Fma,
    /// Registers only, by a float16 or bfloat16 fused multiply-add, single or packed.
    HalfFma,
    /// Registers only, by a sum that ptxas contracts with a product, or may contract.
    Contracted {
        /// Whether it is of float16 or bfloat16.
        of_halves: bool,
        /// Whether it was executed as one multiply-add with the product.
        fused: bool,
        /// Whether ptxas certainly does the same.
        certain: bool,
    },
    /// Registers only, by a tensor core instruction (`mma`).
    Mma {
        /// Number of SASS instructions.
        instructions: u8,
        /// Multiply-adds of the whole warp.
        multiply_adds: u32,
    },
    /// Read or wrote memory.
    Memory(Access),
    /// Read or wrote memory by several accesses: those that the SASS makes, or one per space that
    /// generic addresses refer to.
    Accesses(Vec<Access>),
    /// Started something that is in flight, or waited for it.
    Async(AsyncEffect),
    Branch {
        /// Lanes that jumped to the target; the others fell through.
        taken: LaneMask,
    },
    Barrier {
        /// The barrier's number (`bar.sync 0` is `__syncthreads()`).
        id: u8,
        /// Whether the lanes wait there; with `bar.arrive` they continue.
        waits: bool,
        /// The thread count, or `None` for the whole block.
        threads: Option<u32>,
    },
    /// Lanes exited.
    Exit,
}

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
