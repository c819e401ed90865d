//! Atomic operations on shared memory as SASS executes them: in one instruction, or in rounds of
//! loading, comparing and exchanging.

use super::banks::{self, Wavefronts};
use crate::sim::{Access, Direction, LaneMask, Route};

/// Cost of the SASS of one atomic operation of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicCost {
    /// Atomic instructions (`smsp__sass_inst_executed_op_shared_atom`).
    pub instructions: u32,
    /// Loads before them (`smsp__sass_inst_executed_op_shared_ld`).
    pub loads: u32,
    /// Passes through the banks for both (`memory_l1_wavefronts_shared`).
    pub wavefronts: u32,
    /// Nsight Compute's ideal (`memory_l1_wavefronts_shared_ideal`).
    pub ideal: u32,
    /// Whether hardware may take more than these: the number of its attempts depends on the values.
    pub at_least: bool,
}

/// Counts by the rules that an H200 follows in 432 launches (tests/data/analysis/h200_atomics.jsonl).
///
/// One instruction passes through a bank once for each lane that it serves there, even if the lanes
/// share a word; comparing doubles that. Where no such instruction exists, each round loads for all
/// remaining lanes and then exchanges for one lane of each bank, the lowest.
pub fn cost(access: &Access) -> AtomicCost {
    let once = banks::wavefronts(access);
    match access.route {
        _ if access.active.is_empty() => AtomicCost::default(),
        Route::Retry => in_rounds(access),
        Route::RetryMaybe => {
            let Wavefronts { wavefronts, ideal, .. } = banks::wavefronts(&load(access));
            AtomicCost { instructions: 0, loads: 1, wavefronts, ideal, at_least: true }
        }
        Route::Compare => at_once(2 * once.wavefronts, 2 * once.ideal),
        _ => at_once(once.wavefronts, once.ideal),
    }
}

const fn at_once(wavefronts: u32, ideal: u32) -> AtomicCost {
    AtomicCost { instructions: 1, loads: 0, wavefronts, ideal, at_least: false }
}

/// The load at the beginning of a round.
fn load(access: &Access) -> Access {
    Access { direction: Direction::Load, route: Route::Lanes, ..access.clone() }
}

fn in_rounds(access: &Access) -> AtomicCost {
    let (mut left, mut sum) = (load(access), AtomicCost::default());
    while !left.active.is_empty() {
        let loaded = banks::wavefronts(&left);
        let asked = left.active.count() * u32::from(left.bytes);
        sum.instructions += 1;
        sum.loads += 1;
        // The compare-and-exchange takes two passes for each group of lanes, whatever their banks.
        sum.wavefronts += loaded.wavefronts + 2 * groups(&left);
        sum.ideal += loaded.ideal + 2 * asked.div_ceil(LINE);
        left.active = LaneMask(left.active.0 & !served(&left).0);
    }
    sum
}

/// Bytes that all banks hold together.
const LINE: u32 = banks::BANKS as u32 * banks::WORD as u32;

/// Counts the groups with lanes still waiting: all 32 lanes form one for 4 bytes each, and two
/// for 8 bytes.
fn groups(access: &Access) -> u32 {
    let size = LINE / u32::from(access.bytes);
    let waits = |index: &u32| access.active.0 >> (index * size) << (32 - size) != 0;
    (0..32 / size).filter(waits).count() as u32
}

/// Returns the lanes served in this round: for each group and bank the lowest lane, unless a lower
/// lane accesses the same word.
fn served(access: &Access) -> LaneMask {
    let bytes = u64::from(access.bytes);
    let size = u64::from(LINE) / bytes;
    let banks = |lane: usize, addr: u64| (lane as u64 / size, addr / bytes % size);
    let mut served = LaneMask::NONE;
    for (lane, addr) in access.touched() {
        let free = access
            .touched()
            .take_while(|(other, _)| *other < lane)
            .all(|(other, at)| at != addr && banks(other, at) != banks(lane, addr));
        if free {
            served = LaneMask(served.0 | 1 << lane);
        }
    }
    served
}
