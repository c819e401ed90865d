//! The sums of a block or a grid, under the names that the reports use.

use super::cost::Cost;
use super::{async_copy, atomic};
use crate::sim::{Access, Direction, Effect, Route, Step};
use serde::Serialize;

/// What the warps of a block (or of the whole grid) did, counted as the PTX is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Warp-wide global loads with at least one active lane.
    pub global_load_requests: u64,
    /// Their 32-byte sectors.
    pub global_load_sectors: u64,
    /// Warp-wide global stores with at least one active lane.
    pub global_store_requests: u64,
    /// Their 32-byte sectors.
    pub global_store_sectors: u64,
    /// Warp-wide atomic operations and reductions on global memory; neither loads nor stores.
    pub global_atomic_requests: u64,
    /// Their 32-byte sectors.
    pub global_atomic_sectors: u64,
    /// Warp-wide shared loads, but for those of `ldmatrix`.
    pub shared_load_instructions: u64,
    /// Warp-wide shared stores, but for those of `stmatrix`.
    pub shared_store_instructions: u64,
    /// `ldmatrix`, and what `wmma.load` makes of it (LDSM in the machine code).
    pub matrix_load_instructions: u64,
    /// `stmatrix` (STSM).
    pub matrix_store_instructions: u64,
    /// Warp-wide atomic operations on shared memory.
    pub shared_atomic_instructions: u64,
    /// Those of them of which machine code may execute more than is counted: see [`super::atomic`].
    pub shared_atomics_at_least: u64,
    /// Passes through the banks: loads, stores, matrices, asynchronous copies, atomic operations,
    /// and what tensor cores read by themselves.
    pub shared_wavefronts: u64,
    /// The passes that would do: see [`Wavefronts::ideal`](super::banks::Wavefronts::ideal).
    pub shared_wavefronts_ideal: u64,
    /// Passes beyond one for each group of lanes that is served together, of loads and stores.
    pub shared_bank_conflicts: u64,
    /// Those of the passes that atomic operations take.
    pub shared_atomic_wavefronts: u64,
    /// Those of the passes that would do.
    pub shared_atomic_wavefronts_ideal: u64,
    /// Warp-wide asynchronous copies from global to shared memory; what they load counts as
    /// global loads too.
    pub async_copy_instructions: u64,
    /// Those of the passes by which they write shared memory.
    pub async_copy_wavefronts: u64,
    /// Those of the passes that would do.
    pub async_copy_wavefronts_ideal: u64,
    /// Those of them for which the passes are not certain: see
    /// [`super::async_copy`].
    pub async_copies_uncertain: u64,
    /// `wgmma`, which reads factors from shared memory (HGMMA in the machine code); one of the
    /// instructions of the tensor cores in each warp.
    pub product_instructions: u64,
    /// Those of the passes by which they are read; none has a conflict.
    pub product_wavefronts: u64,
    /// Arrivals of a warp at a barrier.
    pub barriers: u64,
    /// Instructions issued by a warp, of every kind.
    pub warp_instructions: u64,
    /// Fused multiply-adds executed by a thread, in float32 or float64.
    pub thread_fma: u64,
    /// The same in float16 or bfloat16; a packed one counts once.
    pub thread_half_fma: u64,
    /// Instructions of the tensor cores, as the machine code has them.
    pub tensor_instructions: u64,
    /// Their multiply-adds.
    pub tensor_multiply_adds: u64,
    /// By how much the machine code differs: see [`Counters::as_executed`].
    #[serde(skip)]
    pub joined: Joined,
}

/// By how much shared accesses differ as they are executed from those that are written: added to
/// the counts, and wrapping around where there are fewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    loads: u64,
    stores: u64,
    atomics: u64,
    wavefronts: u64,
    ideal: u64,
    conflicts: u64,
    atomic_wavefronts: u64,
    atomic_ideal: u64,
}

impl Joined {
    /// Adds what is executed in place of an access, and takes away what was written.
    pub(super) fn replace(
        &mut self,
        direction: Direction,
        written: Cost,
        executed: impl Iterator<Item = Cost>,
    ) {
        self.add(direction, written, u64::MAX);
        executed.for_each(|cost| self.add(direction, cost, 1));
    }

    fn add(&mut self, direction: Direction, cost: Cost, times: u64) {
        let Cost::Wavefronts { wavefronts, ideal, conflicts } = cost else { return };
        let instructions = match direction {
            Direction::Load => &mut self.loads,
            Direction::Store => &mut self.stores,
            Direction::Atomic => return,
        };
        *instructions = instructions.wrapping_add(times);
        let sum = |sum: u64, of: u32| sum.wrapping_add(times.wrapping_mul(of.into()));
        self.wavefronts = sum(self.wavefronts, wavefronts);
        self.ideal = sum(self.ideal, ideal);
        self.conflicts = sum(self.conflicts, conflicts);
    }

    fn merge_times(&mut self, other: &Self, blocks: u64) {
        let sum = |sum: &mut u64, of: u64| *sum = sum.wrapping_add(blocks.wrapping_mul(of));
        sum(&mut self.loads, other.loads);
        sum(&mut self.stores, other.stores);
        sum(&mut self.atomics, other.atomics);
        sum(&mut self.wavefronts, other.wavefronts);
        sum(&mut self.ideal, other.ideal);
        sum(&mut self.conflicts, other.conflicts);
        sum(&mut self.atomic_wavefronts, other.atomic_wavefronts);
        sum(&mut self.atomic_ideal, other.atomic_ideal);
    }
}

impl Counters {
    /// Multiply-adds of every kind: of threads, in float32 and in halves, and of tensor cores.
    pub const fn multiply_adds(&self) -> u64 {
        self.thread_fma + self.thread_half_fma + self.tensor_multiply_adds
    }

    /// Adds what one warp did in one step.
    #[inline]
    pub fn add(&mut self, step: &Step) {
        self.warp_instructions += 1;
        match &step.effect {
            Effect::Fma => self.thread_fma += u64::from(step.active.count()),
            Effect::Compute | Effect::Branch { .. } | Effect::Exit | Effect::Landed(_) => {}
            _ => self.add_effect(step),
        }
    }

    /// Adds one warp's memory instruction; one without an active lane counts nothing.
    pub fn add_access(&mut self, access: &Access) {
        if !access.active.is_empty() {
            self.add_cost(access, Cost::of(access));
        }
    }

    /// The same as the machine code does it, as far as [`Joins`](super::executed::Joins) knows.
    ///
    /// How many instructions of every kind that takes, it does not know: `warp_instructions` is
    /// still that of the PTX.
    #[must_use]
    pub fn as_executed(&self) -> Self {
        let joined = self.joined;
        Self {
            shared_load_instructions: self.shared_load_instructions.wrapping_add(joined.loads),
            shared_store_instructions: self.shared_store_instructions.wrapping_add(joined.stores),
            shared_atomic_instructions: self
                .shared_atomic_instructions
                .wrapping_add(joined.atomics),
            shared_wavefronts: self.shared_wavefronts.wrapping_add(joined.wavefronts),
            shared_wavefronts_ideal: self.shared_wavefronts_ideal.wrapping_add(joined.ideal),
            shared_bank_conflicts: self.shared_bank_conflicts.wrapping_add(joined.conflicts),
            shared_atomic_wavefronts: self
                .shared_atomic_wavefronts
                .wrapping_add(joined.atomic_wavefronts),
            shared_atomic_wavefronts_ideal: self
                .shared_atomic_wavefronts_ideal
                .wrapping_add(joined.atomic_ideal),
            joined: Joined::default(),
            ..*self
        }
    }

    /// Adds the sums of other blocks.
    pub fn merge(&mut self, other: &Self) {
        self.merge_times(other, 1);
    }

    /// Adds the sums of a block once for each of `blocks` that do the same.
    pub fn merge_times(&mut self, other: &Self, blocks: u64) {
        self.global_load_requests += blocks * other.global_load_requests;
        self.global_load_sectors += blocks * other.global_load_sectors;
        self.global_store_requests += blocks * other.global_store_requests;
        self.global_store_sectors += blocks * other.global_store_sectors;
        self.global_atomic_requests += blocks * other.global_atomic_requests;
        self.global_atomic_sectors += blocks * other.global_atomic_sectors;
        self.shared_load_instructions += blocks * other.shared_load_instructions;
        self.shared_store_instructions += blocks * other.shared_store_instructions;
        self.matrix_load_instructions += blocks * other.matrix_load_instructions;
        self.matrix_store_instructions += blocks * other.matrix_store_instructions;
        self.shared_atomic_instructions += blocks * other.shared_atomic_instructions;
        self.shared_atomics_at_least += blocks * other.shared_atomics_at_least;
        self.shared_wavefronts += blocks * other.shared_wavefronts;
        self.shared_wavefronts_ideal += blocks * other.shared_wavefronts_ideal;
        self.shared_bank_conflicts += blocks * other.shared_bank_conflicts;
        self.shared_atomic_wavefronts += blocks * other.shared_atomic_wavefronts;
        self.shared_atomic_wavefronts_ideal += blocks * other.shared_atomic_wavefronts_ideal;
        self.async_copy_instructions += blocks * other.async_copy_instructions;
        self.async_copy_wavefronts += blocks * other.async_copy_wavefronts;
        self.async_copy_wavefronts_ideal += blocks * other.async_copy_wavefronts_ideal;
        self.async_copies_uncertain += blocks * other.async_copies_uncertain;
        self.product_instructions += blocks * other.product_instructions;
        self.product_wavefronts += blocks * other.product_wavefronts;
        self.barriers += blocks * other.barriers;
        self.warp_instructions += blocks * other.warp_instructions;
        self.thread_fma += blocks * other.thread_fma;
        self.thread_half_fma += blocks * other.thread_half_fma;
        self.tensor_instructions += blocks * other.tensor_instructions;
        self.tensor_multiply_adds += blocks * other.tensor_multiply_adds;
        self.joined.merge_times(&other.joined, blocks);
    }

    /// What is not done in every other step.
    #[inline(never)]
    fn add_effect(&mut self, step: &Step) {
        match &step.effect {
            Effect::Memory(access) => self.add_access(access),
            Effect::HalfFma => self.thread_half_fma += u64::from(step.active.count()),
            Effect::Mma { instructions, multiply_adds } => {
                self.tensor_instructions += u64::from(*instructions);
                self.tensor_multiply_adds += u64::from(*multiply_adds);
            }
            Effect::Wgmma { multiply_adds, reads, of_a } => {
                self.tensor_instructions += 1;
                self.tensor_multiply_adds += u64::from(*multiply_adds);
                self.add_product(step.warp, reads.split_at((*of_a).into()));
            }
            Effect::Copy(copy) => self.add_copy(copy),
            Effect::Accesses(accesses) => {
                for access in accesses {
                    self.add_access(access);
                }
            }
            Effect::Barrier { .. } => self.barriers += 1,
            Effect::Fma
            | Effect::Landed(_)
            | Effect::Multiplied { .. }
            | Effect::Compute
            | Effect::Branch { .. }
            | Effect::Exit => {}
        }
    }

    /// An asynchronous copy counts as a global load when it begins, as hardware counts it (on an
    /// H200 in `l1tex__t_requests_pipe_lsu_mem_global_op_ld`), and neither as a shared load nor as
    /// a shared store; its passes count then, too.
    fn add_copy(&mut self, copy: &[Access; 2]) {
        let [from, into] = copy;
        if into.active.is_empty() {
            return;
        }
        let cost = async_copy::cost(copy);
        self.global_load_requests += u64::from(!from.active.is_empty());
        self.global_load_sectors += u64::from(cost.sectors);
        self.shared_wavefronts += u64::from(cost.wavefronts);
        self.shared_wavefronts_ideal += u64::from(cost.ideal);
        self.async_copy_instructions += 1;
        self.async_copy_wavefronts += u64::from(cost.wavefronts);
        self.async_copy_wavefronts_ideal += u64::from(cost.ideal);
        self.async_copies_uncertain += u64::from(cost.uncertain);
    }

    /// What tensor cores read of shared memory: each warp's rows of a, and b once for the four warps
    /// of a warpgroup, which counts with the first of them. A pass brings eight pieces, however they
    /// lie: measured on an H200 with 17 layouts, one instruction a launch
    /// (`sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma`).
    fn add_product(&mut self, warp: u16, (a, b): (&[Access], &[Access])) {
        let pieces = |reads: &[Access]| reads.iter().map(|read| read.active.count()).sum::<u32>();
        let of_b = if warp.is_multiple_of(4) { pieces(b) } else { 0 };
        let passes = u64::from((pieces(a) + of_b) / 8);
        self.product_instructions += 1;
        self.product_wavefronts += passes;
        self.shared_wavefronts += passes;
        self.shared_wavefronts_ideal += passes;
    }

    /// Adds passes through the banks, whatever makes them; returns how many, and how few would do.
    fn add_passes(&mut self, cost: Cost) -> [u64; 2] {
        let Cost::Wavefronts { wavefronts, ideal, .. } = cost else { return [0; 2] };
        self.shared_wavefronts += u64::from(wavefronts);
        self.shared_wavefronts_ideal += u64::from(ideal);
        [wavefronts, ideal].map(u64::from)
    }

    /// An atomic operation on shared memory, and by how much its machine code does more.
    #[cold]
    fn add_atomic(&mut self, access: &Access, written: Cost) {
        let executed = atomic::cost(access);
        let [wavefronts, ideal] = self.add_passes(written);
        self.shared_atomic_instructions += 1;
        self.shared_atomic_wavefronts += wavefronts;
        self.shared_atomic_wavefronts_ideal += ideal;
        self.shared_atomics_at_least += u64::from(executed.at_least);
        let Joined { loads, atomics, .. } = &mut self.joined;
        *loads += u64::from(executed.loads);
        *atomics = atomics.wrapping_add(executed.instructions.into()).wrapping_sub(1);
        let more = u64::from(executed.wavefronts).wrapping_sub(wavefronts);
        let more_ideal = u64::from(executed.ideal).wrapping_sub(ideal);
        for sum in [&mut self.joined.wavefronts, &mut self.joined.atomic_wavefronts] {
            *sum = sum.wrapping_add(more);
        }
        for sum in [&mut self.joined.ideal, &mut self.joined.atomic_ideal] {
            *sum = sum.wrapping_add(more_ideal);
        }
    }

    fn add_cost(&mut self, access: &Access, cost: Cost) {
        match (cost, access.direction) {
            (Cost::Sectors(sectors), Direction::Load) => {
                self.global_load_requests += 1;
                self.global_load_sectors += u64::from(sectors);
            }
            (Cost::Sectors(sectors), Direction::Store) => {
                self.global_store_requests += 1;
                self.global_store_sectors += u64::from(sectors);
            }
            (Cost::Sectors(sectors), Direction::Atomic) => {
                self.global_atomic_requests += 1;
                self.global_atomic_sectors += u64::from(sectors);
            }
            (Cost::Wavefronts { .. }, Direction::Atomic) => self.add_atomic(access, cost),
            (Cost::Wavefronts { conflicts, .. }, Direction::Load | Direction::Store) => {
                let instructions = match (access.direction, access.route) {
                    (Direction::Load, Route::Rows) => &mut self.matrix_load_instructions,
                    (_, Route::Rows) => &mut self.matrix_store_instructions,
                    (Direction::Load, _) => &mut self.shared_load_instructions,
                    _ => &mut self.shared_store_instructions,
                };
                *instructions += 1;
                self.shared_bank_conflicts += u64::from(conflicts);
                self.add_passes(cost);
            }
            (Cost::None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::Space;
    use crate::sim::{LaneMask, Pc};

    fn step(active: LaneMask, effect: Effect) -> Step {
        Step { warp: 0, pc: Pc(0), active, effect, released: None, undefined: LaneMask::NONE }
    }

    /// A column of a 32-word wide array.
    fn access(space: Space, direction: Direction, active: LaneMask) -> Access {
        let addrs = std::array::from_fn(|lane| 128 * lane as u64);
        Access { space, direction, bytes: 4, route: Route::Lanes, active, addrs }
    }

    fn memory(space: Space, direction: Direction, active: LaneMask) -> Step {
        step(active, Effect::Memory(access(space, direction, active)))
    }

    fn rows(direction: Direction) -> Access {
        let (bytes, route) = (16, Route::Rows);
        Access { bytes, route, ..access(Space::Shared, direction, LaneMask::ALL) }
    }

    /// 32 pieces of a matrix.
    fn pieces() -> Access {
        Access { route: Route::Products, ..rows(Direction::Load) }
    }

    /// From a column to a column.
    fn copy(active: LaneMask) -> Box<[Access; 2]> {
        let steps = [(Space::Global, Direction::Load), (Space::Shared, Direction::Store)];
        Box::new(steps.map(|(space, direction)| access(space, direction, active)))
    }

    #[test]
    fn each_step_goes_to_its_sums() {
        let all = LaneMask::ALL;
        let mut sums = Counters::default();
        for step in [
            memory(Space::Global, Direction::Load, all),
            memory(Space::Global, Direction::Store, LaneMask::first(3)),
            memory(Space::Shared, Direction::Load, all),
            memory(Space::Shared, Direction::Store, LaneMask::first(2)),
            memory(Space::Global, Direction::Atomic, LaneMask::first(7)),
            memory(Space::Shared, Direction::Atomic, all),
            memory(Space::Local, Direction::Load, all),
            step(LaneMask::first(5), Effect::Fma),
            step(all, Effect::Copy(copy(all))),
            step(all, Effect::HalfFma),
            step(all, Effect::Mma { instructions: 2, multiply_adds: 4096 }),
            step(all, Effect::Accesses(vec![access(Space::Global, Direction::Load, all); 3])),
            step(all, Effect::Wgmma { multiply_adds: 100, reads: vec![pieces(); 3], of_a: 1 }),
            Step {
                warp: 5,
                ..step(all, Effect::Wgmma { multiply_adds: 7, reads: vec![pieces(); 3], of_a: 1 })
            },
            step(all, Effect::Multiplied { instructions: 2 }),
            step(all, Effect::Landed(copy(all)[1..].to_vec())),
            step(all, Effect::Memory(rows(Direction::Load))),
            step(all, Effect::Memory(rows(Direction::Store))),
            step(all, Effect::Memory(rows(Direction::Store))),
            step(all, Effect::Compute),
            step(all, Effect::Barrier { id: 0, waits: true, threads: None }),
        ] {
            sums.add(&step);
        }
        let expected = Counters {
            global_load_requests: 5,
            global_load_sectors: 160,
            global_store_requests: 1,
            global_store_sectors: 3,
            global_atomic_requests: 1,
            global_atomic_sectors: 7,
            shared_atomic_instructions: 1,
            shared_atomics_at_least: 0,
            shared_atomic_wavefronts: 32,
            shared_atomic_wavefronts_ideal: 1,
            shared_bank_conflicts: 31 + 1 + 3 * 28,
            shared_load_instructions: 1,
            shared_store_instructions: 1,
            matrix_load_instructions: 1,
            matrix_store_instructions: 2,
            shared_wavefronts: 34 + 32 + 3 * 32 + 32 + 12 + 4,
            shared_wavefronts_ideal: 2 + 1 + 3 * 4 + 1 + 12 + 4,
            product_instructions: 2,
            product_wavefronts: 12 + 4,
            async_copy_instructions: 1,
            async_copy_wavefronts: 32,
            async_copy_wavefronts_ideal: 1,
            async_copies_uncertain: 1,
            barriers: 1,
            warp_instructions: 21,
            thread_fma: 5,
            thread_half_fma: 32,
            tensor_instructions: 4,
            tensor_multiply_adds: 4096 + 107,
            joined: Joined::default(),
        };
        assert_eq!(sums, expected);
    }

    #[test]
    fn an_access_without_a_lane_is_an_instruction_but_no_request() {
        let mut sums = Counters::default();
        sums.add(&memory(Space::Global, Direction::Load, LaneMask::NONE));
        sums.add(&memory(Space::Shared, Direction::Load, LaneMask::NONE));
        assert_eq!(sums, Counters { warp_instructions: 2, ..Counters::default() });
    }

    #[test]
    fn merging_adds_every_field() {
        let mut sums = Counters::default();
        sums.add(&memory(Space::Shared, Direction::Load, LaneMask::ALL));
        sums.add(&memory(Space::Global, Direction::Store, LaneMask::ALL));
        sums.add(&memory(Space::Global, Direction::Load, LaneMask::ALL));
        sums.add(&memory(Space::Shared, Direction::Store, LaneMask::ALL));
        sums.add(&memory(Space::Global, Direction::Atomic, LaneMask::ALL));
        let changed = access(Space::Shared, Direction::Atomic, LaneMask::ALL);
        sums.add_access(&Access { route: Route::RetryMaybe, ..changed });
        sums.add(&step(LaneMask::ALL, Effect::Fma));
        sums.add(&step(LaneMask::ALL, Effect::HalfFma));
        sums.add(&step(LaneMask::ALL, Effect::Mma { instructions: 2, multiply_adds: 4096 }));
        let product = Effect::Wgmma { multiply_adds: 7, reads: vec![pieces(); 3], of_a: 1 };
        sums.add(&step(LaneMask::ALL, product));
        sums.add(&step(LaneMask::ALL, Effect::Copy(copy(LaneMask::ALL))));
        sums.add(&step(LaneMask::ALL, Effect::Memory(rows(Direction::Load))));
        sums.add(&step(LaneMask::ALL, Effect::Memory(rows(Direction::Store))));
        sums.add(&step(LaneMask::ALL, Effect::Barrier { id: 0, waits: true, threads: None }));
        let once = serde_json::to_value(sums).unwrap();
        sums.merge(&sums.clone());
        let twice = serde_json::to_value(sums).unwrap();
        for (name, value) in once.as_object().unwrap() {
            let value = value.as_u64().unwrap();
            assert!(value > 0, "{name} was not exercised");
            assert_eq!(twice[name].as_u64(), Some(2 * value), "{name}");
        }
    }
}
