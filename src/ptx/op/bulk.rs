//! `cp.async.bulk`: copies of whole blocks of memory by the async proxy, also of boxes of tensors
//! (TMA); and the asynchronous stores and reductions of single words.

use super::atomic::AtomicOp;
use crate::operand::Use::{self, Extent, ReadLow};
use crate::operand::{Address, each, maybe};
use crate::types::Type;

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
    /// The type of each element.
    pub ty: Type,
    /// The address in the shared memory of the cluster.
    pub addr: Address<O>,
    /// One register per element.
    pub src: Vec<O>,
    /// The address of the mbarrier, in the same block's.
    pub mbarrier: Address<O>,
}

impl<O> StoreAsync<O> {
    /// Translates the operands, with the type and use of each: see [`super::Op::map`].
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
        /// The address of the mbarrier, in shared memory.
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
    Bytes {
        /// The first byte.
        addr: Address<O>,
        /// The number of bytes.
        size: O,
    },
    /// A box of a tensor that a tensor map describes.
    Box {
        /// The generic address of the tensor map.
        map: Address<O>,
        /// The coordinates of the box's first element, the innermost dimension first.
        at: Vec<O>,
    },
}

impl<O> BulkCopy<O> {
    /// Translates the operands, with the type and use of each: see [`super::Op::map`].
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
