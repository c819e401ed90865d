//! Special registers: a thread's position and properties of its launch.

use super::block_group::BlockGroup;
use crate::launch::{Dim3, Launch, WARP_SIZE};

/// Special registers (PTX ISA, "Special Registers"); the axes are 0 = x, 1 = y, 2 = z.
///
/// The simulated GPU has one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    ClusterId(u8),
    NClusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    /// `%is_explicit_cluster`: whether the kernel or its launch gives the size of clusters.
    IsExplicitCluster,
    LaneId,
    WarpId,
    NWarpId,
    /// `%lanemask_..`: the lanes in this relation to the thread's own.
    LaneMask(Relation),
    /// A register with one value for all threads here: `%smid`, `%gridid`.
    Fixed(u32),
}

/// What special registers tell of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpecialValues<'c> {
    pub(super) launch: Launch,
    pub(super) blocks: &'c BlockGroup,
    /// Whether the size of clusters was given.
    pub(super) explicit: bool,
    /// The block's rank in its cluster.
    pub(super) rank: u32,
}

/// A relation between lane numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

impl Special {
    /// The special register spelt `name`, and its width in bits.
    pub(super) fn from_name(name: &str) -> Option<(Self, u32)> {
        let (family, axis) = name.strip_prefix('%')?.rsplit_once('.').unwrap_or((&name[1..], ""));
        let special = match axis {
            "" => Self::scalar(family)?,
            "x" => Self::of_axis(family, 0)?,
            "y" => Self::of_axis(family, 1)?,
            "z" => Self::of_axis(family, 2)?,
            // The fourth element of these vectors is always zero.
            "w" => Self::of_axis(family, 0).map(|_| Self::Fixed(0))?,
            _ => return None,
        };
        let bits = match family {
            "gridid" | "current_graph_exec" => 64,
            "is_explicit_cluster" => 1,
            _ => 32,
        };
        Some((special, bits))
    }

    /// The axis along which it tells a block from the next, if that runs alone.
    pub const fn axis_of_block(self) -> Option<usize> {
        match self {
            Self::Ctaid(axis) | Self::ClusterId(axis) => Some(axis as usize),
            _ => None,
        }
    }

    fn of_axis(family: &str, axis: u8) -> Option<Self> {
        Some(match family {
            "tid" => Self::Tid(axis),
            "ntid" => Self::Ntid(axis),
            "ctaid" => Self::Ctaid(axis),
            "nctaid" => Self::Nctaid(axis),
            "clusterid" => Self::ClusterId(axis),
            "nclusterid" => Self::NClusterId(axis),
            "cluster_ctaid" => Self::ClusterCtaid(axis),
            "cluster_nctaid" => Self::ClusterNctaid(axis),
            _ => return None,
        })
    }

    fn scalar(family: &str) -> Option<Self> {
        Some(match family {
            "laneid" => Self::LaneId,
            "warpid" => Self::WarpId,
            "nwarpid" => Self::NWarpId,
            "lanemask_eq" => Self::LaneMask(Relation::Eq),
            "lanemask_le" => Self::LaneMask(Relation::Le),
            "lanemask_lt" => Self::LaneMask(Relation::Lt),
            "lanemask_ge" => Self::LaneMask(Relation::Ge),
            "lanemask_gt" => Self::LaneMask(Relation::Gt),
            // The kernel is part of no CUDA graph.
            "smid" | "gridid" | "current_graph_exec" => Self::Fixed(0),
            "nsmid" => Self::Fixed(1),
            "cluster_ctarank" => Self::ClusterCtarank,
            "cluster_nctarank" => Self::ClusterNctarank,
            "is_explicit_cluster" => Self::IsExplicitCluster,
            // The driver sets these to undocumented values; without a driver they are 0.
            _ if family.strip_prefix("envreg").is_some_and(is_envreg) => Self::Fixed(0),
            _ => return None,
        })
    }

    /// Its value in each lane of a warp, given by its number in its block. Threads are numbered with
    /// x varying fastest (PTX ISA, "Thread Hierarchy"), 32 to a warp.
    pub(super) fn lanes(self, of: &SpecialValues<'_>, warp: u32) -> [u64; 32] {
        let SpecialValues { launch, blocks, explicit, rank } = *of;
        let (shape, block) = (blocks.shape(), blocks.place(rank));
        let axis = |size: Dim3, axis: u8| [size.x, size.y, size.z][usize::from(axis)];
        let all = |value: u32| [u64::from(value); 32];
        let thread = |lane: usize| u64::from(warp * WARP_SIZE) + lane as u64;
        match self {
            Self::Tid(of) => {
                std::array::from_fn(|lane| axis(launch.block.place(thread(lane)), of).into())
            }
            Self::Ntid(of) => all(axis(launch.block, of)),
            Self::Ctaid(of) => all(axis(block, of)),
            Self::Nctaid(of) => all(axis(launch.grid, of)),
            Self::ClusterId(of) => all(axis(block, of) / axis(shape, of)),
            Self::NClusterId(of) => all(axis(launch.grid, of) / axis(shape, of)),
            Self::ClusterCtaid(of) => all(axis(block, of) % axis(shape, of)),
            Self::ClusterNctaid(of) => all(axis(shape, of)),
            Self::ClusterCtarank => all(rank),
            Self::ClusterNctarank => all(blocks.count()),
            Self::IsExplicitCluster => all(explicit.into()),
            Self::LaneId => std::array::from_fn(|lane| lane as u64),
            Self::WarpId => all(warp),
            Self::NWarpId => all(launch.warps()),
            Self::LaneMask(relation) => std::array::from_fn(|lane| relation.lanes(lane).into()),
            Self::Fixed(value) => all(value),
        }
    }
}

/// `%envreg0` to `%envreg31`
fn is_envreg(number: &str) -> bool {
    number.parse::<u8>().is_ok_and(|number| number < 32)
}

impl Relation {
    fn lanes(self, lane: usize) -> u32 {
        let own = 1_u32 << lane;
        let below = own - 1;
        match self {
            Self::Eq => own,
            Self::Lt => below,
            Self::Le => below | own,
            Self::Ge => !below,
            Self::Gt => !(below | own),
        }
    }
}
