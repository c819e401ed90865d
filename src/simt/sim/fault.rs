//! Faults of a kernel: data to be displayed, never a panic.

use super::barrier::CLUSTER;
use super::block_group::{BlockGroup, UnfitCluster};
use super::mask::LaneMask;
use super::memory::Near;
use super::repeats::Repeats;
use super::step::{Direction, Pc};
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
        near: Option<Near>,
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
    /// A warp keeps starting asynchronous copies without waiting for any.
    #[error("{0} asynchronous copies of this warp are in flight: the kernel never waits for them")]
    TooManyCopies(usize),
    /// An mbarrier that is not in shared memory.
    #[error("an mbarrier lies in shared memory, and this address does not")]
    MbarrierSpace,
    /// An operation on memory that holds no valid mbarrier.
    #[error("there is no mbarrier at byte {0} of shared memory: `mbarrier.init` makes one")]
    NoMbarrier(u32),
    /// A store has changed an mbarrier's memory.
    #[error("the mbarrier at byte {0} of shared memory has been overwritten")]
    MbarrierOverwritten(u32),
    /// `mbarrier.init` of an object that is valid.
    #[error(
        "there is an mbarrier at byte {0} of shared memory already: `mbarrier.inval` it before"
    )]
    MbarrierAgain(u32),
    /// An mbarrier for too many arrivals, or for none.
    #[error("an mbarrier for {0} arrivals: it takes 1 to 1048575")]
    MbarrierCount(u32),
    /// More arrivals than a phase waits for.
    #[error(
"{}", arrivals(*addr, *count, *pending)
    )]
    MbarrierArrivals {
        /// The address of the mbarrier.
        addr: u32,
        /// The arrivals.
        count: u32,
        /// Those that the phase waits for.
        pending: u32,
    },
    /// A phase that waits for more bytes than it can count.
    #[error(
        "the mbarrier at byte {addr} of shared memory is to wait for {bytes} bytes: it counts up \
         to 1048575"
    )]
    MbarrierBytes {
        /// The address of the mbarrier.
        addr: u32,
        bytes: i64,
    },
    /// A bulk copy whose size is not a multiple of 16 bytes.
    #[error("a bulk copy of {0} bytes: it takes a multiple of 16")]
    BulkSize(u32),
    /// A bulk copy whose address in shared memory is not aligned.
    #[error("this copy's address in shared memory, {addr}, is not a multiple of {to} bytes")]
    BulkAlignment {
        addr: u64,
        /// The alignment that it takes.
        to: u64,
    },
    /// An address at which there is no tensor map.
    #[error(
        "there is no tensor map at the address {0:#x}: --args gives one by \
         tensormap:A:64x64:swizzle128"
    )]
    NoTensorMap(u64),
    /// A tensor map with another number of dimensions than the copy.
    #[error("the tensor map has {0} dimensions, and the copy gives {1} coordinates")]
    TensorRank(usize, usize),
    /// A block of a cluster that does not exist.
    #[error("there is no block of rank {rank} in a cluster of {blocks}")]
    ClusterRank {
        rank: u32,
        /// The number of blocks.
        blocks: u32,
    },
    /// A copy to blocks of a cluster that do not exist, or to none.
    #[error("this copy goes to the blocks {set:#b} of a cluster of {blocks}")]
    ClusterBlocks {
        /// A bit for each rank.
        set: u32,
        /// The number of blocks.
        blocks: u32,
    },
    /// An address that lies in the shared memory of no block of the cluster.
    #[error("the address {0:#x} lies in the shared memory of no block of the cluster")]
    NotShared(u64),
    /// An instruction that only reaches the block's own shared memory, with an address in another's.
    #[error(
        "this address lies in the shared memory of the block of rank {rank}, which only \
         `.shared::cluster` and generic addresses reach"
    )]
    SharedOfOther {
        /// The rank of that block.
        rank: u32,
    },
    /// An access to the shared memory of a block that has exited (PTX ISA, "State Spaces": it must
    /// still exist).
    #[error(
        "this address lies in the shared memory of the block of rank {rank}, which has exited: no \
         barrier of the cluster keeps it until then"
    )]
    SharedOfEnded {
        /// The rank of that block.
        rank: u32,
    },
    /// An operation on an mbarrier of another block that only the own block can do.
    #[error(
        "this mbarrier is another block's: from there, threads only arrive at it, without a result, \
         or count bytes"
    )]
    MbarrierFar,
    /// A copy to the shared memory of another block than that of its mbarrier.
    #[error(
        "what this copies and the mbarrier that counts it lie in the shared memory of two blocks"
    )]
    MbarrierElsewhere,
    /// `barrier.cluster.arrive` twice, with no wait between.
    #[error("this thread arrives at the barrier of the cluster again, and has not waited since")]
    ClusterArrival,
    /// `barrier.cluster.wait` without an arrival.
    #[error("this thread waits at the barrier of the cluster, at which it has not arrived")]
    ClusterWait,
    /// Clusters in which the launch cannot run.
    #[error("{0}")]
    UnfitCluster(UnfitCluster),
    /// A warp-wide instruction executed by only some of the lanes.
    #[error("all 32 lanes of a warp execute this together, and only {0} are here")]
    PartOfWarp(u32),
    /// A warpgroup instruction in a block whose number of warps is not enough for it.
    #[error(
        "four warps execute this together (0 to 3, 4 to 7 and so on), and the block has only {0}"
    )]
    PartOfWarpgroup(usize),
    /// A warp executes a warpgroup instruction that another warp of the group does not execute.
    #[error("the four warps of a warpgroup execute this together, and warp {0} does not")]
    WarpgroupDiverged(u16),
    /// A warp keeps starting wgmma operations without waiting for any.
    #[error("{0} wgmma operations of this warp are in flight: the kernel never waits for them")]
    TooManyWgmma(usize),
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
    /// It executed so many instructions and has not ended: it never will, or the limit was the
    /// caller's.
    #[error("the block has executed {0} instructions and {how}", how = no_end(.1.as_ref()))]
    NoEnd(u64, Option<Repeats>),
    /// Every remaining thread waits at a barrier or an mbarrier, or for lanes of its warp, and none of these can
    /// complete.
    #[error("the block waits for ever: {0}")]
    Deadlock(Box<Deadlock>),
}

impl FaultKind {
    /// The same, with places in the shared memory of a cluster as the block counts them in which
    /// they lie.
    pub(super) fn within(self, blocks: &BlockGroup) -> Self {
        let own = |addr: u32| blocks.of_shared(addr.into()).1 as u32;
        match self {
            Self::NoMbarrier(addr) => Self::NoMbarrier(own(addr)),
            Self::MbarrierOverwritten(addr) => Self::MbarrierOverwritten(own(addr)),
            Self::MbarrierAgain(addr) => Self::MbarrierAgain(own(addr)),
            Self::MbarrierArrivals { addr, count, pending } => {
                Self::MbarrierArrivals { addr: own(addr), count, pending }
            }
            Self::MbarrierBytes { addr, bytes } => Self::MbarrierBytes { addr: own(addr), bytes },
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

/// Lanes of one warp that wait at a barrier or an mbarrier, or for other lanes of their warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StalledLanes {
    /// The rank of its block, in a cluster of several.
    pub rank: Option<u32>,
    /// The warp's number in the block.
    pub warp: u16,
    pub lanes: LaneMask,
    /// The barrier's number.
    pub id: u8,
    /// The thread count of the barrier; `None` means the whole block.
    pub threads: Option<u32>,
    /// The member mask of the lanes for which they wait, or `None` if they wait at a barrier.
    pub members: Option<LaneMask>,
    /// What the mbarrier waits for at which they wait, if they do.
    pub awaited: Option<Awaited>,
    /// The instruction at which they wait.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

/// What the current phase of an mbarrier still waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// The address of the mbarrier, in shared memory.
    pub addr: u32,
    pub arrivals: u32,
    /// Bytes; negative if more have come than were announced.
    pub bytes: i64,
}

impl fmt::Display for Awaited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { addr, arrivals, bytes } = *self;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(out, "the mbarrier at byte {addr} of shared memory, whose phase waits for ")?;
        match (arrivals, bytes) {
            (0, 0) => return out.write_str("nothing: it is another phase than they wait for"),
            (0, _) => {}
            (_, 0) => return write!(out, "{arrivals} more arrival{}", plural(arrivals.into())),
            _ => write!(out, "{arrivals} more arrival{} and ", plural(arrivals.into()))?,
        }
        let of = bytes.unsigned_abs();
        if bytes > 0 {
            write!(out, "{of} more byte{}", plural(of))
        } else {
            write!(out, "nothing that undoes {of} byte{} more than were expected", plural(of))
        }
    }
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
                (None, None) if id == CLUSTER => {
                    write!(out, "{who}{lanes} at the cluster's barrier{line}")?;
                }
                (None, None) => write!(out, "{who}{lanes} at barrier {id}{line}{whom}")?,
            }
            left = &left[count..];
            out.write_str(if left.is_empty() { "" } else { "; " })?;
        }
        if self.ended > 0 { write!(out, "; {} threads have ended", self.ended) } else { Ok(()) }
    }
}

fn arrivals(addr: u32, count: u32, pending: u32) -> String {
    let at = format!("the mbarrier at byte {addr} of shared memory");
    match (count, pending) {
        (0, _) => format!("no arrivals at {at}: an arrival counts at least 1"),
        (1, 0) => format!("an arrival at {at} in a phase that waits for bytes only"),
        (_, 0) => format!("{count} arrivals at {at} in a phase that waits for bytes only"),
        _ => format!("{count} arrivals at {at} in a phase that waits for {pending}"),
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
