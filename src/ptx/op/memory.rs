//! Instructions that move each lane's values to and from memory or order such accesses.

use super::atomic::AtomicOp;
use super::bulk::{BulkCopy, StoreAsync};
use super::mbarrier::Mbarrier;
use super::strength::Strength;
use crate::operand::Use::{self, Extent, Read, ReadLow, Write, WriteExtended};
use crate::operand::{Address, each};
use crate::types::{Space, Type};

/// An instruction that accesses or orders memory.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryOp<O> {
    /// `ld{.vec}`: one register per element of the vector. A volatile load must be neither
    /// vectorised nor removed; memory ordering (`.relaxed`, `.acquire`) forbids neither.
    /// `constant`: `.nc`, a load of what the kernel does not write, which no store is ordered with.
    Ld { space: Space, ty: Type, strength: Strength, constant: bool, dst: Vec<O>, addr: Address<O> },
    /// `st{.vec}`.
    St { space: Space, ty: Type, strength: Strength, addr: Address<O>, src: Vec<O> },
    /// `atom`, `red` (without `dst`): an atomic read-modify-write; `dst` receives the old value. A
    /// vector is as many operations on neighbours, each with its arguments; `.b128` is one operation on
    /// two halves.
    Atom {
        op: AtomicOp,
        strength: Strength,
        space: Space,
        ty: Type,
        dst: Vec<O>,
        addr: Address<O>,
        args: Vec<O>,
    },
    /// `cp.async [dst], [src], bytes{, size}`: an asynchronous copy from global to shared memory.
    /// Only `part` of the source is read; the rest is filled with zeros. `past_l1`: `.cg`.
    CopyAsync { bytes: u8, past_l1: bool, dst: Address<O>, src: Address<O>, part: CopyPart<O> },
    /// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`.
    CopyGroup(CopyGroup),
    /// `membar`, `fence`: orders accesses. It has no other effect here, because the simulator makes
    /// every access visible to all threads at once. `Weak`: a fence of another kind
    /// (`fence.proxy`), which orders nothing here.
    Fence(Strength),
    /// `fence.proxy.async`: orders the thread's writes to shared memory before reads through the
    /// async proxy (PTX ISA, "Proxies").
    ProxyFence,
    /// `fence.mbarrier_init`: the same for the initialisation of mbarriers alone.
    MbarrierFence,
    /// `mbarrier`, and `cp.async.mbarrier.arrive`.
    Mbarrier(Box<Mbarrier<O>>),
    /// `cp.async.bulk`, `cp.async.bulk.tensor`.
    BulkCopy(Box<BulkCopy<O>>),
    /// `st.async`.
    StoreAsync(Box<StoreAsync<O>>),
    /// `cp.async.bulk.commit_group`, `cp.async.bulk.wait_group`. With `read`, the wait is only
    /// until the sources have been read.
    BulkGroup { group: CopyGroup, read: bool },
    /// `mapa`: the address of the same place in the shared memory of the block of this rank in the
    /// cluster.
    MapShared { ty: Type, dst: O, addr: O, rank: O },
    /// `getctarank`: the rank of the block in whose shared memory an address lies.
    RankOfShared { ty: Type, dst: O, addr: O },
}

/// The part of its source that an asynchronous copy reads.
#[derive(Clone, Debug, PartialEq)]
pub enum CopyPart<O> {
    /// All of it.
    All,
    /// Its first bytes; their number is in a register.
    First(O),
    /// All of it, or nothing in the lanes where the predicate is `true` (`false`, if negated).
    Unless {
        pred: O,
        /// Whether it is negated.
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
    /// Waits for all copies.
    WaitAll,
}

impl<O> MemoryOp<O> {
    /// Translates the operands, with the type and use of each: see [`super::Op::map`].
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<MemoryOp<P>, E> {
        Ok(match self {
            Self::Ld { space, ty, strength, constant, dst, addr } => MemoryOp::Ld {
                space: *space,
                ty: *ty,
                strength: *strength,
                constant: *constant,
                dst: each(dst, *ty, WriteExtended, o)?,
                addr: addr.map(o)?,
            },
            Self::St { space, ty, strength, addr, src } => MemoryOp::St {
                space: *space,
                ty: *ty,
                strength: *strength,
                addr: addr.map(&mut *o)?,
                src: each(src, *ty, ReadLow, o)?,
            },
            Self::Atom { op, strength, space, ty, dst, addr, args } => {
                let part = if *ty == Type::B128 { Type::B64 } else { *ty };
                MemoryOp::Atom {
                    op: *op,
                    strength: *strength,
                    space: *space,
                    ty: *ty,
                    addr: addr.map(&mut *o)?,
                    dst: each(dst, part, Write, o)?,
                    args: each(args, part, Read, o)?,
                }
            }
            Self::CopyAsync { bytes, past_l1, dst, src, part } => MemoryOp::CopyAsync {
                bytes: *bytes,
                past_l1: *past_l1,
                src: src.map(&mut *o)?,
                dst: dst.map(&mut *o)?,
                part: part.map(o)?,
            },
            Self::CopyGroup(group) => MemoryOp::CopyGroup(*group),
            Self::Fence(strength) => MemoryOp::Fence(*strength),
            Self::ProxyFence => MemoryOp::ProxyFence,
            Self::MbarrierFence => MemoryOp::MbarrierFence,
            Self::Mbarrier(operation) => MemoryOp::Mbarrier(Box::new(operation.map(o)?)),
            Self::BulkCopy(copy) => MemoryOp::BulkCopy(Box::new(copy.map(o)?)),
            Self::StoreAsync(store) => MemoryOp::StoreAsync(Box::new(store.map(o)?)),
            Self::BulkGroup { group, read } => MemoryOp::BulkGroup { group: *group, read: *read },
            Self::MapShared { ty, dst, addr, rank } => MemoryOp::MapShared {
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                addr: o(addr, *ty, Read)?,
                rank: o(rank, Type::U32, Read)?,
            },
            Self::RankOfShared { ty, dst, addr } => MemoryOp::RankOfShared {
                ty: *ty,
                dst: o(dst, Type::U32, Write)?,
                addr: o(addr, *ty, Read)?,
            },
        })
    }

    /// How an atomic operation, or an asynchronous reduction, changes memory, and the type of its
    /// elements.
    pub fn reduces(&self) -> Option<(AtomicOp, Type)> {
        match self {
            Self::Atom { op, ty, .. } => Some((*op, *ty)),
            Self::BulkCopy(copy) => copy.reduces,
            Self::StoreAsync(store) => store.reduces.map(|op| (op, store.ty)),
            _ => None,
        }
    }

    /// The space that it accesses; for a copy, the destination's.
    pub(super) const fn space(&self) -> Option<Space> {
        match self {
            Self::Ld { space, .. } | Self::St { space, .. } | Self::Atom { space, .. } => {
                Some(*space)
            }
            Self::CopyAsync { .. }
            | Self::Mbarrier(_)
            | Self::BulkCopy(_)
            | Self::StoreAsync(_) => Some(Space::Shared),
            Self::CopyGroup(_)
            | Self::Fence(_)
            | Self::ProxyFence
            | Self::MbarrierFence
            | Self::BulkGroup { .. }
            | Self::MapShared { .. }
            | Self::RankOfShared { .. } => None,
        }
    }
}
