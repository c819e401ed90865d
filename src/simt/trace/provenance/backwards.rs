//! A run traversed backwards: pieces between checkpoints, replayed one by one from the last.

use super::ProvenanceError;
use super::flow::{ValueFlow, flows};
use super::moment::StepValues;
use crate::sim::{LaneMask, Machine, Repetition, Step, Transfer};
use crate::work::WorkToken;
use ptx::{Collective, Op, WarpOp};

/// Bytes that all checkpoints together may always take.
const BUDGET: usize = 1 << 20;

/// Initial number of steps between checkpoints; doubled whenever they take too much memory.
const SPACING: usize = 1024;

/// Steps between two questions whether to go on.
const PATIENCE: usize = 4096;

/// Instructions after which a block is assumed never to end: nearly ten times what the catalogue's
/// longest block takes at 8192.
const LONGEST: usize = 60_000_000;

/// A block's run, with the data flow of its instructions.
#[derive(Debug)]
pub(super) struct BackwardsRun {
    pub(super) flows: Vec<ValueFlow>,
    machine: Machine,
    index: usize,
    /// Whether the program has a shuffle.
    shuffles: bool,
    repetition: Repetition,
}

/// Positions from which a run can be replayed; the first is its start.
#[derive(Debug)]
pub(super) struct Checkpoints {
    runs: Vec<(usize, Machine)>,
    spacing: usize,
}

impl BackwardsRun {
    /// For `machine`, which has not run yet.
    pub(super) fn new(machine: Machine) -> Self {
        let flows = flows(machine.program());
        let shuffles = flows.iter().any(|flow| matches!(flow, ValueFlow::Exchange { .. }));
        Self { flows, machine, index: 0, shuffles, repetition: Repetition::default() }
    }

    /// Executes the next step; `None` at the end, and where the block faults.
    pub(super) fn next(&mut self) -> Option<StepValues> {
        let interval = self.machine.interval();
        let (sources, results) = (self.sources(), self.results());
        let Ok(Some(step)) = self.machine.step() else { return None };
        let step = step.clone();
        let landed = self.machine.landed().to_vec();
        self.index += 1;
        let chosen = match &self.flows[step.pc.0 as usize] {
            ValueFlow::Pass { by: Some(by), .. } => self.machine.predicate(step.warp.into(), *by),
            ValueFlow::Product(product) => self.machine.predicate(step.warp.into(), product.adds),
            _ => LaneMask::NONE,
        };
        Some(StepValues {
            index: self.index as u32,
            interval,
            step,
            landed,
            chosen,
            sources,
            results,
        })
    }

    /// Returns the lanes from which the next step shuffles values, if it does; the step may
    /// overwrite the registers that determine them.
    fn sources(&self) -> Option<Box<[u8; 32]>> {
        let (warp, pc, _) = self.machine.ahead().filter(|_| self.shuffles)?;
        let ValueFlow::Exchange { op, .. } = &self.flows[pc.0 as usize] else { return None };
        let Op::Warp(Collective { op: WarpOp::Shuffle(mode), args, .. }) = &**op else {
            return None;
        };
        let [by, clamp] = [1, 2].map(|arg| self.machine.values(warp, args[arg]));
        let source = |lane: usize| mode.source(lane as u8, by[lane] as u32, clamp[lane] as u32);
        Some(Box::new(std::array::from_fn(|lane| source(lane).unwrap_or(lane as u8))))
    }

    /// Returns the values passed back by the next step, if it returns from a function.
    fn results(&self) -> Vec<Transfer> {
        let calls = &self.machine.program().calls;
        let leaving = || {
            let (warp, pc, _) = self.machine.ahead()?;
            let leaves = self.flows[pc.0 as usize] == ValueFlow::Leave;
            calls.get(&self.machine.caller(warp).filter(|_| leaves)?)
        };
        let site = if calls.is_empty() { None } else { leaving() };
        site.map_or_else(Vec::new, |site| site.results.clone())
    }

    /// Runs to the end, keeps checkpoints, and shows every step to `see`.
    ///
    /// # Errors
    /// It is cancelled, or the block does not end.
    pub(super) fn finish(
        &mut self,
        token: &WorkToken,
        mut see: impl FnMut(&Step, usize),
    ) -> Result<Checkpoints, ProvenanceError> {
        let mut kept = Checkpoints { runs: vec![(0, self.machine.clone())], spacing: SPACING };
        while let Ok(Some(step)) = self.machine.step() {
            self.index += 1;
            see(step, self.index);
            kept.keep(self.index, &self.machine);
            self.goes_on(token)?;
        }
        Ok(kept)
    }

    /// Whether to follow the run further, at each step from its start.
    pub(super) fn goes_on(&mut self, token: &WorkToken) -> Result<(), ProvenanceError> {
        let index = self.index;
        if self.repetition.sees(&self.machine).is_some() {
            return Err(ProvenanceError::Endless(index));
        }
        if index >= LONGEST {
            return Err(ProvenanceError::NoEnd(index));
        }
        let looks = index.is_multiple_of(PATIENCE);
        if looks && token.is_cancelled() { Err(ProvenanceError::Cancelled) } else { Ok(()) }
    }

    /// Returns the steps from the last checkpoint before `end` up to `end`, and moves `end` back to
    /// that checkpoint.
    pub(super) fn piece(&mut self, from: &mut Checkpoints, end: &mut usize) -> Vec<StepValues> {
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
        // Together they may take as much as the piece between two of them: this minimises the sum
        // of both.
        let budget = BUDGET.max(self.spacing * size_of::<StepValues>());
        if self.runs.len() * machine.bytes() > budget {
            self.spacing *= 2;
            self.runs.retain(|(index, _)| index.is_multiple_of(self.spacing));
        }
    }

    /// Returns the last checkpoint before `end`.
    fn pop(&mut self, end: usize) -> Option<(usize, Machine)> {
        while let Some((index, machine)) = self.runs.pop() {
            if index < end {
                return Some((index, machine));
            }
        }
        None
    }
}
