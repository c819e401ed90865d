//! What is read that nobody has given: kept until it is known whether it matters.

use super::finding::{Finding, FindingKind, MemoryAddress, Participant, Source};
use crate::launch::Dim3;
use crate::ptx::Space;
use std::collections::{BTreeMap, HashMap};

/// Reads of never-written memory, and of lanes that do not take part in a shuffle, of the block that
/// runs and of those before.
#[derive(Debug, Default)]
pub(super) struct UninitialisedReads {
    /// In this block, by place: the first read, and its barrier interval.
    open: HashMap<(u8, u64), Read>,
    /// The same, if it is certain that no write of this block came too late.
    settled: HashMap<(u8, u64), Read>,
    /// What is left of all blocks so far.
    left: BTreeMap<Signature, Left>,
}

/// A place of memory, or none if it is a lane's register; who reads it, in which barrier interval.
type Read = (Option<MemoryAddress>, Participant, u32);

/// Stands for a space where lanes' registers are read.
const REGISTERS: u8 = u8::MAX;

/// Reads that are taken for the same: the space, the file and line (or else the instruction), and
/// how many places of one block.
type Signature = (u8, Source, u64);

/// Of the blocks that read the same, so many of the first and of the last are kept: in others than
/// the first it may matter.
const KEPT: usize = 4;

/// Reads in one or more blocks.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The first and the last blocks, by their numbers.
    kept: BTreeMap<u64, Finding>,
    /// Words and blocks of all.
    words: u64,
    blocks: u64,
}

impl Left {
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

    /// The kept blocks' numbers and reads, the first block first.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u64, &Finding)> {
        self.kept.iter().map(|(block, finding)| (*block, finding))
    }

    /// One of them, for all.
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

    /// Lanes have taken values of lanes that are not there.
    pub(super) fn add_absent(&mut self, side: Participant, interval: u32) {
        let key = (REGISTERS, u64::from(side.pc.0) << 16 | u64::from(side.warp));
        self.settled.entry(key).or_insert((None, side, interval));
    }

    /// Somebody writes the place in no order with those who read it: that is a race, and no more.
    pub(super) fn raced(&mut self, place: MemoryAddress) {
        if !self.open.is_empty() {
            self.open.remove(&(place.space as u8, place.addr));
        }
    }

    /// A barrier of the whole block: what has not been written so far was read too early by all.
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
        for (_, read) in self.open.drain().chain(self.settled.drain()) {
            let (place, side, _) = read;
            let space = place.map_or(REGISTERS, |place| place.space as u8);
            groups.entry((space, side.source())).or_default().push(read);
        }
        for ((space, source), mut reads) in groups {
            let order = |(place, side, interval): &Read| {
                (*interval, place.map_or(0, |place| place.addr), side.warp, side.pc)
            };
            reads.sort_unstable_by_key(order);
            let (place, side, interval) = reads[0];
            let (what, words) = match place {
                Some(_) => (FindingKind::UninitialisedRead, reads.len() as u64),
                None => (FindingKind::InactiveSourceLane, 0),
            };
            let interval = Some(interval);
            let sides = vec![side];
            let missing = None;
            let finding =
                Finding { kind: what, block, interval, place, sides, missing, words, blocks: 1 };
            self.left.entry((space, source, words)).or_default().add(number, finding);
        }
    }

    /// Adds what other blocks have left.
    pub(super) fn merge(&mut self, other: Self) {
        for (signature, left) in other.left {
            self.left.entry(signature).or_default().merge(left);
        }
    }

    /// One for each signature.
    pub(super) fn left(&self) -> impl Iterator<Item = &Left> {
        self.left.values()
    }
}
