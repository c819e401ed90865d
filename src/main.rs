//! The program: runs the command line and returns its exit code.

use clap::Parser;
use matviz::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(&cli::Args::parse()).unwrap_or_else(|error| {
        cli::tell(&format!("matviz: {error:#}"));
        cli::exit_code(&error)
    })
}
