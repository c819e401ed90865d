//! Caches each memory instruction's lane offsets: when it is repeated, usually only the base
//! changes.
//!
//! The properties of 32 addresses then need not be computed each time: whether all are in bounds
//! and aligned, and which lanes access the same word or adjacent ones. On the tiled kernel, the
//! whole run executes half as many host instructions as with a check of every lane.

#![expect(
    clippy::inline_always,
    reason = "the loops over lanes are compiled once more for each set of vector instructions, with all they call"
)]

use super::access::Pc;
use super::program::Reg;
use super::regs::{RegisterRow, Regs};
use multiversion::multiversion;

/// Number of lanes moved together: their words fill a vector register.
const GROUP: usize = 8;

/// The last lane pattern of each instruction that a full warp executed.
#[derive(Debug)]
pub(super) struct LanePatterns {
    seen: Vec<Option<Box<LanePattern>>>,
    /// Whether the last step repeated its instruction's previous pattern.
    pub(super) repeated: bool,
}

/// A copy starts empty: many copies of a machine are kept, few of them run on, and finding the
/// patterns again is cheap.
impl Clone for LanePatterns {
    fn clone(&self) -> Self {
        Self::new(self.seen.len())
    }
}

/// The addresses of a warp's lanes relative to lane 0.
#[derive(Clone, Debug)]
pub(super) struct LanePattern {
    /// Each lane's offset from lane 0's address.
    offsets: [u64; 32],
    /// The smallest and the largest offset, signed.
    lowest: i64,
    highest: i64,
    /// The bitwise OR of all offsets.
    bits: u64,
    groups: [Arrangement; 32 / GROUP],
}

/// How the addresses of a group of lanes relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    /// All at the same address.
    Broadcast,
    /// Consecutive words.
    Contiguous,
    Scattered,
}

impl LanePatterns {
    /// An empty cache for a program of `instructions` instructions.
    pub(super) fn new(instructions: usize) -> Self {
        Self { seen: vec![None; instructions], repeated: false }
    }

    /// The pattern of the addresses of the instruction at `pc`.
    #[inline]
    pub(super) fn pattern(&mut self, pc: Pc, addrs: &[u64; 32]) -> &LanePattern {
        let seen = &mut self.seen[pc.0 as usize];
        let repeats = |shape: &LanePattern| all_shifted(&shape.offsets, addrs, addrs[0]);
        self.repeated = seen.as_deref().is_some_and(repeats);
        if !self.repeated {
            *seen = None;
        }
        seen.get_or_insert_with(|| LanePattern::new(addrs))
    }
}

impl LanePattern {
    #[cold]
    fn new(addrs: &[u64; 32]) -> Box<Self> {
        let offsets = addrs.map(|addr| addr.wrapping_sub(addrs[0]));
        let signed = offsets.iter().map(|offset| *offset as i64);
        let (lowest, highest) = signed
            .fold((0, 0), |(lowest, highest), offset| (offset.min(lowest), offset.max(highest)));
        let bits = offsets.iter().fold(0, |bits, offset| bits | offset);
        let group = |number: usize| Arrangement::of(&offsets[number * GROUP..][..GROUP]);
        Box::new(Self { offsets, lowest, highest, bits, groups: std::array::from_fn(group) })
    }

    /// Whether `bytes` bytes at each lane's address are aligned and inside the `size` bytes from
    /// `base`; lane 0's address is `first`.
    #[inline]
    pub(super) fn fits(&self, first: u64, base: u64, size: u64, bytes: u64) -> bool {
        let inside = |offset: i64| {
            let place = first.wrapping_sub(base).wrapping_add_signed(offset);
            place < size && size - place >= bytes
        };
        inside(self.lowest) && inside(self.highest) && (first | self.bits) & (bytes - 1) == 0
    }
}

impl Arrangement {
    fn of(offsets: &[u64]) -> Self {
        let by = |bytes: u64| offsets.windows(2).all(|two| two[1].wrapping_sub(two[0]) == bytes);
        match (by(0), by(4)) {
            (true, _) => Self::Broadcast,
            (_, true) => Self::Contiguous,
            _ => Self::Scattered,
        }
    }
}

/// Whether every lane's address in `to` is its address in `from` plus `shift`.
#[multiversion(targets("x86_64+avx2"))]
pub fn all_shifted(from: &[u64; 32], to: &[u64; 32], shift: u64) -> bool {
    let differences = from.iter().zip(to).map(|(from, to)| to.wrapping_sub(*from) ^ shift);
    differences.fold(0, |any, difference| any | difference) == 0
}

/// 32 addresses, all inside memory whose first word is at `base`.
#[derive(Clone, Copy)]
pub(super) struct LaneAddresses<'a> {
    pub(super) shape: &'a LanePattern,
    pub(super) addrs: &'a [u64; 32],
    pub(super) base: u64,
}

impl LaneAddresses<'_> {
    /// The index of the word at an address.
    #[inline(always)]
    fn word(&self, addr: u64) -> usize {
        (addr.wrapping_sub(self.base) / 4) as usize
    }
}

/// Loads consecutive words of each lane, one per register.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn gather<W>(
    regs: &mut Regs,
    dst: &[Reg],
    at: LaneAddresses<'_>,
    words: &[W],
    read: impl Fn(&W) -> u32,
) {
    for (element, reg) in dst.iter().enumerate() {
        let row = <u32 as RegisterRow>::row_mut(regs, *reg);
        for (group, arrangement) in at.shape.groups.iter().enumerate() {
            let addrs = &at.addrs[group * GROUP..][..GROUP];
            let row = &mut row[group * GROUP..][..GROUP];
            let first = at.word(addrs[0]) + element;
            match arrangement {
                Arrangement::Broadcast => row.fill(read(&words[first])),
                Arrangement::Contiguous => {
                    let words = &words[first..][..GROUP];
                    row.iter_mut().zip(words).for_each(|(out, word)| *out = read(word));
                }
                Arrangement::Scattered => {
                    for (out, addr) in row.iter_mut().zip(addrs) {
                        *out = read(&words[at.word(*addr) + element]);
                    }
                }
            }
        }
    }
}

/// Stores consecutive words of each lane, one per register; if lanes overlap, the highest lane's
/// value remains.
#[multiversion(targets("x86_64+avx2"))]
pub(super) fn scatter(regs: &Regs, src: &[Reg], at: LaneAddresses<'_>, words: &mut [u32]) {
    for (element, reg) in src.iter().enumerate() {
        let row = <u32 as RegisterRow>::row(regs, *reg);
        for (group, arrangement) in at.shape.groups.iter().enumerate() {
            let addrs = &at.addrs[group * GROUP..][..GROUP];
            let row = &row[group * GROUP..][..GROUP];
            if *arrangement == Arrangement::Contiguous {
                words[at.word(addrs[0]) + element..][..GROUP].copy_from_slice(row);
            } else {
                for (value, addr) in row.iter().zip(addrs) {
                    words[at.word(*addr) + element] = *value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::{RegFile, RowCounts};
    use super::*;
    use proptest::prelude::*;

    const WORDS: usize = 256;
    const BASE: u64 = 1 << 21;

    /// The lanes' first words: mostly in rows or broadcast, sometimes scattered.
    fn places() -> impl Strategy<Value = [u64; 32]> {
        let lane = (0_u64..8, 0_u64..2, 1_u64..33);
        let regular = lane.prop_map(|(start, step, width)| {
            std::array::from_fn(|lane| start + step * (lane as u64 % width) + lane as u64 / width)
        });
        prop_oneof![regular, prop::array::uniform32(0_u64..200)]
    }

    fn row(number: u16) -> Reg {
        Reg { file: RegFile::Word, row: number }
    }

    proptest! {
        #[test]
        fn moves_what_each_lane_says(
            places in places(),
            shift in 0_u64..40,
            elements in prop::sample::select(vec![1_u16, 2, 4]),
        ) {
            let mut shapes = LanePatterns::new(1);
            let mut regs = Regs::new(RowCounts { words: 4, ..RowCounts::default() });
            let dst: Vec<_> = (0..elements).map(row).collect();
            // In the second round the pattern is cached.
            for shift in [0, shift] {
                let addrs = places.map(|place| BASE + 4 * (place + shift));
                let shape = shapes.pattern(Pc(0), &addrs);
                let at = LaneAddresses { shape, addrs: &addrs, base: BASE };
                let words: Vec<u32> = (0..WORDS as u32).map(|word| word * 7 + 1).collect();
                gather(&mut regs, &dst, at, &words, |word| *word);
                let (mut stored, mut expected) = (vec![0; WORDS], vec![0; WORDS]);
                scatter(&regs, &dst, at, &mut stored);
                for (element, reg) in dst.iter().enumerate() {
                    for (lane, place) in places.iter().enumerate() {
                        let word = (place + shift) as usize + element;
                        let value = <u32 as RegisterRow>::row(&regs, *reg)[lane];
                        prop_assert_eq!(value, words[word]);
                        expected[word] = value;
                    }
                }
                prop_assert_eq!(stored, expected);
            }
        }

        #[test]
        fn fits_where_every_lane_does(
            places in places(),
            shift in -40_i64..400,
            off in 0_u64..4,
            bytes in prop::sample::select(vec![4_u64, 8, 16]),
        ) {
            let first = BASE.wrapping_add_signed(4 * shift) + off;
            let addrs = places.map(|place| first + bytes * place);
            let size = 4 * WORDS as u64;
            let inside = |addr: u64| addr >= BASE && addr + bytes <= BASE + size;
            let expected = addrs.iter().all(|addr| inside(*addr) && addr % bytes == 0);
            let mut shapes = LanePatterns::new(1);
            let shape = shapes.pattern(Pc(0), &addrs);
            prop_assert_eq!(shape.fits(addrs[0], BASE, size, bytes), expected);
        }
    }
}
