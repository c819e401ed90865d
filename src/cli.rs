//! The command line: parses arguments, runs commands, returns exit codes.
//!
//! 0 means success, 1 that something was found to be wrong, 2 bad use.

pub mod access;
mod bad_use;
pub mod bench;
pub mod doctor;
pub mod export;
pub mod look;
mod output;
pub mod picture;
pub mod plain;
pub mod problem;
pub mod ptx;
pub mod race;
pub mod reconcile;
mod shape;
pub mod sim;
mod sources;
pub mod trace;
pub mod user_kernel;
pub mod view;
pub mod worker;

pub use bad_use::BadUse;

use crate::kernel::{BROKEN, KERNELS, Kernel};
use clap::Parser;
use std::process::ExitCode;

/// Examples at the end of `--help`.
const EXAMPLES: &str = "\
Examples:
  matviz --tile 16                          the tiled kernel, step by step
  matviz --kernel naive --size 64           the naive one, on small matrices
  matviz --kernel blocked_2d                a faster one: 128 x 128 elements of C for each block
  matviz --plain | head                     the same as lines of text
  matviz sim tiled --size 512 --tile 16     counts of the whole grid
  matviz bench --sizes 1024,4096            times on this machine's GPU
  matviz picture roofline                   what memory and arithmetic allow, recorded
  matviz sim --ptx FILE --block 16,16       a kernel of your own
  matviz access --block 32x8 'ty*33 + tx'   bank conflicts of an index";

/// The list of kernels, a line for each, and the examples.
fn after_help() -> String {
    let list = |kernels: &[Kernel], width| {
        let line = |Kernel { name, summary, .. }: &Kernel| format!("  {name:<width$}{summary}\n");
        kernels.iter().map(line).collect::<String>()
    };
    format!(
        "Kernels, in the order of the story:\n{}\nKernels with a mistake to be found:\n{}\n{EXAMPLES}",
        list(KERNELS, 17),
        list(BROKEN, 26)
    )
}

/// See how a GPU multiplies matrices: the real kernel, simulated step by step, beside its
/// measured times.
#[derive(Debug, Parser)]
#[command(name = "matviz", version, after_help = after_help(),
          args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: view::Args,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Simulate a kernel's whole grid: counts, findings, and whether C is right
    Sim(sim::Args),
    /// Trace an element of C back to its loads, or one of A or B forward to its uses
    Trace(trace::Args),
    /// Find a warp schedule that makes a racy kernel compute a wrong C
    Race(race::Args),
    /// Measure the kernels on a GPU
    Bench(bench::Args),
    /// Compute the cost of a memory access: sectors or bank conflicts
    Access(access::Args),
    /// Compare an Nsight Compute report with the simulation
    Reconcile(reconcile::Args),
    /// Draw a picture of the measurements, or print its figures
    Picture(picture::Args),
    /// Export a frame of the screen as SVG or text
    Export(export::Args),
    /// Report what matviz finds on this machine, and what is missing
    Doctor(doctor::Args),
    /// Regenerate the committed PTX
    #[command(hide = true)]
    Ptx(ptx::Args),
    /// Be the measuring process
    #[command(hide = true)]
    Worker,
}

/// Runs the command; without one, the screen.
///
/// # Errors
/// The error of the command, to be printed as one line.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        None => view::run(&args.view),
        Some(Command::Sim(args)) => sim::run(args),
        Some(Command::Race(args)) => race::run(args),
        Some(Command::Trace(args)) => trace::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Access(args)) => access::run(args),
        Some(Command::Reconcile(args)) => reconcile::run(args),
        Some(Command::Picture(args)) => picture::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Ptx(args)) => ptx::run(args),
        Some(Command::Worker) => worker::run(),
    }
}

/// The exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(if error.is::<BadUse>() { 2 } else { 1 })
}
