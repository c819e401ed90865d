//! Step, Effect, Access: all that the machine tells the world about one warp instruction.

use super::mask::LaneMask;
use crate::ptx::Space;

/// An instruction's number in its lowered program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pc(pub u32);

/// One instruction, executed once by one warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The warp's number in its block.
    pub warp: u16,
    /// What it executed.
    pub pc: Pc,
    /// The lanes that executed it (branch, guard and exits taken into account).
    pub active: LaneMask,
    /// What that did beyond registers.
    pub effect: Effect,
    /// The barrier that was complete with it: the last arrival, or the end of lanes that had not
    /// arrived. Whoever waited there goes on.
    pub released: Option<u8>,
    /// Lanes that took a value from a lane that did not execute this with them: what they get is
    /// undefined (PTX ISA, `shfl.sync`).
    pub undefined: LaneMask,
}

impl Step {
    /// Multiply-adds that the warp's lanes made.
    pub fn multiply_adds(&self) -> u32 {
        match self.effect {
            Effect::Fma | Effect::HalfFma => self.active.count(),
            Effect::Mma { multiply_adds, .. } | Effect::Wgmma { multiply_adds, .. } => {
                multiply_adds
            }
            _ => 0,
        }
    }

    /// The accesses that reach memory in this step, in their order: of a copy that begins, the
    /// load; of a product that begins, what it will read.
    pub fn accesses(&self) -> &[Access] {
        match &self.effect {
            Effect::Memory(access) => std::slice::from_ref(access),
            Effect::Copy(copy) => &copy[..1],
            Effect::Landed(accesses)
            | Effect::Accesses(accesses)
            | Effect::Wgmma { reads: accesses, .. } => accesses,
            _ => &[],
        }
    }
}

/// What a step did that others can see.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one step lives at a time, and a box for each costs time"
)]
pub enum Effect {
    /// Registers only.
    Compute,
    /// Registers only, by a fused multiply-add in float32 or float64: the work that is counted.
    Fma,
    /// Registers only, by a fused multiply-add in float16 or bfloat16, single or packed.
    HalfFma,
    /// Registers only, by the tensor cores.
    Mma {
        /// Instructions of the machine.
        instructions: u8,
        /// Multiply-adds of the whole warp.
        multiply_adds: u32,
    },
    /// Began a product by the tensor cores, which read shared memory until it is waited for.
    Wgmma {
        /// Multiply-adds of the whole warp.
        multiply_adds: u32,
        /// What they read: of a, if it is in shared memory, the warp's own rows; of b all.
        reads: Vec<Access>,
        /// How many of these are of a.
        of_a: u8,
    },
    /// Waited for such products: so many of them, the oldest, are in the registers now.
    Multiplied {
        /// How many.
        instructions: u32,
    },
    /// Read or wrote memory.
    Memory(Access),
    /// Read or wrote memory by several accesses: as the machine code makes them, or one for each
    /// space to which generic addresses lead.
    Accesses(Vec<Access>),
    /// Began to copy from global to shared memory: the load, and the store that is still to come.
    Copy(Box<[Access; 2]>),
    /// Waited for such copies: the stores that reach shared memory now, in their order.
    Landed(Vec<Access>),
    /// Branched; the lanes that jumped.
    Branch {
        /// Lanes that went to the target; the others fell through.
        taken: LaneMask,
    },
    /// Arrived at a barrier.
    Barrier {
        /// The barrier's number (`bar.sync 0` is `__syncthreads()`).
        id: u8,
        /// Whether the lanes wait there; `bar.arrive` lets them go on.
        waits: bool,
        /// For how many threads, if not for the whole block.
        threads: Option<u32>,
    },
    /// Lanes ended.
    Exit,
}

/// Whether memory was read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A load.
    Load,
    /// A store.
    Store,
    /// Both at once, each lane for itself: an atomic operation.
    Atomic,
}

impl Direction {
    /// Whether memory may be another afterwards.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Store | Self::Atomic)
    }
}

/// How an access goes between memory and its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Route {
    /// Each lane for itself: a load, a store, an atomic operation.
    #[default]
    Lanes,
    /// Rows of matrices: `ldmatrix`, `stmatrix`, and `wmma` where it is made of them.
    Rows,
    /// Pieces of matrices, by a descriptor: `wgmma`.
    Products,
    /// A copy through the L1 cache: `cp.async.ca`.
    CopyAll,
    /// A copy past it: `cp.async.cg`.
    CopyGlobal,
    /// The same, of as many bytes as a register says.
    CopyGlobalSized,
    /// An atomic comparison and exchange: `atom.cas`.
    Compare,
    /// An atomic operation for which machine code has none on shared memory: a load and a comparison
    /// with exchange, again and again until each lane had its turn.
    Retry,
    /// The same, but it was not measured how often: some lanes may find nothing to change.
    RetryMaybe,
}

/// One warp-wide memory instruction: where each lane touched what.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Global, shared or local memory.
    pub space: Space,
    /// Load or store.
    pub direction: Direction,
    /// Bytes per lane: 1, 2, 4, 8 or 16 (a vector counts as one access).
    pub bytes: u8,
    /// Which instruction makes it, as far as hardware counts it otherwise.
    pub route: Route,
    /// The lanes that took part.
    pub active: LaneMask,
    /// Byte address per lane in its space; of an inactive lane, meaningless.
    pub addrs: [u64; 32],
}

impl Access {
    /// (lane, byte address) of every active lane, ascending by lane.
    pub fn touched(&self) -> impl Iterator<Item = (usize, u64)> {
        self.active.lanes().map(|lane| (lane, self.addrs[lane]))
    }
}
