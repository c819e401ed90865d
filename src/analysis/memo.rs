//! Costs remembered: an instruction in a loop repeats its pattern of addresses, only shifted.

use super::{banks, coalesce};
use crate::ptx::Space;
use crate::sim::{Access, LaneMask, Pc};

/// What an access costs in the unit of its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// 32-byte sectors of global memory.
    Sectors(u32),
    /// Passes through the banks of shared memory, and how few would do.
    Wavefronts {
        /// Passes.
        wavefronts: u32,
        /// How few would do: see [`banks::Wavefronts::ideal`].
        ideal: u32,
        /// Bank conflicts.
        conflicts: u32,
    },
    /// Local memory, constants and parameters have no cost here.
    None,
}

impl Cost {
    /// Counts anew.
    pub fn of(access: &Access) -> Self {
        match access.space {
            Space::Global => Self::Sectors(coalesce::sectors(access).sectors),
            Space::Shared => {
                let banks::Wavefronts { wavefronts, ideal, conflicts, .. } =
                    banks::wavefronts(access);
                Self::Wavefronts { wavefronts, ideal, conflicts }
            }
            Space::Local | Space::Param | Space::Const | Space::Generic => Self::None,
        }
    }
}

/// The last costs of each instruction.
///
/// An access of the same lanes costs the same if all its addresses are shifted by whole sectors,
/// in shared memory even by whole words: the banks change places and nothing else.
#[derive(Debug, Default)]
pub struct Memo {
    /// For each instruction, one for each word of a sector in which lane 0 may begin.
    seen: Vec<[Option<Box<Seen>>; PLACES]>,
}

/// Words of a sector.
const PLACES: usize = (coalesce::SECTOR / banks::WORD) as usize;

#[derive(Debug)]
struct Seen {
    active: LaneMask,
    /// A generic address may be in either.
    space: Space,
    addrs: [u64; 32],
    cost: Cost,
}

impl Memo {
    /// The cost of the access that the instruction at `pc` made.
    #[inline]
    pub fn cost(&mut self, pc: Pc, access: &Access) -> Cost {
        let index = pc.0 as usize;
        if self.seen.len() <= index {
            self.seen.resize_with(index + 1, Default::default);
        }
        let place = access.addrs[0] % coalesce::SECTOR / banks::WORD;
        let seen = &mut self.seen[index][place as usize];
        if let Some(seen) = seen
            && seen.active == access.active
            && seen.space == access.space
            && shifted(seen, &access.addrs)
        {
            return seen.cost;
        }
        let Access { active, space, addrs, .. } = *access;
        let cost = Cost::of(access);
        *seen = Some(Box::new(Seen { active, space, addrs, cost }));
        cost
    }
}

/// Whether `addrs` are those seen but for a shift that costs nothing.
fn shifted(seen: &Seen, addrs: &[u64; 32]) -> bool {
    let unit = if seen.space == Space::Shared { banks::WORD } else { coalesce::SECTOR };
    let shift = addrs[0].wrapping_sub(seen.addrs[0]);
    shift.is_multiple_of(unit) && all_shifted(&seen.addrs, addrs, shift)
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn all_shifted(from: &[u64; 32], to: &[u64; 32], shift: u64) -> bool {
    let differences = from.iter().zip(to).map(|(from, to)| to.wrapping_sub(*from) ^ shift);
    differences.fold(0, |any, difference| any | difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let mut memo = Memo::default();
            for (shift, whole) in shifts {
                let unit = u64::from(bytes);
                let addrs = places.map(|place| (place + shift) * unit);
                let active = LaneMask(if whole { u32::MAX } else { active });
                let access = Access { space, direction: Direction::Load, bytes, route, active, addrs };
                prop_assert_eq!(memo.cost(Pc(3), &access), Cost::of(&access));
            }
        }
    }
}
