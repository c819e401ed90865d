//! `matviz`: the screen, or with `--plain` the same as text.

use super::problem::{self, block_of, kernel};
use super::{BadUse, plain};
use crate::kernel::Kernel;
use crate::launch::Dim3;
use std::process::ExitCode;

/// What the screen starts with.
#[derive(Debug, clap::Args)]
#[group(id = "view")]
pub struct Args {
    #[command(flatten)]
    problem: problem::Args,
    /// Kernel: naive or tiled
    #[arg(long, value_name = "NAME", default_value = "tiled", value_parser = kernel)]
    kernel: &'static Kernel,
    /// The block of threads to watch, X,Y (one in the middle of the grid, if not given)
    #[arg(long, value_name = "X,Y", value_parser = problem::block)]
    block: Option<Dim3>,
    /// Print the run as text, one line per line of source
    #[arg(long)]
    plain: bool,
}

/// Shows the screen until the user quits.
///
/// # Errors
/// No terminal, a block outside the grid, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let problem = args.problem.problem(args.kernel)?;
    let block = block_of(&problem, args.block)?;
    if args.plain {
        return plain::run(&problem, block, args.problem.order);
    }
    Err(BadUse("the screen is still to come; use --plain".to_owned()).into())
}
