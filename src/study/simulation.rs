//! Simulates a whole launch: counts it, checks it and judges its C.

use super::counts::classes_of;
use super::errors::{errors, of_types};
use super::schedule::{Backwards, backwards};
use crate::analysis::block_classes::{self, NotClassifiable, Unclassed};
use crate::analysis::check::{self, CheckOutcome, Checks, Finding, FindingKind};
use crate::analysis::costly::{self, Costly};
use crate::analysis::vectorise::SmemVectorisation;
use crate::analysis::{Counters, grid};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::Errors;
use crate::matrix::{Operand, Size};
use crate::sim::{Fault, Machine, Memory, Order, Program};
use crate::work::WorkToken;
use std::sync::Arc;

/// The parameters of a simulation.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    /// The kernel and its launch.
    pub problem: &'a Problem,
    /// The kernel's program.
    pub program: &'a Arc<Program>,
    /// The order of the warps of each block.
    pub order: Order,
    /// The only block to run, or `None` for the whole grid.
    pub only: Option<Dim3>,
    /// The block whose costly accesses are reported.
    pub block: Dim3,
    /// Instructions after which a block is aborted.
    pub budget: u64,
    /// Whether to run one block of each class only, which gives no C.
    pub counts_only: bool,
    /// Whether to check for races, barrier errors and uninitialised reads.
    pub checks: bool,
    /// The largest relative error of a right C, or `None` for what rounding causes in its sums.
    pub tolerance: Option<f64>,
}

impl<'a> Simulation<'a> {
    /// The whole grid with all checks, the warps taking turns: what a test would see.
    pub fn checked(problem: &'a Problem, program: &'a Arc<Program>, budget: u64) -> Self {
        let block = problem.launch.grid;
        Self {
            problem,
            program,
            order: Order::default(),
            only: None,
            block: Dim3::new(block.x / 2, block.y / 2, block.z / 2),
            budget,
            counts_only: false,
            checks: true,
            tolerance: None,
        }
    }
}

/// The result of a simulation.
#[derive(Debug)]
pub struct Simulated {
    /// Counts of the blocks.
    pub counters: Counters,
    /// The number of blocks that were run.
    pub blocks: u64,
    /// Whether the whole grid was run: C is judged then.
    pub is_whole: bool,
    /// Why every block was run although one of each class was requested.
    pub unclassed: Option<Unclassed>,
    /// Global memory after the run, or `None` if only counts were made.
    pub memory: Option<Memory>,
    /// The findings of the checks, or `None` if nothing was checked.
    pub findings: Option<Vec<Finding>>,
    /// Stores of one value that race with other contents of the buffers: what is the same is so by this
    /// data alone.
    pub same: Vec<Finding>,
    /// Indices that leave their row of an array.
    pub left_rows: Vec<Finding>,
    /// The errors of C, if its expected value is known.
    pub errors: Option<Errors>,
    /// The largest relative error of a right C.
    pub tolerance: f64,
    /// The shared accesses that ptxas is predicted to vectorise.
    pub joins: SmemVectorisation,
    /// The instructions whose memory accesses cost more than they need, the worst first.
    pub costly: Vec<Costly>,
    /// What the blocks leave in memory in another order, if that was asked for: see
    /// [`Simulation::run_backwards`].
    pub backwards: Option<Backwards>,
}

impl Simulated {
    /// Whether C is right; `None` if what it should be is not known.
    pub fn is_right(&self) -> Option<bool> {
        self.errors.map(|errors| errors.relative() <= self.tolerance)
    }
}

/// Instructions after which a block that runs alone is aborted, unless the whole grid took more: it
/// may wait for others for ever.
const ALONE: u64 = 100_000;

/// Instructions of a grid that is run once more with other data: some seconds.
const ONCE_MORE: u64 = 1 << 23;

impl Simulation<'_> {
    /// Runs the blocks, and judges their result. The token is told of each block that begins; when it
    /// is cancelled, those that have ended are the result.
    ///
    /// # Errors
    /// The fault of the first block (in grid order) that has one, if nothing is checked; otherwise
    /// a fault is a finding.
    pub fn run(&self, token: &WorkToken) -> Result<Simulated, Fault> {
        Ok(self.judge(self.run_blocks(token)?))
    }

    /// Runs the blocks alone: the first half of [`Self::run`].
    ///
    /// # Errors
    /// As above.
    pub fn run_blocks(&self, token: &WorkToken) -> Result<Simulated, Fault> {
        if self.counts_only { self.count(token) } else { self.compute(token) }
    }

    /// Judges what the blocks have left: the second half of [`Self::run`].
    #[must_use]
    pub fn judge(&self, mut simulated: Simulated) -> Simulated {
        let of_grid = simulated.counters.ptx.warp_instructions;
        let ended = simulated.is_whole || self.only.is_some();
        if let Some(memory) = simulated.memory.as_ref().filter(|_| ended) {
            simulated.tolerance = self.tolerance();
            simulated.errors = self.errors(memory, simulated.tolerance);
        }
        simulated.costly = self.costly(of_grid);
        simulated
    }

    /// Runs the blocks from the last to the first; `None` if their order changes nothing in memory, or
    /// one of them does not end.
    pub fn run_backwards(&self, usual: &Simulated) -> Option<Backwards> {
        let memory = usual.memory.as_ref().filter(|_| usual.is_whole)?;
        let no_end = |found: &Finding| matches!(found.kind, FindingKind::NoEnd(_));
        if !memory.meeting().meet || usual.findings.iter().flatten().any(no_end) {
            return None;
        }
        // In another order blocks may do more, but hardly so much more; or wait for one another for ever.
        let budget = 4 * usual.counters.ptx.warp_instructions + ALONE;
        backwards((self.problem, self.program), &self.order, (memory, budget))
    }

    /// Makes only the counts, by classes of blocks if there are any.
    fn count(&self, token: &WorkToken) -> Result<Simulated, Fault> {
        let memory = self.problem.bounds_only_memory(self.program);
        let machine = |block| self.machine(block, memory.clone());
        match classes_of(self.problem, self.budget, machine, token) {
            Ok(classes) => {
                let counters = block_classes::sum(&classes)?;
                Ok(self.simulated(classes.len() as u64, &counters))
            }
            Err(NotClassifiable::Cancelled) => Ok(self.simulated(0, &Counters::default())),
            Err(NotClassifiable::Unclassed(why)) => {
                Ok(Simulated { unclassed: Some(why), ..self.compute(token)? })
            }
        }
    }

    /// Computes C as well, and runs the checks.
    fn compute(&self, token: &WorkToken) -> Result<Simulated, Fault> {
        let (launch, only, budget) = (self.problem.launch, self.only, self.budget);
        let dense = || self.problem.dense_memory(self.program);
        let all = if only.is_some() { 1 } else { launch.blocks() };
        let begin = |block, memory| {
            // Whoever runs the block asks as well.
            _ = token.begin("block", all);
            self.machine(block, memory)
        };
        let (mut same, mut left_rows) = (Vec::new(), Vec::new());
        let (counters, blocks, findings, memory) = if self.checks {
            let unfilled = &self.problem.unfilled();
            let checks = Checks { launch, only, budget, unfilled, token };
            let checked = check::run(&checks, dense, begin);
            same = self.by_this_data(&checked);
            let CheckOutcome { counters, findings, memory, blocks, .. } = checked;
            left_rows = checked.left_rows;
            (counters, blocks, Some(findings), memory)
        } else {
            let memory = dense();
            let machine = |block| begin(block, memory.clone());
            let (counters, blocks) = grid::run_within((launch, only), budget, machine, token)?;
            (counters, blocks, None, memory)
        };
        // One that does not end keeps others from being run: C is judged as it is then.
        let blocks = blocks * self.program.blocks_together();
        let is_whole = only.is_none() && (!token.is_cancelled() || blocks == launch.blocks());
        let simulated = self.simulated(blocks, &counters);
        Ok(Simulated { memory: Some(memory), findings, same, left_rows, is_whole, ..simulated })
    }

    /// Makes the result of blocks that have just been run and counted.
    fn simulated(&self, blocks: u64, counters: &Counters) -> Simulated {
        Simulated {
            counters: *counters,
            blocks,
            is_whole: false,
            unclassed: None,
            memory: None,
            findings: None,
            same: Vec::new(),
            left_rows: Vec::new(),
            errors: None,
            tolerance: self.of_sums(),
            joins: SmemVectorisation::of(self.program),
            costly: Vec::new(),
            backwards: None,
        }
    }

    /// Of the stores of one value those that race where buffers that hold something plain, such as zeros,
    /// hold random numbers.
    fn by_this_data(&self, checked: &CheckOutcome) -> Vec<Finding> {
        let is_among = |all: &[Finding], found: &Finding| all.iter().any(|one| one.is_alike(found));
        let open = checked.same.iter().filter(|found| !is_among(&checked.findings, found));
        let open: Vec<_> = open.collect();
        let of_grid = checked.counters.ptx.warp_instructions;
        let other = self.problem.with_random_buffers().filter(|_| !open.is_empty());
        let Some(other) = other.filter(|_| of_grid <= ONCE_MORE) else { return Vec::new() };
        let budget = self.budget.min(of_grid.max(ALONE));
        let unfilled = &other.unfilled();
        let (launch, only) = (other.launch, self.only);
        let token = &WorkToken::default();
        let checks = Checks { launch, only, budget, unfilled, token };
        let machine = |block, memory| {
            other.machine(Arc::clone(self.program), block, memory, self.order.clone())
        };
        let races = check::run(&checks, || other.dense_memory(self.program), machine).findings;
        open.into_iter().filter(|found| is_among(&races, found)).cloned().collect()
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or_else(|| tolerance(self.problem))
    }

    /// The relative error that rounding causes in sums of products.
    fn of_sums(&self) -> f64 {
        of_types(self.problem, 1.0)
    }

    /// Returns the errors of the C that the blocks computed, if it is to be the product.
    fn errors(&self, memory: &Memory, tolerance: f64) -> Option<Errors> {
        if !self.problem.is_product() {
            return None;
        }
        let (problem, Size { m, n, .. }) = (self.problem, self.problem.size);
        let part = match self.only {
            None => (0..m, 0..n),
            Some(block) => problem.part(block)?,
        };
        Some(errors(problem, memory.named(Operand::C.name())?, part, tolerance))
    }

    /// Returns the accesses of one block that cost more than they need.
    fn costly(&self, of_grid: u64) -> Vec<Costly> {
        // In kernels of the catalogue the addresses do not depend on values, and zeros are fast to
        // multiply.
        let memory = match self.problem.catalogue() {
            Some(_) => self.problem.bounds_only_memory(self.program),
            None => self.problem.sparse_memory(self.program),
        };
        let budget = self.budget.min(of_grid.max(ALONE));
        costly::find(self.machine(self.block, memory), budget)
    }

    fn machine(&self, block: Dim3, memory: Memory) -> Machine {
        self.problem.machine(Arc::clone(self.program), block, memory, self.order.clone())
    }
}

/// The relative error that rounding causes in a kernel's C.
pub fn tolerance(problem: &Problem) -> f64 {
    of_types(problem, 1.0).max(problem.rounding)
}
