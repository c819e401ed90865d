//! Faults of a kernel: data to be displayed, never a panic.

use super::access::{Direction, Pc};
use super::block_group::BlockGroup;
use super::in_flight::{AsyncFault, Awaited};
use super::mask::LaneMask;
use super::memory::NearestBuffer;
use super::repeats::Repeats;
use crate::launch::{Dim3, MAX_THREADS_PER_BLOCK};
use std::fmt;

/// A kernel's fault and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block ({},{}), warp {warp}{}{}: {kind}", block.x, block.y, at_lane(*lane), at_line(*line))]
pub struct Fault {
    pub kind: FaultKind,
    /// The block's position in the grid.
    pub block: Dim3,
    /// The warp's number in the block.
    pub warp: u16,
    /// The first lane that caused it, if lanes did.
    pub lane: Option<u8>,
    /// The faulting instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// An address outside every buffer.
    #[error("{} {place}", access(*direction, *bytes))]
    OutOfBounds {
        /// Load or store.
        direction: Direction,
        /// Its size in bytes.
        bytes: u32,
        /// The nearest buffer and the distance to it, in words.
        place: String,
        /// The place as an offset in the nearest buffer or array, if there is one.
        near: Option<NearestBuffer>,
    },
    /// An address at or near 0, which must come from a null pointer.
    #[error("{} {}", access(*direction, *bytes), from_null(*offset))]
    NullPointer {
        /// Load or store.
        direction: Direction,
        /// Its size in bytes.
        bytes: u32,
        /// Offset from address 0 in bytes.
        offset: i64,
    },
    /// An address that is not a multiple of the access's size.
    #[error("{} is not aligned: {place}", access(*direction, *bytes))]
    Misaligned {
        /// Load or store.
        direction: Direction,
        /// Its size in bytes.
        bytes: u32,
        /// The location, in words.
        place: String,
    },
    /// An atomic operation on generic addresses in different spaces.
    #[error("the lanes of this atomic operation point to different spaces: not supported")]
    MixedSpaces,
    /// A barrier number that does not exist.
    #[error("there is no barrier {0}: a block has 16")]
    NoSuchBarrier(u64),
    /// A thread count that is not a positive multiple of the warp size (PTX ISA, `barrier`).
    #[error("a barrier for {0} threads: it takes a multiple of 32, and not 0")]
    BarrierThreads(u64),
    /// Lanes that arrive together name different barriers or different thread counts.
    #[error("lanes of one warp give one barrier different numbers, {0} and {1}")]
    BarrierOperandsDiffer(u64, u64),
    /// Of what is in flight, or of the blocks that run together.
    #[error(transparent)]
    Async(#[from] AsyncFault),
    /// A warp-wide instruction executed by only some of the lanes.
    #[error("all 32 lanes of a warp execute this together, and only {0} are here")]
    PartOfWarp(u32),
    /// An operand that must be uniform across the warp but is not.
    #[error("the lanes of the warp give this instruction different addresses or strides")]
    NotUniform,
    /// A lane executes an instruction whose member mask does not include it.
    #[error("this lane is not among the lanes {:#x} that are to execute this together", members.0)]
    NoMember {
        /// The instruction's member mask.
        members: LaneMask,
    },
    /// Lanes that exchange values execute the instruction at different places in the program.
    #[error("the lanes {:#x} come together for this at several places: not supported but for __syncwarp()", members.0)]
    MembersApart {
        /// The instruction's member mask.
        members: LaneMask,
    },
    /// `brx.idx` with an index beyond its list.
    #[error("this jump has {places} places, and takes number {index}")]
    NoSuchPlace {
        index: u64,
        /// The length of the list.
        places: usize,
    },
    /// A call of a function that another module or the driver would have to provide.
    #[error(
        "the kernel calls `{0}`, of which the module has no body: link it in, or leave the call out"
    )]
    MissingFunction(String),
    /// `assert`: a condition that the kernel's author relied on is false.
    #[error("the assertion `{expression}` does not hold ({file}, line {line})")]
    Assertion {
        /// The asserted expression, as written.
        expression: String,
        /// The source file that contains it.
        file: String,
        /// Its line in that file.
        line: u32,
    },
    /// `trap`: the kernel aborts itself.
    #[error("the kernel traps")]
    Trap,
    /// `brkpt`, without a debugger.
    #[error("the kernel comes to a breakpoint")]
    Breakpoint,
    /// A block size that no GPU supports.
    #[error("a block has 1 to {MAX_THREADS_PER_BLOCK} threads, not {0}")]
    BlockSize(u64),
    /// It has not ended after this many instructions: it never will, or the caller set the limit.
    #[error("the block has executed {0} instructions and {how}", how = no_end(.1.as_ref()))]
    NoEnd(u64, Option<Repeats>),
    /// Every remaining thread waits for others or for what is in flight, and none of that can complete.
    #[error("the block waits for ever: {0}")]
    Deadlock(Box<Deadlock>),
}

impl FaultKind {
    /// The same, with places in shared memory as the block counts them in which they lie.
    pub(super) fn within(self, blocks: &BlockGroup) -> Self {
        match self {
            Self::Async(fault) => Self::Async(fault.within(blocks)),
            other => other,
        }
    }
}

/// The waiting threads of a block that can never continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// All waiting lanes, by ascending warp.
    pub standing: Vec<StalledLanes>,
    /// Number of threads that have exited.
    pub ended: u32,
}

/// Lanes of one warp that wait at a barrier, for what is in flight, or for other lanes of their warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StalledLanes {
    /// The rank of its block, if several run together.
    pub rank: Option<u32>,
    /// The warp's number in the block.
    pub warp: u16,
    pub lanes: LaneMask,
    pub id: u8,
    /// The thread count of the barrier; `None` means the whole block.
    pub threads: Option<u32>,
    /// The member mask of the lanes for which they wait, or `None` if they wait at a barrier.
    pub members: Option<LaneMask>,
    /// What they wait for of what is in flight, if they do.
    pub awaited: Option<Awaited>,
    /// The instruction at which they wait.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = &self.standing[..];
        while let [first, ..] = left {
            let key = |at: &StalledLanes| (at.rank, at.pc, at.lanes);
            let same = |other: &&StalledLanes| key(other) == key(first);
            let count = left.iter().take_while(same).count();
            let last = left[count - 1].warp;
            let who = match first.warp {
                warp if warp == last => format!("warp {warp}"),
                warp => format!("warps {warp} to {last}"),
            };
            let of = first.rank.map(|rank| format!(" of the block of rank {rank}"));
            let who = who + &of.unwrap_or_default();
            let lanes = match first.lanes {
                LaneMask::ALL => String::new(),
                lanes => format!(" ({} lanes)", lanes.count()),
            };
            let whom = first.threads.map(|threads| format!(" for {threads} threads"));
            let (id, line, whom) = (first.id, at_line(first.line), whom.unwrap_or_default());
            match (first.members, first.awaited) {
                (Some(all), _) => write!(out, "{who}{lanes} for the lanes {:#x}{line}", all.0)?,
                (None, Some(awaited)) => write!(out, "{who}{lanes} at {awaited}{line}")?,
                (None, None) => write!(out, "{who}{lanes} at barrier {id}{line}{whom}")?,
            }
            left = &left[count..];
            out.write_str(if left.is_empty() { "" } else { "; " })?;
        }
        if self.ended > 0 { write!(out, "; {} threads have ended", self.ended) } else { Ok(()) }
    }
}

const fn no_end(repeats: Option<&Repeats>) -> &'static str {
    match repeats {
        None | Some(Repeats::AtLeast(_)) => "has not ended",
        Some(Repeats::Evenly) => {
            "never ends: each round changes what decides by the same amount, and that never ends it"
        }
        Some(Repeats::Always) => "never ends: it is again in a state in which it was before",
        Some(Repeats::UnlessWritten(_)) => {
            "waits for ever, unless another block writes the global memory that it reads"
        }
    }
}

fn at_lane(lane: Option<u8>) -> String {
    lane.map(|lane| format!(", lane {lane}")).unwrap_or_default()
}

fn at_line(line: Option<u32>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

fn from_null(offset: i64) -> String {
    if offset == 0 {
        return "is at address 0, a null pointer".to_owned();
    }
    let (by, side) = (offset.unsigned_abs(), if offset < 0 { "before" } else { "after" });
    format!("is {by} bytes {side} address 0, where a null pointer points")
}

fn access(direction: Direction, bytes: u32) -> String {
    let what = match direction {
        Direction::Load => "load",
        Direction::Store => "store",
        Direction::Atomic => "atomic operation",
    };
    format!("this {bytes}-byte {what}")
}
