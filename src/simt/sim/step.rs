//! The effects of one executed warp instruction: `Step` and `Effect`.

use super::access::{Access, Pc};
use super::in_flight::AsyncEffect;
use super::mask::LaneMask;

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
