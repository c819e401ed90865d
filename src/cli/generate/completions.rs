//! `matviz generate completions`: what a shell offers at the Tab key.

use crate::cli::output::print;
use clap::Command;
use clap::builder::PossibleValue;
use clap_complete::{Shell, generate};
use std::fmt::Write;
use std::process::ExitCode;

/// Arguments of `matviz generate completions`.
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
    let script = String::from_utf8_lossy(&script).into_owned();
    print(&if args.shell == Shell::Fish { of_fish(&script, &offered) } else { script })?;
    Ok(ExitCode::SUCCESS)
}

/// The script for fish with what `clap_complete` leaves out of it: the values of an option of the screen
/// while none is typed, and those of an argument that is no option.
fn of_fish(script: &str, offered: &Command) -> String {
    let mut script = script.replacen("    or return\n", "    or return 0\n", 1);
    for command in offered.get_subcommands() {
        for argument in command.get_positionals().filter(|argument| !argument.is_hide_set()) {
            let values = argument.get_possible_values();
            let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
            if !names.is_empty() {
                let (command, names) = (command.get_name(), names.join(" "));
                let of_it = format!("__fish_matviz_using_subcommand {command}");
                let _ = writeln!(script, "complete -c matviz -n \"{of_it}\" -f -a \"{names}\"");
            }
        }
    }
    script
}
