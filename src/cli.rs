//! The command line: parses arguments, runs commands, returns exit codes.
//!
//! 0 means success, 1 that something was found to be wrong, 2 bad use, 3 that a source does not
//! compile.

pub mod access;
mod bad_use;
mod bands;
pub mod bench;
pub mod changes;
pub mod check;
mod compiler;
pub mod completions;
pub mod course_screen;
pub mod dials;
pub mod doctor;
pub mod edit;
mod everywhere;
pub mod export;
mod film;
pub mod gaps;
mod help;
mod judged;
pub mod lesson;
pub mod lessons;
mod live_times;
pub mod look;
pub mod man;
mod names;
mod output;
pub mod picture;
pub mod plain;
pub mod problem;
pub mod progress;
pub mod ptx;
pub mod race;
pub mod reconcile;
mod reference;
pub mod schema;
mod signal;
pub mod sim;
mod size_list;
pub mod trace;
pub mod user_kernel;
pub mod version;
pub mod view;
pub mod worker;
mod working;

pub use bad_use::BadUse;
pub use compiler::NotCompiled;
pub use help::{EXIT_CODES, variables};
pub use output::complain;

use clap::{CommandFactory, FromArgMatches, Parser};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// See how a GPU multiplies matrices, step by step, beside its measured times
#[derive(Debug, Parser)]
#[command(name = "matviz", version, long_version = version::LONG.as_str())]
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
    /// Take a lesson of the course
    Lesson(lesson::Args),
    /// List the lessons of the course
    Lessons(lessons::Args),
    /// Print what you have answered in the lessons
    Progress(progress::Args),
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
    /// List the known defects of the course's kernels, show one, or check them all
    Changes(changes::Args),
    /// Turn the dials of a kernel: every setting is compiled, simulated and checked
    Dials(dials::Args),
    /// Put a text after each line of a kernel in turn: where does it belong?
    Gaps(gaps::Args),
    /// Check lessons: whether they are well formed and fit on the screen
    Check(check::Args),
    /// Edit a kernel of your own in your editor, and see it here at every save
    Edit(edit::Args),
    /// Export a frame of the screen as SVG or text
    Export(export::Args),
    /// Report what matviz finds on this machine, and what is missing
    Doctor(doctor::Args),
    /// Print which matviz this is, and what it was built of
    Version(version::Args),
    /// Print what the Tab key offers in a shell
    Completions(completions::Args),
    /// Print the manual, or write its pages
    Man(man::Args),
    /// Print the JSON Schema of what a command prints with --json
    Schema(schema::Args),
    /// Regenerate the committed PTX
    #[command(hide = true)]
    Ptx(ptx::Args),
    /// Be the measuring process
    #[command(hide = true)]
    Worker,
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
            complain(&format!("matviz: {error}"));
            ExitCode::FAILURE
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
        Some(Command::Lesson(args)) => lesson::run(args),
        Some(Command::Lessons(args)) => lessons::run(args),
        Some(Command::Progress(args)) => progress::run(args),
        Some(Command::Sim(args)) => sim::run(args),
        Some(Command::Race(args)) => race::run(args),
        Some(Command::Trace(args)) => trace::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Access(args)) => access::run(args),
        Some(Command::Reconcile(args)) => reconcile::run(args),
        Some(Command::Picture(args)) => picture::run(args),
        Some(Command::Changes(args)) => changes::run(args),
        Some(Command::Dials(args)) => dials::run(args),
        Some(Command::Gaps(args)) => gaps::run(args),
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Edit(args)) => edit::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Version(args)) => version::run(args),
        Some(Command::Completions(args)) => completions::run(args, &whole()),
        Some(Command::Man(args)) => man::run(args, whole()),
        Some(Command::Schema(args)) => schema::run(args),
        Some(Command::Ptx(args)) => ptx::run(args),
        Some(Command::Worker) => worker::run(),
    }
}

/// The exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(match () {
        () if error.is::<BadUse>() => 2,
        () if error.is::<NotCompiled>() => 3,
        () => 1,
    })
}
