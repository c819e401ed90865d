//! The threads of a warp, as they would be if threads were numbered in another way.

use crate::launch::{Dim3, WARP_SIZE};
use crate::sim::{Access, LaneMask};
use std::collections::BTreeMap;

/// A thread of the block: x, y and z.
pub(super) type Thread = (u32, u32, u32);

/// A learner's numbering of a block's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// Each row of the block begins a new warp.
    Rows,
    /// Along y, then along x.
    YFastest,
}

impl Numbering {
    /// The warp and the lane of a thread.
    pub(super) const fn place(self, block: Dim3, (x, y, z): Thread) -> (u32, u32) {
        match self {
            Self::Rows => {
                let row = z * block.y + y;
                (row * block.x.div_ceil(WARP_SIZE) + x / WARP_SIZE, x % WARP_SIZE)
            }
            Self::YFastest => {
                let number = (z * block.x + x) * block.y + y;
                (number / WARP_SIZE, number % WARP_SIZE)
            }
        }
    }

    /// The threads of a warp, lane by lane.
    pub(super) fn members(self, block: Dim3, warp: u32) -> Vec<(u32, Thread)> {
        let threads = (0..block.volume()).map(|index| block.place(index));
        let threads = threads.map(|place| (place.x, place.y, place.z));
        let placed = threads.map(|thread| (self.place(block, thread), thread));
        let own = placed.filter(|((of, _), _)| *of == warp);
        own.map(|((_, lane), thread)| (lane, thread)).collect()
    }

    pub(super) const fn warps(self, block: Dim3) -> u32 {
        match self {
            Self::Rows => block.y * block.z * block.x.div_ceil(WARP_SIZE),
            Self::YFastest => (block.volume() as u32).div_ceil(WARP_SIZE),
        }
    }

    /// The access of this warp, if the threads of the block use these addresses; `like` says what
    /// kind of access it is.
    pub(super) fn access(
        self,
        like: &Access,
        block: Dim3,
        warp: u32,
        addresses: &BTreeMap<Thread, u64>,
    ) -> Access {
        let members = self.members(block, warp).into_iter();
        let taking =
            members.filter_map(|(lane, thread)| Some((lane as usize, *addresses.get(&thread)?)));
        of_lanes(like, taking)
    }
}

/// An access of the same kind by these lanes, with their addresses.
pub(super) fn of_lanes(like: &Access, lanes: impl IntoIterator<Item = (usize, u64)>) -> Access {
    let mut access = Access { active: LaneMask::NONE, addrs: [0; 32], ..like.clone() };
    for (lane, address) in lanes.into_iter().filter(|(lane, _)| *lane < 32) {
        access.active = access.active.or(LaneMask(1 << lane));
        access.addrs[lane] = address;
    }
    access
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(numbering: Numbering, block: Dim3, warp: u32) -> Vec<Thread> {
        let members = numbering.members(block, warp);
        assert!(
            members.iter().all(|(lane, thread)| numbering.place(block, *thread) == (warp, *lane))
        );
        members.into_iter().map(|(_, thread)| thread).collect()
    }

    #[test]
    fn a_row_is_a_warp_of_as_many_lanes_as_it_has_threads() {
        let block = Dim3::flat(16, 16);
        let row: Vec<_> = (0..16).map(|x| (x, 3, 0)).collect();
        assert_eq!(threads(Numbering::Rows, block, 3), row);
        assert_eq!(Numbering::Rows.warps(block), 16);
        // A row of 64 threads is two warps, as it really is.
        let wide: Vec<_> = (32..64).map(|x| (x, 1, 0)).collect();
        assert_eq!(threads(Numbering::Rows, Dim3::flat(64, 4), 3), wide);
    }

    #[test]
    fn with_y_first_a_warp_is_two_columns() {
        let block = Dim3::flat(16, 16);
        let mut columns = threads(Numbering::YFastest, block, 3);
        columns.sort_unstable();
        let expected: Vec<_> = (6..8).flat_map(|x| (0..16).map(move |y| (x, y, 0))).collect();
        assert_eq!(columns, expected);
        assert_eq!(Numbering::YFastest.place(block, (5, 3, 0)), (2, 19));
    }
}
