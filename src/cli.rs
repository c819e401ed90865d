//! The commands: arguments in, exit code out.

pub mod bench;
pub mod doctor;
pub mod ptx;
pub mod worker;

use clap::Parser;
use std::process::ExitCode;

/// See how a GPU multiplies matrices.
#[derive(Debug, Parser)]
#[command(name = "matviz", version)]
pub enum Args {
    /// Measure the kernels on a GPU.
    Bench(bench::Args),
    /// What was found on this machine, and what is missing.
    Doctor(doctor::Args),
    /// Regenerate the committed PTX.
    #[command(hide = true)]
    Ptx(ptx::Args),
    /// The measuring process.
    #[command(hide = true)]
    Worker,
}

/// Runs the command.
///
/// # Errors
/// Whatever the command could not do, to be printed as one line.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match args {
        Args::Bench(args) => bench::run(args),
        Args::Doctor(args) => doctor::run(args),
        Args::Ptx(args) => ptx::run(args),
        Args::Worker => worker::run(),
    }
}
