//! Clusters: the blocks that run together, their warps, and where the shared memory of each lies.
//!
//! ```text
//! the machine's warps    | block of rank 0 | block of rank 1 | ..     numbered through
//! its shared memory      | rank 0      pad | rank 1      pad | ..     one after the other
//! the kernel's addresses   rank << 24 | offset                        as on the hardware
//! ```

use super::warp_set::WarpSet;
use crate::launch::{Dim3, Launch};
use ptx::Function;

/// Maximum number of blocks of a cluster (CUDA Programming Guide, "Thread Block Clusters": 8, and 16
/// where the kernel is allowed a non-portable size).
pub const MAX_CLUSTER: u64 = 16;

/// Maximum number of warps that a machine runs.
pub const MAX_WARPS: u32 = 64;

/// Number of warps in a warpgroup.
pub(super) const WARPS: usize = 4;

/// An address in shared memory: the bits from here on are the rank of its block.
const RANK: u32 = 24;

/// Alignment of each block's shared memory: the pattern of a swizzle repeats every 1,024 bytes.
const ALIGN: u32 = 1024;

/// The blocks that run together, as the kernel and its launch have it: a cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupShape {
    /// Its size in blocks, and whether the kernel or the launch gives it.
    pub(super) shape: Dim3,
    pub(super) is_given: bool,
    /// `.maxclusterrank`: the most blocks of a cluster.
    most: Option<u32>,
    /// Whether it is the whole grid: its blocks wait for one another.
    pub(super) is_grid: bool,
}

impl GroupShape {
    /// What a function declares.
    pub(super) fn of(function: &Function) -> Self {
        let declared = &function.cluster;
        let shape = declared.shape.map_or(Dim3::flat(1, 1), |[x, y, z]| Dim3::new(x, y, z));
        let (is_given, is_grid) = (declared.shape.is_some(), declared.is_grid);
        Self { shape, is_given, most: declared.most, is_grid }
    }

    /// Has the launch of a kernel give the size, as the attribute
    /// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION` does.
    pub(super) fn launched_in(&mut self, kernel: &str, shape: Dim3) -> Result<(), RefusedShape> {
        let (kernel, own) = (kernel.to_owned(), self.shape);
        if self.is_given && own != shape {
            return Err(RefusedShape::Other { kernel, own, given: shape });
        }
        let given = shape.volume();
        if let Some(most) = self.most.filter(|most| given > (*most).into()) {
            return Err(RefusedShape::TooMany { kernel, most, given });
        }
        (self.shape, self.is_given) = (shape, true);
        Ok(())
    }
}

/// Why a kernel does not run in the clusters of its launch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedShape {
    #[error(
        "`{kernel}` is compiled for clusters of {} (.reqnctapercluster), not of {}",
        commas(*.own), commas(*.given)
    )]
    Other { kernel: String, own: Dim3, given: Dim3 },
    #[error(
        "`{kernel}` allows clusters of {most} blocks at most (.maxclusterrank), not of {given}"
    )]
    TooMany { kernel: String, most: u32, given: u64 },
}

fn commas(Dim3 { x, y, z }: Dim3) -> String {
    format!("{x},{y},{z}")
}

/// The blocks that a machine runs: usually one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockGroup {
    /// Its size in blocks, and their number.
    shape: Dim3,
    count: u32,
    /// The position in the grid of its block of rank 0.
    first: Dim3,
    warps: u32,
    /// Shared memory of a block in bytes, and from the start of one block's to that of the next.
    room: u32,
    stride: u32,
    /// Bit n: all threads of the block of rank n have exited.
    ended: u16,
}

impl BlockGroup {
    /// The cluster that contains `block`, of blocks with `bytes` bytes of shared memory; the block
    /// alone if the launch cannot be divided so.
    pub(super) fn new(launch: Launch, shape: Dim3, block: Dim3, bytes: u32) -> Self {
        let shape = if Self::fits(launch, shape).is_ok() { shape } else { Dim3::flat(1, 1) };
        let first = Dim3::new(
            block.x / shape.x * shape.x,
            block.y / shape.y * shape.y,
            block.z / shape.z * shape.z,
        );
        let room = bytes.next_multiple_of(4);
        let count = shape.volume() as u32;
        let stride = if count == 1 { room } else { room.next_multiple_of(ALIGN) };
        Self { shape, count, first, warps: launch.warps(), room, stride, ended: 0 }
    }

    /// Checks whether a launch can be divided into such clusters.
    ///
    /// # Errors
    /// Why no GPU, or no machine, would run them.
    pub fn fits(launch: Launch, shape: Dim3) -> Result<(), UnfitBlocks> {
        let (blocks, grid) = (shape.volume(), launch.grid);
        let warps = blocks.saturating_mul(u64::from(launch.warps()));
        let sides = [(grid.x, shape.x), (grid.y, shape.y), (grid.z, shape.z)];
        if blocks > MAX_CLUSTER {
            Err(UnfitBlocks::Size(blocks))
        } else if sides.into_iter().any(|(all, of)| all % of != 0) {
            Err(UnfitBlocks::Grid { shape, grid })
        } else if blocks > 1 && warps > u64::from(MAX_WARPS) {
            Err(UnfitBlocks::Warps(warps))
        } else {
            Ok(())
        }
    }

    /// The least grid of at least these blocks that can be divided into clusters of this shape.
    pub fn next_grid(grid: Dim3, shape: Dim3) -> Dim3 {
        let next = |blocks: u32, of: u32| blocks.checked_next_multiple_of(of).unwrap_or(blocks);
        Dim3::new(next(grid.x, shape.x), next(grid.y, shape.y), next(grid.z, shape.z))
    }

    pub const fn shape(&self) -> Dim3 {
        self.shape
    }

    /// The number of its blocks.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Whether it is one block alone.
    #[inline]
    pub const fn is_single(&self) -> bool {
        self.count == 1
    }

    /// The number of warps of a block.
    pub const fn warps_per_block(&self) -> usize {
        self.warps as usize
    }

    pub const fn rank_of(&self, warp: u16) -> u32 {
        if self.is_single() { 0 } else { warp as u32 / self.warps }
    }

    /// The number of a warp in its block.
    pub const fn within_block(&self, warp: u16) -> u16 {
        if self.is_single() { warp } else { warp % self.warps as u16 }
    }

    /// The position in the grid of the block of this rank (PTX ISA, `%cluster_ctarank`).
    pub const fn place(&self, rank: u32) -> Dim3 {
        let Dim3 { x, y, z } = self.shape.place(rank as u64);
        Dim3::new(self.first.x + x, self.first.y + y, self.first.z + z)
    }

    /// The rank of a warp's block, if the cluster has several.
    pub fn rank_among(&self, warp: u16) -> Option<u32> {
        (!self.is_single()).then(|| self.rank_of(warp))
    }

    /// The position in the grid of a warp's block.
    pub const fn block_of(&self, warp: u16) -> Dim3 {
        self.place(self.rank_of(warp))
    }

    /// The number among all warps of the cluster of warp `warp` of the block at a position in the
    /// grid.
    pub fn warp_of(&self, block: Dim3, warp: u16) -> u16 {
        let rank = (0..self.count()).find(|rank| self.place(*rank) == block).unwrap_or(0);
        rank as u16 * self.warps as u16 + warp
    }

    /// The rank of the block in whose shared memory a byte of the machine's lies, and the byte's
    /// address in that block.
    pub const fn of_shared(&self, byte: u64) -> (u32, u64) {
        if self.is_single() {
            return (0, byte);
        }
        ((byte / self.stride as u64) as u32, byte % self.stride as u64)
    }

    pub(super) const fn warps_of(&self, rank: u32) -> WarpSet {
        if self.is_single() {
            return WarpSet::first(MAX_WARPS);
        }
        WarpSet(WarpSet::first(self.warps).0 << (rank * self.warps))
    }

    /// The number of whole warpgroups in all blocks.
    pub(super) const fn warpgroups(&self) -> usize {
        self.count as usize * (self.warps as usize / WARPS)
    }

    /// The number of a warp's warpgroup, if that is whole.
    pub(super) const fn warpgroup_of(&self, warp: u16) -> Option<usize> {
        let (groups, group) =
            (self.warps as usize / WARPS, self.within_block(warp) as usize / WARPS);
        if group < groups { Some(self.rank_of(warp) as usize * groups + group) } else { None }
    }

    /// The rank of the block of a warpgroup, and its number there.
    pub(super) const fn warpgroup(&self, group: usize) -> (u32, usize) {
        let groups = self.warps as usize / WARPS;
        ((group / groups) as u32, group % groups)
    }

    /// The words of the machine's shared memory.
    pub(super) const fn words(&self) -> usize {
        self.stride as usize / 4 * self.count() as usize
    }

    /// All threads of the block of this rank have exited.
    pub(super) const fn end(&mut self, rank: u32) {
        self.ended |= 1 << rank;
    }

    /// Whether all threads of the block of this rank have exited.
    pub(super) const fn has_ended(&self, rank: u32) -> bool {
        self.ended >> rank & 1 == 1
    }

    /// The size in bytes of a block's shared memory.
    pub(super) const fn room(&self) -> u64 {
        self.room as u64
    }

    /// The byte of the machine's shared memory at which that of the block of this rank begins.
    pub const fn start(&self, rank: u32) -> u64 {
        rank as u64 * self.stride as u64
    }

    /// The kernel's address of the same place.
    pub(super) const fn address(rank: u32) -> u64 {
        (rank as u64) << RANK
    }

    /// Splits a kernel's address of shared memory into the rank of its block and the offset there.
    pub(super) const fn split(addr: u64) -> (u64, u64) {
        (addr >> RANK, addr & ((1 << RANK) - 1))
    }
}

/// Clusters in which a launch cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitBlocks {
    /// No GPU supports so many blocks.
    #[error("a cluster has at most 16 blocks, not {0}")]
    Size(u64),
    /// The grid cannot be divided into them.
    #[error("a grid of {} blocks is no multiple of clusters of {}", sides(*.grid), sides(*.shape))]
    Grid {
        /// The size of a cluster in blocks.
        shape: Dim3,
        /// The size of the grid in blocks.
        grid: Dim3,
    },
    /// The simulator does not run so many warps together.
    #[error("clusters of {0} warps are not supported: all their blocks together have at most 64")]
    Warps(u64),
}

fn sides(Dim3 { x, y, z }: Dim3) -> String {
    format!("{x} x {y} x {z}")
}
