//! Reads of uninitialised values, kept until it is known whether they matter.

use super::finding::{Finding, FindingKind, MemoryAddress, Participant, Source};
use crate::launch::Dim3;
use ptx::Space;
use std::collections::{BTreeMap, HashMap};

/// Reads of memory that was never written, of registers that were never set, and of lanes that do not
/// take part in a shuffle, in the current block and in earlier ones.
#[derive(Debug, Default)]
pub(super) struct UninitialisedReads {
    /// Reads in this block, by location: the first read, and its barrier interval.
    open: HashMap<(u8, u64), Read>,
    /// Reads for which it is certain that no write of this block merely came too late.
    settled: HashMap<(u8, u64), Read>,
    /// The reads of all blocks that have ended.
    left: BTreeMap<Signature, EqualReads>,
}

/// The memory location, or `None` for a register; the reader; the barrier interval.
type Read = (Option<MemoryAddress>, Participant, u32);

/// Stands for a memory space where the registers of other lanes are read.
const OF_OTHER_LANES: u8 = u8::MAX;

/// Stands for a memory space where a thread's own registers are read.
const OWN_REGISTERS: u8 = OF_OTHER_LANES - 1;

/// Reads that are considered equal: the space, the file and line (or else the instruction), and the
/// number of locations in one block.
type Signature = (u8, Source, u64);

/// Of the blocks with equal reads, this many of the first and of the last are kept: the read may
/// matter in others than the first.
const KEPT: usize = 4;

/// Equal reads in one or more blocks.
#[derive(Debug, Default)]
pub(super) struct EqualReads {
    /// The first and the last blocks, by their numbers.
    kept: BTreeMap<u64, Finding>,
    /// Words and blocks in total.
    words: u64,
    blocks: u64,
}

impl EqualReads {
    fn add(&mut self, block: u64, finding: Finding) {
        (self.words, self.blocks) = (self.words + finding.words, self.blocks + finding.blocks);
        self.keep(block, finding);
    }

    fn merge(&mut self, other: Self) {
        (self.words, self.blocks) = (self.words + other.words, self.blocks + other.blocks);
        other.kept.into_iter().for_each(|(block, finding)| self.keep(block, finding));
    }

    fn keep(&mut self, block: u64, finding: Finding) {
        self.kept.insert(block, finding);
        if self.kept.len() > 2 * KEPT {
            let middle = self.kept.keys().nth(KEPT).copied();
            middle.and_then(|block| self.kept.remove(&block));
        }
    }

    /// The numbers and reads of the kept blocks, the first block first.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u64, &Finding)> {
        self.kept.iter().map(|(block, finding)| (*block, finding))
    }

    /// Returns one block's finding with the counts of all blocks.
    pub(super) fn counted(&self, finding: &Finding) -> Finding {
        Finding { words: self.words, blocks: self.blocks, ..finding.clone() }
    }
}

impl UninitialisedReads {
    pub(super) fn add(&mut self, place: MemoryAddress, side: Participant, interval: u32) {
        let key = (place.space as u8, place.addr);
        if !self.settled.contains_key(&key) {
            self.open.entry(key).or_insert((Some(place), side, interval));
        }
    }

    /// Lanes have read values from lanes that do not take part.
    pub(super) fn add_absent(&mut self, side: Participant, interval: u32) {
        self.add_register(OF_OTHER_LANES, side, interval);
    }

    /// Lanes have read a register that they have not set.
    pub(super) fn add_unset(&mut self, side: Participant, interval: u32) {
        self.add_register(OWN_REGISTERS, side, interval);
    }

    fn add_register(&mut self, of: u8, side: Participant, interval: u32) {
        let key = (of, u64::from(side.pc.0) << 16 | u64::from(side.warp));
        self.settled.entry(key).or_insert((None, side, interval));
    }

    /// A write of the location is not ordered with the reads: that is reported as a race only.
    pub(super) fn raced(&mut self, place: MemoryAddress) {
        if !self.open.is_empty() {
            self.open.remove(&(place.space as u8, place.addr));
        }
    }

    /// The whole block has passed a barrier: what has not been written so far was read before any
    /// write.
    pub(super) fn settle(&mut self, space: Space) {
        if !self.open.is_empty() {
            let read = self.open.extract_if(|key, _| key.0 == space as u8);
            self.settled.extend(read);
        }
    }

    pub(super) fn end_block(&mut self, number: u64, block: Dim3) {
        if self.open.is_empty() && self.settled.is_empty() {
            return;
        }
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for ((space, _), read) in self.open.drain().chain(self.settled.drain()) {
            let side = read.1;
            groups.entry((space, side.source())).or_default().push(read);
        }
        for ((space, source), mut reads) in groups {
            let order = |(place, side, interval): &Read| {
                (*interval, place.map_or(0, |place| place.addr), side.warp, side.pc)
            };
            reads.sort_unstable_by_key(order);
            let (place, side, interval) = reads[0];
            let (what, words) = match space {
                OF_OTHER_LANES => (FindingKind::InactiveSourceLane, 0),
                OWN_REGISTERS => (FindingKind::UnsetRegister, 0),
                _ => (FindingKind::UninitialisedRead, reads.len() as u64),
            };
            // A thread's own registers have nothing to do with barriers.
            let interval = (space != OWN_REGISTERS).then_some(interval);
            let sides = vec![side];
            let missing = None;
            let finding =
                Finding { kind: what, block, interval, place, sides, missing, words, blocks: 1 };
            self.left.entry((space, source, words)).or_default().add(number, finding);
        }
    }

    /// Adds the reads of other blocks.
    pub(super) fn merge(&mut self, other: Self) {
        for (signature, left) in other.left {
            self.left.entry(signature).or_default().merge(left);
        }
    }

    /// Returns the reads, one entry for each signature.
    pub(super) fn left(&self) -> impl Iterator<Item = &EqualReads> {
        self.left.values()
    }
}
