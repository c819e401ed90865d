//! The state on which an instruction operates.

use super::block_group::BlockGroup;
use super::cluster_barrier::ClusterBarrier;
use super::exec::Seen;
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
    pub(super) blocks: &'m BlockGroup,
    pub(super) cluster_barrier: &'m mut ClusterBarrier,
    /// The warpgroups that have all four warps.
    pub(super) warpgroups: &'m mut [Warpgroup],
    pub(super) mbarriers: &'m mut Mbarriers,
    /// Number of instructions that the block issued before this one.
    pub(super) issued: u64,
    /// The bits substituted for uninitialised values.
    pub(super) junk: Option<Poison>,
}

impl ExecContext<'_> {
    /// The shared memory that the warp reaches.
    pub(super) fn seen(&self) -> Seen<'_> {
        Seen { blocks: self.blocks, rank: self.warp.rank }
    }
}
