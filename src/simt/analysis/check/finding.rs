//! What was found to be wrong: one finding for each pair of source lines, however often it happened.

use crate::launch::Dim3;
use crate::ptx::Space;
use crate::sim::{Deadlock, FaultKind, LaneMask, Pc};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Something that a kernel does wrong, as it first happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// The block's place in the grid.
    pub block: Dim3,
    /// Barriers that the whole block had passed; none between blocks.
    pub interval: Option<u32>,
    /// Where in memory, if it is about memory.
    pub place: Option<MemoryAddress>,
    /// Who did it: of two accesses, first the one that was simulated first.
    pub sides: Vec<Participant>,
    /// Of a race, what is missing to put them in order, if another part of that is there.
    pub missing: Option<Missing>,
    /// How many places of memory, of all blocks, it happened to.
    pub words: u64,
    /// In how many blocks.
    pub blocks: u64,
}

/// A part of what puts two accesses in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The second thread has seen what the first released, but has no fence behind that.
    Acquire,
}

/// The kinds of findings.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingKind {
    /// Two accesses of one place, one of them a write, in no order.
    Race,
    /// Memory is touched to which a `cp.async` is still copying.
    UnwaitedCopy,
    /// Memory is written that a `wgmma` or a `cp.async` still reads: nobody has waited for it.
    WriteDuringAsyncRead,
    /// A `wgmma` reads what was written with no `fence.proxy.async` on the way.
    MissingProxyFence,
    /// Registers of a `wgmma` are touched that nobody has waited for.
    AccumulatorInUse,
    /// A `wgmma` has to do with registers that were touched with no `wgmma.fence` since.
    MissingWgmmaFence,
    /// Threads meet at different barriers.
    DifferentBarriers,
    /// Threads arrive at one barrier with different ideas of how many it is for.
    DifferentCounts(Option<u32>, Option<u32>),
    /// A barrier of so many threads is complete with the first that come, and others come that
    /// nothing keeps from being first.
    AmbiguousArrival(u32),
    /// A barrier is passed without threads that ended before it.
    ExitedBeforeBarrier {
        /// How many had ended.
        threads: u32,
    },
    /// Threads wait at barriers for ever.
    Deadlock(Deadlock),
    /// Lanes take the value of a lane that does not execute the shuffle with them, and that makes a
    /// difference.
    InactiveSourceLane,
    /// Memory is read that nobody has written, and what it holds makes a difference.
    UninitialisedRead,
    /// The block could not go on: an address out of bounds, or misaligned, or no such barrier.
    Fault(FaultKind),
    /// More instructions than the budget.
    NoEnd(Loop),
}

/// Where warps go round when the budget is spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Instructions of a block after which it was given up.
    pub budget: u64,
    /// Whether the block came back to what it was then: alone, it goes on so for ever. If not, it may
    /// only take long.
    pub repeats: bool,
    /// First and last line of the CUDA source that they pass.
    pub lines: Option<(u32, u32)>,
    /// The comparison that sends them back, if it is one: its two values in one lane.
    pub compared: Option<Compared>,
    /// Whether they read global memory, which another block could change that comes later.
    pub reads_global: bool,
}

/// A comparison that holds for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// As C has it: `<`.
    pub how: &'static str,
    /// Its operands, now.
    pub values: [i64; 2],
    /// Which of them have changed since the round before.
    pub changed: [bool; 2],
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAddress {
    /// Shared or global.
    pub space: Space,
    /// Byte address in its space.
    pub addr: u64,
}

/// One who takes part in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participant {
    /// The block's place in the grid.
    pub block: Dim3,
    /// The warp's number in the block.
    pub warp: u16,
    /// Its lanes.
    pub lanes: LaneMask,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
    /// The number of the file of that line.
    pub file: u32,
    /// What they did there.
    pub did: AccessKind,
}

/// What a side of a finding did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// Read memory.
    Load,
    /// Wrote memory.
    Store,
    /// Changed memory by an atomic operation.
    Atomic,
    /// Copied to shared memory by `cp.async`, and has not waited for it.
    Copy,
    /// Started a product: the tensor cores read memory for it.
    Multiply,
    /// Waited at a barrier.
    Wait,
    /// Ended.
    End,
    /// Was at this instruction.
    Stand,
}

impl Finding {
    /// Whether it is between two lanes of one warp, and of no two warps.
    pub fn is_within_a_warp(&self) -> bool {
        matches!(self.sides[..], [a, b] if (a.block, a.warp) == (b.block, b.warp))
    }

    /// Of findings that are one, the lowest is shown: two warps rather than two lanes.
    fn rank(&self) -> u8 {
        self.is_within_a_warp().into()
    }
}

impl FindingKind {
    /// The kind under which it is listed: race, barrier, memory, assertion or no-end.
    pub const fn kind(&self) -> &'static str {
        self.row().1
    }

    /// The one list of what can be found: each one's place in the order of findings, and its kind.
    /// Threads that must execute something together and do not are at fault as at a barrier.
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
        }
    }
}

const fn kind_of(fault: &FaultKind) -> &'static str {
    match fault {
        FaultKind::NoSuchBarrier(_)
        | FaultKind::BarrierThreads(_)
        | FaultKind::TwoBarriers(..)
        | FaultKind::PartOfWarp(_)
        | FaultKind::PartOfWarpgroup(_)
        | FaultKind::WarpgroupApart(_)
        | FaultKind::NoMember { .. }
        | FaultKind::MembersApart { .. } => "barrier",
        FaultKind::Assertion { .. } => "assertion",
        _ => "memory",
    }
}

/// The file and the line of an instruction; where the line is not known, the instruction.
pub(super) type Source = (u32, Option<u32>, Option<Pc>);

impl Participant {
    /// What of the source it is about: the same for all instructions of a line.
    pub(super) fn source(&self) -> Source {
        (self.file, self.line, self.line.is_none().then_some(self.pc))
    }
}

/// What makes two findings one: what it is, in which space, and at which lines of which files
/// (where those are not known: at which instructions).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key(u8, Option<u8>, Vec<Source>);

impl Key {
    pub(super) fn of(finding: &Finding) -> Self {
        let mut sides: Vec<_> = finding.sides.iter().map(Participant::source).collect();
        sides.sort_unstable();
        sides.dedup();
        Self(finding.kind.row().0, finding.place.map(|place| place.space as u8), sides)
    }
}

/// The findings of one or more blocks.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: BTreeMap<Key, Entry>,
}

#[derive(Debug)]
struct Entry {
    finding: Finding,
    /// The block's number in the grid.
    block: u64,
    /// Places in the block that runs now.
    places: HashSet<u64>,
    /// Whether it happened in this block.
    here: bool,
}

impl Findings {
    /// Adds what happened in block number `block`.
    pub(super) fn add(&mut self, block: u64, finding: Finding) {
        let place = finding.place;
        let key = Key::of(&finding);
        if !self.found.contains_key(&key) {
            let (finding, places) = (finding.clone(), HashSet::new());
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

    /// Adds what has been counted already.
    pub(super) fn add_counted(&mut self, block: u64, finding: Finding) {
        let mut one = Self::default();
        let key = Key::of(&finding);
        one.found.insert(key, Entry { finding, block, places: HashSet::new(), here: false });
        self.merge(one);
    }

    /// Block after block is over: what was found in this one is counted.
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

    /// All, in the order of their kinds.
    pub(super) fn list(&self) -> impl Iterator<Item = &Finding> {
        self.found.values().map(|entry| &entry.finding)
    }
}
