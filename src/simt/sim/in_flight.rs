//! What is in flight when a warp goes on: asynchronous copies, `wgmma`, transfers that mbarriers count;
//! and the barrier of the blocks that run together, at which a warp arrives before it waits.

mod cluster_barrier;
mod copies;
mod fault;
mod mbarriers;
mod transfers;
mod wgmma;

pub use fault::{AsyncFault, Awaited};
pub use transfers::{AsyncTransfer, LandedTransfer, OtherEnd, TRANSFER_PIECE, TransferPiece};

pub(super) use copies::MAX_COPIES;
pub(super) use mbarriers::{AwaitedPhase, MBARRIER_BYTES};
pub(super) use wgmma::{MAX_PENDING_WGMMA, WgmmaInFlight};

use super::access::{Access, Pc};
use super::block_group::BlockGroup;
use super::mask::LaneMask;
use cluster_barrier::ClusterBarrier;
use copies::AsyncCopies;
use mbarriers::Mbarriers;
use std::sync::Arc;
use wgmma::{PendingWgmma, Warpgroup};

/// All that is in flight in a machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InFlight {
    pub(super) mbarriers: Mbarriers,
    pub(super) cluster_barrier: ClusterBarrier,
    /// The warpgroups that have all four warps.
    pub(super) warpgroups: Vec<Warpgroup>,
    pub(super) warps: Vec<WarpInFlight>,
}

/// What a warp has started and not waited for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WarpInFlight {
    pub(super) copies: AsyncCopies,
    pub(super) products: PendingWgmma,
}

impl InFlight {
    /// Nothing, for this many warps; with `early`, copies write when they start.
    pub(super) fn new(blocks: &BlockGroup, warps: usize, early: bool) -> Self {
        let of_warp =
            WarpInFlight { copies: AsyncCopies::new(early), products: PendingWgmma::default() };
        Self {
            mbarriers: Mbarriers::new(early),
            cluster_barrier: ClusterBarrier::new(warps),
            warpgroups: vec![Warpgroup::default(); blocks.warpgroups()],
            warps: vec![of_warp; warps],
        }
    }

    /// Completes the barrier of the blocks that run together if no thread is missing: `live` is the lanes
    /// of each warp that have not exited. Returns whether it did.
    pub(super) fn complete_barrier(&mut self, live: impl Iterator<Item = LaneMask>) -> bool {
        self.cluster_barrier.complete(live)
    }

    /// The first warpgroup whose warps have executed different numbers of `wgmma` instructions: its
    /// number, a warp that has executed the first that is not common to all, that instruction, and a
    /// warp that has not.
    pub(super) fn apart(&self) -> Option<(usize, (usize, Pc, usize))> {
        (0..).zip(&self.warpgroups).find_map(|(number, group)| Some((number, group.apart()?)))
    }

    /// Approximate memory use in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of_warp = |warp: &WarpInFlight| warp.copies.bytes() + warp.products.bytes();
        self.warps.iter().map(of_warp).sum::<usize>() + self.mbarriers.copies.size()
    }
}

/// The effect of an instruction that starts something, or waits for it.
#[derive(Clone, Debug, PartialEq)]
pub enum AsyncEffect {
    /// Issued a `wgmma`, which reads shared memory until it is waited for.
    Wgmma {
        /// Multiply-adds of the whole warp.
        multiply_adds: u32,
        /// Its reads: the warp's own rows of a, if a is in shared memory, and all of b.
        reads: Vec<Access>,
        /// The number of reads that belong to a.
        of_a: u8,
        /// Whether the warp is the first of its warpgroup.
        leads: bool,
    },
    /// Waited for wgmma operations: the oldest are complete and their results are in registers.
    WgmmaCompleted {
        /// The number of operations that completed.
        instructions: u32,
    },
    /// Started a copy from global to shared memory: the load, and the store that is to follow.
    Copy(Box<[Access; 2]>),
    /// Waited for copies: the stores that now land in shared memory, in order.
    Landed(Vec<Access>),
    /// Operated on mbarriers.
    Mbarrier(Box<MbarrierStep>),
    /// Started bulk copies or asynchronous stores, one for each active lane.
    Transfers(Vec<Arc<AsyncTransfer>>),
    /// Arrived at the barrier of the cluster, or went on after the wait for it.
    ClusterBarrier {
        waits: bool,
        /// The number of the phase in which the lanes arrived, or which they found complete.
        phase: u32,
    },
}

impl AsyncEffect {
    /// The accesses that reach memory in this step: see [`Step::accesses`](super::Step::accesses).
    pub(super) fn accesses(&self) -> &[Access] {
        match self {
            Self::Copy(copy) => &copy[..1],
            Self::Landed(accesses) | Self::Wgmma { reads: accesses, .. } => accesses,
            _ => &[],
        }
    }

    /// The stores of copies of a few bytes that landed in the step, if they do so as they start with
    /// `early`, or else at a wait.
    pub(super) fn landed(&self, early: bool) -> &[Access] {
        match (self, early) {
            (Self::Landed(stores), false) => stores,
            (Self::Copy(copy), true) => &copy[1..],
            (Self::Mbarrier(done), false) => &done.copied,
            _ => &[],
        }
    }

    /// Whether it is of a `wgmma`.
    pub const fn is_of_product(&self) -> bool {
        matches!(self, Self::Wgmma { .. } | Self::WgmmaCompleted { .. })
    }

    /// Whether lanes went on after a wait for other threads, or for what these had started. Who
    /// arrives or only looks goes on at once.
    pub const fn has_waited(&self) -> bool {
        match self {
            Self::Mbarrier(done) => !done.complete.is_empty(),
            Self::ClusterBarrier { waits, .. } => *waits,
            _ => false,
        }
    }

    /// The copy of a few bytes for each lane that was started: its load and its store.
    pub fn copy(&self) -> Option<&[Access; 2]> {
        if let Self::Copy(copy) = self { Some(copy) } else { None }
    }

    /// The bulk copies and asynchronous stores that were started.
    pub fn started(&self) -> &[Arc<AsyncTransfer>] {
        if let Self::Transfers(started) = self { started } else { &[] }
    }

    /// What landed in shared memory beside the step's own accesses, as phases were waited for or
    /// arrived in: stores of copies, and transfers.
    pub fn brought(&self) -> (&[Access], &[LandedTransfer]) {
        match self {
            Self::Mbarrier(done) => (&done.copied, &done.landed),
            _ => (&[], &[]),
        }
    }
}

/// What a warp's lanes did to mbarriers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MbarrierStep {
    /// The address of each active lane's mbarrier, in shared memory.
    pub addrs: [u32; 32],
    /// The number of the phase to which each lane's operation belongs: of an arrival, the one that
    /// counts it; of a wait, the one that is complete.
    pub phases: [u32; 32],
    /// The lanes that found the phase complete that they wait for.
    pub complete: LaneMask,
    /// The bulk copies that landed, as a wait found them complete.
    pub landed: Vec<LandedTransfer>,
    /// The stores of `cp.async` that landed, as an arrival waited for them.
    pub copied: Vec<Access>,
}
