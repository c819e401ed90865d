//! Findings: one for each kind of error and pair of source lines, however often it happened.

use crate::launch::Dim3;
use crate::sim::{Deadlock, FaultKind, LaneMask, Memory, OfNumbers, Pc};
use ptx::{PartOfArray, Space};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// An error of a kernel, at its first occurrence.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind of error.
    pub kind: FindingKind,
    /// The block's position in the grid.
    pub block: Dim3,
    /// The number of barriers that the whole block had passed, or `None` between blocks.
    pub interval: Option<u32>,
    /// The memory location, if the error is about memory.
    pub place: Option<MemoryAddress>,
    /// The participants; of two accesses, the one that was simulated first comes first.
    pub sides: Vec<Participant>,
    /// For a race, the missing part of a synchronisation whose other part is present.
    pub missing: Option<Missing>,
    /// The number of distinct memory locations it happened to, over all blocks.
    pub words: u64,
    /// The number of blocks in which it happened.
    pub blocks: u64,
}

/// A missing part of the synchronisation that would order two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The second thread has waited at this instruction for the phase in which the first access was
    /// complete, but nothing tests whether it is: such a wait is for a limited time.
    Retry(Pc),
    /// The second thread has seen what the first released, but executes no fence after that.
    Acquire,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FindingKind {
    /// Two unordered accesses of one location, one of them a write.
    Race,
    /// Memory is accessed to which a `cp.async` is still copying.
    UnwaitedCopy,
    /// Memory is written that a `wgmma` or a `cp.async` still reads, as no thread has waited for
    /// it.
    WriteDuringAsyncRead,
    /// A `wgmma` reads a write that no `fence.proxy.async` has made visible to it.
    MissingProxyFence,
    /// Registers of a `wgmma` are accessed before a wait for it.
    AccumulatorInUse,
    /// A `wgmma` uses registers that were accessed with no `wgmma.fence` since.
    MissingWgmmaFence,
    /// A block may exit before another one accesses its shared memory.
    ExitedBeforeAccess,
    /// Threads meet at different barriers.
    DifferentBarriers,
    /// Threads arrive at one barrier with different thread counts.
    DifferentCounts(Option<u32>, Option<u32>),
    /// A barrier with a thread count is complete with the first arrivals, and others arrive that
    /// nothing prevents from being first.
    AmbiguousArrival(u32),
    /// A barrier is completed without threads that exited before it.
    ExitedBeforeBarrier {
        /// The number of threads that had exited.
        threads: u32,
    },
    /// Threads wait at barriers for ever.
    Deadlock(Deadlock),
    /// Lanes read from a lane that does not execute the shuffle with them, and the value makes a
    /// difference.
    InactiveSourceLane,
    /// Memory is read that was never written, and its contents make a difference.
    UninitialisedRead,
    /// A register is read before the thread has set it, and its contents make a difference: a
    /// variable without a first value.
    UnsetRegister,
    /// The block could not continue: for example an address out of bounds or misaligned, or a
    /// barrier that does not exist.
    Fault(FaultKind),
    /// An index leaves its row of an array for another row, or its member of a structure for another
    /// member: the GPU goes on, but C leaves undefined what it does.
    LeftPart(LeftPart),
    /// The block does not end, or not within the budget.
    NoEnd(EndlessLoop),
}

/// An index that leaves its part of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftPart {
    pub part: PartOfArray,
    pub index: i64,
}

/// The loop that warps execute when a block is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessLoop {
    /// Instructions after which the block was stopped.
    pub issued: u64,
    /// Whether the loop is known to go on for ever.
    pub end: LoopEnd,
    /// First and last line of the CUDA source in the loop.
    pub lines: Option<(u32, u32)>,
    /// The comparison, if any, that sends the lanes back: its two values in one lane.
    pub compared: Option<Compared>,
}

/// What is known of a loop's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopEnd {
    /// Nothing: the budget was spent, and it may only take long.
    Unknown,
    /// It has none: all that decides how the block goes on is again as it was before.
    Never,
    /// It has none: each round changes what decides by the same amount, and that never ends it.
    Evenly,
    /// It goes on for so many instructions at least: more than the budget.
    AtLeast(u64),
    /// It waits for a change of these words of global memory: address and value. No block that ran
    /// at the same time changes them; whether another would is not known.
    OtherBlock(Arc<[(u64, u32)]>),
    /// Likewise, and every other block has run or waits as well: none has changed them.
    NobodyWrites,
    /// Likewise, and a block that ran afterwards has changed them.
    LaterBlock,
}

impl LoopEnd {
    /// What is known once all other blocks have run and left this memory.
    pub(super) fn settle(&mut self, memory: &Memory) {
        let Self::OtherBlock(words) = self else { return };
        let same = |(addr, value): &(u64, u32)| {
            let found = memory.locate(*addr);
            found.is_some_and(|(buffer, offset)| buffer.load(offset / 4) == *value)
        };
        *self = if words.iter().all(same) { Self::NobodyWrites } else { Self::LaterBlock };
    }
}

/// The comparison of an endless loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// In C's notation: `<`.
    pub how: &'static str,
    /// Its operands at present.
    pub values: [i64; 2],
    /// Whether each has changed since the previous iteration.
    pub changed: [bool; 2],
}

/// A memory location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAddress {
    /// Shared or global.
    pub space: Space,
    /// Byte address in its space.
    pub addr: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The block's position in the grid.
    pub block: Dim3,
    /// Its rank, if several run together.
    pub rank: Option<u32>,
    /// The warp's number in the block.
    pub warp: u16,
    pub lanes: LaneMask,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
    /// The number of the file of that line.
    pub file: u32,
    /// The lanes' action there.
    pub did: AccessKind,
}

impl Participant {
    /// The number of its warp in the machine that runs several blocks, each of `warps`
    /// warps.
    pub fn machine_warp(&self, warps: u32) -> u16 {
        self.rank.unwrap_or(0) as u16 * warps as u16 + self.warp
    }
}

/// The action of a participant in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// Read memory.
    Load,
    /// Wrote memory.
    Store,
    /// Changed memory by an atomic operation.
    Atomic,
    /// Copies to shared memory by `cp.async`, and has not waited for it.
    Copy,
    /// Started a `wgmma`, for which the tensor cores read memory.
    Multiply,
    /// Waited at a barrier.
    Wait,
    /// Exited.
    End,
    /// Was at this instruction.
    Stand,
}

impl Finding {
    /// Whether it is between two lanes of one warp, rather than two warps.
    pub fn is_within_a_warp(&self) -> bool {
        matches!(self.sides[..], [a, b] if (a.block, a.warp) == (b.block, b.warp))
    }

    /// Whether it is of the same kind and of the same lines as another.
    pub fn is_alike(&self, other: &Self) -> bool {
        FindingKey::of(self) == FindingKey::of(other)
    }

    /// Of findings with the same key, the one with the lowest rank is shown: two warps rather than
    /// two lanes.
    fn rank(&self) -> u8 {
        self.is_within_a_warp().into()
    }
}

impl FindingKind {
    /// The category under which it is listed: race, barrier, memory, assertion or no-end.
    pub const fn kind(&self) -> &'static str {
        self.row().1
    }

    /// The one table of findings: each kind's position in the order of findings, and its category.
    /// Threads that fail to execute something together count as a barrier error.
    const fn row(&self) -> (u8, &'static str) {
        match self {
            Self::Race => (0, "race"),
            Self::UnwaitedCopy => (1, "race"),
            Self::DifferentBarriers => (2, "barrier"),
            Self::DifferentCounts(..) => (3, "barrier"),
            Self::ExitedBeforeBarrier { .. } => (4, "barrier"),
            Self::Deadlock(_) => (5, "barrier"),
            Self::UninitialisedRead => (6, "memory"),
            Self::Fault(fault) => (7, kind_of(fault)),
            Self::NoEnd(_) => (8, "no-end"),
            Self::WriteDuringAsyncRead => (9, "race"),
            Self::MissingProxyFence => (10, "race"),
            Self::AccumulatorInUse => (11, "race"),
            Self::MissingWgmmaFence => (12, "race"),
            Self::InactiveSourceLane => (13, "barrier"),
            Self::AmbiguousArrival(_) => (14, "barrier"),
            Self::ExitedBeforeAccess => (15, "barrier"),
            Self::UnsetRegister => (16, "memory"),
            Self::LeftPart(_) => (17, "memory"),
        }
    }
}

const fn kind_of(fault: &FaultKind) -> &'static str {
    match fault {
        FaultKind::NoSuchBarrier(_)
        | FaultKind::BarrierThreads(_)
        | FaultKind::BarrierOperandsDiffer(..)
        | FaultKind::PartOfWarp(_)
        | FaultKind::NoMember { .. }
        | FaultKind::MembersApart { .. } => "barrier",
        FaultKind::Async(fault) if fault.is_of_barrier() => "barrier",
        FaultKind::Assertion { .. } => "assertion",
        _ => "memory",
    }
}

/// The file and the line of an instruction, or the instruction if its line is not known.
pub(super) type Source = (u32, Option<u32>, Option<Pc>);

impl Participant {
    /// The source location; equal for all instructions of a line.
    pub(super) fn source(&self) -> Source {
        (self.file, self.line, self.line.is_none().then_some(self.pc))
    }
}

/// The key by which findings are merged: the kind, the memory space, and the lines and files (where
/// those are not known, the instructions).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FindingKey(u8, Option<u8>, Vec<Source>);

impl FindingKey {
    pub(super) fn of(finding: &Finding) -> Self {
        // Who ended is another matter in each block: it is one barrier that they miss.
        let count = match finding.kind {
            FindingKind::ExitedBeforeBarrier { .. } => 1,
            _ => finding.sides.len(),
        };
        let mut sides: Vec<_> = finding.sides.iter().take(count).map(Participant::source).collect();
        sides.sort_unstable();
        sides.dedup();
        Self(finding.kind.row().0, finding.place.map(|place| place.space as u8), sides)
    }
}

/// A race as its two instructions tell it: races that are alike differ in nothing but their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Race {
    pub(super) space: Space,
    pub(super) pcs: (Pc, Pc),
    /// Whether the first one is a copy that is still under way.
    pub(super) in_flight: bool,
    pub(super) within_a_warp: bool,
}

/// The findings of one or more blocks.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: BTreeMap<FindingKey, Entry>,
    /// The races that are among them: a kernel that races does so at very many places.
    races: HashMap<Race, FindingKey, OfNumbers>,
}

#[derive(Debug)]
struct Entry {
    finding: Finding,
    /// The block's number in the grid.
    block: u64,
    /// Memory locations in the current block.
    places: HashSet<u64, OfNumbers>,
    /// Whether it happened in the current block.
    here: bool,
}

impl Findings {
    /// Adds what happened in block number `block`.
    pub(super) fn add(&mut self, block: u64, finding: Finding) {
        let place = finding.place;
        let key = FindingKey::of(&finding);
        if !self.found.contains_key(&key) {
            let (finding, places) = (finding.clone(), HashSet::default());
            self.found.insert(key.clone(), Entry { finding, block, places, here: false });
        }
        let Some(entry) = self.found.get_mut(&key) else { return };
        entry.here = true;
        if finding.rank() < entry.finding.rank() {
            entry.block = block;
            let Finding { words, blocks, .. } = entry.finding;
            entry.finding = Finding { words, blocks, ..finding };
        }
        entry.places.extend(place.map(|place| place.addr));
    }

    /// Adds an address to a race that is known; returns whether it is.
    pub(super) fn add_again(&mut self, race: Race, addr: u64) -> bool {
        let key = self.races.get(&race);
        let Some(entry) = key.and_then(|key| self.found.get_mut(key)) else { return false };
        entry.here = true;
        entry.places.insert(addr);
        true
    }

    /// Adds a race that happened in block number `block`.
    pub(super) fn add_race(&mut self, block: u64, race: Race, finding: Finding) {
        self.races.insert(race, FindingKey::of(&finding));
        self.add(block, finding);
    }

    /// Adds a finding whose counts are complete.
    pub(super) fn add_counted(&mut self, block: u64, finding: Finding) {
        let mut one = Self::default();
        let key = FindingKey::of(&finding);
        one.found.insert(key, Entry { finding, block, places: HashSet::default(), here: false });
        self.merge(one);
    }

    /// Ends a block: counts what was found in it.
    pub(super) fn end_block(&mut self) {
        for entry in self.found.values_mut().filter(|entry| entry.here) {
            entry.here = false;
            entry.finding.blocks += 1;
            entry.finding.words += entry.places.len() as u64;
            entry.places.clear();
        }
    }

    /// Adds what was found in other blocks.
    pub(super) fn merge(&mut self, other: Self) {
        for (key, entry) in other.found {
            let Some(mine) = self.found.get_mut(&key) else {
                self.found.insert(key, entry);
                continue;
            };
            let (words, blocks) = (entry.finding.words, entry.finding.blocks);
            let (words, blocks) = (mine.finding.words + words, mine.finding.blocks + blocks);
            if (entry.finding.rank(), entry.block) < (mine.finding.rank(), mine.block) {
                *mine = entry;
            }
            (mine.finding.words, mine.finding.blocks) = (words, blocks);
        }
    }

    /// Returns all findings, in the order of their kinds.
    pub(super) fn list(&self) -> impl Iterator<Item = &Finding> {
        self.found.values().map(|entry| &entry.finding)
    }
}
