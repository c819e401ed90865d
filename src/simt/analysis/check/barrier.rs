//! The arrivals at a block's barriers, and the threads that miss them.

use super::epoch::{Epoch, ThreadId};
use super::finding::{AccessKind, FindingKind};
use super::happens_before::HappensBefore;
use crate::sim::{BlockGroup, LaneMask, Pc};
use std::collections::BTreeMap;

/// Lanes of a warp at an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct LanesAtPc {
    pub(super) warp: u16,
    pub(super) lanes: LaneMask,
    pub(super) pc: Pc,
    pub(super) did: AccessKind,
}

/// The barriers of one block.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    /// Arrivals at barriers that are not complete.
    arrived: Vec<BarrierLanes>,
    ended: Vec<LanesAtPc>,
    /// For each barrier with a thread count: how it was last completed.
    passed: BTreeMap<u8, CompletedBarrier>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BarrierLanes {
    pub(super) id: u8,
    /// The barrier's thread count, or `None` for the whole block.
    pub(super) threads: Option<u32>,
    pub(super) waits: bool,
    pub(super) at: LanesAtPc,
}

#[derive(Debug)]
struct CompletedBarrier {
    first: LanesAtPc,
    threads: u32,
    /// The warps that waited, and the epoch in which they continued.
    waiters: Vec<u16>,
    epoch: Epoch,
}

impl Barriers {
    pub(super) fn start(&mut self) {
        self.arrived.clear();
        self.ended.clear();
        self.passed.clear();
    }

    /// Lanes arrive at a barrier; returns what is wrong with that.
    ///
    /// A barrier with a thread count is complete with the first arrivals. A warp that is not among
    /// them, and arrives later without being ordered after them, could have arrived in place of one
    /// of them.
    pub(super) fn arrive(
        &mut self,
        clock: &HappensBefore,
        arrival: BarrierLanes,
    ) -> Option<(FindingKind, [LanesAtPc; 2])> {
        self.arrived.push(arrival);
        let CompletedBarrier { first, threads, waiters, epoch } = self.passed.get(&arrival.id)?;
        let LanesAtPc { warp, lanes, .. } = arrival.at;
        let after = |waiter: u16| {
            let waiter = move |lane| ThreadId::new(waiter.into(), lane);
            let mut lanes = lanes.lanes().map(|lane| ThreadId::new(warp.into(), lane));
            lanes.any(|lane| (0..32).any(|of| clock.ordered(lane, waiter(of), *epoch)))
        };
        let late = waiters.iter().any(|waiter| *waiter == warp || after(*waiter));
        (!late).then_some((FindingKind::AmbiguousArrival(*threads), [*first, arrival.at]))
    }

    pub(super) fn end(&mut self, at: LanesAtPc) {
        self.ended.push(at);
    }

    /// Barrier `id` is complete, and its waiters continue at `epoch`; returns what is wrong with
    /// that.
    pub(super) fn release(
        &mut self,
        id: u8,
        (blocks, rank): (&BlockGroup, u32),
        epoch: Epoch,
    ) -> Vec<(FindingKind, Vec<LanesAtPc>)> {
        let arrived: Vec<_> = self.arrived.extract_if(.., |arrival| arrival.id == id).collect();
        let Some(BarrierLanes { threads, at: first, .. }) = arrived.first().copied() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if let Some(BarrierLanes { threads: other, at, .. }) =
            arrived.iter().find(|other| other.threads != threads)
        {
            found.push((FindingKind::DifferentCounts(threads, *other), vec![first, *at]));
        }
        if let Some(threads) = threads {
            let waiters = arrived.iter().filter(|arrival| arrival.waits);
            let waiters = waiters.map(|arrival| arrival.at.warp).collect();
            self.passed.insert(id, CompletedBarrier { first, threads, waiters, epoch });
            return found;
        }
        let places = apart(arrived.iter().map(|arrival| arrival.at));
        if places.iter().any(|at| at.pc != first.pc) {
            found.push((FindingKind::DifferentBarriers, places));
        }
        let here = |at: &&LanesAtPc| blocks.rank_of(at.warp) == rank;
        let ended: Vec<_> = self.ended.iter().filter(here).copied().collect();
        if !ended.is_empty() {
            let threads = ended.iter().map(|at| at.lanes.count()).sum();
            let sides = [first].into_iter().chain(apart(ended.into_iter())).collect();
            found.push((FindingKind::ExitedBeforeBarrier { threads }, sides));
        }
        found
    }
}

/// The same lanes by warp and instruction, each once: compared by instruction, as a function that is
/// inlined twice has two barriers with one line.
fn apart(all: impl Iterator<Item = LanesAtPc>) -> Vec<LanesAtPc> {
    let mut apart: BTreeMap<_, LanesAtPc> = BTreeMap::new();
    for at in all {
        let known = apart.entry((at.warp, at.pc.0)).or_insert(at);
        known.lanes = known.lanes.or(at.lanes);
    }
    apart.into_values().collect()
}
