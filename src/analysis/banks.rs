//! Shared memory: the banks that one warp's access falls on, and the wavefronts that costs.

use crate::sim::Access;

/// The cost of one shared memory instruction of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Passes through the banks.
    pub wavefronts: u32,
    /// Wavefronts beyond one per group of lanes.
    pub conflicts: u32,
    /// The most distinct words in one bank, over the groups ("n-way").
    pub ways: u32,
}

/// Counts by the rules measured on an H200.
pub fn wavefronts(_access: &Access) -> Wavefronts {
    Wavefronts::default()
}
