//! Findings in the run of one block, and the steps at which they show.

use super::cause::{BlockC, Diagnosis, reads_unwritten};
use super::errors::{errors, wrong_elements};
pub use super::hazards::Read;
use super::hazards::{Hazard, Hazards, Of, read};
use super::simulation::{self, Simulation};
use super::stored_part::stored_part;
use super::superstep::{Superstep, SuperstepRecorder, UnorderedAccesses};
use crate::analysis::check::{
    self, AccessKind, Checks, Finding, FindingKind, LoopEnd, Participant,
};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::sim::{Access, AsyncEffect, Effect, Inst, Machine, Memory, Order, Program, Step};
use crate::trace::LIMIT;
use crate::work::WorkToken;
use ptx::Space;
use std::ops::Range;
use std::sync::Arc;

/// Steps of all blocks up to which the whole grid is run beside one: some seconds.
const FEW: u64 = 1 << 23;

/// The errors in the run of a block.
#[derive(Clone, Debug)]
pub struct BlockFindings {
    pub findings: Vec<InRun>,
    /// Global memory after the checks.
    pub memory: Memory,
    /// The wrong C, if the block computes one.
    pub spoilt: Option<WrongResult>,
    /// How many elements of the block's part of C are wrong, if the block completed and the
    /// expected result is known.
    pub judged: Option<Wrong>,
    /// The wrong elements of that part.
    pub wrong: Vec<Mismatch>,
    /// The words of shared memory that hold a wrong value for a warp that will load them.
    pub hazards: Vec<Hazard>,
    /// What the block executed between its barriers.
    pub supersteps: Vec<Superstep>,
    /// Where a barrier is missing in one of them.
    pub unordered: Vec<UnorderedAccesses>,
    /// Global memory after the block's end, if it completed.
    pub end: Option<Memory>,
    /// The number of steps of the run and the warp that ended last, if it completed.
    last: Option<(usize, u16)>,
}

/// What the run of the whole grid shows beside that of a block.
#[derive(Debug)]
pub struct GridFindings {
    /// The findings that are not the block's as well.
    pub findings: Vec<Finding>,
    /// Global memory after the run.
    pub memory: Memory,
    /// The wrong C, where the block's own is not wrong.
    pub wrong: Option<WrongGrid>,
}

/// A wrong C of the whole grid, at the end of a block whose own C is right.
#[derive(Debug)]
pub struct WrongGrid {
    /// The wrong C.
    pub result: WrongResult,
    /// What is known about it.
    pub diagnosis: Option<Diagnosis>,
}

/// A finding, and where it shows.
#[derive(Clone, Debug)]
pub struct InRun {
    pub finding: Finding,
    /// For each participant, the steps done after it took part, if known.
    pub steps: Vec<Option<usize>>,
    /// The value that a participant loaded from a tile in shared memory, if one did.
    pub read: Option<Read>,
}

impl InRun {
    /// The number of the superstep in which the accesses of a race in shared memory meet, from 0.
    pub fn meets_in(&self) -> Option<usize> {
        let Finding { kind, place, interval, .. } = &self.finding;
        let is_shared = place.is_some_and(|place| place.space == Space::Shared);
        (*kind == FindingKind::Race && is_shared).then_some((*interval)? as usize)
    }

    /// The same with the two accesses, if it is known when they were.
    fn unordered(&self) -> Option<UnorderedAccesses> {
        let [Some(first), Some(second)] = self.steps[..] else { return None };
        let line = |number: usize| self.finding.sides.get(number)?.line;
        let mut both = [(first, line(0)), (second, line(1))];
        both.sort_unstable();
        let (steps, lines) = (both.map(|(step, _)| step), both.map(|(_, line)| line));
        Some(UnorderedAccesses { superstep: self.meets_in()?, steps, lines })
    }
}

/// A wrong C at the end of a block.
#[derive(Clone, Copy, Debug)]
pub struct WrongResult {
    /// The number of steps of the run.
    pub step: usize,
    /// The warp that ended last.
    pub warp: u16,
    /// The wrong elements.
    pub wrong: Wrong,
}

/// A block's run to be checked.
#[derive(Clone, Debug)]
pub struct BlockRun {
    /// The kernel and its launch.
    pub problem: Problem,
    pub program: Arc<Program>,
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
}

impl BlockRun {
    /// Finds all errors: runs the block with all checks, and once more to find the steps and to judge C.
    ///
    /// Of a block that takes more steps than are recorded, that part is checked: whether it ends is
    /// not known unless it returns to an earlier state.
    pub fn look(&self) -> BlockFindings {
        let checks = Checks {
            launch: self.problem.launch,
            only: Some(self.block),
            budget: LIMIT as u64,
            unfilled: &self.problem.unfilled(),
            token: &WorkToken::default(),
        };
        let memory = || self.problem.sparse_memory(&self.program);
        let machine = |block, memory| {
            self.problem.machine(Arc::clone(&self.program), block, memory, self.order.clone())
        };
        let mut checked = check::run(&checks, memory, machine);
        checked.findings.retain(|finding| !is_only_long(finding));
        let mut steps = ParticipantSteps::of(self, &checked.findings);
        let mut again = machine(self.block, memory());
        let end = steps.find(&mut again);
        let judged = end.as_ref().and_then(|_| self.judge(again.memory()));
        let is_wrong = judged.is_some_and(|wrong| wrong.elements > 0);
        let wrong = if is_wrong { self.wrong_elements(again.memory()) } else { Vec::new() };
        let spoilt = end.as_ref().zip(judged).and_then(|(BlockEnd { step, warp }, wrong)| {
            wrong.first.map(|_| WrongResult { step: *step, warp: *warp, wrong })
        });
        let hazards = steps.hazards.found();
        let supersteps = steps.supersteps.found();
        let found = steps.found.into_iter().zip(steps.reads);
        let findings = checked.findings.into_iter().zip(found);
        let findings = findings.map(|(finding, (steps, read))| InRun { finding, steps, read });
        let findings: Vec<_> = findings.collect();
        let unordered = findings.iter().filter_map(InRun::unordered).collect();
        let last = end.as_ref().map(|BlockEnd { step, warp }| (*step, *warp));
        let end = end.map(|_| again.memory().clone());
        let memory = checked.memory;
        BlockFindings {
            findings,
            memory,
            spoilt,
            judged,
            wrong,
            hazards,
            supersteps,
            unordered,
            end,
            last,
        }
    }

    /// Whether the whole grid can be run beside this block, which has completed: whether other blocks
    /// do not take too long.
    pub fn has_small_grid(&self, looked: &BlockFindings) -> bool {
        let blocks = self.problem.launch.blocks();
        looked.last.is_some_and(|(steps, _)| steps as u64 * blocks <= FEW)
    }

    /// Runs the whole grid with all checks, for what other blocks do wrong and what shows in no block:
    /// a grid that is too small or turned. `None` if it is cancelled before that.
    pub fn look_at_grid(&self, looked: &BlockFindings, token: &WorkToken) -> Option<GridFindings> {
        let BlockRun { problem, program, block, order } = self;
        let simulation = Simulation {
            block: *block,
            order: order.clone(),
            ..Simulation::checked(problem, program, LIMIT as u64)
        };
        let mut simulated = simulation.run(token).ok()?;
        if token.is_cancelled() {
            return None;
        }
        let wrong = || {
            let (step, warp) = looked.last.filter(|_| looked.spoilt.is_none())?;
            let wrong = simulated.errors?.wrong();
            wrong.first?;
            let diagnosis = Diagnosis::of(&simulation, &simulated);
            Some(WrongGrid { result: WrongResult { step, warp, wrong }, diagnosis })
        };
        let wrong = wrong();
        let mut findings = simulated.findings.take().unwrap_or_default();
        findings.retain(|found| {
            let same = |own: &InRun| is_same(&own.finding, found);
            !is_only_long(found) && !looked.findings.iter().any(same)
        });
        Some(GridFindings { findings, memory: simulated.memory?, wrong })
    }

    /// Looks for the cause of a wrong C.
    pub fn diagnose(&self, looked: &BlockFindings) -> Option<Diagnosis> {
        let (memory, first) = (looked.end.as_ref()?, looked.judged?.first?);
        let c = memory.named(Operand::C.name())?;
        let BlockRun { problem, program, block, order } = self;
        let (part, tolerance) = (self.part(memory)?, simulation::tolerance(problem));
        let of = BlockC { problem, program, block: *block, order, c, part, tolerance };
        let diagnosis = Diagnosis::of_block(&of, first);
        let is_by_chance = looked.findings.iter().any(|found| reads_unwritten(&found.finding));
        Some(Diagnosis { cause: diagnosis.cause.filter(|_| !is_by_chance), ..diagnosis })
    }

    fn of(&self) -> Of<'_> {
        (&self.problem, &self.program, self.block)
    }

    /// Judges the block's C at the end of the run, if the expected result is known.
    fn judge(&self, memory: &Memory) -> Option<Wrong> {
        if !self.problem.is_product() {
            return None;
        }
        let (part, c) = (self.part(memory)?, memory.named(Operand::C.name())?);
        Some(errors(&self.problem, c, part, self.tolerance()).wrong())
    }

    /// The elements that [`Self::judge`] counts as wrong.
    fn wrong_elements(&self, memory: &Memory) -> Vec<Mismatch> {
        let part = self.part(memory).zip(memory.named(Operand::C.name()));
        part.map_or_else(Vec::new, |(part, c)| {
            wrong_elements(&self.problem, c, part, self.tolerance())
        })
    }

    fn tolerance(&self) -> f64 {
        if self.problem.known.is_some() { 0.0 } else { simulation::tolerance(&self.problem) }
    }

    /// The part of C that the block computes: of a user's kernel what it has stored, unless blocks
    /// add to it one after the other.
    fn part(&self, memory: &Memory) -> Option<(Range<u32>, Range<u32>)> {
        let stored = || {
            self.problem.known.is_none().then_some(())?;
            let alone = !self.program.insts.iter().any(Inst::updates_global);
            stored_part(&self.problem, memory).filter(|_| alone)
        };
        self.problem.part(self.block).or_else(stored)
    }
}

/// The end of a block that completed.
struct BlockEnd {
    step: usize,
    warp: u16,
}

/// For each finding and each participant, the step at which it took part, if known.
struct ParticipantSteps<'a> {
    run: &'a BlockRun,
    findings: &'a [Finding],
    found: Vec<Vec<Option<usize>>>,
    /// For each finding, what a participant loaded.
    reads: Vec<Option<Read>>,
    /// Multiply-adds of each warp so far.
    fma: Vec<u32>,
    hazards: Hazards,
    supersteps: SuperstepRecorder,
}

impl<'a> ParticipantSteps<'a> {
    fn of(run: &'a BlockRun, findings: &'a [Finding]) -> Self {
        let found = findings.iter().map(|finding| vec![None; finding.sides.len()]).collect();
        let blocks = run.program.blocks_together() as usize;
        let fma = vec![0; run.problem.launch.warps() as usize * blocks];
        let (reads, hazards) = (vec![None; findings.len()], Hazards::default());
        let supersteps = SuperstepRecorder::default();
        Self { run, findings, found, reads, fma, hazards, supersteps }
    }

    /// Runs to the end; returns it, if the block reaches it.
    fn find(&mut self, machine: &mut Machine) -> Option<BlockEnd> {
        let (mut index, mut last, mut ended) = (0, 0, false);
        let limit = self.findings.iter().filter_map(proved_at).fold(LIMIT, usize::min);
        while index < limit && !ended {
            let interval = machine.interval();
            match machine.step() {
                Ok(Some(step)) => {
                    (index, last) = (index + 1, step.warp);
                    self.fma[usize::from(last)] += u32::from(step.multiply_adds() > 0);
                    for (number, side) in self.meet(step, interval, index) {
                        let read = self.read(machine, number, side);
                        self.reads[number] = self.reads[number].or(read);
                    }
                    let of = (&self.run.problem, &*self.run.program);
                    self.supersteps.add(of, machine, (index, interval));
                    // Without a finding, each load finds what is due.
                    if !self.findings.is_empty() {
                        let fma = self.fma[usize::from(last)];
                        self.hazards.add(self.run.of(), machine, index, fma);
                    }
                }
                Ok(None) => ended = true,
                Err(_) => break,
            }
        }
        // Participants that wait for ever, or cannot continue, are found at the end.
        for (finding, found) in self.findings.iter().zip(&mut self.found) {
            let ends = matches!(
                finding.kind,
                FindingKind::Deadlock(_) | FindingKind::Fault(_) | FindingKind::NoEnd(_)
            );
            found.iter_mut().filter(|at| at.is_none() && ends).for_each(|at| *at = Some(index));
        }
        ended.then_some(BlockEnd { step: index, warp: last })
    }

    /// Returns the participants that this step is the first of, by the numbers of the finding and
    /// of the participant.
    fn meet(&mut self, step: &Step, interval: u32, index: usize) -> Vec<(usize, usize)> {
        let mut met = Vec::new();
        for (number, (finding, found)) in self.findings.iter().zip(&mut self.found).enumerate() {
            if finding.interval.is_some_and(|at| at != interval) {
                continue;
            }
            for (of, (side, at)) in finding.sides.iter().zip(found).enumerate() {
                let warp = side.machine_warp(self.run.problem.launch.warps());
                if at.is_none() && step.warp == warp && took_part(finding, side, step) {
                    *at = Some(index);
                    met.push((number, of));
                }
            }
        }
        met
    }

    /// Returns what a participant has just loaded, if its place belongs to a tile of A or B.
    fn read(&self, machine: &Machine, number: usize, side: usize) -> Option<Read> {
        let finding = &self.findings[number];
        let (place, side) = (finding.place?, &finding.sides[side]);
        if side.did != AccessKind::Load || place.space != Space::Shared {
            return None;
        }
        let fma = self.fma[usize::from(side.warp)];
        read(self.run.of(), machine, u32::try_from(place.addr / 4).ok()?, fma)
    }
}

/// The steps after which it is proved that the block never ends, if the finding says so.
fn proved_at(finding: &Finding) -> Option<usize> {
    match &finding.kind {
        FindingKind::NoEnd(found) if !is_only_long(finding) => Some(found.issued as usize),
        _ => None,
    }
}

/// Whether two findings are of the same kind, between the same instructions.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let sides = |of: &Finding| of.sides.iter().map(|side| (side.pc, side.did)).collect::<Vec<_>>();
    one.kind.kind() == other.kind.kind() && sides(one) == sides(other)
}

/// Whether the finding only says that the block has not ended within the budget.
fn is_only_long(finding: &Finding) -> bool {
    let is_long = |end: &LoopEnd| matches!(end, LoopEnd::Unknown | LoopEnd::AtLeast(_));
    matches!(&finding.kind, FindingKind::NoEnd(found) if is_long(&found.end))
}

fn took_part(finding: &Finding, side: &Participant, step: &Step) -> bool {
    if step.pc != side.pc || side.did == AccessKind::Stand {
        return false;
    }
    let Some(place) = finding.place else { return true };
    let touches = |access: &Access| {
        let lanes = access.touched().filter(|(lane, _)| side.lanes.has(*lane));
        let size = u64::from(access.bytes);
        let hits = |addr: u64| place.addr.wrapping_sub(addr) < size;
        (access.space == Space::Shared) == (place.space == Space::Shared)
            && lanes.into_iter().any(|(_, addr)| hits(addr))
    };
    match &step.effect {
        Effect::Async(AsyncEffect::Copy(copy)) => copy.iter().any(touches),
        _ => step.accesses().iter().any(touches),
    }
}
