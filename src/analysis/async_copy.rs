//! Asynchronous copies: the sectors that a `cp.async` of one warp fetches, and the wavefronts by
//! which it writes shared memory.

use super::banks::{BANKS, WORD};
use super::coalesce::{self, LINE, SECTOR};
use crate::sim::{Access, Route};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a lane copies past the L1 cache, always as many.
const CHUNK: u64 = 16;

/// What one copy of a warp costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyCost {
    /// Sectors of global memory (`l1tex__t_sectors_pipe_lsu_mem_global_op_ld`).
    pub sectors: u32,
    /// Passes through the banks of shared memory (`memory_l1_wavefronts_shared`).
    pub wavefronts: u32,
    /// The passes that would do (`memory_l1_wavefronts_shared_ideal`).
    pub ideal: u32,
    /// Whether hardware may take more passes than these: lanes of several lines meet in a bank.
    pub at_least: bool,
}

/// Counts by rules that fit what an H200 counts for 125 of 144 patterns
/// (tests/data/h200_copies.jsonl). The others are not regular on either side, in global or in
/// shared memory: there it takes up to a third more passes, and of one 2 fewer.
pub fn cost([from, into]: &[Access; 2]) -> CopyCost {
    match into.route {
        Route::CopyGlobal => past_l1(from, into),
        _ => through_l1(from, into),
    }
}

/// `.ca`: the lines that the lanes copy from come one after the other, each in as many passes as
/// lanes read one of its banks or write one bank of shared memory. Lanes do not share, not even
/// one word.
fn through_l1(from: &Access, into: &Access) -> CopyCost {
    let mut lines: BTreeMap<Option<u64>, Crowd> = BTreeMap::new();
    let mut together = Crowd::default();
    for (lane, addr) in into.touched() {
        let source = from.active.has(lane).then(|| from.addrs[lane]);
        let line = lines.entry(source.map(|source| source / LINE)).or_default();
        for word in 0..u64::from(into.bytes) / WORD {
            line.add(source.map(|source| source / WORD + word), addr / WORD + word);
            together.add(None, addr / WORD + word);
        }
    }
    let group = 32.min(LINE as u32 / u32::from(into.bytes));
    let groups =
        (0..32 / group).filter(|index| into.active.0 >> (index * group) << (32 - group) != 0);
    let (ideal, passes) = (groups.count() as u32, lines.values().map(Crowd::most));
    CopyCost {
        sectors: coalesce::sectors(from).sectors,
        wavefronts: passes.sum(),
        ideal,
        at_least: lines.len() as u32 > ideal && together.most() > ideal,
    }
}

/// How many lanes read each bank, and how many write it.
#[derive(Default)]
struct Crowd {
    reading: [u32; BANKS],
    writing: [u32; BANKS],
}

impl Crowd {
    fn add(&mut self, read: Option<u64>, written: u64) {
        if let Some(read) = read {
            self.reading[read as usize % BANKS] += 1;
        }
        self.writing[written as usize % BANKS] += 1;
    }

    /// The most lanes at one bank.
    fn most(&self) -> u32 {
        self.reading.into_iter().chain(self.writing).fold(0, u32::max)
    }
}

/// `.cg`: of lanes that write the same 16 bytes only one copies. Those go in one pass that copy
/// within the same two lines and change places there by the same exclusive or: a whole line to a
/// line at once, forwards or backwards. A sector is counted for each sector that is written, from
/// each line.
fn past_l1(from: &Access, into: &Access) -> CopyCost {
    let copies: BTreeMap<u64, Option<u64>> = into
        .touched()
        .map(|(lane, addr)| (addr, from.active.has(lane).then(|| from.addrs[lane])))
        .collect();
    let distinct = |key: &dyn Fn(u64, u64) -> [u64; 3]| {
        let read = copies.iter().filter_map(|(to, from)| Some(key(*to, (*from)?)));
        read.collect::<BTreeSet<_>>().len() as u32
    };
    let moved = |to: u64, from: u64| (to ^ from) / CHUNK % (LINE / CHUNK);
    let zeros = copies.values().filter(|from| from.is_none()).count() as u32;
    CopyCost {
        sectors: distinct(&|to, from| [to / SECTOR, from / LINE, 0]),
        wavefronts: distinct(&|to, from| [to / LINE, from / LINE, moved(to, from)]) + zeros,
        ideal: (copies.len() as u32).div_ceil((LINE / CHUNK) as u32),
        at_least: false,
    }
}
