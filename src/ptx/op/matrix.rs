//! Matrix instructions executed by a whole warp, each lane holding a fragment.

use crate::asynchronous::CopyGroup;
use crate::operand::Use::{self, Read, Write};
use crate::operand::{Address, each};
use crate::tensor::{Fragment, Mma};
use crate::types::{Space, Type};
use crate::wgmma::Wgmma;

/// An instruction on matrices that are distributed over a warp.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixOp<O> {
    /// `ldmatrix`: loads one 8 x 8 matrix of 16-bit elements per destination register; 8 lanes give
    /// the row addresses of each matrix.
    LdMatrix { transposed: bool, space: Space, dst: Vec<O>, addr: Address<O> },
    /// `stmatrix`: stores such matrices.
    StMatrix { transposed: bool, space: Space, addr: Address<O>, src: Vec<O> },
    /// `movmatrix`: transposes an 8 x 8 matrix.
    MovMatrix { dst: O, src: O },
    /// `wmma.load`.
    LdFragment(Box<Fragment<O>>),
    /// `wmma.store`.
    StFragment(Box<Fragment<O>>),
    /// `mma`; a `wmma.mma` becomes the list of `mma` operations that make it up.
    Mma(Vec<Mma<O>>),
    /// `wgmma.mma_async`: started, not waited for.
    Wgmma(Box<Wgmma<O>>),
    /// `wgmma.fence`: orders the warp's register accesses before those of later wgmma operations.
    WgmmaFence,
    /// `wgmma.commit_group`, `wgmma.wait_group`.
    WgmmaGroup(CopyGroup),
}

impl<O> MatrixOp<O> {
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<MatrixOp<P>, E> {
        Ok(match self {
            Self::LdMatrix { transposed, space, dst, addr } => MatrixOp::LdMatrix {
                transposed: *transposed,
                space: *space,
                dst: each(dst, Type::B32, Write, o)?,
                addr: addr.map(o)?,
            },
            Self::StMatrix { transposed, space, addr, src } => MatrixOp::StMatrix {
                transposed: *transposed,
                space: *space,
                addr: addr.map(&mut *o)?,
                src: each(src, Type::B32, Read, o)?,
            },
            Self::MovMatrix { dst, src } => MatrixOp::MovMatrix {
                dst: o(dst, Type::B32, Write)?,
                src: o(src, Type::B32, Read)?,
            },
            Self::LdFragment(fragment) => MatrixOp::LdFragment(Box::new(fragment.map(Write, o)?)),
            Self::StFragment(fragment) => MatrixOp::StFragment(Box::new(fragment.map(Read, o)?)),
            Self::Mma(products) => MatrixOp::Mma(
                products.iter().map(|product| product.map(o)).collect::<Result<_, _>>()?,
            ),
            Self::Wgmma(product) => MatrixOp::Wgmma(Box::new(product.map(o)?)),
            Self::WgmmaFence => MatrixOp::WgmmaFence,
            Self::WgmmaGroup(group) => MatrixOp::WgmmaGroup(*group),
        })
    }

    /// The space that it accesses itself; the reads of a `wgmma` happen when it is waited for.
    pub(super) fn space(&self) -> Option<Space> {
        match self {
            Self::LdMatrix { space, .. } | Self::StMatrix { space, .. } => Some(*space),
            Self::LdFragment(fragment) | Self::StFragment(fragment) => Some(fragment.space),
            Self::MovMatrix { .. }
            | Self::Mma(_)
            | Self::Wgmma(_)
            | Self::WgmmaFence
            | Self::WgmmaGroup(_) => None,
        }
    }

    /// Whether it accesses registers only and completes immediately.
    pub(super) const fn is_of_registers(&self) -> bool {
        match self {
            Self::MovMatrix { .. } | Self::Mma(_) => true,
            Self::LdMatrix { .. }
            | Self::StMatrix { .. }
            | Self::LdFragment(_)
            | Self::StFragment(_)
            | Self::Wgmma(_)
            | Self::WgmmaFence
            | Self::WgmmaGroup(_) => false,
        }
    }
}
