//! Sums over a block or a grid, nested by what they count.

mod contracted;
mod in_flight;

use super::vectorise::{Replacement, SassAccess};
use super::{atomic, banks, coalesce};
use crate::sim::{Access, Direction, Effect, Route, Step};
use ptx::Space;

/// Parts of which [`Doubted::least`] counts.
const SIXTEENTHS: u64 = 16;

/// Sums that can be added up.
trait Accumulate {
    /// Adds `other` `times` times.
    fn add_times(&mut self, other: &Self, times: u64);
}

impl Accumulate for u64 {
    fn add_times(&mut self, other: &Self, times: u64) {
        *self += other * times;
    }
}

/// Structs of sums, added field by field.
macro_rules! sums {
    ($($(#[$about:meta])* struct $name:ident {
        $($(#[$doc:meta])* $field:ident: $sum:ty,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $sum,)*
        }

        impl Accumulate for $name {
            fn add_times(&mut self, other: &Self, times: u64) {
                $(self.$field.add_times(&other.$field, times);)*
            }
        }
    )*};
}

sums! {
    /// Counts of the warps of a block (or of the whole grid), both of the PTX and of its SASS.
    struct Counters {
        /// Counted as the PTX is written.
        ptx: Counts,
        /// Shared memory as the SASS accesses it, as far as
        /// [`SmemVectorisation`](super::vectorise::SmemVectorisation) predicts it: see
        /// [`Counters::sass`].
        sass_shared: SharedCounts,
        /// Global memory, likewise.
        sass_global: GlobalCounts,
        /// The part of both that is uncertain: see [`Counters::range`].
        doubted: Doubted,
        /// The multiply-adds that ptxas makes of products and sums: none is counted in the PTX.
        contracted: ContractedCounts,
    }

    /// Multiply-adds that are a product and a sum in the PTX.
    struct ContractedCounts {
        /// As executed here, and as the SASS is predicted.
        fused: MultiplyAdds,
        /// Those among them that ptxas may leave as they are written.
        maybe_not: MultiplyAdds,
        /// Products and sums beside them that ptxas may contract all the same.
        maybe: MultiplyAdds,
    }

    /// Multiply-adds executed by a thread.
    struct MultiplyAdds {
        /// In float32 or float64.
        single: u64,
        /// In float16 or bfloat16.
        half: u64,
    }

    /// The accesses of which ptxas may make others than predicted.
    struct Doubted {
        predicted: MemoryCounts,
        /// As written in the PTX.
        written: MemoryCounts,
        /// Each split into the smallest accesses that may be made of it.
        split: MemoryCounts,
        /// The least, in sixteenths.
        least: MemoryCounts,
    }

    /// Accesses to both kinds of memory.
    struct MemoryCounts {
        global: GlobalCounts,
        shared: SharedCounts,
    }

    /// Counts of what warps did.
    struct Counts {
        /// Global memory.
        global: GlobalCounts,
        /// Shared memory.
        shared: SharedCounts,
        /// The copies of the async proxy, which neither of them counts.
        transfers: TransferCounts,
        /// The tensor cores.
        tensor: Tensor,
        /// Arrivals of a warp at a barrier.
        barriers: u64,
        /// Instructions issued by a warp, of every kind.
        warp_instructions: u64,
        /// Fused multiply-adds executed by a thread, in float32 or float64.
        thread_fma: u64,
        /// Fused multiply-adds executed by a thread in float16 or bfloat16; a packed one counts
        /// once.
        thread_half_fma: u64,
    }

    /// Accesses to global memory.
    struct GlobalCounts {
        /// Loads, including those of asynchronous copies.
        loads: Requests,
        stores: Requests,
        /// Atomic operations and reductions; neither loads nor stores.
        atomics: Requests,
    }

    /// Warp-wide accesses to global memory with at least one active lane.
    struct Requests {
        requests: u64,
        /// Their 32-byte sectors.
        sectors: u64,
    }

    /// Copies of whole blocks of memory, also of boxes of tensors (TMA).
    struct TransferCounts {
        /// Copies from global to shared memory.
        loads: CopyCounts,
        /// Copies from shared to global memory.
        stores: CopyCounts,
        /// Copies from one block's shared memory to another's.
        across: CopyCounts,
    }

    /// Such copies, one for each thread that starts one.
    struct CopyCounts {
        copies: u64,
        /// The 32-byte sectors of global memory that they move; what lies outside a tensor is not
        /// in them.
        sectors: u64,
    }

    /// Accesses to shared memory.
    struct SharedCounts {
        /// Loads, except those of `ldmatrix`.
        loads: Passes,
        /// Stores, except those of `stmatrix`.
        stores: Passes,
        /// `ldmatrix`, and the accesses of a `wmma.load` that are compiled to it (LDSM in SASS).
        matrix_loads: Passes,
        /// `stmatrix` (STSM).
        matrix_stores: Passes,
        /// Atomic operations.
        atomics: Passes,
        /// Atomic operations for which SASS may execute more than is counted: see
        /// [`super::atomic`].
        atomics_at_least: u64,
        /// Asynchronous copies from global memory.
        copies: Passes,
        /// Copies whose passes are uncertain: see [`super::async_copy`].
        copies_uncertain: u64,
        /// Accesses to the shared memory of other blocks, which are in no other count.
        distributed: Distributed,
        /// `wgmma` instructions that read factors from shared memory (HGMMA); each also counts as
        /// an instruction of the tensor cores.
        wgmma: Passes,
    }

    /// Accesses to the shared memory of other blocks ([`Route::Distributed`]): hardware
    /// counts requests and sectors for them, as for global memory, and no passes through banks.
    /// Measured on an H100 (driver 580.159, Nsight Compute of CUDA 13.0, 2026-11-24) with 86 kernels
    /// of one access each: `l1tex__t_requests_pipe_lsu_mem_dshared_op_*`, and the same of sectors.
    struct Distributed {
        loads: Requests,
        /// Stores, those of `st.async` among them.
        stores: Requests,
        /// Atomic operations and reductions.
        atomics: Requests,
        /// `red.async`.
        reductions: Requests,
        /// Operations whose requests are not counted: what SASS makes of some atomics depends on
        /// what the lanes find.
        uncounted: u64,
    }

    /// Warp-wide instructions of one kind, and their passes through the banks.
    struct Passes {
        /// The number of instructions.
        instructions: u64,
        wavefronts: u64,
        /// Passes that would suffice: see [`Wavefronts::ideal`](banks::Wavefronts::ideal).
        ideal: u64,
        /// Passes beyond one for each group of lanes that is served together; counted for loads and
        /// stores only.
        conflicts: u64,
    }

    /// Work of the tensor cores.
    struct Tensor {
        /// Instructions, counted as in SASS.
        instructions: u64,
        multiply_adds: u64,
    }
}

impl Counters {
    /// Returns the counts of the SASS.
    ///
    /// The number of SASS instructions of every kind is not known: `warp_instructions` is still
    /// that of the PTX.
    #[must_use]
    pub const fn sass(&self) -> Counts {
        let MultiplyAdds { single, half } = self.contracted.fused;
        Counts {
            shared: self.sass_shared,
            global: self.sass_global,
            thread_fma: self.ptx.thread_fma + single,
            thread_half_fma: self.ptx.thread_half_fma + half,
            ..self.ptx
        }
    }

    /// Returns the least and the most that a count of the SASS may be, which are equal where every
    /// access and every contraction is predicted with certainty.
    #[must_use]
    pub fn range(&self, count: impl Fn(&Counts) -> u64) -> [u64; 2] {
        let Doubted { predicted, written, split, least } = &self.doubted;
        let of = |memory: &MemoryCounts| {
            count(&Counts { global: memory.global, shared: memory.shared, ..Counts::default() })
        };
        let certain = count(&self.sass()) - of(predicted);
        let most = [predicted, written, split].map(of).into_iter().max().unwrap_or_default();
        let [fewer, more] = self.contracted.uncertain().map(|counts| count(&counts));
        [certain + of(least).div_ceil(SIXTEENTHS) - fewer, certain + most + more]
    }

    /// Adds one step of one warp. `instead` is what SASS executes in place of the step's memory
    /// access: see [`SmemVectorisation::instead`](super::vectorise::SmemVectorisation::instead).
    #[inline]
    pub fn add(&mut self, step: &Step, instead: Replacement<'_>) {
        self.ptx.warp_instructions += 1;
        match &step.effect {
            Effect::Fma => self.ptx.thread_fma += u64::from(step.active.count()),
            Effect::Compute | Effect::Branch { .. } | Effect::Exit => {}
            _ => self.add_effect(step, instead),
        }
    }

    /// Adds one warp's memory access, and the accesses that SASS makes in its place where they
    /// differ; an access without an active lane counts nothing.
    pub fn add_access(&mut self, access: &Access, instead: Replacement<'_>) {
        match access.space {
            _ if access.active.is_empty() => {}
            _ if access.route.is_distributed() => self.add_distributed(access),
            Space::Shared if access.direction == Direction::Atomic => self.add_atomic(access),
            Space::Global | Space::Shared => {
                let (mut written, mut executed) =
                    (MemoryCounts::default(), MemoryCounts::default());
                written.add(access);
                match instead.pieces {
                    None => executed = written,
                    Some(pieces) => pieces.iter().for_each(|piece| executed.add(&piece.of(access))),
                }
                self.ptx.global.add_times(&written.global, 1);
                self.ptx.shared.add_times(&written.shared, 1);
                self.sass_global.add_times(&executed.global, 1);
                self.sass_shared.add_times(&executed.shared, 1);
                if let Some(doubt) = instead.doubt {
                    self.doubted.predicted.add_times(&executed, 1);
                    self.doubted.written.add_times(&written, 1);
                    self.doubted.least.add_times(&written, doubt.least.into());
                    for at in (0..access.bytes).step_by(doubt.unit.into()) {
                        let piece = SassAccess { shift: at.into(), bytes: doubt.unit };
                        self.doubted.split.add(&piece.of(access));
                    }
                }
            }
            Space::Distributed | Space::Local | Space::Param | Space::Const | Space::Generic => {}
        }
    }

    /// Adds the sums of other blocks.
    pub fn merge(&mut self, other: &Self) {
        self.merge_times(other, 1);
    }

    /// Adds the sums of one block for `blocks` blocks that do the same.
    pub fn merge_times(&mut self, other: &Self, blocks: u64) {
        self.add_times(other, blocks);
    }

    /// Adds the effects that not every other step has.
    #[inline(never)]
    fn add_effect(&mut self, step: &Step, instead: Replacement<'_>) {
        match &step.effect {
            Effect::Memory(access) => self.add_access(access, instead),
            Effect::Contracted { of_halves, fused, certain } => {
                self.contracted.add(u64::from(step.active.count()), *of_halves, (*fused, *certain));
            }
            Effect::HalfFma => self.ptx.thread_half_fma += u64::from(step.active.count()),
            Effect::Mma { instructions, multiply_adds } => {
                self.ptx.tensor.instructions += u64::from(*instructions);
                self.ptx.tensor.multiply_adds += u64::from(*multiply_adds);
            }
            Effect::Async(effect) => self.add_async(effect),
            Effect::Accesses(accesses) => {
                for access in accesses {
                    self.add_access(access, Replacement::default());
                }
            }
            Effect::Barrier { .. } => self.ptx.barriers += 1,
            Effect::Fma | Effect::Compute | Effect::Branch { .. } | Effect::Exit => {}
        }
    }

    /// The counts of shared memory for PTX and for SASS.
    const fn both(&mut self) -> [&mut SharedCounts; 2] {
        [&mut self.ptx.shared, &mut self.sass_shared]
    }

    /// Adds an atomic operation on shared memory, which SASS may execute as rounds of loads and
    /// exchanges.
    #[cold]
    fn add_atomic(&mut self, access: &Access) {
        let (written, executed) = (banks::wavefronts(access), atomic::cost(access));
        self.ptx.shared.atomics.add(1, written.wavefronts, written.ideal);
        self.sass_shared.loads.instructions += u64::from(executed.loads);
        let atomics = &mut self.sass_shared.atomics;
        atomics.add(executed.instructions, executed.wavefronts, executed.ideal);
        for shared in self.both() {
            shared.atomics_at_least += u64::from(executed.at_least);
        }
    }
}

impl Counts {
    /// Multiply-adds of every kind: of threads, in single, double and half precision, and of tensor
    /// cores.
    pub const fn multiply_adds(&self) -> u64 {
        self.thread_fma + self.thread_half_fma + self.tensor.multiply_adds
    }
}

impl MemoryCounts {
    fn add(&mut self, access: &Access) {
        match access.space {
            Space::Global => self.global.add(access),
            _ => self.shared.add(access),
        }
    }
}

impl GlobalCounts {
    fn add(&mut self, access: &Access) {
        match access.direction {
            Direction::Load => self.loads.add(access),
            Direction::Store => self.stores.add(access),
            Direction::Atomic => self.atomics.add(access),
        }
    }
}

impl Requests {
    fn add(&mut self, access: &Access) {
        self.requests += 1;
        self.sectors += u64::from(coalesce::sectors(access).sectors);
    }
}

impl SharedCounts {
    /// Sums over all instructions.
    pub fn all(&self) -> Passes {
        let Self { loads, stores, matrix_loads, matrix_stores, atomics, copies, wgmma, .. } = self;
        total([loads, stores, matrix_loads, matrix_stores, atomics, copies, wgmma])
    }

    /// Sums over loads and stores, including those of matrices.
    pub fn loads_and_stores(&self) -> Passes {
        total([&self.loads, &self.stores, &self.matrix_loads, &self.matrix_stores])
    }

    /// Adds a load or a store.
    fn add(&mut self, access: &Access) {
        let passes = match (access.direction, access.route) {
            (Direction::Load, Route::Rows) => &mut self.matrix_loads,
            (_, Route::Rows) => &mut self.matrix_stores,
            (Direction::Load, _) => &mut self.loads,
            _ => &mut self.stores,
        };
        let banks::Wavefronts { wavefronts, ideal, conflicts, .. } = banks::wavefronts(access);
        passes.add(1, wavefronts, ideal);
        passes.conflicts += u64::from(conflicts);
    }
}

fn total<const N: usize>(parts: [&Passes; N]) -> Passes {
    let mut sum = Passes::default();
    for part in parts {
        sum.add_times(part, 1);
    }
    sum
}

impl Passes {
    fn add(&mut self, instructions: u32, wavefronts: u32, ideal: u32) {
        self.instructions += u64::from(instructions);
        self.wavefronts += u64::from(wavefronts);
        self.ideal += u64::from(ideal);
    }
}

#[cfg(test)]
mod tests;
