//! `matviz sim`: simulates the whole grid (or one block) and counts.

use super::BadUse;
use super::output::{json, print};
use super::problem::{self, block_of, fits, kernel};
use super::user_kernel::say_assumed;
use super::working::Working;
use crate::analysis::grid;
use crate::kernel::Kernel;
use crate::launch::{Dim3, shape};
use crate::report::sim::{Outcome, text};
use crate::study::cause::Diagnosis;
use crate::study::simulation::Simulation;
use anyhow::Context;
use std::ops::ControlFlow;
use std::process::ExitCode;

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
    #[arg(long, conflicts_with_all = ["at", "tolerance"])]
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

/// Simulates, checks C against a float64 product and prints the counts; returns 0 if C is right and
/// the checks find nothing.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run, a fault of the kernel.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let problem = args.problem.named_problem(args.kernel)?;
    say_assumed(&problem);
    if args.tolerance.is_some() && !problem.is_product() {
        let told =
            "--tolerance is for a C that is judged, and of this kernel nothing is (--result any)";
        return Err(BadUse(told.to_owned()).into());
    }
    let program = args.problem.program(&problem)?;
    if !args.counts_only {
        fits(&problem)?;
    }
    let simulation = Simulation {
        problem: &problem,
        program: &program,
        order: args.problem.order_to_count(),
        only: args.at,
        block: block_of(&problem, args.at)?,
        budget: args.budget,
        counts_only: args.counts_only,
        checks: !args.no_checks,
        tolerance: args.tolerance,
    };
    let blocks = if args.at.is_some() { 1 } else { problem.launch().blocks() };
    let size = problem.operands().first().map(|_| format!(" at {}", problem.size));
    let told = format!("simulating {}{}", problem.name(), size.unwrap_or_default());
    let working = Working::on(told);
    // The counts alone are soon made, and of a part of the classes they would be those of no grid.
    let keeps = !args.counts_only && args.at.is_none();
    let simulated = simulation.run_while(&|begun| {
        if keeps {
            return working.next_of("block", begun, blocks);
        }
        working.done("block", begun, blocks);
        ControlFlow::Continue(())
    });
    let simulated = simulated.context("the kernel is wrong")?;
    let diagnosis = Diagnosis::of(&simulation, &simulated);
    let ended = working.ends();
    let outcome = Outcome::new(&simulation, &simulated, diagnosis.as_ref());
    print(&if args.json { json(&outcome)? } else { text(&outcome) })?;
    let fine = outcome.is_right() && outcome.is_sound();
    Ok(ended.code(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Parses a relative error.
///
/// # Errors
/// The text is not a finite number that is at least 0.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| "give a number such as 1e-3".to_owned())
}
