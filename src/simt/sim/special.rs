//! Special registers: a thread's position and properties of its launch.

use crate::launch::{Dim3, Launch, WARP_SIZE};

/// Special registers (PTX ISA, "Special Registers"); the axes are 0 = x, 1 = y, 2 = z.
///
/// The simulated GPU has one multiprocessor, and every cluster is one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    /// `%ctaid`, and `%clusterid`, which is equal to it.
    Ctaid(u8),
    /// `%nctaid`, `%nclusterid`.
    Nctaid(u8),
    LaneId,
    WarpId,
    NWarpId,
    /// `%lanemask_..`: the lanes in this relation to the thread's own.
    LaneMask(Relation),
    /// A register with one value for all threads here: `%smid`, `%gridid`, ranks in a cluster of
    /// one.
    Fixed(u32),
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
        let wide = ["gridid", "current_graph_exec"].contains(&family);
        Some((special, if wide { 64 } else { 32 }))
    }

    fn of_axis(family: &str, axis: u8) -> Option<Self> {
        Some(match family {
            "tid" => Self::Tid(axis),
            "ntid" => Self::Ntid(axis),
            "ctaid" | "clusterid" => Self::Ctaid(axis),
            "nctaid" | "nclusterid" => Self::Nctaid(axis),
            "cluster_ctaid" => Self::Fixed(0),
            "cluster_nctaid" => Self::Fixed(1),
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
            "smid" | "gridid" | "cluster_ctarank" | "current_graph_exec" => Self::Fixed(0),
            "nsmid" | "cluster_nctarank" => Self::Fixed(1),
            // The driver sets these to undocumented values; without a driver they are 0.
            _ if family.strip_prefix("envreg").is_some_and(is_envreg) => Self::Fixed(0),
            _ => return None,
        })
    }

    /// Its value in each lane of a warp. Threads are numbered with x varying fastest (PTX ISA,
    /// "Thread Hierarchy"), 32 to a warp.
    pub(super) fn lanes(self, launch: Launch, block: Dim3, warp: u32) -> [u64; 32] {
        let axis = |size: Dim3, axis: u8| u64::from([size.x, size.y, size.z][usize::from(axis)]);
        let thread = |lane: usize| u64::from(warp * WARP_SIZE) + lane as u64;
        match self {
            Self::Tid(of) => std::array::from_fn(|lane| axis(launch.block.place(thread(lane)), of)),
            Self::Ntid(of) => [axis(launch.block, of); 32],
            Self::Ctaid(of) => [axis(block, of); 32],
            Self::Nctaid(of) => [axis(launch.grid, of); 32],
            Self::LaneId => std::array::from_fn(|lane| lane as u64),
            Self::WarpId => [u64::from(warp); 32],
            Self::NWarpId => [u64::from(launch.warps()); 32],
            Self::LaneMask(relation) => std::array::from_fn(|lane| relation.lanes(lane).into()),
            Self::Fixed(value) => [value.into(); 32],
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
