//! The program: runs the command line and returns its exit code.

use matviz::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = cli::parse(std::env::args_os()).unwrap_or_else(|error| error.exit());
    cli::run(&args).unwrap_or_else(|error| {
        cli::complain(&format!("matviz: {error:#}"));
        cli::exit_code(&error)
    })
}
