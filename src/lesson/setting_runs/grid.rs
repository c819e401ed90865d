//! What all blocks of a setting do together.

use super::coverage::{self, Coverage};
use super::tried::TriedChanges;
use crate::analysis::Counters;
use crate::analysis::check::Finding;
use crate::analysis::grid::BUDGET;
use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::Problem;
use crate::lesson::error::RunError;
use crate::lesson::judged::{CheckedRun, program};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::{KernelFrom, Setting};
use crate::matrix::Size;
use crate::matrix::judge::Wrong;
use crate::sim::{Order, Program};
use crate::study::counts;
use crate::study::schedule::{RandomOrders, Search};
use crate::study::simulation::Simulation;
use crate::work::WorkToken;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The largest product, in multiply-adds, whose blocks are all run with checks: about a second.
const MOST: f64 = (1_u64 << 27) as f64;

/// A kernel at a size, with what is known of it so far.
#[derive(Debug)]
pub(super) struct GridRuns {
    pub(super) problem: Problem,
    pub(super) program: Arc<Program>,
    order: Option<Order>,
    /// The same with a short k, if that changes nothing but how long it takes: who stores C.
    short: Option<Setting>,
    joins: OnceLock<Arc<SmemVectorisation>>,
    counters: OnceLock<Result<Counters, RunError>>,
    checked: OnceLock<Result<GridChecks, RunError>>,
    coverage: OnceLock<Result<Coverage, RunError>>,
    stored: OnceLock<Result<Coverage, RunError>>,
    orders: Mutex<BTreeMap<u32, Option<RandomOrders>>>,
    pub(super) tried: TriedChanges,
    /// Hears how far what takes long is.
    pub(super) token: WorkToken,
}

/// The outcome of the checks.
#[derive(Debug)]
struct GridChecks {
    findings: Vec<Finding>,
    wrong: Option<Wrong>,
}

impl GridRuns {
    pub(super) fn of(setting: &Setting, token: WorkToken) -> Result<Self, RunError> {
        let problem = setting.problem()?;
        let program = program(&problem)?;
        if let Some(order) = &setting.order {
            let fits = order.fits(&program, problem.launch.warps());
            let (order, told) = (order.to_string(), |why| format!("{why}"));
            fits.map_err(|why| RunError::Order { order, why: told(why) })?;
        }
        let (order, short) = (setting.order.clone(), short(setting));
        Ok(Self { order, short, token, ..Self::not_run(problem, program) })
    }

    /// A grid that was run with checks, in the usual order.
    pub(super) fn of_run(run: &CheckedRun<'_>) -> Self {
        let Simulation { problem, program, .. } = run.simulation;
        let checks = GridChecks { findings: run.findings().to_vec(), wrong: run.wrong() };
        Self {
            counters: OnceLock::from(Ok(run.simulated.counters)),
            checked: OnceLock::from(Ok(checks)),
            ..Self::not_run(problem.clone(), Arc::clone(program))
        }
    }

    fn not_run(problem: Problem, program: Arc<Program>) -> Self {
        Self {
            problem,
            program,
            order: None,
            joins: OnceLock::new(),
            counters: OnceLock::new(),
            checked: OnceLock::new(),
            short: None,
            coverage: OnceLock::new(),
            stored: OnceLock::new(),
            orders: Mutex::default(),
            tried: TriedChanges::default(),
            token: WorkToken::default(),
        }
    }

    pub(super) fn joins(&self) -> &Arc<SmemVectorisation> {
        self.joins.get_or_init(|| Arc::new(SmemVectorisation::of(&self.program)))
    }

    /// The order in which steps are watched: one in which warps are seen to wait.
    pub(super) fn watched_order(&self) -> Order {
        self.order.clone().unwrap_or(Order::ByPhase)
    }

    /// The order in which all blocks are run: the usual one of a test.
    fn counted_order(&self) -> Order {
        self.order.clone().unwrap_or_default()
    }

    pub(super) fn counters(&self) -> Result<&Counters, QueryError> {
        known(self.counters.get_or_init(|| {
            counts::simulate(&self.problem, &WorkToken::default())
                .map_err(|why| RunError::Fault(why.to_string()))
        }))
    }

    pub(super) fn findings(&self) -> Result<&[Finding], QueryError> {
        Ok(&self.checked()?.findings)
    }

    pub(super) fn judged(&self) -> Result<Wrong, QueryError> {
        let unknown = || QueryError::new("what C should be is not known for this kernel");
        self.checked()?.wrong.ok_or_else(unknown)
    }

    fn checked(&self) -> Result<&GridChecks, QueryError> {
        known(self.checked.get_or_init(|| self.check()))
    }

    fn check(&self) -> Result<GridChecks, RunError> {
        self.small_enough()?;
        let simulation = Simulation::checked(&self.problem, &self.program, BUDGET);
        let simulation = Simulation { order: self.counted_order(), ..simulation };
        let run = CheckedRun::of(simulation, &WorkToken::default())?;
        Ok(GridChecks { findings: run.findings().to_vec(), wrong: run.wrong() })
    }

    fn small_enough(&self) -> Result<(), RunError> {
        let size = self.problem.size;
        if size.flops() / 2.0 <= MOST { Ok(()) } else { Err(RunError::TooLargeToCheck(size)) }
    }

    pub(super) fn coverage(&self) -> Result<&Coverage, QueryError> {
        known(self.coverage.get_or_init(|| coverage::measure(&self.problem, &self.program)))
    }

    /// Who stores C: of an unchanged kernel of the catalogue that does not depend on k.
    pub(super) fn stored(&self) -> Result<&Coverage, QueryError> {
        match &self.short {
            Some(short) if !coverage::is_small(self.problem.size) => {
                known(self.stored.get_or_init(|| {
                    let problem = short.problem()?;
                    let program = problem.program();
                    let program = program.map_err(|error| RunError::Source(error.to_string()))?;
                    coverage::measure(&problem, &program)
                }))
            }
            _ => self.coverage(),
        }
    }

    /// What random orders of the warps do; `None` if nothing races.
    fn tried_orders(&self, random: u32) -> Option<RandomOrders> {
        // Who asks for the same meanwhile waits, and gets it.
        let mut known = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(random).or_insert_with(|| {
            self.token.during(|token| {
                let (problem, program, random) = (&self.problem, &self.program, random.into());
                Search { problem, program, block: None, random, budget: BUDGET, token }.count()
            })
        })
    }

    pub(super) fn spoilt(&self, orders: u32) -> Result<u32, QueryError> {
        self.small_enough()?;
        let Some(RandomOrders { wrong, tried }) = self.tried_orders(orders) else {
            // No order differs from another.
            return Ok(if self.judged()?.elements == 0 { 0 } else { orders });
        };
        if tried < u64::from(orders) {
            let told = format!("only {tried} orders were tried: {orders} take too long");
            return Err(QueryError::new(told));
        }
        Ok(wrong as u32)
    }
}

/// The setting with the shortest k, if its kernel is one of the catalogue, unchanged.
fn short(setting: &Setting) -> Option<Setting> {
    let of_catalogue = matches!(setting.kernel, KernelFrom::Catalogue(_));
    let size = Size { k: 1, ..setting.size };
    (of_catalogue && setting.changes.is_empty()).then(|| Setting { size, ..setting.clone() })
}

/// What is known, or why it is not.
fn known<T>(result: &Result<T, RunError>) -> Result<&T, QueryError> {
    result.as_ref().map_err(|error| error.clone().into())
}
