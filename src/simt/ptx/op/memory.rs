//! Instructions that bring each lane's values to and from memory, or put such accesses in order.

use super::atomic::AtomicOp;
use super::strength::Strength;
use crate::ptx::operand::Use::{self, Extent, Read, ReadLow, Write, WriteExtended};
use crate::ptx::operand::{Address, each, maybe};
use crate::ptx::types::{Space, Type};

/// What a lane does with memory.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are the manual's operands, named in each variant's text"
)]
pub enum MemoryOp<O> {
    /// `ld{.vec}`: one register per element of the vector. A volatile one is not to be joined with
    /// others nor left out; ordering (`.relaxed`, `.acquire`) does not forbid that.
    Ld { space: Space, ty: Type, strength: Strength, dst: Vec<O>, addr: Address<O> },
    /// `st{.vec}`.
    St { space: Space, ty: Type, strength: Strength, addr: Address<O>, src: Vec<O> },
    /// `atom`, `red` (without `dst`): a word of memory changed as one; `dst` is what was there.
    Atom {
        op: AtomicOp,
        strength: Strength,
        space: Space,
        ty: Type,
        dst: Option<O>,
        addr: Address<O>,
        args: Vec<O>,
    },
    /// `cp.async [dst], [src], bytes{, size}`: from global to shared memory, not waited for; of
    /// the bytes only the first `size` are read, and zeros come for the rest. `past_l1`: `.cg`.
    CopyAsync { bytes: u8, past_l1: bool, dst: Address<O>, src: Address<O>, size: Option<O> },
    /// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`.
    CopyGroup(CopyGroup),
    /// `membar`, `fence`: changes nothing here, where every thread sees every access at once, but
    /// puts accesses in order. Weak: of another kind (`fence.proxy`), which orders nothing here.
    Fence(Strength),
    /// `fence.proxy.async`: what the thread wrote to shared memory comes before what others read
    /// there without executing loads (PTX ISA, "Proxies").
    ProxyFence,
}

/// What a thread does with its asynchronous copies, or with products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyGroup {
    /// Those that belong to no group yet become one.
    Commit,
    /// Waits until all groups but so many of the last ones are complete.
    WaitAllBut(u32),
    /// Waits for every copy.
    WaitAll,
}

impl<O> MemoryOp<O> {
    /// The type and the use of each operand: see [`super::Op::map`].
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<MemoryOp<P>, E> {
        Ok(match self {
            Self::Ld { space, ty, strength, dst, addr } => MemoryOp::Ld {
                space: *space,
                ty: *ty,
                strength: *strength,
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
            Self::Atom { op, strength, space, ty, dst, addr, args } => MemoryOp::Atom {
                op: *op,
                strength: *strength,
                space: *space,
                ty: *ty,
                addr: addr.map(&mut *o)?,
                dst: maybe(dst.as_ref(), *ty, Write, o)?,
                args: each(args, *ty, Read, o)?,
            },
            Self::CopyAsync { bytes, past_l1, dst, src, size } => MemoryOp::CopyAsync {
                bytes: *bytes,
                past_l1: *past_l1,
                src: src.map(&mut *o)?,
                dst: dst.map(&mut *o)?,
                size: maybe(size.as_ref(), Type::U32, Extent, o)?,
            },
            Self::CopyGroup(group) => MemoryOp::CopyGroup(*group),
            Self::Fence(strength) => MemoryOp::Fence(*strength),
            Self::ProxyFence => MemoryOp::ProxyFence,
        })
    }

    /// The space that it touches; of a copy, the one that it writes to.
    pub(super) const fn space(&self) -> Option<Space> {
        match self {
            Self::Ld { space, .. } | Self::St { space, .. } | Self::Atom { space, .. } => {
                Some(*space)
            }
            Self::CopyAsync { .. } => Some(Space::Shared),
            Self::CopyGroup(_) | Self::Fence(_) | Self::ProxyFence => None,
        }
    }
}
