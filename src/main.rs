//! The program: runs the command line and returns its exit code.

use clap::Parser;
use matviz::cli;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(&cli::Args::parse()).unwrap_or_else(|error| {
        // If stderr is closed, the message is lost, which is not an error.
        let _ = writeln!(std::io::stderr(), "matviz: {error:#}");
        cli::exit_code(&error)
    })
}
