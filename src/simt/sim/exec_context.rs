//! The state that an instruction works on.

use super::lane_pattern::LanePatterns;
use super::memory::{Memory, Poison};
use super::program::Program;
use super::warp::Warp;
use super::warpgroup::Warpgroup;

/// What an instruction works on.
pub(super) struct ExecContext<'m> {
    pub(super) program: &'m Program,
    pub(super) warp: &'m mut Warp,
    pub(super) shared: &'m mut [u32],
    pub(super) memory: &'m mut Memory,
    pub(super) shapes: &'m mut LanePatterns,
    /// Warps of the block.
    pub(super) warps: usize,
    /// Those of the block that have four warps.
    pub(super) warpgroups: &'m mut [Warpgroup],
    /// Instructions that the block has issued before this one.
    pub(super) issued: u64,
    /// What stands for a value that nobody has given.
    pub(super) junk: Option<Poison>,
}
