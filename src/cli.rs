//! The command line: parses arguments, runs commands, returns exit codes.
//!
//! 0 means success, 1 that something was found to be wrong, 2 bad use or a failure, 3 that a source does
//! not compile.

pub mod access;
mod bad_use;
pub mod bench;
pub mod check;
mod compiler;
pub mod course;
pub mod doctor;
mod everywhere;
pub mod export;
mod form;
pub mod generate;
mod gpu_choice;
mod help;
pub mod learn;
mod limit;
pub mod look;
mod names;
mod output;
mod paint;
pub mod plain;
pub mod problem;
mod signal;
mod size_list;
pub mod target;
pub mod trace;
pub mod user_kernel;
pub mod view;
pub mod worker;
mod working;

pub use bad_use::BadUse;
pub use compiler::{NotCompiled, NotOpened};
pub use help::{EXIT_CODES, variables};
pub use output::complain;

use crate::sim::Fault;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// See how a GPU multiplies matrices, step by step, beside its measured times
#[derive(Debug, Parser)]
#[command(name = "matviz", version, long_version = doctor::version::LONG.as_str())]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: view::Args,
    #[command(flatten)]
    everywhere: everywhere::Args,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Take a lesson of the course; list the lessons, print what you have answered
    Learn(learn::Args),
    /// Check a kernel: counts, races, memory, and whether C is right
    Check(check::Args),
    /// Trace an element of C back to its loads, or one of A or B forward to its uses
    Trace(trace::Args),
    /// Compute the cost of a memory access: sectors or bank conflicts
    Access(access::Args),
    /// Measure kernels on a GPU
    Bench(bench::Args),
    /// Write a picture: a frame of the screen, or one of the measurements
    Export(export::Args),
    /// Report what matviz finds on this machine, and what is missing
    Doctor(doctor::Args),
    /// For authors and teachers: check, export, changes, gaps, dials, grade
    Course(course::Args),
    /// Print completions for shells, the manual, or the schemas of JSON
    Generate(generate::Args),
    /// Be the measuring process
    #[command(hide = true)]
    Worker,
    /// Be the process that judges a submission
    #[command(hide = true)]
    Examiner,
}

/// The whole command line.
fn whole() -> clap::Command {
    help::command(Args::command())
}

/// Reads the command line.
///
/// # Errors
/// Bad use, or a wish for help.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
    let words: Vec<_> = words.into_iter().collect();
    Args::from_arg_matches(&help::matches(whole(), &words)?)
}

/// Prints the help that was asked for, or what is wrong with the command line; the exit code.
pub fn answer(told: &clap::Error) -> ExitCode {
    match told.print() {
        Err(error) if !told.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
        _ => ExitCode::from(told.exit_code() as u8),
    }
}

/// Runs the command; without one, the screen.
///
/// # Errors
/// The error of the command, to be printed as one line.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    output::begin(&args.everywhere)?;
    let code = command(args)?;
    output::finish()?;
    Ok(code)
}

fn command(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        None => view::run(&args.view),
        Some(Command::Learn(args)) => learn::run(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Trace(args)) => trace::run(args),
        Some(Command::Access(args)) => access::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Course(args)) => course::run(args),
        Some(Command::Generate(args)) => generate::run(args, whole()),
        Some(Command::Worker) => worker::run(),
        Some(Command::Examiner) => course::grade::examiner::run(),
    }
}

/// The exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(match () {
        () if error.is::<NotCompiled>() => 3,
        () if error.is::<Fault>() => 1,
        () => 2,
    })
}
