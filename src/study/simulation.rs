//! A launch simulated as a whole: counted, checked, its C judged.

use super::errors::errors;
use crate::analysis::block_classes::{self, Unclassed, classes};
use crate::analysis::check::{self, Checked, Checks, Finding};
use crate::analysis::costly::{self, Costly};
use crate::analysis::vectorise::SmemVectorisation;
use crate::analysis::{Counters, grid};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::Errors;
use crate::matrix::{Operand, Size};
use crate::ptx::{LaneOp, Op, Type};
use crate::sim::{Fault, Machine, Memory, Order, Program};
use std::sync::Arc;
use std::time::Instant;

/// What is simulated, and how.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    /// The kernel and its launch.
    pub problem: &'a Problem,
    /// What runs.
    pub program: &'a Arc<Program>,
    /// The order of the warps of each block.
    pub order: Order,
    /// The one block that runs; `None` means the whole grid.
    pub only: Option<Dim3>,
    /// The block of which it is told what costs more than it needs.
    pub block: Dim3,
    /// Instructions after which a block is given up.
    pub budget: u64,
    /// Whether one block of each class is enough: then there is no C.
    pub counts_only: bool,
    /// Whether to check for races, barriers and never-written memory.
    pub checks: bool,
    /// The largest relative error of a right C; `None` means what rounding makes of its sums.
    pub tolerance: Option<f64>,
}

/// What came of it.
#[derive(Debug)]
pub struct Simulated {
    /// What the blocks did.
    pub counters: Counters,
    /// Blocks that were run.
    pub blocks: u64,
    /// Why every block was run though one of each class was asked for.
    pub unclassed: Option<Unclassed>,
    /// Global memory afterwards; `None` where the counts alone were made.
    pub memory: Option<Memory>,
    /// What the checks found; `None` where nothing was checked.
    pub findings: Option<Vec<Finding>>,
    /// How far C is from what is expected, where that is known.
    pub errors: Option<Errors>,
    /// The largest relative error of a right C.
    pub tolerance: f64,
    /// What ptxas joins.
    pub joins: SmemVectorisation,
    /// What makes memory work harder than it needs, the worst first.
    pub costly: Vec<Costly>,
    /// How long it took to run the blocks.
    pub seconds: f64,
}

/// A block may wait for ever for others where it runs alone; after so many instructions, or all that
/// the grid took, it is left.
const ALONE: u64 = 100_000;

impl Simulation<'_> {
    /// Runs the blocks, and judges what they made.
    ///
    /// # Errors
    /// The fault of the first block (in the grid's order) that went wrong, where nothing is checked:
    /// else it is a finding.
    pub fn run(&self) -> Result<Simulated, Fault> {
        let mut simulated = if self.counts_only { self.count() } else { self.compute() }?;
        let of_grid = simulated.counters.ptx.warp_instructions;
        if let Some(memory) = &simulated.memory {
            simulated.tolerance = self.tolerance();
            simulated.errors = self.errors(memory, simulated.tolerance);
        }
        simulated.costly = self.costly(of_grid);
        Ok(simulated)
    }

    /// The counts alone, by classes of blocks if there are any.
    fn count(&self) -> Result<Simulated, Fault> {
        let memory = self.problem.hollow_memory(self.program);
        let start = Instant::now();
        let machine = |block| self.machine(block, memory.clone());
        match classes(self.problem.launch(), self.budget, machine) {
            Ok(classes) => {
                let counters = block_classes::sum(&classes)?;
                Ok(self.simulated(start, classes.len() as u64, &counters))
            }
            Err(why) => Ok(Simulated { unclassed: Some(why), ..self.compute()? }),
        }
    }

    /// Everything: C too, and what the checks find.
    fn compute(&self) -> Result<Simulated, Fault> {
        let (launch, only, budget) = (self.problem.launch(), self.only, self.budget);
        let dense = || self.problem.dense_memory(self.program);
        let blocks = if only.is_some() { 1 } else { launch.blocks() };
        let start = Instant::now();
        if !self.checks {
            let memory = dense();
            let machine = |block| self.machine(block, memory.clone());
            let counters = grid::run_within(launch, only, budget, machine)?;
            let memory = Some(memory);
            return Ok(Simulated { memory, ..self.simulated(start, blocks, &counters) });
        }
        let checks = Checks { launch, only, budget, unfilled: self.problem.unfilled() };
        let machine = |block, memory| self.machine(block, memory);
        let Checked { counters, findings, memory } = check::run(&checks, dense, machine);
        let (findings, memory) = (Some(findings), Some(memory));
        Ok(Simulated { memory, findings, ..self.simulated(start, blocks, &counters) })
    }

    /// Blocks that have just been run and counted.
    fn simulated(&self, start: Instant, blocks: u64, counters: &Counters) -> Simulated {
        Simulated {
            seconds: start.elapsed().as_secs_f64(),
            counters: *counters,
            blocks,
            unclassed: None,
            memory: None,
            findings: None,
            errors: None,
            tolerance: self.of_sums(),
            joins: SmemVectorisation::of(self.program),
            costly: Vec::new(),
        }
    }

    fn tolerance(&self) -> f64 {
        let (problem, program) = (self.problem, self.program);
        let rounding = || problem.as_user_kernel().and_then(|_| rounding(program));
        self.tolerance.or_else(rounding).unwrap_or_else(|| self.of_sums())
    }

    /// The relative error that rounding makes of sums of products.
    fn of_sums(&self) -> f64 {
        self.problem.precision(Operand::A).tolerance(self.problem.size.k)
    }

    /// How far the C is that the blocks have made.
    fn errors(&self, memory: &Memory, tolerance: f64) -> Option<Errors> {
        let (problem, Size { m, n, .. }) = (self.problem, self.problem.size);
        let part = match self.only {
            None => (0..m, 0..n),
            Some(block) => problem.part(block)?,
        };
        Some(errors(problem, memory.named(Operand::C.name())?, part, tolerance))
    }

    /// What one block does that costs more than it needs.
    fn costly(&self, of_grid: u64) -> Vec<Costly> {
        // What the kernels of the catalogue touch does not depend on values; zeros are fast to
        // multiply.
        let memory = match self.problem.catalogue() {
            Some(_) => self.problem.hollow_memory(self.program),
            None => self.problem.sparse_memory(self.program),
        };
        let budget = self.budget.min(of_grid.max(ALONE));
        costly::find(self.machine(self.block, memory), budget)
    }

    fn machine(&self, block: Dim3, memory: Memory) -> Machine {
        self.problem.machine(Arc::clone(self.program), block, memory, self.order.clone())
    }
}

/// The relative error that a kernel may make because it rounds what it multiplies to fewer bits: a
/// unit in the last place of the coarsest type to which it converts; none if it does not.
fn rounding(program: &Program) -> Option<f64> {
    let bits = program.insts.iter().filter_map(|inst| match inst.op {
        Op::Lane(LaneOp::Cvt { to, .. } | LaneOp::CvtPair { to, .. }) => match to {
            Type::F16 | Type::F16x2 | Type::Tf32 => Some(10),
            Type::Bf16 | Type::Bf16x2 => Some(7),
            _ => None,
        },
        _ => None,
    });
    bits.min().map(|bits| 2.0_f64.powi(-bits))
}
