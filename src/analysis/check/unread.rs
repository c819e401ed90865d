//! What is read that nobody has written: kept until it is known whether it matters.

use super::finding::{Finding, Place, Side, What};
use crate::launch::Dim3;
use crate::ptx::Space;
use crate::sim::Pc;
use std::collections::{BTreeMap, HashMap};

/// Reads of never-written memory, of the block that runs and of those before.
#[derive(Debug, Default)]
pub(super) struct Unread {
    /// In this block, by place: the first read, and its barrier interval.
    open: HashMap<(u8, u64), (Place, Side, u32)>,
    /// The same, if it is certain that no write of this block came too late.
    settled: HashMap<(u8, u64), (Place, Side, u32)>,
    /// What is left of all blocks so far.
    left: BTreeMap<Signature, Left>,
}

/// Reads that are taken for the same: the space, the line (or else the instruction), and how many
/// places of one block.
type Signature = (u8, Option<u32>, Option<Pc>, u64);

/// Reads in one or more blocks.
#[derive(Clone, Debug)]
pub(super) struct Left {
    /// The first of the blocks, by its number.
    pub(super) block: u64,
    pub(super) finding: Finding,
}

impl Unread {
    pub(super) fn add(&mut self, place: Place, side: Side, interval: u32) {
        let key = (place.space as u8, place.addr);
        if !self.settled.contains_key(&key) {
            self.open.entry(key).or_insert((place, side, interval));
        }
    }

    /// Somebody writes the place in no order with those who read it: that is a race, and no more.
    pub(super) fn raced(&mut self, place: Place) {
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
            let pc = if side.line.is_none() { Some(side.pc) } else { None };
            groups.entry((place.space as u8, side.line, pc)).or_default().push(read);
        }
        for ((space, line, pc), mut reads) in groups {
            reads
                .sort_unstable_by_key(|(place, side, interval)| (*interval, place.addr, side.warp));
            let (place, side, interval) = reads[0];
            let words = reads.len() as u64;
            let (what, interval) = (What::Unwritten, Some(interval));
            let place = Some(place);
            let sides = vec![side];
            let missing = None;
            let finding =
                Finding { what, block, interval, place, sides, missing, words, blocks: 1 };
            self.leave((space, line, pc, words), Left { block: number, finding });
        }
    }

    fn leave(&mut self, signature: Signature, left: Left) {
        let Some(known) = self.left.get_mut(&signature) else {
            self.left.insert(signature, left);
            return;
        };
        let words = known.finding.words + left.finding.words;
        let blocks = known.finding.blocks + left.finding.blocks;
        if left.block < known.block {
            *known = left;
        }
        (known.finding.words, known.finding.blocks) = (words, blocks);
    }

    /// Adds what other blocks have left.
    pub(super) fn merge(&mut self, other: Self) {
        for (signature, left) in other.left {
            self.leave(signature, left);
        }
    }

    /// One for each signature.
    pub(super) fn left(&self) -> impl Iterator<Item = &Left> {
        self.left.values()
    }
}
