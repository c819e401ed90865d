//! `matviz check --prove`: a warp schedule that gives a wrong C, and one that does not.

use super::args::KernelCheck;
use crate::cli::BadUse;
use crate::cli::limit::Limited;
use crate::cli::output::{self, print};
use crate::cli::problem::{self, block_of, fits};
use crate::cli::user_kernel::say_assumed;
use crate::cli::view::ViewOptions;
use crate::cli::working::Working;
use crate::launch::Dim3;
use crate::report::race::{RaceReport, text};
use crate::sim::ParseOrderError;
use crate::study::schedule::Search;
use crate::tui::{self, StartAt, StartOptions, terminal};
use std::process::ExitCode;

/// The random orders that are tried if nobody says how many.
const RANDOM: u64 = 100;

/// Checks the grid for races and searches warp schedules of a block that races. Returns 0 if it
/// finds nothing wrong.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run.
pub(super) fn run(check: &KernelCheck<'_>) -> anyhow::Result<ExitCode> {
    let (args, given) = (check.args, &check.problem);
    let is_json = args.form.is_json()?;
    if args.show {
        output::screen("without --show, the orders are text")?;
    }
    if given.order.is_some() {
        let told = "--order: --prove tries many orders itself; without it, one is run";
        return Err(BadUse(told.to_owned()).into());
    }
    let problem = given.problem(check.kernel)?;
    say_assumed(&problem);
    let program = given.program(&problem)?;
    fits(&problem)?;
    let block = args.at.map(|block| block_of(&problem, Some(block))).transpose()?;
    let (random, budget) = (Limited::Orders.of(&args.limit, RANDOM), check.budget());
    let working = Working::on(format!("checking {} at {}", problem.name(), problem.size));
    let token = working.heard_by(|line, progress| {
        if progress.unit != "order" {
            return line.done(progress);
        }
        line.next("trying orders of the warps");
        line.next_of(progress)
    });
    let (problem, program, token) = (&problem, &program, &token);
    let found = Search { problem, program, block, random, budget, token }.run();
    let ended = working.ends();
    let outcome = RaceReport::new(problem, program, &found);
    print(&if is_json { ended.json("check-prove", &outcome)? } else { text(&outcome) })?;
    let code = if found.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if ended.is_interrupted() {
        return Ok(ended.code(code));
    }
    match found.spoiled().filter(|_| args.show) {
        Some((block, order)) => show(check, block, order).map(|()| code),
        None => Ok(code),
    }
}

fn show(check: &KernelCheck<'_>, block: Dim3, order: &str) -> anyhow::Result<()> {
    let order = order.parse().map_err(|error: ParseOrderError| BadUse(error.to_string()))?;
    let problem = problem::Args { order: Some(order), ..check.problem.clone() };
    let shown = ViewOptions::new(problem, block);
    let (options, _) = shown.options(check.kernel, terminal::look())?;
    tui::run(StartOptions { begin: StartAt::Finding, ..options })?;
    Ok(())
}
