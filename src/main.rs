//! The program's door: arguments in, exit code out.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match matviz::cli::run(&matviz::cli::Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("matviz: {error:#}");
            ExitCode::FAILURE
        }
    }
}
