//! How a kernel can go wrong: data for a screen, never a panic.

use super::mask::LaneMask;
use super::step::{Direction, Pc};
use crate::launch::{Dim3, MAX_THREADS_PER_BLOCK};
use std::fmt;

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
    /// An address at 0, or so near that a null pointer must be where it comes from.
    #[error("{} {}", access(*direction, *bytes), from_null(*offset))]
    NullPointer {
        /// Load or store.
        direction: Direction,
        /// How many bytes.
        bytes: u32,
        /// Bytes from address 0.
        offset: i64,
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
    /// An atomic operation on generic addresses, of different spaces.
    #[error("the lanes of this atomic operation point to different spaces: not supported")]
    SpacesApart,
    /// A barrier's number does not exist.
    #[error("there is no barrier {0}: a block has 16")]
    NoSuchBarrier(u64),
    /// A barrier counts whole warps (PTX ISA, `barrier`).
    #[error("a barrier for {0} threads: it takes a multiple of 32, and not 0")]
    BarrierThreads(u64),
    /// Lanes that arrive together name different barriers, or different numbers of threads.
    #[error("lanes of one warp give one barrier different numbers, {0} and {1}")]
    TwoBarriers(u64, u64),
    /// A warp copies on and on, and waits for none of it.
    #[error("{0} asynchronous copies of this warp are in flight: the kernel never waits for them")]
    TooManyCopies(usize),
    /// An instruction that all lanes of a warp execute together, executed by a part of them.
    #[error("all 32 lanes of a warp execute this together, and only {0} are here")]
    PartOfWarp(u32),
    /// A product that four warps make, in a block without so many.
    #[error(
        "four warps execute this together (0 to 3, 4 to 7 and so on), and the block has only {0}"
    )]
    PartOfWarpgroup(usize),
    /// One of these four executes it, and another does not.
    #[error("the four warps of a warpgroup execute this together, and warp {0} does not")]
    WarpgroupApart(u16),
    /// A warp multiplies on and on, and waits for none of it.
    #[error("{0} wgmma operations of this warp are in flight: the kernel never waits for them")]
    TooManyProducts(usize),
    /// An operand that is to be the same in all lanes of a warp, and is not.
    #[error("the lanes of the warp give this instruction different addresses or strides")]
    NotUniform,
    /// A lane executes for a group of lanes that it is not among.
    #[error("this lane is not among the lanes {:#x} that are to execute this together", members.0)]
    NoMember {
        /// The lanes of the instruction's mask.
        members: LaneMask,
    },
    /// Lanes that exchange values execute the instruction at several places of the program.
    #[error("the lanes {:#x} come together for this at several places: not supported but for __syncwarp()", members.0)]
    MembersApart {
        /// The lanes of the instruction's mask.
        members: LaneMask,
    },
    /// `brx.idx` with a number beyond its list.
    #[error("this jump has {places} places, and takes number {index}")]
    NoSuchPlace {
        /// The number.
        index: u64,
        /// How long the list is.
        places: usize,
    },
    /// A call of a function that another module, or the driver, would bring along.
    #[error(
        "the kernel calls `{0}`, of which the module has no body: link it in, or leave the call out"
    )]
    MissingFunction(String),
    /// `assert`: what the kernel's author took for granted does not hold.
    #[error("the assertion `{expression}` does not hold ({file}, line {line})")]
    Assertion {
        /// What is asserted, as written.
        expression: String,
        /// The source in which it stands.
        file: String,
        /// Its line there.
        line: u32,
    },
    /// `trap`: the kernel ends itself.
    #[error("the kernel traps")]
    Trap,
    /// `brkpt`, with no debugger to take over.
    #[error("the kernel comes to a breakpoint")]
    Breakpoint,
    /// No GPU runs a block of so many threads.
    #[error("a block has 1 to {MAX_THREADS_PER_BLOCK} threads, not {0}")]
    BlockSize(u64),
    /// More instructions than somebody wants to wait for.
    #[error("the block has executed {0} instructions and has not ended")]
    NoEnd(u64),
    /// Every thread that is left waits at a barrier, or for lanes of its warp, and none of these is
    /// complete.
    #[error("the block waits for ever: {0}")]
    Deadlock(Box<Deadlock>),
}

/// Who waits where in a block that can never go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// Everybody who waits, by ascending warp.
    pub standing: Vec<Standing>,
    /// Threads that have ended.
    pub ended: u32,
}

/// Lanes of one warp that wait at a barrier, or for others of their warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The warp's number in the block.
    pub warp: u16,
    /// Its lanes.
    pub lanes: LaneMask,
    /// The barrier's number.
    pub id: u8,
    /// For how many threads they wait; none: for all of the block.
    pub threads: Option<u32>,
    /// The members of an instruction of the warp for which they wait, and not at a barrier.
    pub members: Option<LaneMask>,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

impl fmt::Display for Deadlock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = &self.standing[..];
        while let [first, ..] = left {
            let same = |other: &&Standing| (other.pc, other.lanes) == (first.pc, first.lanes);
            let count = left.iter().take_while(same).count();
            let last = left[count - 1].warp;
            let who = match first.warp {
                warp if warp == last => format!("warp {warp}"),
                warp => format!("warps {warp} to {last}"),
            };
            let lanes = match first.lanes {
                LaneMask::ALL => String::new(),
                lanes => format!(" ({} lanes)", lanes.count()),
            };
            let whom = first.threads.map(|threads| format!(" for {threads} threads"));
            let (id, line, whom) = (first.id, at_line(first.line), whom.unwrap_or_default());
            match first.members {
                Some(all) => write!(out, "{who}{lanes} for the lanes {:#x}{line}", all.0)?,
                None => write!(out, "{who}{lanes} at barrier {id}{line}{whom}")?,
            }
            left = &left[count..];
            out.write_str(if left.is_empty() { "" } else { "; " })?;
        }
        if self.ended > 0 { write!(out, "; {} threads have ended", self.ended) } else { Ok(()) }
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
