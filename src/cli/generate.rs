//! `matviz generate`: what packages and editors need: completions, manual, schemas.

pub mod completions;
pub mod man;
pub mod ptx;
pub mod schema;

use std::process::ExitCode;

/// Arguments of `matviz generate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print what the Tab key offers in a shell
    Completions(completions::Args),
    /// Print the manual, or write its pages
    Man(man::Args),
    /// Print the JSON Schema of what a command prints with --json
    Schema(schema::Args),
    /// Regenerate the committed PTX
    #[command(hide = true)]
    Ptx(ptx::Args),
}

/// Runs the command; `program` is the whole command line.
///
/// # Errors
/// Those of the command.
pub fn run(args: &Args, program: clap::Command) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Completions(args) => completions::run(args, &program),
        Command::Man(args) => man::run(args, program),
        Command::Schema(args) => schema::run(args),
        Command::Ptx(args) => ptx::run(args),
    }
}
