//! `matviz sim`: simulates the whole grid (or one block) and counts.

use super::BadUse;
use super::names::Names;
use super::output::{complain, print};
use super::problem::{self, block_of, fits};
use super::user_kernel::say_assumed;
use super::working::Working;
use crate::analysis::grid;
use crate::launch::{Dim3, shape};
use crate::report::sim::{Class, Outcome, text};
use crate::study::cause::Diagnosis;
use crate::study::simulation::Simulation;
use anyhow::Context;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Arguments of `matviz sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    kernel: problem::Named,
    #[command(flatten)]
    problem: problem::Args,
    /// Simulate only this block
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    /// Only count, without C: simulates one block of each class of identical blocks
    #[arg(long, conflicts_with_all = ["at", "tolerance"])]
    counts_only: bool,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Fail also if this occurs: costly, uncoalesced, conflicts, uncertain; several with commas
    ///
    /// The exit code is then 1. costly is an access that takes more sectors or wavefronts than it
    /// needs; uncoalesced is one of them, to global memory; conflicts is one to shared memory;
    /// uncertain is a count of the SASS that cannot be predicted.
    #[arg(long, value_name = "CLASS,...", value_delimiter = ',', value_parser = CLASS,
          hide_possible_values = true)]
    fail_on: Vec<Class>,
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
    let problem = args.problem.named_problem(args.kernel.get())?;
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
    let outcome = outcome.failing_on(&args.fail_on);
    print(&if args.json { ended.json("sim", &outcome)? } else { text(&outcome) })?;
    let named = |name: &&&str| Class::ALL.iter().any(|class| class.name() == **name);
    for class in outcome.fails().iter().filter(named) {
        complain(&format!("matviz: --fail-on {class}: it occurs"));
    }
    Ok(ended.code(if outcome.fails().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

const CLASS: Names<Class> = Names {
    of: || Class::ALL.map(|class| (class.name(), class.help())).to_vec(),
    parse: |text| {
        let found = Class::ALL.into_iter().find(|class| class.name() == text);
        let names = Class::ALL.map(Class::name);
        found.ok_or_else(|| format!("give one or several of {}", names.join(", ")))
    },
};

/// Parses a relative error.
///
/// # Errors
/// The text is not a finite number that is at least 0.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let error = text.parse().ok().filter(|error: &f64| error.is_finite() && *error >= 0.0);
    error.ok_or_else(|| "give a number such as 1e-3".to_owned())
}
