//! Tries the blocks that a kernel may be made for, where nobody says with which it is launched.

use super::missing::no_block;
use super::tried::Trial;
use super::{BadUse, Code};
use crate::analysis::check::{Finding, FindingKind};
use crate::kernel::{Called, Goal, LaunchError, LaunchSpec, Problem, likely_blocks};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::study::simulation::Simulation;
use cudac::File;
use ptx::{Function, Module};

/// The most blocks all of which are run.
const MANY: u64 = 16;

/// Instructions after which a block is given up.
const BUDGET: u64 = 1 << 20;

/// The largest side of the matrices.
const LARGEST: u32 = 128;

impl Code {
    /// The block of a launch that lacks it.
    ///
    /// # Errors
    /// With none of the likely blocks can the kernel be launched, or does it stay in its arrays.
    pub(super) fn block(
        &self,
        module: &Module,
        function: &Function,
        wanted: &LaunchSpec,
        goal: Option<Goal>,
    ) -> Result<Dim3, BadUse> {
        let constants = self.whole.as_ref().map(File::constants).unwrap_or_default();
        let likely = likely_blocks(module, function, wanted.source.as_ref(), &constants);
        let (cluster, called) = (self.launch.cluster, Called::default());
        let wanted = LaunchSpec { cluster, called, ..wanted.clone() };
        let trial = Trial { module, ptx: &self.ptx, size: self.size, wanted };
        let block = trial.block(&likely, goal).map_err(|error| BadUse(error.to_string()))?;
        block.ok_or_else(|| no_block(&self.calls, function, &likely))
    }
}

impl Trial<'_> {
    /// The first of these blocks with which the kernel stays in its arrays, and C is right; or else the
    /// first with which it stays in its arrays. What else is found says nothing against a block: it is
    /// the kernel's.
    ///
    /// # Errors
    /// With none of them it can be launched.
    fn block(&self, likely: &[Dim3], goal: Option<Goal>) -> Result<Option<Dim3>, LaunchError> {
        let Size { m, n, k } = self.size;
        let has_values = self.wanted.args.is_some() || self.wanted.grid.is_some();
        let small = Size { m: m.min(LARGEST), n: n.min(LARGEST), k: k.min(LARGEST) };
        let size = if has_values { self.size } else { small };
        let (mut first, mut refused) = (None, None);
        let mut is_launched = false;
        for block in likely {
            let wanted = LaunchSpec { block: *block, ..self.wanted.clone() };
            let trial = Self { size, wanted, ..self.clone() };
            match trial.kernel(trial.made(trial.wanted.clone()), goal) {
                Err(error) => refused = refused.or(Some(error)),
                Ok(kernel) => {
                    is_launched = true;
                    match is_right(&kernel) {
                        Some(true) => return Ok(Some(*block)),
                        Some(false) => first = first.or(Some(*block)),
                        None => {}
                    }
                }
            }
        }
        refused.filter(|_| !is_launched).map_or(Ok(first), Err)
    }
}

/// Whether C is right, if it is judged; `None` if the kernel leaves its arrays.
fn is_right(problem: &Problem) -> Option<bool> {
    let program = problem.program().ok()?;
    let simulation = Simulation::checked(problem, &program, BUDGET);
    let is_large = problem.launch.blocks() > MANY;
    let only = is_large.then_some(simulation.block);
    let run = Simulation { only, ..simulation }.run().ok()?;
    let stays = !run.findings?.iter().any(leaves_arrays);
    stays.then(|| run.errors.is_none_or(|errors| errors.relative() <= run.tolerance))
}

/// Whether a finding shows that there are more or fewer threads than an array has elements.
pub(in crate::cli) fn leaves_arrays(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Fault(_) | FindingKind::UninitialisedRead)
}
