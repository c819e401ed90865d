//! The events that a tile repeats, in the words of the source line.

use super::moment::{EventKind, Now};
use super::observed::{Move, MoveKind, words};
use super::plan::StagePlan;
use crate::sim::Pc;
use std::collections::BTreeSet;

/// Events of one kind in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beat {
    words: String,
    times: u32,
    pcs: BTreeSet<Pc>,
    /// The phase within a tile to which it belongs.
    phase: u32,
    kind: BeatKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeatKind {
    Move,
    Multiply,
    Wait,
}

impl Beat {
    pub(super) fn name(&self) -> String {
        if self.times > 1 { format!("{} x {}", self.words, self.times) } else { self.words.clone() }
    }

    /// Whether the event shown is one of these.
    pub(super) fn is_now(&self, now: &Now<'_>, plan: &StagePlan) -> bool {
        let is_phase = plan.phases.doors == 0 || {
            let at = (now.phase + plan.phases.doors - plan.first_of_tile() % plan.phases.doors)
                % plan.phases.doors;
            at == self.phase
        };
        let of_event = now.pc.is_some_and(|pc| self.pcs.contains(&pc));
        match self.kind {
            BeatKind::Move => of_event && is_phase,
            BeatKind::Multiply => {
                let loads = now.kind == EventKind::Access(MoveKind::SharedLoad);
                (now.kind == EventKind::Multiply || loads) && is_phase
            }
            BeatKind::Wait => matches!(now.kind, EventKind::Wait | EventKind::Open) && is_phase,
        }
    }
}

impl StagePlan {
    /// The first phase of the tile whose events are listed.
    fn first_of_tile(&self) -> u32 {
        let first = self.phases.brought.first().copied().unwrap_or(0);
        let steady = self.phases.brought.iter().nth(1).copied().unwrap_or(first);
        let overlaps = self.phases.brought.intersection(&self.phases.used).next().is_some();
        if overlaps { steady } else { first }
    }

    /// What the first warp does for one tile, or in one round of k where there is no door.
    pub(super) fn beats(&self) -> Vec<Beat> {
        let mut beats: Vec<Beat> = Vec::new();
        let first = self.first_of_tile();
        let phases = first..first + self.phases.doors.max(1);
        let has_doors = !self.phases.door_pcs.is_empty();
        for (at, phase) in (0..).zip(phases) {
            let own = self.phases.observed.get(phase as usize).map_or(&[][..], Vec::as_slice);
            let own = own.iter().filter(|one| one.warp == 0);
            let round = self.product.as_ref().map_or(u32::MAX, |product| product.sums_each);
            let own = own.filter(|one| has_doors || one.fma < round);
            own.for_each(|one| self.add_move(&mut beats, one, at));
            if self.phases.uses(phase) || !has_doors {
                self.add_multiply(&mut beats, at);
            }
            if has_doors {
                let (words, pcs) = ("wait".to_owned(), BTreeSet::new());
                beats.push(Beat { words, times: 1, pcs, phase: at, kind: BeatKind::Wait });
            }
        }
        beats
    }

    fn add_move(&self, beats: &mut Vec<Beat>, one: &Move, phase: u32) {
        let Some(words) = self.words_of(one) else { return };
        let last = beats.last_mut();
        match last.filter(|last| last.words == words && last.phase == phase) {
            Some(last) => {
                last.times += 1;
                last.pcs.insert(one.pc);
            }
            None => {
                let (pcs, kind) = (BTreeSet::from([one.pc]), BeatKind::Move);
                beats.push(Beat { words, times: 1, pcs, phase, kind });
            }
        }
    }

    fn add_multiply(&self, beats: &mut Vec<Beat>, phase: u32) {
        let Some(product) = &self.product else { return };
        let shares = !product.words.is_empty();
        let a_tile = self.phases.fma_a_tile / self.warps.max(1) as u32;
        let times = if shares { a_tile } else { product.sums_each };
        let (pcs, kind) = (self.phases.fma_pcs.clone(), BeatKind::Multiply);
        beats.push(Beat { words: "multiply".to_owned(), times: times.max(1), pcs, phase, kind });
    }

    /// `load A`, `store sA`; nothing of loads from shared memory, which belong to the multiply-adds.
    fn words_of(&self, one: &Move) -> Option<String> {
        let (_, addr) = one.access.touched().next()?;
        let global = || {
            let (array, ..) = self.grids.locate(addr)?;
            Some(self.grids.0[array].name.clone())
        };
        match one.kind {
            MoveKind::Load => Some(format!("load {}", global()?)),
            MoveKind::Store => None,
            MoveKind::Copy => Some(format!("copy {}", global()?)),
            MoveKind::SharedStore => {
                let word = words(&one.access).next()?;
                let grid = self.shared.iter().find(|grid| grid.at(word).is_some())?;
                Some(format!("store {}", grid.array))
            }
            MoveKind::SharedLoad => None,
        }
    }
}
