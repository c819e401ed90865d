//! The run of a version's whole grid at one of its sizes, with all checks.

use super::version::SizedKernel;
use crate::lesson::judged::CheckedRun;
use crate::matrix::Size;
use crate::matrix::judge::Wrong;
use crate::report::cause::{Explanation, Verdict};
use crate::study::simulation::Simulation;
use crate::work::WorkToken;

/// Instructions after which a block is taken to have no end.
pub(super) const BUDGET: u64 = 1 << 21;

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
    pub(super) fn of(at: usize, stage: &'a SizedKernel, token: &WorkToken) -> Option<Self> {
        let SizedKernel { problem, program, .. } = stage;
        let run = CheckedRun::of(Simulation::checked(problem, program, BUDGET), token).ok()?;
        let explained = run.explained();
        Some(Self { at, stage, run, explained })
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
