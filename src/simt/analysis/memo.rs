//! A cache of access costs: an instruction in a loop repeats its pattern of addresses, only
//! shifted.

use super::{Counters, banks, coalesce};
use crate::sim::{Access, LaneMask, Pc, all_shifted};
use ptx::Space;

/// The counts that the last accesses of each instruction add, and how often they occurred.
///
/// An access of the same lanes costs the same if all its addresses are shifted by whole sectors, in
/// shared memory even by whole words: that only permutes the banks.
#[derive(Debug, Default)]
pub(super) struct Memo {
    sites: Vec<MemoSite>,
}

/// The remembered accesses of one instruction.
#[derive(Debug, Default)]
struct MemoSite {
    /// The number of times that its lane pattern has changed.
    shape: u64,
    /// One entry for each word of a sector at which lane 0 may begin.
    seen: [Option<Box<MemoEntry>>; PLACES],
}

const PLACES: usize = (coalesce::SECTOR / banks::WORD) as usize;

#[derive(Debug)]
struct MemoEntry {
    active: LaneMask,
    /// Kept because a generic address may be in either space.
    space: Space,
    addrs: [u64; 32],
    /// The value of [`MemoSite::shape`] when the addresses were last these, up to a shift.
    shape: u64,
    /// Accesses not yet added to the sum.
    times: u64,
    adds: Counters,
}

impl Memo {
    /// Adds the counts of the access by the instruction at `pc` to `sum`, now or in
    /// [`Self::settle`]; `count` computes them if they are not known.
    ///
    /// `repeats` says that the addresses are those of the last access at `pc` but for a shift: see
    /// [`Machine::repeats`](crate::sim::Machine::repeats).
    #[inline]
    pub(super) fn add(
        &mut self,
        (pc, repeats): (Pc, bool),
        access: &Access,
        sum: &mut Counters,
        count: impl FnOnce() -> Counters,
    ) {
        let index = pc.0 as usize;
        if self.sites.len() <= index {
            self.sites.resize_with(index + 1, Default::default);
        }
        let MemoSite { shape, seen } = &mut self.sites[index];
        *shape += u64::from(!repeats);
        let seen = &mut seen[(access.addrs[0] % coalesce::SECTOR / banks::WORD) as usize];
        match seen {
            Some(seen) if seen.costs_the_same(access, *shape) => {
                seen.shape = *shape;
                seen.times += 1;
            }
            _ => {
                let Access { active, space, addrs, .. } = *access;
                let (shape, adds) = (*shape, count());
                let new = MemoEntry { active, space, addrs, shape, times: 1, adds };
                seen.replace(Box::new(new)).into_iter().for_each(|mut seen| seen.settle(sum));
            }
        }
    }

    /// Adds all counts that are still outstanding.
    pub(super) fn settle(&mut self, sum: &mut Counters) {
        let seen = self.sites.iter_mut().flat_map(|site| &mut site.seen).flatten();
        seen.for_each(|seen| seen.settle(sum));
    }
}

impl MemoEntry {
    /// Whether an access is the same but for a shift that costs nothing; `shape` is the
    /// instruction's current one.
    #[inline]
    fn costs_the_same(&self, access: &Access, shape: u64) -> bool {
        let unit = if self.space == Space::Shared { banks::WORD } else { coalesce::SECTOR };
        let shift = access.addrs[0].wrapping_sub(self.addrs[0]);
        (self.active, self.space) == (access.active, access.space)
            && shift.is_multiple_of(unit)
            && (self.shape == shape || all_shifted(&self.addrs, &access.addrs, shift))
    }

    fn settle(&mut self, sum: &mut Counters) {
        sum.merge_times(&self.adds, std::mem::take(&mut self.times));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::vectorise::Replacement;
    use crate::sim::{Direction, Route};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_remembered_is_what_would_be_counted(
            space in prop::sample::select(vec![Space::Global, Space::Shared]),
            bytes in prop::sample::select(vec![1u8, 2, 4, 8, 16]),
            route in prop::sample::select(vec![Route::Lanes, Route::Rows]),
            active in any::<u32>(),
            places in prop::array::uniform32(0u64..40),
            shifts in prop::collection::vec((0u64..70, any::<bool>()), 12),
        ) {
            let (mut memo, mut last) = (Memo::default(), None);
            let [mut sum, mut expected] = [Counters::default(); 2];
            for (shift, whole) in shifts {
                let unit = u64::from(bytes);
                let addrs = places.map(|place| (place + shift) * unit);
                let active = LaneMask(if whole { u32::MAX } else { active });
                let access = Access { space, direction: Direction::Load, bytes, route, active, addrs };
                // All of these have one shape; a machine reports a repeat for whole warps only.
                let repeats = last.replace(whole) == Some(true) && whole;
                let count = || {
                    let mut adds = Counters::default();
                    adds.add_access(&access, Replacement::default());
                    adds
                };
                expected.add_access(&access, Replacement::default());
                memo.add((Pc(3), repeats), &access, &mut sum, count);
            }
            memo.settle(&mut sum);
            prop_assert_eq!(sum, expected);
        }
    }
}
