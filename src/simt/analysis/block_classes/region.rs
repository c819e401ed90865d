//! A region of the grid: every n-th block along each axis.

use crate::launch::Dim3;

/// The axes of a grid.
pub(super) const AXES: [usize; 3] = [0, 1, 2];

/// Blocks that may turn out to form one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// The first block.
    start: [u32; 3],
    /// The step from one block to the next along each axis.
    stride: [u32; 3],
    /// The number of blocks along each axis, at least one.
    count: [u32; 3],
}

/// Where to cut a region, along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RegionCut {
    /// In the middle.
    #[default]
    Half,
    /// Before the block of this number along the axis; a number outside the region means the
    /// middle.
    Before(u32),
    Residues(u32),
}

impl Region {
    pub(super) fn whole(grid: Dim3) -> Self {
        Self { start: [0; 3], stride: [1; 3], count: [grid.x, grid.y, grid.z] }
    }

    /// The first of its blocks, also in grid order.
    pub(super) fn first(&self) -> Dim3 {
        let [x, y, z] = self.start;
        Dim3::new(x, y, z)
    }

    pub(super) fn blocks(&self) -> u64 {
        let [x, y, z] = self.count;
        Dim3::new(x, y, z).volume()
    }

    /// The growth of `%ctaid` from block to block, or 0 where there is only one block.
    pub(super) fn slope(&self, axis: usize) -> i64 {
        if self.count[axis] > 1 { self.stride[axis].into() } else { 0 }
    }

    /// Cuts the region; each piece is smaller, if there is more than one block along the axis.
    pub(super) fn cut(&self, axis: usize, cut: RegionCut) -> Vec<Self> {
        let count = self.count[axis];
        match cut {
            RegionCut::Residues(classes) if classes > 1 => (0..classes.min(count))
                .map(|residue| self.residue(axis, residue, classes))
                .collect(),
            RegionCut::Before(at) if (1..count).contains(&at) => self.before(axis, at),
            RegionCut::Half | RegionCut::Before(_) | RegionCut::Residues(_) => {
                self.before(axis, count / 2)
            }
        }
    }

    fn residue(&self, axis: usize, residue: u32, classes: u32) -> Self {
        let mut piece = *self;
        piece.start[axis] += residue * self.stride[axis];
        piece.count[axis] = (self.count[axis] - residue).div_ceil(classes);
        piece.stride[axis] = self.stride[axis].saturating_mul(classes);
        piece
    }

    fn before(&self, axis: usize, at: u32) -> Vec<Self> {
        let (mut low, mut high) = (*self, *self);
        low.count[axis] = at;
        high.count[axis] -= at;
        high.start[axis] += at * self.stride[axis];
        vec![high, low]
    }

    /// Returns the lowest and the highest change, relative to the first block, of a value with
    /// these slopes.
    pub(super) fn extent(&self, slopes: [i128; 3]) -> (i128, i128) {
        AXES.iter().fold((0, 0), |(less, more), &axis| {
            let change = slopes[axis] * i128::from(self.count[axis] - 1);
            (less + change.min(0), more + change.max(0))
        })
    }

    /// Returns by how much a value with this slope changes along an axis.
    pub(super) fn change(&self, axis: usize, slope: i64) -> u64 {
        slope.unsigned_abs().saturating_mul(u64::from(self.count[axis] - 1))
    }

    /// Returns the axis along which a value with these slopes changes most, and where it leaves the
    /// range from `low` to `high`, which contains `first`.
    pub(super) fn leaves(
        &self,
        first: i128,
        slopes: [i128; 3],
        (low, high): (i128, i128),
    ) -> (usize, RegionCut) {
        let change = |axis: &usize| slopes[*axis].abs() * i128::from(self.count[*axis] - 1);
        let axis = AXES.into_iter().max_by_key(change).unwrap_or_default();
        let blocks = match slopes[axis] {
            slope if slope > 0 => (high - first) / slope + 1,
            slope if slope < 0 => (first - low) / -slope + 1,
            _ => 0,
        };
        (axis, u32::try_from(blocks).map_or(RegionCut::Half, RegionCut::Before))
    }
}
