//! Global memory: the sectors and lines that one warp's request touches.

use crate::sim::Access;
use serde::Serialize;
use std::iter::Sum;

/// Bytes of one sector, the unit in which global memory is fetched.
pub const SECTOR: u64 = 32;
/// Bytes of one cache line: four sectors.
pub const LINE: u64 = 128;
/// Bytes of one word of a line, as the pictures draw it.
const WORD: u64 = 4;

/// The cost of one global (or local) memory instruction of one warp, or a sum of such costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sectors {
    /// 1, or 0 when no lane was active.
    pub requests: u32,
    /// Distinct 32-byte sectors touched.
    pub sectors: u32,
    /// Distinct 128-byte lines touched.
    pub lines: u32,
    /// Bytes that the lanes asked for, repeats counted.
    #[serde(rename = "bytes_asked")]
    pub asked: u32,
    /// Distinct bytes that the lanes asked for.
    #[serde(rename = "bytes_used")]
    pub distinct: u32,
}

impl Sectors {
    /// Bytes moved: whole sectors.
    pub const fn fetched(self) -> u32 {
        self.sectors * SECTOR as u32
    }

    /// The fewest sectors that could hold the distinct bytes.
    pub const fn ideal(self) -> u32 {
        self.distinct.div_ceil(SECTOR as u32)
    }

    /// Whether lanes share words to the point of requesting as much as is moved: few bytes are used, but
    /// each by many lanes.
    pub const fn is_shared(self) -> bool {
        self.asked > self.distinct && self.asked >= self.fetched()
    }

    /// Whether more is moved than the lanes' bytes need: the one judge of what is not coalesced.
    pub const fn is_scattered(self) -> bool {
        self.sectors > self.ideal() && !self.is_shared()
    }

    /// Bytes asked for per byte moved: above 1 where lanes share bytes; `None` without a request.
    pub fn efficiency(self) -> Option<f64> {
        (self.sectors > 0).then(|| f64::from(self.asked) / f64::from(self.fetched()))
    }

    /// Bytes moved that no lane asked for.
    pub const fn wasted(self) -> u32 {
        self.fetched() - self.distinct
    }
}

impl Sum for Sectors {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |sum, cost| Self {
            requests: sum.requests + cost.requests,
            sectors: sum.sectors + cost.sectors,
            lines: sum.lines + cost.lines,
            asked: sum.asked + cost.asked,
            distinct: sum.distinct + cost.distinct,
        })
    }
}

/// One 128-byte line that a request touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLine {
    /// Byte address of its start.
    pub address: u64,
    /// Its 32 words, word 0 in the lowest bit: set if a lane asked for a byte of the word.
    pub used: u32,
    /// Its four sectors, sector 0 in the lowest bit: set if the sector is fetched.
    pub fetched: u8,
}

impl CacheLine {
    /// Whether a lane asked for a byte of word `word` (0 to 31).
    pub const fn uses(self, word: usize) -> bool {
        self.used >> word & 1 == 1
    }

    /// Whether the sector that holds word `word` (0 to 31) is fetched.
    pub const fn fetches(self, word: usize) -> bool {
        self.fetched >> (word / 8) & 1 == 1
    }
}

/// Counts by the rule measured on an H200 (`l1tex__t_sectors_pipe_lsu_mem_global_op_*`): a request
/// costs one sector for each distinct 32-byte segment that its active lanes touch.
pub fn sectors(access: &Access) -> Sectors {
    let mut addrs = [0; 32];
    let addrs = ascending(access, &mut addrs);
    let bytes = u64::from(access.bytes);
    Sectors {
        requests: u32::from(!addrs.is_empty()),
        sectors: distinct::<SECTOR>(addrs, bytes),
        lines: distinct::<LINE>(addrs, bytes),
        asked: addrs.len() as u32 * u32::from(access.bytes),
        distinct: distinct::<1>(addrs, bytes),
    }
}

/// Returns the lines that the active lanes touch, by ascending address.
pub fn lines(access: &Access) -> Vec<CacheLine> {
    let mut addrs = [0; 32];
    let mut lines: Vec<CacheLine> = Vec::new();
    for &addr in ascending(access, &mut addrs) {
        for word in addr / WORD..=last_byte(addr, u64::from(access.bytes)) / WORD {
            mark(&mut lines, word);
        }
    }
    lines
}

/// Marks a word of memory in its line, and inserts the line in order if it is new.
fn mark(lines: &mut Vec<CacheLine>, word: u64) {
    let address = word * WORD / LINE * LINE;
    let place = word % (LINE / WORD);
    let index = lines.partition_point(|line| line.address < address);
    if lines.get(index).is_none_or(|line| line.address != address) {
        lines.insert(index, CacheLine { address, used: 0, fetched: 0 });
    }
    lines[index].used |= 1 << place;
    lines[index].fetched |= 1 << (place * WORD / SECTOR);
}

/// Sorts the active lanes' addresses into the caller's buffer, in ascending order.
fn ascending<'a>(access: &Access, buffer: &'a mut [u64; 32]) -> &'a [u64] {
    let mut count = 0;
    for (_, addr) in access.touched() {
        buffer[count] = addr;
        count += 1;
    }
    let addrs = &mut buffer[..count];
    if !addrs.is_sorted() {
        addrs.sort_unstable();
    }
    addrs
}

/// Counts the distinct aligned units of `UNIT` bytes that the ranges of `bytes` bytes touch.
///
/// All ranges have the same length, so ascending starts have ascending ends: a unit is new if it
/// lies beyond the last one counted.
fn distinct<const UNIT: u64>(ascending: &[u64], bytes: u64) -> u32 {
    let mut counted = 0;
    let mut units = 0;
    for &addr in ascending {
        let end = last_byte(addr, bytes) / UNIT + 1;
        units += end - counted.max(addr / UNIT).min(end);
        counted = end;
    }
    units as u32
}

/// Returns the last byte of a range; addresses stay below 2^63, so nothing overflows.
const fn last_byte(addr: u64, bytes: u64) -> u64 {
    addr + bytes - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Direction, LaneMask, Route};
    use proptest::prelude::*;
    use ptx::Space;
    use std::collections::BTreeSet;

    fn load(bytes: u8, active: LaneMask, addrs: [u64; 32]) -> Access {
        Access {
            space: Space::Global,
            direction: Direction::Load,
            bytes,
            route: Route::Lanes,
            active,
            addrs,
        }
    }

    /// Any access, aligned or not, with repeats likely.
    fn any_access() -> impl Strategy<Value = Access> {
        let bytes = prop::sample::select(vec![1u8, 2, 4, 8, 16]);
        (bytes, any::<u32>(), prop::array::uniform32(0u64..2000))
            .prop_map(|(bytes, mask, addrs)| load(bytes, LaneMask(mask), addrs))
    }

    fn touched(access: &Access, unit: u64) -> BTreeSet<u64> {
        let bytes = u64::from(access.bytes);
        access.touched().flat_map(|(_, a)| (a..a + bytes).map(|byte| byte / unit)).collect()
    }

    #[test]
    fn neighbouring_lanes_share_four_sectors_of_one_line() {
        let cost = sectors(&load(4, LaneMask::ALL, std::array::from_fn(|i| 256 + 4 * i as u64)));
        assert_eq!((cost.requests, cost.sectors, cost.lines, cost.ideal()), (1, 4, 1, 4));
        assert_eq!(cost.efficiency(), Some(1.0));
    }

    #[test]
    fn a_column_of_a_wide_matrix_wastes_seven_eighths() {
        let cost = sectors(&load(4, LaneMask::ALL, std::array::from_fn(|i| 2048 * i as u64)));
        assert_eq!((cost.sectors, cost.lines, cost.ideal(), cost.wasted()), (32, 32, 4, 896));
        assert_eq!(cost.efficiency(), Some(0.125));
    }

    #[test]
    fn one_address_for_all_is_more_than_fully_used() {
        let cost = sectors(&load(4, LaneMask::ALL, [64; 32]));
        assert_eq!((cost.sectors, cost.asked, cost.distinct), (1, 128, 4));
        assert_eq!(cost.efficiency(), Some(4.0));
    }

    #[test]
    fn no_active_lane_is_no_request() {
        let access = load(4, LaneMask::NONE, [0; 32]);
        assert_eq!(sectors(&access), Sectors::default());
        assert_eq!(sectors(&access).efficiency(), None);
        assert_eq!(lines(&access), []);
    }

    #[test]
    fn a_misaligned_row_needs_a_fifth_sector_on_a_second_line() {
        let access = load(4, LaneMask::ALL, std::array::from_fn(|i| 4 + 4 * i as u64));
        assert_eq!((sectors(&access).sectors, sectors(&access).lines), (5, 2));
        let expected = [
            CacheLine { address: 0, used: u32::MAX - 1, fetched: 0b1111 },
            CacheLine { address: 128, used: 1, fetched: 0b0001 },
        ];
        assert_eq!(lines(&access), expected);
        assert!(expected[1].fetches(7) && !expected[1].fetches(8) && !expected[1].uses(7));
    }

    proptest! {
        #[test]
        fn counts_are_those_of_the_sets(access in any_access()) {
            let cost = sectors(&access);
            prop_assert_eq!(cost.sectors as usize, touched(&access, SECTOR).len());
            prop_assert_eq!(cost.lines as usize, touched(&access, LINE).len());
            prop_assert_eq!(cost.distinct as usize, touched(&access, 1).len());
            prop_assert!(cost.ideal() <= cost.sectors);
        }

        #[test]
        fn the_order_of_the_lanes_does_not_matter(
            access in any_access(),
            order in Just((0..32).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let active = order.iter().enumerate()
                .filter(|(_, from)| access.active.has(**from))
                .fold(0, |mask, (to, _)| mask | 1 << to);
            let addrs = std::array::from_fn(|to| access.addrs[order[to]]);
            let permuted = load(access.bytes, LaneMask(active), addrs);
            prop_assert_eq!(sectors(&permuted), sectors(&access));
            prop_assert_eq!(lines(&permuted), lines(&access));
        }

        #[test]
        fn a_shift_by_a_line_changes_nothing(access in any_access()) {
            let shifted = load(access.bytes, access.active, access.addrs.map(|addr| addr + LINE));
            prop_assert_eq!(sectors(&shifted), sectors(&access));
        }

        #[test]
        fn the_lines_hold_every_word_and_sector(access in any_access()) {
            let lines = lines(&access);
            let words: u32 = lines.iter().map(|line| line.used.count_ones()).sum();
            let fetched: u32 = lines.iter().map(|line| line.fetched.count_ones()).sum();
            prop_assert_eq!(words as usize, touched(&access, WORD).len());
            prop_assert_eq!(fetched, sectors(&access).sectors);
            prop_assert_eq!(lines.len() as u32, sectors(&access).lines);
            prop_assert!(lines.is_sorted_by(|a, b| a.address < b.address));
        }
    }
}
