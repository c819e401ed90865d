//! `matviz sim`: the whole grid (or one block), simulated and counted.

use super::foreign::say_assumed;
use super::output::print;
use super::problem::{self, block_of, kernel};
use super::shape;
use crate::analysis::check::{self, Checked, Checks};
use crate::analysis::executed::Joins;
use crate::analysis::{classes, grid};
use crate::kernel::{Kernel, Problem};
use crate::launch::Dim3;
use crate::report::costly;
use crate::report::finding::Names;
use crate::report::joins;
use crate::report::sim::{Outcome, rounding, taken, text};
use crate::sim::Program;
use crate::study::approximate::approximations;
use anyhow::Context;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `matviz sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kernel of the catalogue; `matviz --help` lists them
    #[arg(value_parser = kernel)]
    kernel: Option<&'static Kernel>,
    #[command(flatten)]
    problem: problem::Args,
    /// Simulate only this block
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    /// Only count, without computing C: simulates one block of each class of identical blocks
    #[arg(long, conflicts_with = "at")]
    counts_only: bool,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Skip the checks for races, barriers and uninitialised memory
    #[arg(long)]
    no_checks: bool,
    /// Abort a block after N instructions
    #[arg(long, value_name = "N", default_value_t = grid::BUDGET)]
    budget: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Simulates, checks C against a float64 product and prints what was counted: 0 if C is right.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run, a fault of the kernel.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let problem = args.problem.named_problem(args.kernel)?;
    say_assumed(&problem);
    let program = args.problem.program(&problem)?;
    let outcome = simulate(&problem, &program, args)?;
    let outcome = outcome.with_approximate(approximations(&program, &problem.ptx));
    let outcome = match problem.as_foreign() {
        Some(_) => outcome.with_elements(taken(&program)),
        None => outcome,
    };
    let joins = Joins::of(&program);
    let outcome = outcome.with_joins(
        joins::rows(&program, &joins, &problem.ptx),
        joins::notes(&program, &joins, &problem.ptx),
    );
    let costly = costly_rows(&problem, &program, args, outcome.warp_instructions())?;
    let outcome = outcome.with_costly(costly);
    print(&if args.json {
        serde_json::to_string_pretty(&outcome)? + "\n"
    } else {
        text(&outcome)
    })?;
    let fine = outcome.is_right() && outcome.is_sound();
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn simulate(problem: &Problem, program: &Arc<Program>, args: &Args) -> anyhow::Result<Outcome> {
    if args.counts_only { count(problem, program, args) } else { compute(problem, program, args) }
}

/// The counts alone, by classes of blocks if there are any.
fn count(problem: &Problem, program: &Arc<Program>, args: &Args) -> anyhow::Result<Outcome> {
    let (memory, order) = (problem.hollow_memory(program), &args.problem.order);
    let machine =
        |block| problem.machine(Arc::clone(program), block, memory.clone(), order.clone());
    let start = Instant::now();
    let classes = match classes::classes(problem.launch(), args.budget, machine) {
        Ok(classes) => classes,
        Err(why) => return Ok(compute(problem, program, args)?.without_classes(&why)),
    };
    let counters = classes::sum(&classes);
    let counters = counters.context("the kernel is wrong")?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome::counted(problem, classes.len() as u64, counters, seconds))
}

/// Everything: C too, and what the checks find.
fn compute(problem: &Problem, program: &Arc<Program>, args: &Args) -> anyhow::Result<Outcome> {
    let only = args.at.map(|block| block_of(problem, Some(block))).transpose()?;
    let order = &args.problem.order;
    let machine =
        |block, memory| problem.machine(Arc::clone(program), block, memory, order.clone());
    let rounding = || problem.as_foreign().and_then(|_| rounding(program));
    let tolerance = args.tolerance.or_else(rounding);
    let start = Instant::now();
    if args.no_checks {
        let memory = problem.dense_memory(program);
        let machine = |block| machine(block, memory.clone());
        let counters = grid::run_within(problem.launch(), only, args.budget, machine);
        let counters = counters.context("the kernel is wrong")?;
        let seconds = start.elapsed().as_secs_f64();
        return Ok(Outcome::new(problem, only, &memory, counters, tolerance, seconds));
    }
    let (launch, unfilled) = (problem.launch(), problem.unfilled());
    let checks = Checks { launch, only, budget: args.budget, unfilled };
    let Checked { counters, findings, memory } =
        check::run(&checks, || problem.dense_memory(program), machine);
    let seconds = start.elapsed().as_secs_f64();
    let names = Names { problem, program, memory: &memory };
    let rows = findings.iter().map(|finding| names.row(finding)).collect();
    let outcome = Outcome::new(problem, only, &memory, counters, tolerance, seconds);
    Ok(outcome.with_findings(rows))
}

/// A block may wait for ever for others where it runs alone; after so many instructions, or all that
/// the grid took, it is left.
const ALONE: u64 = 100_000;

/// What one block does that costs more than it needs: that of `--at`, or one in the middle.
fn costly_rows(
    problem: &Problem,
    program: &Arc<Program>,
    args: &Args,
    of_grid: u64,
) -> anyhow::Result<Vec<costly::Row>> {
    let block = block_of(problem, args.at)?;
    // What the kernels of the catalogue touch does not depend on values; zeros are fast to multiply.
    let memory = match problem.catalogue() {
        Some(_) => problem.hollow_memory(program),
        None => problem.sparse_memory(program),
    };
    let order = args.problem.order.clone();
    let machine = problem.machine(Arc::clone(program), block, memory, order);
    let budget = args.budget.min(of_grid.max(ALONE));
    Ok(costly::rows(program, &crate::analysis::costly::find(machine, budget)))
}

/// A relative error.
///
/// # Errors
/// Anything but a number that is not negative.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| "give a number such as 1e-3".to_owned())
}
