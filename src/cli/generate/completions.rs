//! `matviz generate completions`: what a shell offers at the Tab key.

use crate::cli::BadUse;
use crate::cli::names::{KERNELS_BY_NAME, NameParser};
use crate::cli::output::print;
use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueHint};
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
        offered = files_alone(without_target(&offered));
    }
    let mut script = Vec::new();
    generate(args.shell, &mut offered, "matviz", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    print(&match args.shell {
        Shell::Bash => of_bash(&script),
        Shell::Fish => of_fish(&script, &offered),
        Shell::Zsh => of_zsh(&script, &offered),
        _ => script,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What bash asks: after a comma the rest of a list, and where a file can stand, files too and options
/// only if one is begun.
const OF_BASH: &str = r#"
_matviz_words() {
    local cur="$2" list="" word names=()
    if [[ $3 == -* && $cur == *,* ]]; then
        list="${cur%,*},"
        cur="${cur##*,}"
    fi
    _matviz "$1" "$cur" "$3"
    if [[ -n $list ]]; then
        COMPREPLY=("${COMPREPLY[@]/#/$list}")
    elif [[ $cur != -* && $3 != -* ]]; then
        for word in "${COMPREPLY[@]}"; do
            [[ $word == -* ]] || names+=("$word")
        done
        while IFS= read -r word; do
            names+=("$word")
        done < <(compgen -f -- "$cur")
        COMPREPLY=("${names[@]}")
        compopt -o filenames 2>/dev/null
    fi
}
"#;

/// The script for bash, which asks for the parts of a list.
fn of_bash(script: &str) -> String {
    let (function, end) = script.split_at(script.rfind("\nif ").unwrap_or(script.len()));
    format!(
        "{function}{OF_BASH}{}",
        end.replace("complete -F _matviz ", "complete -F _matviz_words ")
    )
}

/// The options of a command, and of those below it, whose value is a list of names.
fn lists(command: &Command) -> Vec<(&str, &Arg, Vec<String>)> {
    let own = command.get_arguments().filter_map(|arg| {
        let values = arg.get_possible_values();
        let names: Vec<_> = values.iter().map(|value| value.get_name().to_owned()).collect();
        let is_list = arg.get_value_delimiter().is_some() && !names.is_empty();
        is_list.then(|| (command.get_name(), arg, names))
    });
    own.chain(command.get_subcommands().flat_map(lists)).collect()
}

/// The script for zsh, in which a list has as many names as are typed, and kernels and files can stand
/// where a command can.
fn of_zsh(script: &str, offered: &Command) -> String {
    let kernels = KERNELS_BY_NAME.join(" ");
    let with_targets = format!("{COMMANDS_OF_ZSH}\n    compadd - {kernels}\n    _files");
    let mut script = script.replacen(COMMANDS_OF_ZSH, &with_targets, 1);
    for (_, arg, names) in lists(offered) {
        let value = arg.get_value_names().and_then(|names| names.first());
        let start = format!(":{}:(", value.map_or("", |name| name.as_str()));
        let Some(at) = script.find(&start) else { continue };
        let Some(length) = script[at..].find(")' \\\n") else { continue };
        let sequence =
            format!("{}_sequence compadd - {}", &start[..start.len() - 1], names.join(" "));
        script.replace_range(at..=at + length, &sequence);
    }
    script
}

/// The program without its target: zsh would take a command's name for one, and offer nothing after it.
fn without_target(program: &Command) -> Command {
    let options = program.get_arguments().filter(|arg| !arg.is_positional());
    Command::new("matviz")
        .version(env!("CARGO_PKG_VERSION"))
        .args(options)
        .subcommands(program.get_subcommands())
}

/// What zsh offers where a command can stand.
const COMMANDS_OF_ZSH: &str = "_describe -t commands 'matviz commands' commands \"$@\"";

/// The arguments that are a kernel or a file as files: zsh offers names or files, and not both.
fn files_alone(command: Command) -> Command {
    let file = |arg: Arg| match arg.get_id().as_str() {
        "target" | "targets" | "words" => arg.value_parser(clap::value_parser!(PathBuf)),
        _ => arg,
    };
    command.mut_args(file).mut_subcommands(files_alone)
}

/// The script for fish with what `clap_complete` leaves out of it: the values of an option of the screen
/// while none is typed, and those of an argument that is no option.
fn of_fish(script: &str, offered: &Command) -> String {
    let mut script = script.replacen("    or return\n", "    or return 0\n", 1);
    for (command, arg, names) in lists(offered) {
        let (long, names) = (arg.get_long().unwrap_or_default(), names.join(" "));
        let _ = writeln!(
            script,
            "complete -c matviz -n \"__fish_matviz_using_subcommand {command}\" -l {long} -r -f -a \
             \"(__fish_append , {names})\""
        );
    }
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
