//! Findings in the run of one block, and the steps at which they show.

use super::errors::errors;
use crate::analysis::check::{self, AccessKind, Checks, Finding, FindingKind, Participant};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::matrix::judge::Wrong;
use crate::ptx::Space;
use crate::sim::{Access, Effect, Machine, Memory, Order, Program, Step};
use crate::trace::LIMIT;
use std::sync::Arc;

/// The errors in the run of a block.
#[derive(Clone, Debug)]
pub struct BlockFindings {
    /// All findings.
    pub findings: Vec<InRun>,
    /// Global memory after the checks.
    pub memory: Memory,
    /// The wrong C, if the block computes one.
    pub spoilt: Option<WrongResult>,
    /// How many elements of the block's part of C are wrong, if the block completed and the
    /// expected result is known.
    pub judged: Option<Wrong>,
}

/// A finding, and where it shows.
#[derive(Clone, Debug)]
pub struct InRun {
    /// The finding.
    pub finding: Finding,
    /// For each participant, the steps done after it took part, if known.
    pub steps: Vec<Option<usize>>,
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
    /// Its program.
    pub program: Arc<Program>,
    /// The block.
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
}

impl BlockRun {
    /// Finds all errors: runs the block with all checks, and once more to find the steps.
    ///
    /// Of a block that takes more steps than are recorded, that part is checked: whether it ends is
    /// not known unless it returns to an earlier state.
    pub fn look(&self) -> BlockFindings {
        let checks = Checks {
            launch: self.problem.launch(),
            only: Some(self.block),
            budget: LIMIT as u64,
            unfilled: self.problem.unfilled(),
        };
        let memory = || self.problem.sparse_memory(&self.program);
        let machine = |block, memory| {
            self.problem.machine(Arc::clone(&self.program), block, memory, self.order.clone())
        };
        let mut checked = check::run(&checks, memory, machine);
        checked.findings.retain(|finding| !is_only_long(finding));
        if checked.findings.is_empty() {
            let judged = self.judge(&checked.memory);
            let (findings, memory) = (Vec::new(), checked.memory);
            return BlockFindings { findings, memory, spoilt: None, judged };
        }
        let mut steps = Places::of(&checked.findings);
        let mut again = machine(self.block, memory());
        let end = steps.find(&mut again);
        let judged = end.as_ref().and_then(|_| self.judge(again.memory()));
        let spoilt = end.zip(judged).and_then(|(End { step, warp }, wrong)| {
            wrong.first.map(|_| WrongResult { step, warp, wrong })
        });
        let steps = steps.found;
        let findings = checked.findings.into_iter().zip(steps);
        let findings = findings.map(|(finding, steps)| InRun { finding, steps }).collect();
        BlockFindings { findings, memory: checked.memory, spoilt, judged }
    }

    /// Judges the block's C at the end of the run, if the expected result is known.
    fn judge(&self, memory: &Memory) -> Option<Wrong> {
        let (part, c) = (self.problem.part(self.block)?, memory.named(Operand::C.name())?);
        Some(errors(&self.problem, c, part, 0.0).wrong())
    }
}

/// The end of a block that completed.
struct End {
    step: usize,
    warp: u16,
}

/// For each finding and each participant, the step at which it took part, if known.
struct Places<'a> {
    findings: &'a [Finding],
    found: Vec<Vec<Option<usize>>>,
}

impl<'a> Places<'a> {
    fn of(findings: &'a [Finding]) -> Self {
        let found = findings.iter().map(|finding| vec![None; finding.sides.len()]).collect();
        Self { findings, found }
    }

    /// Runs to the end; returns it, if the block reaches it.
    fn find(&mut self, machine: &mut Machine) -> Option<End> {
        let (mut index, mut last, mut ended) = (0, 0, false);
        while index < LIMIT && !ended {
            let interval = machine.interval();
            match machine.step() {
                Ok(Some(step)) => {
                    (index, last) = (index + 1, step.warp);
                    self.meet(step, interval, index);
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
        ended.then_some(End { step: index, warp: last })
    }

    fn meet(&mut self, step: &Step, interval: u32, index: usize) {
        for (finding, found) in self.findings.iter().zip(&mut self.found) {
            if finding.interval.is_some_and(|at| at != interval) {
                continue;
            }
            for (side, at) in finding.sides.iter().zip(found) {
                if at.is_none() && took_part(finding, side, step) {
                    *at = Some(index);
                }
            }
        }
    }
}

/// Whether the finding only says that the block has not ended within the budget.
fn is_only_long(finding: &Finding) -> bool {
    matches!(&finding.kind, FindingKind::NoEnd(found) if !found.repeats)
}

fn took_part(finding: &Finding, side: &Participant, step: &Step) -> bool {
    if (step.warp, step.pc) != (side.warp, side.pc) || side.did == AccessKind::Stand {
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
        Effect::Copy(copy) => copy.iter().any(touches),
        _ => step.accesses().iter().any(touches),
    }
}
