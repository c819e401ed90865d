//! `matviz sim`: the whole grid (or one block), simulated and counted.

use super::foreign::say_assumed;
use super::output::print;
use super::problem::{self, block_of, kernel};
use super::shape;
use crate::analysis::grid;
use crate::kernel::{Kernel, Problem};
use crate::launch::Dim3;
use crate::report::sim::{Outcome, text};
use anyhow::Context;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Arguments of `matviz sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kernel: naive or tiled
    #[arg(value_parser = kernel, required_unless_present_any = ["ptx", "cuda"])]
    kernel: Option<&'static Kernel>,
    #[command(flatten)]
    problem: problem::Args,
    /// Simulate this block alone
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    /// The largest relative error that counts as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Simulates, checks C against a float64 product and prints what was counted: 0 if C is right.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run, a fault of the kernel.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let problem = args.problem.problem(args.kernel)?;
    say_assumed(&problem);
    let outcome = simulate(&problem, args)?;
    print(&if args.json {
        serde_json::to_string_pretty(&outcome)? + "\n"
    } else {
        text(&outcome)
    })?;
    Ok(if outcome.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn simulate(problem: &Problem, args: &Args) -> anyhow::Result<Outcome> {
    let program = args.problem.program(problem)?;
    let memory = problem.dense_memory(&program);
    let machine =
        |block| problem.machine(Arc::clone(&program), block, memory.clone(), args.problem.order);
    let start = Instant::now();
    let counters = match args.at {
        Some(block) => grid::run_block(machine(block_of(problem, Some(block))?)),
        None => grid::run(problem.launch(), machine),
    }
    .context("the kernel is wrong")?;
    let seconds = start.elapsed().as_secs_f64();
    let c = memory.floats("C");
    Ok(Outcome::new(problem, args.at, &c, counters, args.tolerance, seconds))
}

/// A relative error.
///
/// # Errors
/// Anything but a number that is not negative.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| "give a number such as 1e-3".to_owned())
}
