//! The sums of a block or a grid, under the names that the reports use.

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
    /// Warp-wide shared loads.
    pub shared_load_instructions: u64,
    /// Warp-wide shared stores.
    pub shared_store_instructions: u64,
    /// Passes through the banks, loads and stores.
    pub shared_wavefronts: u64,
    /// The passes that would be needed without bank conflicts.
    pub shared_wavefronts_ideal: u64,
    /// Arrivals of a warp at a barrier.
    pub barriers: u64,
    /// Instructions issued by a warp, of every kind.
    pub warp_instructions: u64,
    /// Fused multiply-adds executed by a thread.
    pub thread_fma: u64,
}

impl Counters {
    /// tmp
    pub fn add(&mut self, step: &crate::sim::Step) {
        self.warp_instructions += 1;
        if step.effect == crate::sim::Effect::Fma {
            self.thread_fma += step.active.count() as u64;
        }
    }
    /// tmp
    pub fn merge(&mut self, o: &Self) {
        self.thread_fma += o.thread_fma;
        self.warp_instructions += o.warp_instructions;
    }
}
