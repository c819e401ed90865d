//! `matviz completions`: what a shell offers at the Tab key.

use super::output::print;
use clap::Command;
use clap_complete::{Shell, generate};
use std::process::ExitCode;

/// Arguments of `matviz completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script for the whole command line.
///
/// # Errors
/// stdout cannot be written.
pub fn run(args: &Args, whole: &Command) -> anyhow::Result<ExitCode> {
    // A shell would offer hidden commands as well.
    let offered = whole.get_subcommands().filter(|command| !command.is_hide_set());
    let mut offered = Command::new("matviz")
        .version(env!("CARGO_PKG_VERSION"))
        .args(whole.get_arguments())
        .subcommands(offered.cloned());
    let mut script = Vec::new();
    generate(args.shell, &mut offered, "matviz", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
