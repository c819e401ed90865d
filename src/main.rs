//! The program: runs the command line and returns its exit code.

use matviz::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match cli::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(told) => return cli::answer(&told),
    };
    cli::run(&args).unwrap_or_else(|error| {
        cli::complain(&format!("error: {error:#}"));
        cli::exit_code(&error)
    })
}
