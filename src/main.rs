//! The program's door: arguments in, exit code out.

use clap::Parser;
use matviz::cli;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(&cli::Args::parse()).unwrap_or_else(|error| {
        // Whoever closed stderr does not want to know.
        let _ = writeln!(std::io::stderr(), "matviz: {error:#}");
        cli::exit_code(&error)
    })
}
