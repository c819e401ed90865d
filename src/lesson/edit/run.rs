//! The run of a version's whole grid at one of its sizes, with all checks.

use super::version::SizedKernel;
use crate::analysis::check::FindingKind;
use crate::lesson::judged::{self, CheckedRun};
use crate::matrix::Size;
use crate::matrix::judge::Wrong;
use crate::report::cause::{Explanation, Verdict};
use crate::study::simulation::Simulation;
use crate::work::WorkToken;

/// Instructions after which a block is taken to have no end.
pub(super) const BUDGET: u64 = 1 << 21;

/// The same of an exercise, where two runs are to be equal on any machine, and none is to take long.
const EXERCISE_BUDGET: u64 = judged::BUDGET / 2;

#[derive(Clone, Copy, Debug)]
pub struct SizeResult {
    pub size: Size,
    /// Whether it is right, or `None` if that is not known.
    pub is_right: Option<bool>,
    /// What it is if it is not right.
    pub verdict: Verdict,
    /// Its wrong elements.
    pub wrong: Wrong,
}

/// `64`, or `60,52,84`.
pub(super) fn sides(Size { m, n, k }: Size) -> String {
    if m == n && n == k { m.to_string() } else { format!("{m},{n},{k}") }
}

/// The run of a stage's grid.
pub(super) struct JudgedStage<'a> {
    /// The number of the stage.
    pub at: usize,
    pub stage: &'a SizedKernel,
    pub run: CheckedRun<'a>,
    /// What is known about its C, if that is wrong.
    pub explained: Option<Explanation>,
}

impl<'a> JudgedStage<'a> {
    /// Simulates and checks the grid of a stage.
    pub(super) fn of(
        at: usize,
        stage: &'a SizedKernel,
        is_exercise: bool,
        token: &WorkToken,
    ) -> Option<Self> {
        let SizedKernel { problem, program, .. } = stage;
        let budget = if is_exercise { EXERCISE_BUDGET } else { BUDGET };
        let run = CheckedRun::of(Simulation::checked(problem, program, budget), token).ok()?;
        let explained = run.explained();
        Some(Self { at, stage, run, explained })
    }

    /// Whether a block cannot continue, or does not end.
    pub(super) fn has_fault(&self) -> bool {
        let mut kinds = self.run.findings().iter().map(|finding| &finding.kind);
        kinds.any(|kind| matches!(kind, FindingKind::Fault(_) | FindingKind::NoEnd(_)))
    }

    pub(super) fn product(&self) -> SizeResult {
        SizeResult {
            size: self.stage.problem.size,
            is_right: self.run.simulated.is_right(),
            verdict: Verdict::of(self.explained.as_ref()),
            wrong: self.run.wrong().unwrap_or_default(),
        }
    }
}
