//! Instructions of which something is in flight when the thread goes on, or that wait for it:
//! `cp.async`, `mbarrier`, bulk copies (TMA), `st.async`, and the blocks of a cluster that they reach.
//!
//! The products of `wgmma`, which are in flight as well, stand with the other matrix instructions.

use crate::op::AtomicOp;
use crate::operand::Use::{self, Extent, Read, ReadLow, Write};
use crate::operand::{Address, each, maybe};
use crate::types::{Space, Type};

/// An instruction that starts something asynchronous, waits for it, or orders it.
#[derive(Clone, Debug, PartialEq)]
pub enum AsyncOp<O> {
    /// `cp.async [dst], [src], bytes{, size}`: an asynchronous copy from global to shared memory.
    /// Only `part` of the source is read; the rest is filled with zeros. `past_l1`: `.cg`.
    Copy { bytes: u8, past_l1: bool, dst: Address<O>, src: Address<O>, part: CopyPart<O> },
    /// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`.
    CopyGroup(CopyGroup),
    /// `mbarrier`, and `cp.async.mbarrier.arrive`.
    Mbarrier(Box<Mbarrier<O>>),
    /// `cp.async.bulk`, `cp.async.bulk.tensor`.
    Bulk(Box<BulkCopy<O>>),
    /// `cp.async.bulk.commit_group`, `cp.async.bulk.wait_group`. With `read`, the wait is only
    /// until the sources have been read.
    BulkGroup { group: CopyGroup, read: bool },
    /// `st.async`, `red.async`.
    Store(Box<StoreAsync<O>>),
    /// `fence.proxy.async`: orders the thread's writes to shared memory before reads through the
    /// async proxy (PTX ISA, "Proxies").
    ProxyFence,
    /// `fence.mbarrier_init`: the same for the initialisation of mbarriers alone.
    MbarrierFence,
    /// `barrier.cluster.arrive`, `barrier.cluster.wait`: `orders`, unless `.relaxed`, what threads
    /// did before their arrival ahead of what follows a wait.
    ClusterBarrier { waits: bool, orders: bool, aligned: bool },
    /// `mapa`: the address of the same place in the shared memory of the block of this rank in the
    /// cluster.
    MapShared { ty: Type, dst: O, addr: O, rank: O },
    /// `getctarank`: the rank of the block in whose shared memory an address lies.
    RankOfShared { ty: Type, dst: O, addr: O },
}

impl<O> AsyncOp<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<AsyncOp<P>, E> {
        Ok(match self {
            Self::Copy { bytes, past_l1, dst, src, part } => AsyncOp::Copy {
                bytes: *bytes,
                past_l1: *past_l1,
                src: src.map(&mut *o)?,
                dst: dst.map(&mut *o)?,
                part: part.map(o)?,
            },
            Self::CopyGroup(group) => AsyncOp::CopyGroup(*group),
            Self::Mbarrier(operation) => AsyncOp::Mbarrier(Box::new(operation.map(o)?)),
            Self::Bulk(copy) => AsyncOp::Bulk(Box::new(copy.map(o)?)),
            Self::BulkGroup { group, read } => AsyncOp::BulkGroup { group: *group, read: *read },
            Self::Store(store) => AsyncOp::Store(Box::new(store.map(o)?)),
            Self::ProxyFence => AsyncOp::ProxyFence,
            Self::MbarrierFence => AsyncOp::MbarrierFence,
            Self::ClusterBarrier { waits, orders, aligned } => {
                AsyncOp::ClusterBarrier { waits: *waits, orders: *orders, aligned: *aligned }
            }
            Self::MapShared { ty, dst, addr, rank } => AsyncOp::MapShared {
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                addr: o(addr, *ty, Read)?,
                rank: o(rank, Type::U32, Read)?,
            },
            Self::RankOfShared { ty, dst, addr } => AsyncOp::RankOfShared {
                ty: *ty,
                dst: o(dst, Type::U32, Write)?,
                addr: o(addr, *ty, Read)?,
            },
        })
    }

    /// How an asynchronous reduction changes memory, and the type of its elements.
    pub(super) fn reduces(&self) -> Option<(AtomicOp, Type)> {
        match self {
            Self::Bulk(copy) => copy.reduces,
            Self::Store(store) => store.reduces.map(|op| (op, store.ty)),
            _ => None,
        }
    }

    /// The space that it accesses; for a copy, the destination's.
    pub const fn space(&self) -> Option<Space> {
        match self {
            Self::Copy { .. } | Self::Mbarrier(_) | Self::Bulk(_) | Self::Store(_) => {
                Some(Space::Shared)
            }
            _ => None,
        }
    }

    /// Whether it is a bulk copy, or an asynchronous store.
    pub(super) const fn is_transfer(&self) -> bool {
        matches!(self, Self::Bulk(_) | Self::Store(_))
    }

    /// Whether threads arrive there at the barrier of their cluster, or wait there.
    pub(super) const fn is_of_barrier(&self) -> bool {
        matches!(self, Self::ClusterBarrier { .. })
    }

    /// Whether threads may wait there for all those of their cluster.
    pub(super) const fn is_barrier(&self) -> bool {
        matches!(self, Self::ClusterBarrier { waits: true, .. })
    }

    /// Whether it may change global memory by an atomic operation.
    pub fn updates_global(&self) -> bool {
        matches!(self, Self::Bulk(copy) if copy.reduces.is_some())
    }

    /// The generic address of the tensor map of a copy of a box.
    pub fn tensor_map(&self) -> Option<&Address<O>> {
        match self {
            Self::Bulk(copy) => match &copy.other {
                BulkPlace::Box { map, .. } => Some(map),
                BulkPlace::Bytes { .. } => None,
            },
            _ => None,
        }
    }

    /// The result of a test of a phase, or of a wait for it; `None` if it is neither.
    pub fn test(&self) -> Option<Option<O>>
    where
        O: Copy,
    {
        match self {
            Self::Mbarrier(operation) if operation.is_test() => Some(operation.dst),
            _ => None,
        }
    }

    /// Whether it may complete a phase that others wait for.
    pub const fn signals(&self) -> bool {
        matches!(self, Self::Mbarrier(_) | Self::Bulk(_) | Self::Store(_))
    }

    /// Whether it only orders what is in flight, or groups transfers.
    pub const fn orders(&self) -> bool {
        matches!(self, Self::ProxyFence | Self::MbarrierFence | Self::BulkGroup { .. })
    }

    /// Whether a warp may be suspended there.
    pub fn may_wait(&self) -> bool {
        self.is_barrier() || matches!(self, Self::Mbarrier(operation) if operation.may_wait())
    }
}

/// The part of its source that an asynchronous copy reads.
#[derive(Clone, Debug, PartialEq)]
pub enum CopyPart<O> {
    All,
    /// Its first bytes; their number is in a register.
    First(O),
    /// All of it, or nothing in the lanes where the predicate is `true` (`false`, if negated).
    Unless {
        pred: O,
        negated: bool,
    },
}

impl<O> CopyPart<O> {
    fn map<'s, P, E>(
        &'s self,
        operand: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<CopyPart<P>, E> {
        Ok(match self {
            Self::All => CopyPart::All,
            Self::First(size) => CopyPart::First(operand(size, Type::U32, Extent)?),
            Self::Unless { pred, negated } => {
                CopyPart::Unless { pred: operand(pred, Type::Pred, Extent)?, negated: *negated }
            }
        })
    }
}

/// A group operation on a thread's asynchronous copies, or on wgmma operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyGroup {
    /// Puts the operations that do not belong to a group yet into a new group.
    Commit,
    /// Waits until all groups except the last N are complete.
    WaitAllBut(u32),
    WaitAll,
}

/// An operation on an mbarrier object.
#[derive(Clone, Debug, PartialEq)]
pub struct Mbarrier<O> {
    pub op: MbarrierOp,
    /// The space of the address: shared or generic.
    pub space: Space,
    /// The address of the object, 8 bytes in shared memory.
    pub addr: Address<O>,
    /// The state before an arrival, or whether a phase is complete.
    pub dst: Option<O>,
    /// The numbers that it takes, in the order of the PTX.
    pub args: Vec<O>,
}

/// The operations (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierOp {
    /// `mbarrier.init`: the number of arrivals that completes a phase.
    Init,
    /// `mbarrier.inval`: the memory may be used for something else.
    Invalidate,
    /// `mbarrier.arrive{.expect_tx}`, `mbarrier.arrive_drop`.
    Arrive {
        /// Whether it first adds its number to the bytes that the phase waits for; without, its
        /// number is that of the arrivals.
        expects: bool,
        /// Whether later phases are for that many arrivals less.
        drops: bool,
        /// Whether it releases what the thread did before (not with `.relaxed`).
        releases: bool,
    },
    /// `mbarrier.expect_tx`: the phase waits for this many more bytes.
    ExpectBytes,
    /// `mbarrier.complete_tx`: this many of the bytes have arrived.
    CompleteBytes,
    /// `mbarrier.test_wait`, `mbarrier.try_wait`: whether a phase is complete.
    Test {
        /// Whether the thread may be suspended until it is (`try_wait`).
        waits: bool,
        /// Whether the phase is given by its parity, and not by the state before it.
        parity: bool,
        /// Whether it acquires what the arrivals released (not with `.relaxed`).
        acquires: bool,
    },
    /// `cp.async.mbarrier.arrive`: an arrival as soon as the thread's copies have landed.
    CopiesArrive {
        /// Whether the phase waits for this arrival in any case (`.noinc`); without, it is one
        /// more.
        counted: bool,
    },
}

impl<O> Mbarrier<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Mbarrier<P>, E> {
        let (to, from) = self.op.types();
        Ok(Mbarrier {
            op: self.op,
            space: self.space,
            addr: self.addr.map(&mut *o)?,
            dst: maybe(self.dst.as_ref(), to, Write, o)?,
            args: each(&self.args, from, Read, o)?,
        })
    }

    /// Whether the object may lie in the shared memory of another block of the cluster (PTX ISA,
    /// `mbarrier.arrive`: without a result; `mbarrier.expect_tx`, `mbarrier.complete_tx`).
    pub const fn may_be_far(&self) -> bool {
        match self.op {
            MbarrierOp::Arrive { .. } => self.dst.is_none(),
            MbarrierOp::ExpectBytes | MbarrierOp::CompleteBytes => true,
            _ => false,
        }
    }

    /// Whether it tests a phase.
    pub const fn is_test(&self) -> bool {
        matches!(self.op, MbarrierOp::Test { .. })
    }

    /// Whether a thread may be suspended there.
    pub const fn may_wait(&self) -> bool {
        matches!(self.op, MbarrierOp::Test { waits: true, .. })
    }
}

impl MbarrierOp {
    /// The types of the result and of the numbers that it takes.
    const fn types(self) -> (Type, Type) {
        match self {
            Self::Test { parity, .. } => (Type::Pred, if parity { Type::U32 } else { Type::B64 }),
            _ => (Type::B64, Type::U32),
        }
    }
}

/// An asynchronous copy between global and shared memory, or between the shared memory of two blocks,
/// started by one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkCopy<O> {
    /// The direction, and how its completion is known.
    pub way: BulkWay<O>,
    /// `cp.reduce.async.bulk`: how each element is combined with the one that lies at the
    /// destination, and the elements' type.
    pub reduces: Option<(AtomicOp, Type)>,
    /// The address in shared memory; between two blocks, the destination.
    pub shared: Address<O>,
    /// The place in global memory; between two blocks, the source in the block's own shared memory.
    pub other: BulkPlace<O>,
}

/// `st.async{.vec}`, `red.async`: an asynchronous store to shared memory, whose bytes an mbarrier
/// counts.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreAsync<O> {
    /// `red.async`: how the value is combined with the one in memory.
    pub reduces: Option<AtomicOp>,
    pub ty: Type,
    /// The address in the shared memory of the cluster.
    pub addr: Address<O>,
    pub src: Vec<O>,
    pub mbarrier: Address<O>,
}

impl<O> StoreAsync<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<StoreAsync<P>, E> {
        Ok(StoreAsync {
            reduces: self.reduces,
            ty: self.ty,
            addr: self.addr.map(&mut *o)?,
            src: each(&self.src, self.ty, ReadLow, o)?,
            mbarrier: self.mbarrier.map(o)?,
        })
    }
}

/// The direction of a bulk copy.
#[derive(Clone, Debug, PartialEq)]
pub enum BulkWay<O> {
    /// To shared memory; the mbarrier at this address counts the bytes that have come.
    Load {
        mbarrier: Address<O>,
        /// The blocks of the cluster that receive the data, a bit for each (`.multicast`).
        blocks: Option<O>,
    },
    /// From the block's own shared memory to another block's; the mbarrier at this address, in the
    /// other block, counts the bytes that have come.
    Across { mbarrier: Address<O> },
    /// To global memory; the thread waits for it by its groups.
    Store,
}

/// The other end of a bulk copy.
#[derive(Clone, Debug, PartialEq)]
pub enum BulkPlace<O> {
    /// So many bytes from an address.
    Bytes { addr: Address<O>, size: O },
    /// A box of a tensor that a tensor map describes.
    Box {
        /// The generic address of the tensor map.
        map: Address<O>,
        /// The coordinates of the box's first element, the innermost dimension first.
        at: Vec<O>,
    },
}

impl<O> BulkCopy<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<BulkCopy<P>, E> {
        let way = match &self.way {
            BulkWay::Load { mbarrier, blocks } => BulkWay::Load {
                mbarrier: mbarrier.map(&mut *o)?,
                blocks: maybe(blocks.as_ref(), Type::U16, Extent, o)?,
            },
            BulkWay::Across { mbarrier } => BulkWay::Across { mbarrier: mbarrier.map(&mut *o)? },
            BulkWay::Store => BulkWay::Store,
        };
        let other = match &self.other {
            BulkPlace::Bytes { addr, size } => {
                BulkPlace::Bytes { addr: addr.map(&mut *o)?, size: o(size, Type::U32, Extent)? }
            }
            BulkPlace::Box { map, at } => {
                BulkPlace::Box { map: map.map(&mut *o)?, at: each(at, Type::S32, Extent, o)? }
            }
        };
        Ok(BulkCopy { way, reduces: self.reduces, shared: self.shared.map(o)?, other })
    }
}
