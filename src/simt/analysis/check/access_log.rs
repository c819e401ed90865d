//! Races between blocks in a program whose fences order some accesses: a log of who has touched
//! each shared word so far, for blocks that run one after another.

use super::block_conflicts::BlockAccess;
use super::epoch::ThreadId;
use super::touch::{PastAccess, Touch};
use crate::sim::LaneMask;
use std::collections::HashMap;

/// Accesses of a unit by lanes of one warp in one instruction.
#[derive(Clone, Copy, Debug)]
struct LoggedAccess {
    party: BlockAccess,
    lanes: LaneMask,
}

/// Accesses of one unit that are not ordered before all later ones.
#[derive(Debug, Default)]
struct UnitLog {
    writes: Vec<LoggedAccess>,
    reads: Vec<LoggedAccess>,
}

/// The shared words that were touched, by their addresses.
#[derive(Debug, Default)]
pub(super) struct AccessLog {
    units: HashMap<u64, UnitLog>,
}

impl LoggedAccess {
    /// Returns each lane's part.
    fn parties(&self) -> impl Iterator<Item = BlockAccess> {
        self.lanes.lanes().map(|lane| {
            let thread = ThreadId::new(self.party.past.thread.warp(), lane);
            BlockAccess { past: PastAccess { thread, ..self.party.past }, ..self.party }
        })
    }
}

impl AccessLog {
    /// Adds an access and returns the accesses of other blocks with which it races, which are those
    /// not `ordered` before it.
    pub(super) fn add(
        &mut self,
        addr: u64,
        mine: BlockAccess,
        ordered: impl Fn(&BlockAccess) -> bool,
    ) -> Vec<BlockAccess> {
        let unit = self.units.entry(addr).or_default();
        let late = |seen: &LoggedAccess| seen.parties().find(|party| !ordered(party));
        let is_write = mine.past.touch != Touch::Load;
        let reads = if is_write { &unit.reads[..] } else { &[] };
        let others = unit.writes.iter().chain(reads);
        let races = others.filter(|seen| seen.party.clashes(&mine)).filter_map(late).collect();
        if is_write && mine.past.touch != Touch::Atomic {
            let stays =
                |seen: &LoggedAccess| seen.party.block != mine.block && late(seen).is_some();
            unit.writes.retain(stays);
            unit.reads.retain(stays);
        }
        keep(if is_write { &mut unit.writes } else { &mut unit.reads }, mine);
        races
    }
}

/// Keeps the last access of each warp.
fn keep(all: &mut Vec<LoggedAccess>, mine: BlockAccess) {
    let warp = |party: &BlockAccess| (party.block, party.past.thread.warp(), party.past.touch);
    let same = |seen: &&mut LoggedAccess| warp(&seen.party) == warp(&mine);
    let new = LoggedAccess { party: mine, lanes: LaneMask(1 << mine.past.thread.lane()) };
    match all.iter_mut().rev().take_while(|seen| seen.party.block == mine.block).find(same) {
        Some(seen) if seen.party.past.epoch == mine.past.epoch => {
            seen.lanes = LaneMask(seen.lanes.0 | new.lanes.0);
        }
        Some(seen) => *seen = new,
        None => all.push(new),
    }
}
