//! How the value in a register changes from block to block of a region.

use super::region::{AXES, RegionCut};
use crate::sim::LaneMask;

/// How the 32 values of a register change from block to block, unless they depend on data.
///
/// In a lane that is neither in `varies` of any axis nor in `data`, the register of the block that
/// is `i`, `j`, `k` blocks after the region's first holds the first block's value plus `i`, `j` and
/// `k` times the slopes, modulo two to the power of the register's width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Affine {
    pub(super) axes: Axes,
    /// Lanes whose value depends on the contents of memory.
    pub(super) data: LaneMask,
}

/// Along x, y and z.
pub(super) type Axes = [Along; 3];

/// The change along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Along {
    /// Change from one block to the next, as a signed number of the register's width.
    pub(super) slope: i64,
    /// Lanes that change in some other way.
    pub(super) varies: LaneMask,
    /// The cut that may resolve that.
    pub(super) cut: RegionCut,
}

impl Along {
    /// Marks `lanes` as changing in some other way, which this cut may resolve.
    pub(super) fn vary(&mut self, lanes: LaneMask, cut: RegionCut) {
        if !lanes.is_empty() {
            self.varies = self.varies.or(lanes);
            self.cut = cut;
        }
    }
}

impl Affine {
    /// A value that depends on memory in every lane.
    pub(super) const DATA: Self = Self {
        axes: [Along { slope: 0, varies: LaneMask::NONE, cut: RegionCut::Half }; 3],
        data: LaneMask::ALL,
    };

    /// Whether the value has a slope along some axis.
    pub(super) fn moves(&self) -> bool {
        self.axes.iter().any(|along| along.slope != 0)
    }

    /// Joins an operand: a lane unknown in it is unknown in the result. Ignores slopes.
    pub(super) fn join(&mut self, operand: &Self) {
        self.data = self.data.or(operand.data);
        for (along, of) in self.axes.iter_mut().zip(&operand.axes) {
            along.vary(of.varies, of.cut);
        }
    }

    /// The join for a result to which, in each lane, the operands of all lanes contribute.
    pub(super) fn of_all_lanes<'a>(operands: impl Iterator<Item = &'a Self>) -> Self {
        let mut result = Self::default();
        for operand in operands {
            result.join(operand);
            for (along, of) in result.axes.iter_mut().zip(&operand.axes) {
                if of.slope != 0 {
                    along.vary(LaneMask::ALL, RegionCut::Half);
                }
            }
        }
        let everywhere = |lanes: LaneMask| if lanes.is_empty() { lanes } else { LaneMask::ALL };
        result.data = everywhere(result.data);
        for along in &mut result.axes {
            along.varies = everywhere(along.varies);
        }
        result
    }

    /// Replaces the value in `lanes` by `new`.
    pub(super) fn write(&mut self, new: &Self, lanes: LaneMask) {
        if lanes.is_empty() {
            return;
        }
        self.data = self.data.without(lanes).or(new.data.and(lanes));
        for axis in AXES {
            let (old, new) = (&mut self.axes[axis], new.axes[axis]);
            old.varies = old.varies.without(lanes);
            if old.slope != new.slope {
                old.vary(LaneMask::ALL.without(lanes), RegionCut::Half);
                old.slope = new.slope;
            }
            old.vary(new.varies.and(lanes), new.cut);
        }
    }
}
