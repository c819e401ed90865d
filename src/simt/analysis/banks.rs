//! Shared memory: the banks that one warp's access touches, and the wavefronts that it costs.

use crate::sim::{Access, Direction, LaneMask, Route};
use serde::Serialize;
use std::iter::Sum;

/// Banks of shared memory, each one word wide.
pub const BANKS: usize = 32;
/// Bytes of one bank's word: bank = (byte address / 4) mod 32.
pub const WORD: u64 = 4;

/// Bytes that the lanes of one group may ask for: as many as all banks deliver in one pass.
const GROUP_BYTES: u32 = BANKS as u32 * WORD as u32;
/// Most words of one group: 32 paired lanes of 8 bytes, each on 3 words if misaligned.
const MOST_WORDS: usize = 96;

/// The cost of one shared memory instruction of one warp, or a sum of such costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wavefronts {
    /// Passes through the banks.
    pub wavefronts: u32,
    /// Bank conflicts: wavefronts beyond one per group of lanes, as several words of one bank need a
    /// wavefront each (`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*`, measured on an H200).
    pub conflicts: u32,
    /// The largest number of distinct words in one bank, over the groups ("n-way").
    pub ways: u32,
    /// Groups with an active lane, served one after the other.
    pub groups: u32,
    /// Nsight Compute's ideal (`memory_l1_wavefronts_shared_ideal`): enough passes for all the
    /// bytes that the lanes ask for, but no more than `wavefronts`.
    ///
    /// It ignores that neighbouring lanes may share an address: for a 16-byte load in which each
    /// quarter warp reads one address, two quarters each in the same banks, it reports 4. The load
    /// does take 4, although the hardware reports two conflicts (`blocked_2d`, 32x32x8, measured on
    /// an H200): apart by a bank, such addresses take 2. What would do is [`Self::least`].
    pub ideal: u32,
}

impl Wavefronts {
    /// The wavefronts that would do if no bank had two words to serve: one per group of lanes.
    pub const fn least(&self) -> u32 {
        self.wavefronts - self.conflicts
    }
}

impl Sum for Wavefronts {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |sum, cost| Self {
            wavefronts: sum.wavefronts + cost.wavefronts,
            conflicts: sum.conflicts + cost.conflicts,
            ways: sum.ways.max(cost.ways),
            groups: sum.groups + cost.groups,
            ideal: sum.ideal + cost.ideal,
        })
    }
}

/// One wavefront: the words that the banks deliver in one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The active lanes of the group that it serves.
    pub group: LaneMask,
    /// The word that each bank reads or writes, if any.
    pub cells: [Option<BankWord>; BANKS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankWord {
    /// The word's number: its byte address / 4.
    pub word: u64,
    /// The lanes that share it; for a load, a broadcast if there is more than one.
    pub lanes: LaneMask,
}

/// Counts by the rules measured on an H200 (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*`): a
/// group of lanes costs as many wavefronts as the busiest bank has distinct words to serve. For an
/// atomic operation it is as many as that bank has lanes to serve, since there lanes do not share a
/// word.
pub fn wavefronts(access: &Access) -> Wavefronts {
    let mut cost = Wavefronts::default();
    for group in groups(access) {
        let ways = ways(access, group);
        cost.wavefronts += ways;
        cost.conflicts += ways - 1;
        cost.ways = cost.ways.max(ways);
        cost.groups += 1;
    }
    cost.ideal = asked(access).div_ceil(GROUP_BYTES).min(cost.wavefronts);
    cost
}

/// Bytes that the lanes ask for; lanes that share an address count separately.
fn asked(access: &Access) -> u32 {
    access.active.count() * u32::from(access.bytes)
}

/// Returns the wavefronts one by one, as many as [`wavefronts`] counts.
///
/// In which order the hardware serves the words of a bank is not known; here the lowest lane's word
/// comes first.
pub fn passes(access: &Access) -> Vec<Pass> {
    let mut all = Vec::new();
    for group in groups(access) {
        let start = all.len();
        for lane in group.lanes() {
            for word in words(access, lane) {
                serve(&mut all, (start, shares(access)), group, lane, word);
            }
        }
    }
    all
}

/// Adds a lane's word to the first pass, from `start` on, whose bank is free or serves that word.
fn serve(
    passes: &mut Vec<Pass>,
    (start, shared): (usize, bool),
    group: LaneMask,
    lane: usize,
    word: u64,
) {
    let bank = bank(word);
    let fits = |pass: &Pass| pass.cells[bank].is_none_or(|cell| shared && cell.word == word);
    let index = passes[start..].iter().position(fits).map_or(passes.len(), |at| start + at);
    if index == passes.len() {
        passes.push(Pass { group, cells: [None; BANKS] });
    }
    let lanes = passes[index].cells[bank].map_or(LaneMask::NONE, |cell| cell.lanes);
    passes[index].cells[bank] = Some(BankWord { word, lanes: LaneMask(lanes.0 | 1 << lane) });
}

/// Whether lanes that touch the same word are served together.
fn shares(access: &Access) -> bool {
    access.direction != Direction::Atomic
}

/// Returns the active lanes of each group of consecutive lanes that has any.
fn groups(access: &Access) -> impl Iterator<Item = LaneMask> {
    let size = group_size(access);
    (0..32 / size)
        .map(move |index| access.active.and(LaneMask(LaneMask::first(size).0 << (index * size))))
        .filter(|group| !group.is_empty())
}

/// Lanes per group: 32 for 4 bytes per lane, 16 for 8, 8 for 16; twice as many for a wide load
/// whose neighbours share their addresses. Stores never pair up, nor do the rows of `ldmatrix`.
fn group_size(access: &Access) -> u32 {
    let size = (GROUP_BYTES / u32::from(access.bytes)).min(32);
    let plain_load = access.direction == Direction::Load && access.route == Route::Lanes;
    let wide_load = plain_load && size < 32;
    if wide_load && (pairs_up(access, 1) || pairs_up(access, 2)) { 2 * size } else { size }
}

/// Whether every active lane's partner (lane XOR `distance`) is inactive or has the same address.
///
/// Measured over the whole warp. Deciding it for each half separately, or requiring that the
/// partner be active, looks right on common patterns but is wrong.
fn pairs_up(access: &Access, distance: usize) -> bool {
    access.touched().all(|(lane, addr)| {
        let partner = lane ^ distance;
        !access.active.has(partner) || access.addrs[partner] == addr
    })
}

/// Returns the largest number of distinct words in one bank; at least 1, since `lanes` is not
/// empty.
fn ways(access: &Access, lanes: LaneMask) -> u32 {
    const NONE: u64 = u64::MAX;
    let mut served = [NONE; BANKS];
    for lane in lanes.lanes() {
        for word in words(access, lane) {
            let bank = &mut served[bank(word)];
            if *bank != NONE && !(*bank == word && shares(access)) {
                return crowded_ways(access, lanes);
            }
            *bank = word;
        }
    }
    1
}

/// [`ways`] where some bank has more than one word or lane to serve: sorts the words by bank and
/// counts the runs.
#[cold]
fn crowded_ways(access: &Access, lanes: LaneMask) -> u32 {
    // Rotated so that the bank is in the highest bits and decides the order first.
    let mut keys = [0; MOST_WORDS];
    let mut count = 0;
    for lane in lanes.lanes() {
        for word in words(access, lane) {
            keys[count] = word.rotate_right(BANKS.ilog2());
            count += 1;
        }
    }
    let keys = &mut keys[..count];
    keys.sort_unstable();
    let (mut most, mut run) = (1, 1);
    for pair in keys.windows(2) {
        let same_bank =
            bank(pair[0].rotate_left(BANKS.ilog2())) == bank(pair[1].rotate_left(BANKS.ilog2()));
        run = if same_bank { run + u32::from(pair[0] != pair[1] || !shares(access)) } else { 1 };
        most = most.max(run);
    }
    most
}

/// The words that a lane touches, ascending.
fn words(access: &Access, lane: usize) -> impl Iterator<Item = u64> {
    let addr = access.addrs[lane];
    addr / WORD..=(addr + u64::from(access.bytes) - 1) / WORD
}

const fn bank(word: u64) -> usize {
    word as usize % BANKS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ptx::Space;

    fn access(direction: Direction, bytes: u8, addr: impl Fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| addr(lane as u64));
        Access {
            space: Space::Shared,
            direction,
            bytes,
            route: Route::Lanes,
            active: LaneMask::ALL,
            addrs,
        }
    }

    fn load(bytes: u8, addr: impl Fn(u64) -> u64) -> Wavefronts {
        wavefronts(&access(Direction::Load, bytes, addr))
    }

    /// Any aligned access, with repeats and common banks likely.
    fn any_access() -> impl Strategy<Value = Access> {
        let direction =
            prop::sample::select(vec![Direction::Load, Direction::Store, Direction::Atomic]);
        let bytes = prop::sample::select(vec![1u8, 2, 4, 8, 16]);
        let step = prop::sample::select(vec![1u64, 4, 32]);
        (direction, bytes, any::<u32>(), step, prop::array::uniform32(0u64..64), any::<bool>())
            .prop_map(|(direction, bytes, mask, step, at, paired)| {
                let lane = |lane: u64| if paired { lane & !1 } else { lane };
                let addr = |i: u64| at[lane(i) as usize] * step * u64::from(bytes);
                Access { active: LaneMask(mask), ..access(direction, bytes, addr) }
            })
    }

    #[test]
    fn a_row_is_free_of_conflicts_and_a_column_is_the_worst() {
        let row = load(4, |lane| 4 * lane);
        assert_eq!(row, Wavefronts { wavefronts: 1, conflicts: 0, ways: 1, groups: 1, ideal: 1 });
        let column = load(4, |lane| 128 * lane);
        assert_eq!(
            column,
            Wavefronts { wavefronts: 32, conflicts: 31, ways: 32, groups: 1, ideal: 1 }
        );
        let padded = load(4, |lane| 132 * lane);
        assert_eq!(padded.wavefronts, 1);
    }

    #[test]
    fn a_broadcast_costs_one_pass_but_two_at_sixteen_bytes() {
        assert_eq!(load(4, |_| 64).wavefronts, 1);
        assert_eq!(load(8, |_| 64).wavefronts, 1);
        assert_eq!(load(16, |_| 64).wavefronts, 2);
    }

    #[test]
    fn two_rows_of_doubles_in_the_same_banks_are_a_conflict_that_a_column_more_mends() {
        // Two half warps, each of which reads one double: measured on an H200.
        let rows_of = |doubles: u64| load(8, move |lane| lane / 16 * 8 * doubles);
        let same = rows_of(16);
        assert_eq!((same.wavefronts, same.conflicts, same.least(), same.ideal), (2, 1, 1, 2));
        let padded = rows_of(17);
        assert_eq!((padded.wavefronts, padded.conflicts, padded.least()), (1, 0, 1));
    }

    #[test]
    fn stores_never_pair_up() {
        let store = wavefronts(&access(Direction::Store, 16, |_| 64));
        assert_eq!(store, Wavefronts { wavefronts: 4, conflicts: 0, ways: 1, groups: 4, ideal: 4 });
    }

    #[test]
    fn atomic_operations_on_one_word_come_one_after_the_other() {
        let count = wavefronts(&access(Direction::Atomic, 4, |_| 64));
        assert_eq!((count.wavefronts, count.ideal), (32, 1));
        let bins = wavefronts(&access(Direction::Atomic, 4, |lane| 4 * (lane % 8)));
        assert_eq!((bins.wavefronts, bins.ideal), (4, 1));
    }

    #[test]
    fn no_active_lane_costs_nothing() {
        let access = Access { active: LaneMask::NONE, ..access(Direction::Load, 4, |_| 0) };
        assert_eq!(wavefronts(&access), Wavefronts::default());
        assert_eq!(passes(&access), []);
    }

    #[test]
    fn a_pass_says_which_lanes_share_a_word() {
        let passes = passes(&access(Direction::Load, 4, |lane| if lane < 2 { 0 } else { 128 }));
        let cells: Vec<_> = passes.iter().map(|pass| pass.cells[0]).collect();
        let cell = |word, lanes| Some(BankWord { word, lanes: LaneMask(lanes) });
        assert_eq!(cells, [cell(0, 0b11), cell(32, !0b11)]);
        assert!(passes.iter().all(|pass| pass.cells[1..].iter().all(Option::is_none)));
    }

    proptest! {
        #[test]
        fn there_are_as_many_passes_as_wavefronts(access in any_access()) {
            prop_assert_eq!(passes(&access).len(), wavefronts(&access).wavefronts as usize);
        }

        #[test]
        fn every_active_lane_finds_each_of_its_words_in_just_one_pass(access in any_access()) {
            let passes = passes(&access);
            for lane in 0..32 {
                let mut found: Vec<u64> = passes.iter()
                    .flat_map(|pass| pass.cells.iter().flatten())
                    .filter(|cell| cell.lanes.has(lane))
                    .map(|cell| cell.word)
                    .collect();
                found.sort_unstable();
                let wanted: Vec<u64> = words(&access, lane).collect();
                prop_assert_eq!(found, if access.active.has(lane) { wanted } else { vec![] });
            }
        }

        #[test]
        fn each_word_is_in_its_own_bank(access in any_access()) {
            for pass in passes(&access) {
                for (index, cell) in pass.cells.iter().enumerate() {
                    prop_assert!(cell.is_none_or(|cell| bank(cell.word) == index));
                }
            }
        }

        #[test]
        fn costs_are_within_bounds(access in any_access()) {
            let cost = wavefronts(&access);
            let active = access.active.count();
            prop_assert!(cost.groups <= cost.wavefronts && cost.wavefronts <= active);
            prop_assert!(cost.ideal <= cost.wavefronts && (cost.ideal > 0) == (active > 0));
            prop_assert_eq!(cost.wavefronts, cost.groups + cost.conflicts);
            prop_assert_eq!(cost.wavefronts > 0, active > 0);
        }

        #[test]
        fn a_shift_by_all_banks_changes_nothing(access in any_access()) {
            let addrs = access.addrs.map(|addr| addr + 128);
            prop_assert_eq!(wavefronts(&Access { addrs, ..access.clone() }), wavefronts(&access));
        }
    }
}
