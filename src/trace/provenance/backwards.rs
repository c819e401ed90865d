//! A run, step by step from its end: pieces between checkpoints, run again one by one.

use super::GivenUp;
use super::flow::{Flow, flows};
use crate::sim::{LaneMask, Machine, Step};

/// Bytes that all checkpoints may always take together.
const BUDGET: usize = 1 << 20;

/// Steps between checkpoints at first; doubled whenever there are too many.
const SPACING: usize = 1024;

/// Steps between two questions whether the answer is still wanted.
const PATIENCE: usize = 4096;

/// One step, with what its flow of data depends on.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Steps done when it had been executed.
    pub(super) index: u32,
    /// Barriers that the block had passed before it.
    pub(super) interval: u32,
    pub(super) step: Step,
    /// Of a choice: the lanes in which its predicate is set.
    pub(super) chosen: LaneMask,
}

/// A block's run with the flow of data of its instructions.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) flows: Vec<Flow>,
    machine: Machine,
    index: usize,
}

/// Places in a run to run again from, the first at its start.
#[derive(Debug)]
pub(super) struct Checkpoints {
    runs: Vec<(usize, Machine)>,
    spacing: usize,
}

impl Run {
    /// Of `machine`, which has not run yet.
    pub(super) fn new(machine: Machine) -> Self {
        Self { flows: flows(machine.program()), machine, index: 0 }
    }

    /// The next step; none at the end, and where the block goes wrong.
    pub(super) fn next(&mut self) -> Option<Moment> {
        let interval = self.machine.interval();
        let Ok(Some(step)) = self.machine.step() else { return None };
        let step = step.clone();
        self.index += 1;
        let chosen = match &self.flows[step.pc.0 as usize] {
            Flow::Choose { by, .. } => self.machine.predicate(step.warp.into(), *by),
            _ => LaneMask::NONE,
        };
        Some(Moment { index: self.index as u32, interval, step, chosen })
    }

    /// Runs to the end, leaves checkpoints, and shows every step to `see`.
    ///
    /// # Errors
    /// `wanted` says no.
    pub(super) fn finish(
        &mut self,
        wanted: &dyn Fn() -> bool,
        mut see: impl FnMut(&Step, usize),
    ) -> Result<Checkpoints, GivenUp> {
        let mut kept = Checkpoints { runs: vec![(0, self.machine.clone())], spacing: SPACING };
        while let Ok(Some(step)) = self.machine.step() {
            self.index += 1;
            see(step, self.index);
            kept.keep(self.index, &self.machine);
            if self.index.is_multiple_of(PATIENCE) && !wanted() {
                return Err(GivenUp);
            }
        }
        Ok(kept)
    }

    /// The steps after the last checkpoint, up to `end`, which is then the place before them.
    pub(super) fn piece(&mut self, from: &mut Checkpoints, end: &mut usize) -> Vec<Moment> {
        let Some((index, machine)) = from.pop(*end) else { return Vec::new() };
        (self.index, self.machine) = (index, machine);
        let piece = (index..*end).map_while(|_| self.next()).collect();
        *end = index;
        piece
    }
}

impl Checkpoints {
    fn keep(&mut self, index: usize, machine: &Machine) {
        if !index.is_multiple_of(self.spacing) {
            return;
        }
        self.runs.push((index, machine.clone()));
        // Together they may take as much as the piece between two of them: then both are least.
        let budget = BUDGET.max(self.spacing * size_of::<Moment>());
        if self.runs.len() * machine.bytes() > budget {
            self.spacing *= 2;
            self.runs.retain(|(index, _)| index.is_multiple_of(self.spacing));
        }
    }

    /// The last one before `end`.
    fn pop(&mut self, end: usize) -> Option<(usize, Machine)> {
        while let Some((index, machine)) = self.runs.pop() {
            if index < end {
                return Some((index, machine));
            }
        }
        None
    }
}
