//! `matviz`: the screen, or with `--plain` the same as text.

use super::problem::{self, block_of, kernel};
use super::{BadUse, plain};
use crate::kernel::{KERNELS, Kernel, Problem};
use crate::launch::Dim3;
use crate::tui::config::{self, Config};
use crate::tui::theme::{Look, Theme};
use crate::tui::{self, Options, detect, terminal};
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
    /// Print the run as text, one line per event
    #[arg(long)]
    plain: bool,
    /// Theme: dark, light or stage (for projectors); `t` changes it while it runs
    #[arg(long, value_name = "THEME")]
    theme: Option<Theme>,
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
    // Before anything is compiled, so that a pipe gets its answer at once.
    terminal::check().map_err(|error| BadUse(error.to_string()))?;
    show(args, &problem, block)?;
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Args, problem: &Problem, block: Dim3) -> anyhow::Result<()> {
    let (config, message) = match config::load() {
        Ok(config) => (config, None),
        Err(error) => (Config::default(), Some(error.to_string())),
    };
    let found = detect::look();
    let look = Look {
        theme: args.theme.or(config.theme).unwrap_or(found.theme),
        glyphs: config.glyphs.unwrap_or(found.glyphs),
        ..found
    };
    // A kernel that cannot be compiled for this tile is not there to be compared with.
    let others = KERNELS.iter().filter(|kernel| kernel.name != problem.kernel.name);
    let others = others.filter_map(|kernel| args.problem.problem(kernel).ok());
    let mut problems: Vec<_> = [problem.clone()].into_iter().chain(others).collect();
    problems.sort_by_key(|p| KERNELS.iter().position(|kernel| kernel.name == p.kernel.name));
    let kernel = problems.iter().position(|p| p.kernel.name == problem.kernel.name);
    let options = Options {
        kernel: kernel.unwrap_or(0),
        problems,
        block,
        order: args.problem.order,
        look,
        keymap: config.keymap,
        mouse: config.mouse.unwrap_or(true),
        measure: true,
        playing: true,
        message,
    };
    tui::run(options)?;
    Ok(())
}
