//! `matviz sim`: the whole grid (or one block), simulated and counted.

use super::output::print;
use super::problem::{self, block_of, kernel};
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
    #[arg(value_parser = kernel)]
    kernel: &'static Kernel,
    #[command(flatten)]
    problem: problem::Args,
    /// Simulate this block alone, X,Y
    #[arg(long, value_name = "X,Y", value_parser = problem::block)]
    block: Option<Dim3>,
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
    let counters = match args.block {
        Some(block) => grid::run_block(machine(block_of(problem, Some(block))?)),
        None => grid::run(problem.launch(), machine),
    }
    .context("the kernel is wrong")?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome::new(problem, args.block, &memory.floats("C"), counters, seconds))
}
