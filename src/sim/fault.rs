//! How a kernel can go wrong: data for a screen, never a panic.

use super::step::{Direction, Pc};
use crate::launch::{Dim3, MAX_THREADS_PER_BLOCK};

/// What a kernel did wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block ({},{}), warp {warp}{}{}: {kind}", block.x, block.y, at_lane(*lane), at_line(*line))]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The block's place in the grid.
    pub block: Dim3,
    /// The warp's number in the block.
    pub warp: u16,
    /// The first lane that did it, if it was lanes.
    pub lane: Option<u8>,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

/// The kinds of fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// An address in no buffer.
    #[error("{} {place}", access(*direction, *bytes))]
    OutOfBounds {
        /// Load or store.
        direction: Direction,
        /// How many bytes.
        bytes: u32,
        /// In words: which buffer is near, and how far.
        place: String,
    },
    /// An address that is no multiple of the access's size.
    #[error("{} is not aligned: {place}", access(*direction, *bytes))]
    Misaligned {
        /// Load or store.
        direction: Direction,
        /// How many bytes.
        bytes: u32,
        /// In words: where.
        place: String,
    },
    /// Only a part of a warp's live lanes came to a barrier.
    #[error("{arrived} of the warp's {live} lanes are at this barrier, the others elsewhere")]
    DivergentBarrier {
        /// Lanes at the barrier.
        arrived: u32,
        /// Lanes that have not ended.
        live: u32,
    },
    /// A barrier's number does not exist.
    #[error("there is no barrier {0}: a block has 16")]
    NoSuchBarrier(u64),
    /// No GPU runs a block of so many threads.
    #[error("a block has 1 to {MAX_THREADS_PER_BLOCK} threads, not {0}")]
    BlockSize(u64),
    /// Every warp waits, but not all at the same barrier.
    #[error("the block waits for ever: its warps wait at different barriers")]
    Deadlock,
}

fn at_lane(lane: Option<u8>) -> String {
    lane.map(|lane| format!(", lane {lane}")).unwrap_or_default()
}

fn at_line(line: Option<u32>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

fn access(direction: Direction, bytes: u32) -> String {
    let what = match direction {
        Direction::Load => "load",
        Direction::Store => "store",
    };
    format!("this {bytes}-byte {what}")
}
