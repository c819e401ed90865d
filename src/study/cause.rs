//! Why a C is wrong: where its first wrong element came from, and the one known mistake that explains
//! every wrong element.
//!
//! ```text
//! comparison     the same C beside other sums: A x B^T, k cut short, beta forgotten, a + b
//! narrow         a C of whole numbers, or of halves
//! moved          right elements in each other's places
//! stored         which elements no thread has stored, and how many blocks were stopped
//! relaunch       the same kernel with another grid, or at another size
//! compiled_in    the sizes that the source itself gives
//! ```
//!
//! A cause is named only if it explains all of C: nothing is guessed.

mod comparison;
mod compiled_in;
mod grid;
mod kind;
mod moved;
mod narrow;
mod relaunch;
mod stored;

pub use kind::{
    Cause, CompiledIn, ComputedPart, ConstantForm, Gaps, NamedConstant, Operation, StoreShift,
    WrongFactors,
};

use super::simulation::{Simulated, Simulation};
use super::value::{Known, SumKind, ValueAnswer, ValueQuestion};
use crate::analysis::check::{Finding, FindingKind};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::{Errors, Mismatch};
use crate::matrix::{Element, Operand};
use crate::sim::{Allocation, Order, Program};
use crate::work::WorkToken;
use comparison::Comparison;
use ptx::Space;
use std::ops::Range;
use std::sync::Arc;
use stored::StoredElements;

/// What is known about a wrong C.
#[derive(Debug)]
pub struct Diagnosis {
    /// The number of wrong elements that no thread stored, or `None` if that is not known.
    pub never_stored: Option<u64>,
    /// What is wrong with the first wrong element, if that shows in its sum.
    pub origin: Option<FirstWrong>,
    /// The mistake that explains all wrong elements, if it is a known one.
    pub cause: Option<Cause>,
}

/// The part of C that one block of a kernel has computed.
#[derive(Clone, Debug)]
pub struct BlockC<'a> {
    /// The kernel and its launch.
    pub problem: &'a Problem,
    pub program: &'a Arc<Program>,
    pub block: Dim3,
    /// The order of its warps.
    pub order: &'a Order,
    pub c: &'a Allocation,
    /// The rows and columns that the block computes.
    pub part: (Range<u32>, Range<u32>),
    /// The largest relative error that is right.
    pub tolerance: f64,
}

/// What is wrong with an element of C.
#[derive(Debug)]
pub enum FirstWrong {
    /// No thread stores it.
    NeverStored(Element),
    /// It is not the sum that it should be.
    Sum(Box<ValueAnswer>),
}

impl Diagnosis {
    /// Looks for the cause of the wrong elements in the C of a whole grid; `None` if C is right or
    /// was not judged.
    pub fn of(simulation: &Simulation<'_>, simulated: &Simulated) -> Option<Self> {
        let errors = simulated.errors.filter(|errors| simulation.is_wrong(*errors, simulated))?;
        let first = errors.wrong().first?;
        if let Some(cause) = unfinished(simulation, simulated) {
            return Some(Self { never_stored: None, origin: None, cause: Some(cause) });
        }
        let Simulation { problem, program, order, .. } = simulation;
        let c = simulated.memory.as_ref()?.named(Operand::C.name())?;
        let whole = simulation.only.is_none();
        let part = match simulation.only {
            None => (0..problem.size.m, 0..problem.size.n),
            Some(block) => problem.part(block)?,
        };
        let compared = Comparison::new(problem, c, part, simulated.tolerance);
        let stored = whole.then(|| StoredElements::of(simulation, simulated, first));
        let case = WrongCase { simulation, simulated, errors, compared, stored: stored.as_ref() };
        let origin = match &stored {
            Some(stored) if !stored.has(first) => Some(FirstWrong::NeverStored(element(first))),
            _ => {
                let block =
                    stored.as_ref().and_then(|stored| stored.by).unwrap_or(simulation.block);
                origin((problem, program), order, block, first)
            }
        };
        let never_stored =
            stored.as_ref().map(|stored| case.compared.never_stored(stored, errors.wrong()));
        let cause = case.cause(never_stored);
        Some(Self { never_stored, origin, cause })
    }
}

impl Diagnosis {
    /// Looks for the cause of the wrong elements in one block's part of C, of which `first` is the
    /// first. Other grids are not tried: that would take the run of a whole grid.
    pub fn of_block(of: &BlockC<'_>, first: Mismatch) -> Self {
        let BlockC { problem, program, block, order, c, ref part, tolerance } = *of;
        let compared = Comparison::new(problem, c, part.clone(), tolerance);
        let cause = compared.cause(first).or_else(|| narrow::cause(&compared, program));
        let cause = cause.or_else(|| moved::of_another_thread(&compared));
        let cause = cause.or_else(|| at_another_size(problem));
        let origin = origin((problem, program), order, block, first);
        Self { never_stored: None, origin, cause }
    }
}

/// A wrong C and what is known about its run.
struct WrongCase<'a> {
    simulation: &'a Simulation<'a>,
    simulated: &'a Simulated,
    errors: Errors,
    compared: Comparison<'a>,
    stored: Option<&'a StoredElements>,
}

impl WrongCase<'_> {
    /// The first cause that explains all wrong elements, those first that take no further run.
    fn cause(&self, never_stored: Option<u64>) -> Option<Cause> {
        let wrong = self.errors.wrong();
        if never_stored == Some(wrong.elements) {
            return self.not_stored();
        }
        if self.simulated.findings.iter().flatten().any(reads_unwritten) {
            return self.turned();
        }
        let Simulation { program, .. } = self.simulation;
        let compared = || self.compared.cause(wrong.first?);
        compared()
            .or_else(|| narrow::cause(&self.compared, program))
            .or_else(|| moved::shifted(&self.compared, self.stored?))
            .or_else(|| moved::of_another_thread(&self.compared))
            .or_else(|| self.turned())
            .or_else(|| self.at_another_size())
    }

    /// The cause where what was stored is right, and the rest was never stored.
    fn not_stored(&self) -> Option<Cause> {
        let stopped = || {
            let blocks = self.stored.map_or(0, |stored| stored.stopped);
            (blocks > 0).then_some(Cause::Stopped(blocks))
        };
        self.turned()
            .or_else(|| self.at_another_size())
            .or_else(stopped)
            .or_else(|| grid::same_part(self.simulation))
            .or_else(|| grid::too_small(self.simulation, self.stored?))
            .or_else(|| grid::gaps(self.simulation.problem.size, self.stored?))
    }

    fn turned(&self) -> Option<Cause> {
        let problem = self.simulation.problem;
        let grid = problem.turned_grid().filter(|_| self.simulation.only.is_none())?;
        let turned = problem.with_grid(grid)?;
        let budget = self.simulated.counters.ptx.warp_instructions;
        relaunch::is_right(&turned, budget, true).then_some(Cause::TurnedGrid(grid))
    }

    fn at_another_size(&self) -> Option<Cause> {
        if self.simulation.only.is_some() {
            return None;
        }
        at_another_size(self.simulation.problem)
    }
}

/// The size at which the kernel is right, if it says what is wrong at this one.
fn at_another_size(problem: &Problem) -> Option<Cause> {
    let square = relaunch::square_only(problem).map(Cause::SquareOnly);
    square.or_else(|| compiled_in::cause(problem))
}

impl Simulation<'_> {
    fn is_wrong(&self, errors: Errors, simulated: &Simulated) -> bool {
        // NaN is wrong.
        !self.counts_only && !matches!(errors.relative(), error if error <= simulated.tolerance)
    }
}

/// Whether a sum holds what nobody has stored to shared memory: of such a C no comparison says why it is
/// wrong.
pub fn reads_unwritten(finding: &Finding) -> bool {
    let in_shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    finding.kind == FindingKind::UninitialisedRead && in_shared
}

/// That blocks did not end: of a C that nobody has finished, nothing is wrong yet.
fn unfinished(simulation: &Simulation<'_>, simulated: &Simulated) -> Option<Cause> {
    let is_endless = |finding: &&Finding| matches!(finding.kind, FindingKind::NoEnd(_));
    let endless = simulated.findings.iter().flatten().filter(is_endless);
    let stopped: u64 = endless.map(|finding| finding.blocks.max(1)).sum();
    let all = if simulation.only.is_some() { 0 } else { simulation.problem.launch.blocks() };
    let not_run = all.saturating_sub(simulated.blocks);
    (stopped > 0).then_some(Cause::Unfinished { stopped, not_run })
}

/// Asks for the sum that fed an element; `None` if nothing is wrong with it, or it is not known.
fn origin(
    (problem, program): (&Problem, &Arc<Program>),
    order: &Order,
    block: Dim3,
    first: Mismatch,
) -> Option<FirstWrong> {
    let question = ValueQuestion {
        problem: problem.clone(),
        program: Arc::clone(program),
        order: order.clone(),
        block,
        element: element(first),
    };
    let mut last = None;
    question.ask(&WorkToken::default(), |answer| last = Some(answer)).ok()?;
    let is_wrong = |answer: &ValueAnswer| matches!(&answer.known, Known::Came(came) if matches!(came.sum, SumKind::Wrong(_)));
    last.filter(is_wrong).map(|answer| FirstWrong::Sum(Box::new(answer)))
}

const fn element(Mismatch { row, column, .. }: Mismatch) -> Element {
    Element { operand: Operand::C, row, column }
}
