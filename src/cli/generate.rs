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
    command: GenerateCommand,
}

#[derive(Debug, clap::Subcommand)]
enum GenerateCommand {
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
        GenerateCommand::Completions(args) => completions::run(args, &program),
        GenerateCommand::Man(args) => man::run(args, program),
        GenerateCommand::Schema(args) => schema::run(args),
        GenerateCommand::Ptx(args) => ptx::run(args),
    }
}
