//! `matviz course`: what authors of lessons and teachers need.

pub mod changes;
pub mod check;
pub mod class;
pub mod dials;
pub(super) mod exercise;
pub mod export;
pub mod gaps;
pub mod grade;
mod judged;
pub mod new;

use std::process::ExitCode;

/// Arguments of `matviz course`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: CourseCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CourseCommand {
    /// Check lessons: whether they are well formed and fit on the screen
    Check(check::Args),
    /// Write the course's files into a folder, its kernels among them; nothing is replaced
    Export(export::Args),
    /// List the known defects of the course's kernels, show one, or check them all
    Changes(changes::Args),
    /// Put a text after each line of a kernel in turn: where does it belong?
    Gaps(gaps::Args),
    /// Begin a lesson, an exercise, or a grader for Gradescope or GitHub
    New(new::Args),
    /// Grade submissions to an exercise, without a GPU
    Grade(grade::Args),
    /// Add up what the learners of a class hand in
    Class(class::Args),
    /// Turn the dials of a kernel: every setting is compiled, simulated and checked
    Dials(dials::Args),
}

/// Runs the command.
///
/// # Errors
/// Those of the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        CourseCommand::Check(args) => check::run(args),
        CourseCommand::Export(args) => export::run(args),
        CourseCommand::Changes(args) => changes::run(args),
        CourseCommand::Gaps(args) => gaps::run(args),
        CourseCommand::New(args) => new::run(args),
        CourseCommand::Grade(args) => grade::run(args),
        CourseCommand::Class(args) => class::run(args),
        CourseCommand::Dials(args) => dials::run(args),
    }
}
