//! Instructions that move each lane's values to and from memory or order such accesses.

use super::atomic::AtomicOp;
use super::strength::Strength;
use crate::operand::Use::{self, Read, ReadLow, Write, WriteExtended};
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
    /// `membar`, `fence`: orders accesses. It has no other effect here, because the simulator makes
    /// every access visible to all threads at once. `Weak`: a fence of another kind
    /// (`fence.proxy`), which orders nothing here.
    Fence(Strength),
}

impl<O> MemoryOp<O> {
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
            Self::Fence(strength) => MemoryOp::Fence(*strength),
        })
    }

    /// The space that it accesses.
    pub(super) const fn space(&self) -> Option<Space> {
        match self {
            Self::Ld { space, .. } | Self::St { space, .. } | Self::Atom { space, .. } => {
                Some(*space)
            }
            Self::Fence(_) => None,
        }
    }
}
