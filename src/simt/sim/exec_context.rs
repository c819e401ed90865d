//! The state on which an instruction operates.

use super::lane_pattern::LanePatterns;
use super::mbarrier::Mbarriers;
use super::memory::{Memory, Poison};
use super::program::Program;
use super::warp::Warp;
use super::warpgroup::Warpgroup;

/// The state on which an instruction operates.
pub(super) struct ExecContext<'m> {
    pub(super) program: &'m Program,
    pub(super) warp: &'m mut Warp,
    pub(super) shared: &'m mut [u32],
    pub(super) memory: &'m mut Memory,
    pub(super) shapes: &'m mut LanePatterns,
    /// Number of warps in the block.
    pub(super) warps: usize,
    /// The warpgroups of the block that have all four warps.
    pub(super) warpgroups: &'m mut [Warpgroup],
    pub(super) mbarriers: &'m mut Mbarriers,
    /// Number of instructions that the block issued before this one.
    pub(super) issued: u64,
    /// The bits substituted for uninitialised values.
    pub(super) junk: Option<Poison>,
}
