//! Races between blocks: as blocks never synchronise, every word that one writes and another
//! touches is a race, unless both change it by atomics or write the same value.

use super::finding::{Finding, FindingKey, FindingKind, MemoryAddress, Missing};
use super::happens_before::HappensBefore;
use super::shadow::Shadow;
use super::touch::SharedWords;
use super::touch::{PAGE, PastAccess, Touch};
use crate::launch::Launch;
use crate::sim::{LaneMask, Program};
use ptx::Space;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// Number of locks, so that blocks that end at the same time seldom wait for each other.
const SHARDS: u64 = 64;

/// One block's access to a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockAccess {
    /// The block's number in the grid.
    pub(super) block: u64,
    pub(super) past: PastAccess,
    /// The value that it wrote, if known.
    pub(super) value: Option<u32>,
}

/// The accesses so far to each unit of a page of memory.
#[derive(Debug)]
struct ConflictPage {
    /// The write of the lowest-numbered block that wrote the unit.
    writers: [Option<BlockAccess>; PAGE],
    /// Reads of two different blocks: any writer races with at least one of them.
    readers: Option<Box<[[Option<BlockAccess>; 2]; PAGE]>>,
}

/// The pages of global memory that several blocks have touched and that one of them writes.
#[derive(Debug)]
pub(super) struct BlockConflicts {
    launch: Launch,
    /// The units to examine.
    suspects: SharedWords,
    shards: Vec<Mutex<HashMap<u64, Box<ConflictPage>>>>,
    races: Mutex<BTreeMap<FindingKey, Races>>,
    /// Stores of one value, which would race with two.
    same: Mutex<BTreeMap<FindingKey, Races>>,
}

/// All races between one pair of lines.
#[derive(Debug)]
struct Races {
    first: Finding,
    /// The address and the two blocks of `first`.
    at: (u64, u64, u64),
    places: HashSet<u64>,
    blocks: HashSet<u64>,
}

impl BlockConflicts {
    pub(super) fn new(launch: Launch, suspects: SharedWords) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { launch, suspects, shards, races: Mutex::default(), same: Mutex::default() }
    }

    /// The units to examine.
    pub(super) fn suspects(&self) -> &SharedWords {
        &self.suspects
    }

    /// Adds the accesses of a block that has ended.
    pub(super) fn publish(
        &self,
        program: &Program,
        number: u64,
        clock: &HappensBefore,
        shadow: &Shadow,
    ) {
        for (number_of_page, start) in shadow.pages() {
            let Some(units) = self.suspects.get(&number_of_page) else { continue };
            let shard = &self.shards[(number_of_page % SHARDS) as usize];
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let page = shard.entry(number_of_page).or_insert_with(|| Box::new(ConflictPage::new()));
            for index in LaneMask(*units).lanes() {
                let (wrote, read) = shadow.trail(clock, start + index);
                let party = |past, value| BlockAccess { block: number, past, value };
                let wrote = wrote.map(|(past, value)| party(past, value));
                let read = read.map(|past| party(past, None));
                let addr = shadow.addr(number_of_page, index);
                let same = wrote.and_then(|mine| page.same(index, mine));
                if let Some(pair) = same {
                    self.add(&self.same, (program, addr), pair, None);
                }
                for pair in page.add(index, wrote, read).into_iter().flatten() {
                    self.race(program, addr, pair, None);
                }
            }
        }
    }

    pub(super) fn race(
        &self,
        program: &Program,
        addr: u64,
        pair: (BlockAccess, BlockAccess),
        missing: Option<Missing>,
    ) {
        self.add(&self.races, (program, addr), pair, missing);
    }

    fn add(
        &self,
        to: &Mutex<BTreeMap<FindingKey, Races>>,
        (program, addr): (&Program, u64),
        (other, mine): (BlockAccess, BlockAccess),
        missing: Option<Missing>,
    ) {
        let (first, second) = if other.block < mine.block { (other, mine) } else { (mine, other) };
        let place = |party: BlockAccess| self.launch.grid.place(party.block);
        let blocks = |party: BlockAccess| program.blocks_of(self.launch, place(party));
        let side = |party: BlockAccess| party.past.side(&blocks(party), program);
        let finding = Finding {
            kind: FindingKind::Race,
            block: place(first),
            interval: None,
            place: Some(MemoryAddress { space: Space::Global, addr }),
            sides: vec![side(first), side(second)],
            missing,
            words: 0,
            blocks: 0,
        };
        let at = (addr, first.block, second.block);
        let mut races = to.lock().unwrap_or_else(PoisonError::into_inner);
        let races = races.entry(FindingKey::of(&finding)).or_insert_with(|| Races {
            first: finding.clone(),
            at,
            places: HashSet::new(),
            blocks: HashSet::new(),
        });
        if at < races.at {
            (races.first, races.at) = (finding, at);
        }
        races.places.insert(addr);
        races.blocks.extend([first.block, second.block]);
    }

    /// Returns all races found.
    pub(super) fn findings(&self) -> Vec<Finding> {
        Self::listed(&self.races)
    }

    /// Returns the stores of one value.
    pub(super) fn same(&self) -> Vec<Finding> {
        Self::listed(&self.same)
    }

    fn listed(found: &Mutex<BTreeMap<FindingKey, Races>>) -> Vec<Finding> {
        let races = found.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = |races: &Races| Finding {
            words: races.places.len() as u64,
            blocks: races.blocks.len() as u64,
            ..races.first.clone()
        };
        races.values().map(counted).collect()
    }
}

impl ConflictPage {
    fn new() -> Self {
        Self { writers: [None; PAGE], readers: None }
    }

    /// Returns the write of another block with the same value, beside this one.
    fn same(&self, index: usize, mine: BlockAccess) -> Option<(BlockAccess, BlockAccess)> {
        let other = self.writers[index].filter(|other| other.block != mine.block)?;
        let is_store = other.past.touch == Touch::Store && mine.past.touch == Touch::Store;
        (is_store && !other.clashes(&mine)).then_some((other, mine))
    }

    /// Adds a block's accesses to a unit and returns the pairs that race.
    fn add(
        &mut self,
        index: usize,
        wrote: Option<BlockAccess>,
        read: Option<BlockAccess>,
    ) -> [Option<(BlockAccess, BlockAccess)>; 3] {
        let mut races = [None; 3];
        // The earlier writer: another block, although this one may take its place below.
        let writer = self.writers[index];
        if let Some(mine) = wrote {
            races[0] = writer.filter(|other| other.clashes(&mine)).map(|other| (other, mine));
            let mut readers = self.readers.iter().flat_map(|readers| readers[index]).flatten();
            let reader = readers.find(|other| other.block != mine.block);
            races[1] = reader.map(|other| (other, mine));
            if writer.is_none_or(|other| mine.block < other.block) {
                self.writers[index] = Some(mine);
            }
        }
        if let Some(mine) = read {
            races[2] = writer.filter(|other| other.block != mine.block).map(|other| (other, mine));
            let readers = self.readers.get_or_insert_with(|| Box::new([[None; 2]; PAGE]));
            let free = readers[index].iter_mut().find(|reader| reader.is_none());
            if let Some(free) = free {
                *free = Some(mine);
            }
        }
        races
    }
}

impl BlockAccess {
    /// Whether the two race if nothing orders them.
    pub(super) fn clashes(&self, other: &Self) -> bool {
        let [mine, theirs] = [self.past.touch, other.past.touch];
        let alike = mine == theirs && matches!(mine, Touch::Load | Touch::Atomic);
        let same = self.value.is_some() && self.value == other.value;
        self.block != other.block && !alike && !same
    }
}

#[cfg(test)]
mod tests {
    use super::super::epoch::ThreadId;
    use super::*;
    use crate::sim::Pc;

    fn party(block: u64, touch: Touch, value: Option<u32>) -> BlockAccess {
        let past = PastAccess { thread: ThreadId::new(0, 0), epoch: 1, pc: Pc(0), touch };
        BlockAccess { block, past, value }
    }

    /// Both write the same value, and one of them has read before.
    #[test]
    fn a_read_races_with_who_wrote_whichever_block_ends_first() {
        let wrote = |block| Some(party(block, Touch::Store, Some(7)));
        let read = Some(party(0, Touch::Load, None));
        for order in [[0, 1], [1, 0]] {
            let mut page = ConflictPage::new();
            let races = order.map(|block| page.add(0, wrote(block), read.filter(|_| block == 0)));
            assert_eq!(races.iter().flatten().flatten().count(), 1, "{order:?}");
        }
    }
}
