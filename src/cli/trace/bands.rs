//! `matviz trace --bands`: the run of a block as supersteps, divided by its barriers.

use crate::cli::output::print;
use crate::cli::problem::{self, block_of};
use crate::cli::user_kernel::say_assumed;
use crate::cli::working::Working;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::report::superstep::SuperstepReport;
use crate::study::findings::BlockRun;
use std::process::ExitCode;

/// Prints what each superstep of a block stores, reads and leaves live. Returns 1 if a race meets in
/// one of them.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run.
pub(super) fn run(
    args: &problem::Args,
    problem: Problem,
    at: Option<Dim3>,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    say_assumed(&problem);
    let program = args.program(&problem)?;
    let block = block_of(&problem, at)?;
    let working = Working::on(format!("running a block of {}", problem.name()));
    let run = BlockRun { problem, program, block, order: args.order_to_watch() };
    let report = SuperstepReport::new(&run, &run.look());
    let ended = working.ends();
    print(&if as_json { ended.json("trace", &report)? } else { report.text() })?;
    Ok(ended.code(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}
