//! Tries the blocks that a kernel may be made for, where nobody says with which it is launched.

use super::tried::Trial;
use crate::analysis::check::{Finding, FindingKind};
use crate::kernel::{Goal, LaunchSpec, UserKernel};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::study::simulation::Simulation;

/// The most blocks all of which are run.
const MANY: u64 = 16;

/// Instructions after which a block is given up.
const BUDGET: u64 = 1 << 20;

/// The largest side of the matrices.
const LARGEST: u32 = 128;

impl Trial<'_> {
    /// The first of these blocks with which the kernel stays in its arrays, and C is right; or else the
    /// first with which it stays in its arrays. What else is found says nothing against a block: it is
    /// the kernel's.
    pub(super) fn block(&self, likely: &[Dim3], goal: Option<Goal>) -> Option<Dim3> {
        let Size { m, n, k } = self.size;
        let has_values = self.wanted.args.is_some() || self.wanted.grid.is_some();
        let small = Size { m: m.min(LARGEST), n: n.min(LARGEST), k: k.min(LARGEST) };
        let size = if has_values { self.size } else { small };
        let mut first = None;
        for block in likely {
            let wanted = LaunchSpec { block: *block, ..self.wanted.clone() };
            match (Self { wanted, size, ..self.clone() }).is_right(goal) {
                Some(true) => return Some(*block),
                Some(false) => first = first.or(Some(*block)),
                None => {}
            }
        }
        first
    }

    /// Whether C is right, if it is judged; `None` if the kernel cannot be launched so or leaves its
    /// arrays.
    fn is_right(&self, goal: Option<Goal>) -> Option<bool> {
        let made = UserKernel::called(self.module, self.size, self.wanted.clone(), self.host);
        let (problem, program) = self.problem(self.kernel(made, goal).ok()?)?;
        let simulation = Simulation::checked(&problem, &program, BUDGET);
        let is_large = problem.launch().blocks() > MANY;
        let only = is_large.then_some(simulation.block);
        let run = Simulation { only, ..simulation }.run().ok()?;
        let stays = !run.findings?.iter().any(leaves_arrays);
        stays.then(|| run.errors.is_none_or(|errors| errors.relative() <= run.tolerance))
    }
}

/// Whether a finding shows that there are more or fewer threads than an array has elements.
pub(in crate::cli) fn leaves_arrays(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Fault(_) | FindingKind::UninitialisedRead)
}
