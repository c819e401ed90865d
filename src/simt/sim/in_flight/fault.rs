//! Faults of what is in flight, of the blocks that run together, and what waits for ever.

use crate::sim::block_group::{BlockGroup, UnfitBlocks};
use std::fmt;

/// Misuse of what is in flight, or of the blocks that run together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsyncFault {
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
    #[error(
        "there is no tensor map at the address {0:#x}: an argument of the launch gives one by \
         tensormap:A:64x64:swizzle128"
    )]
    NoTensorMap(u64),
    /// A tensor map with another number of dimensions than the copy.
    #[error("the tensor map has {0} dimensions, and the copy gives {1} coordinates")]
    TensorRank(usize, usize),
    /// A block of a cluster that does not exist.
    #[error("there is no block of rank {rank} in a cluster of {blocks}")]
    NoSuchRank {
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
    Unfit(UnfitBlocks),
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
}

impl AsyncFault {
    /// The same, with places in shared memory as the block counts them in which they lie.
    pub(in crate::sim) fn within(self, blocks: &BlockGroup) -> Self {
        let own = |addr| own(blocks, addr);
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

    /// Whether threads do not come together as they should, rather than memory being misused.
    pub const fn is_of_barrier(&self) -> bool {
        matches!(
            self,
            Self::NoMbarrier(_)
                | Self::MbarrierOverwritten(_)
                | Self::MbarrierAgain(_)
                | Self::MbarrierCount(_)
                | Self::MbarrierArrivals { .. }
                | Self::MbarrierBytes { .. }
                | Self::PartOfWarpgroup(_)
                | Self::WarpgroupDiverged(_)
                | Self::SharedOfEnded { .. }
                | Self::ClusterArrival
                | Self::ClusterWait
        )
    }
}

/// The byte in its block at a byte of the machine's shared memory.
fn own(blocks: &BlockGroup, addr: u32) -> u32 {
    blocks.of_shared(addr.into()).1 as u32
}

/// What lanes wait for that are suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The current phase of an mbarrier.
    Phase {
        /// The address of the mbarrier, in shared memory.
        addr: u32,
        arrivals: u32,
        /// Bytes; negative if more have come than were announced.
        bytes: i64,
    },
    /// The other threads of the cluster, at its barrier.
    Blocks,
}

impl Awaited {
    /// The same, with the address as the block counts it in which it lies.
    pub(in crate::sim) fn within(self, blocks: &BlockGroup) -> Self {
        match self {
            Self::Phase { addr, arrivals, bytes } => {
                Self::Phase { addr: own(blocks, addr), arrivals, bytes }
            }
            Self::Blocks => Self::Blocks,
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Phase { addr, arrivals, bytes } = *self else {
            return out.write_str("the cluster's barrier");
        };
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

fn arrivals(addr: u32, count: u32, pending: u32) -> String {
    let at = format!("the mbarrier at byte {addr} of shared memory");
    match (count, pending) {
        (0, _) => format!("no arrivals at {at}: an arrival counts at least 1"),
        (1, 0) => format!("an arrival at {at} in a phase that waits for bytes only"),
        (_, 0) => format!("{count} arrivals at {at} in a phase that waits for bytes only"),
        _ => format!("{count} arrivals at {at} in a phase that waits for {pending}"),
    }
}
