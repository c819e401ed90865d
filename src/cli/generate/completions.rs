//! `matviz generate completions`: what a shell offers at the Tab key.

use crate::cli::BadUse;
use crate::cli::names::NameParser;
use crate::cli::output::print;
use clap::builder::PossibleValue;
use clap::{Command, ValueHint};
use clap_complete::{Shell, generate};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz generate completions`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", value_parser = SHELL, hide_possible_values = true)]
    shell: Shell,
}

const SHELL: NameParser<Shell> = NameParser {
    of: || {
        let names = ["bash", "elvish", "fish", "powershell", "zsh"];
        names.map(|name| (name, "")).to_vec()
    },
    parse: |text| {
        let told = |_| BadUse("give bash, elvish, fish, powershell or zsh".to_owned());
        text.parse().map_err(told)
    },
};

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
    if args.shell == Shell::Zsh {
        offered = files_alone(offered);
    }
    let mut script = Vec::new();
    generate(args.shell, &mut offered, "matviz", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    print(&if args.shell == Shell::Fish { of_fish(&script, &offered) } else { script })?;
    Ok(ExitCode::SUCCESS)
}

/// The arguments that are a kernel or a file as files: zsh offers names or files, and not both.
fn files_alone(command: Command) -> Command {
    let file = |arg: clap::Arg| match arg.get_id().as_str() {
        "target" | "targets" | "words" => arg.value_parser(clap::value_parser!(PathBuf)),
        _ => arg,
    };
    command.mut_args(file).mut_subcommands(files_alone)
}

/// The script for fish with what `clap_complete` leaves out of it: the values of an option of the screen
/// while none is typed, and those of an argument that is no option.
fn of_fish(script: &str, offered: &Command) -> String {
    let mut script = script.replacen("    or return\n", "    or return 0\n", 1);
    for command in offered.get_subcommands() {
        let of_it = format!("__fish_matviz_using_subcommand {}", command.get_name());
        positionals(&mut script, command, &of_it);
        for own in command.get_subcommands().filter(|own| !own.is_hide_set()) {
            let of_own = format!("{of_it}; and __fish_seen_subcommand_from {}", own.get_name());
            positionals(&mut script, own, &of_own);
        }
    }
    script
}

/// The values of a command's arguments that are no options, where `when` holds.
fn positionals(script: &mut String, command: &Command, when: &str) {
    for argument in command.get_positionals().filter(|argument| !argument.is_hide_set()) {
        let values = argument.get_possible_values();
        let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
        if !names.is_empty() {
            let names = names.join(" ");
            let may_be_file = matches!(argument.get_value_hint(), ValueHint::FilePath);
            let files = if may_be_file { "" } else { " -f" };
            let _ = writeln!(script, "complete -c matviz -n \"{when}\"{files} -a \"{names}\"");
        }
    }
}
