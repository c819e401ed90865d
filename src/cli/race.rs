//! `matviz race`: a warp schedule that gives a wrong C, and one that does not.

use super::BadUse;
use super::output::{self, print};
use super::problem::{self, block_of, fits};
use super::user_kernel::say_assumed;
use super::view::ViewOptions;
use super::working::Working;
use crate::analysis::grid;
use crate::launch::{Dim3, shape};
use crate::report::race::{RaceReport, text};
use crate::sim::ParseOrderError;
use crate::study::schedule::Search;
use crate::tui::{self, StartAt, StartOptions, terminal};
use std::process::ExitCode;

/// Arguments of `matviz race`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    kernel: problem::KernelArg,
    #[command(flatten)]
    problem: problem::Args,
    /// Block whose schedules to search [default: the first that races]
    #[arg(long, value_name = "X,Y", value_parser = shape::place)]
    at: Option<Dim3>,
    /// Number of random schedules to try
    #[arg(long, value_name = "N", default_value_t = 100)]
    random: u64,
    /// Abort a block after N instructions
    #[arg(long, value_name = "N", default_value_t = grid::BUDGET)]
    budget: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Play the schedule that gives a wrong C on the screen, from where it goes wrong
    #[arg(long, conflicts_with = "json")]
    show: bool,
}

/// Checks the grid for races and searches warp schedules of a block that races. Returns 0 if it
/// finds nothing wrong.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.show {
        output::screen("without --show, the schedules are text")?;
    }
    if args.problem.order.is_some() {
        let told = "--order: race tries many orders itself; `matviz sim --order ORDER` runs one";
        return Err(BadUse(told.to_owned()).into());
    }
    let problem = args.problem.named_problem(args.kernel.get())?;
    say_assumed(&problem);
    let program = args.problem.program(&problem)?;
    fits(&problem)?;
    let block = args.at.map(|block| block_of(&problem, Some(block))).transpose()?;
    let (random, budget) = (args.random, args.budget);
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
    print(&if args.json { ended.json("race", &outcome)? } else { text(&outcome) })?;
    let code = if found.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if ended.is_interrupted() {
        return Ok(ended.code(code));
    }
    match found.spoiled().filter(|_| args.show) {
        Some((block, order)) => show(args, block, order).map(|()| code),
        None => Ok(code),
    }
}

fn show(args: &Args, block: Dim3, order: &str) -> anyhow::Result<()> {
    let order = order.parse().map_err(|error: ParseOrderError| BadUse(error.to_string()))?;
    let problem = problem::Args { order: Some(order), ..args.problem.clone() };
    let shown = ViewOptions::new(problem, args.kernel.get(), block);
    let (options, config) = shown.options(terminal::look())?;
    let mouse = config.mouse.unwrap_or(true);
    tui::run(StartOptions { mouse, begin: StartAt::Finding, ..options })?;
    Ok(())
}
