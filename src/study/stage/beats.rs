//! The events that a tile repeats, in the words of the source line.

use super::grids::words;
use super::moment::{Now, ShownEvent};
use super::observed::{MoveKind, WarpMove};
use super::plan::StagePlan;
use super::scene::{MULTIPLY, WAIT};
use crate::sim::Pc;
use std::collections::BTreeSet;
use std::ops::Range;

/// Events of one kind in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beat {
    words: String,
    times: u32,
    pcs: BTreeSet<Pc>,
    /// The phases within a tile to which it belongs, or, without a product, those of the run.
    phases: Range<u32>,
    kind: BeatKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BeatKind {
    Carry,
    Multiply,
    Wait,
}

impl Beat {
    pub(super) fn name(&self) -> String {
        if self.times > 1 { format!("{} x {}", self.words, self.times) } else { self.words.clone() }
    }

    /// Whether the event shown is one of these.
    pub(super) fn is_now(&self, now: &Now<'_>, plan: &StagePlan) -> bool {
        // An open door belongs to the phase that it ended.
        let is_after = now.kind == ShownEvent::Open && now.is_settled();
        let phase = now.phase.saturating_sub(u32::from(is_after));
        let is_phase = self.phases.contains(&plan.within_tile(phase));
        let of_event = now.pc.is_some_and(|pc| self.pcs.contains(&pc));
        match self.kind {
            BeatKind::Carry => of_event && is_phase,
            BeatKind::Multiply => {
                let loads = now.kind == ShownEvent::Access(MoveKind::SharedLoad);
                (now.kind == ShownEvent::Multiply || loads) && is_phase
            }
            BeatKind::Wait => matches!(now.kind, ShownEvent::Wait | ShownEvent::Open) && is_phase,
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

    /// The number of a phase within its tile; without a product, that of the observed one like it.
    fn within_tile(&self, phase: u32) -> u32 {
        let doors = self.phases.doors;
        match &self.product {
            Some(_) if doors > 0 => (phase + doors - self.first_of_tile() % doors) % doors,
            Some(_) => phase,
            None => self.phases.like(phase).0 as u32,
        }
    }

    /// What the first warp does for one tile, or in one round of k where there is no door; without a
    /// product, in all phases, equal ones once.
    pub(super) fn beats(&self) -> Vec<Beat> {
        if self.product.is_none() {
            return self.beats_of_run();
        }
        let first = self.first_of_tile();
        let phases = (0..).zip(first..first + self.phases.doors.max(1));
        phases.flat_map(|(at, phase)| self.beats_of(phase, at)).collect()
    }

    fn beats_of_run(&self) -> Vec<Beat> {
        let mut all: Vec<Vec<Beat>> = Vec::new();
        for phase in 0..self.phases.observed.len() as u32 {
            let beats = self.beats_of(phase, phase);
            let names =
                |beats: &[Beat]| beats.iter().map(|beat| beat.words.clone()).collect::<Vec<_>>();
            match all.last_mut().filter(|last| names(last) == names(&beats)) {
                Some(last) => last.iter_mut().zip(beats).for_each(|(last, beat)| {
                    last.phases.end = phase + 1;
                    last.pcs.extend(beat.pcs);
                }),
                None => all.push(beats),
            }
        }
        all.concat()
    }

    fn beats_of(&self, phase: u32, at: u32) -> Vec<Beat> {
        let mut beats: Vec<Beat> = Vec::new();
        let has_doors = !self.phases.door_pcs.is_empty();
        let own = self.phases.observed.get(phase as usize).map_or(&[][..], Vec::as_slice);
        let round = self.product.as_ref().map_or(u32::MAX, |product| product.sums_each);
        let own = own.iter().filter(|one| one.warp == 0 && (has_doors || one.fma < round));
        let own: Vec<_> = own.collect();
        // One execution may make several accesses.
        let first = own.chunk_by(|a, b| a.is_with(b) && self.words_of(a) == self.words_of(b));
        first.for_each(|all| self.add_move(&mut beats, all[0], at));
        if self.phases.uses(phase) || !has_doors {
            self.add_multiply(&mut beats, at);
        }
        let is_last = self.product.is_none() && phase + 1 == self.phases.observed.len() as u32;
        if has_doors && !is_last {
            let (words, pcs) = (WAIT.to_owned(), BTreeSet::new());
            beats.push(Beat { words, times: 1, pcs, phases: at..at + 1, kind: BeatKind::Wait });
        }
        beats
    }

    fn add_move(&self, beats: &mut Vec<Beat>, one: &WarpMove, phase: u32) {
        let Some(words) = self.words_of(one) else { return };
        // Loads and stores of several turns alternate.
        if let Some(beat) = beats.iter_mut().rev().take(2).find(|beat| beat.words == words) {
            beat.times += 1;
            beat.pcs.insert(one.pc);
            return;
        }
        let (pcs, kind) = (BTreeSet::from([one.pc]), BeatKind::Carry);
        beats.push(Beat { words, times: 1, pcs, phases: phase..phase + 1, kind });
    }

    fn add_multiply(&self, beats: &mut Vec<Beat>, phase: u32) {
        let Some(product) = &self.product else { return };
        let a_tile = self.phases.fma_a_tile / self.warps.max(1) as u32;
        let times = if product.shares() { a_tile } else { product.sums_each }.max(1);
        let (words, pcs) = (MULTIPLY.to_owned(), self.phases.fma_pcs.clone());
        beats.push(Beat { words, times, pcs, phases: phase..phase + 1, kind: BeatKind::Multiply });
    }

    /// `load A`, `store sA`; nothing of loads from shared memory that belong to multiply-adds.
    fn words_of(&self, one: &WarpMove) -> Option<String> {
        let global = || {
            let (array, ..) = self.grids.first(&one.access)?;
            Some(self.grids.0[array].name.clone())
        };
        let shared = || {
            let word = words(&one.access).next()?;
            let grid = self.shared.iter().find(|grid| grid.at(word).is_some())?;
            Some(grid.title.split('[').next().unwrap_or(&grid.array).to_owned())
        };
        match one.kind {
            MoveKind::Load => Some(format!("load {}", global()?)),
            MoveKind::Copy => Some(format!("copy {}", global()?)),
            MoveKind::SharedStore => Some(format!("store {}", shared()?)),
            MoveKind::SharedLoad if self.product.is_none() => Some(format!("load {}", shared()?)),
            MoveKind::Store | MoveKind::SharedLoad => None,
        }
    }
}
