//! The state on which an instruction operates.

use super::block_group::BlockGroup;
use super::in_flight::InFlight;
use super::lane_pattern::LanePatterns;
use super::memory::{Memory, Poison};
use super::program::Program;
use super::reach::SharedView;
use super::warp::Warp;

/// The state on which an instruction operates.
pub(super) struct ExecContext<'m> {
    pub(super) program: &'m Program,
    pub(super) warp: &'m mut Warp,
    pub(super) shared: &'m mut [u32],
    pub(super) memory: &'m mut Memory,
    pub(super) shapes: &'m mut LanePatterns,
    pub(super) blocks: &'m BlockGroup,
    pub(super) in_flight: &'m mut InFlight,
    /// Number of instructions that the block issued before this one.
    pub(super) issued: u64,
    /// The bits substituted for uninitialised values.
    pub(super) junk: Option<Poison>,
}

impl ExecContext<'_> {
    /// The shared memory that the warp reaches.
    pub(super) fn seen(&self) -> SharedView<'_> {
        SharedView { blocks: self.blocks, rank: self.warp.rank }
    }
}
