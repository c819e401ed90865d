//! Every option of every command does something: there is a command line that it changes what comes
//! out of. `tests/cli/options.rs` has those where it would change nothing, and is an error.

mod files;
mod rows;
#[cfg(unix)]
mod screens;

use clap::CommandFactory;
use files::files;
use matviz::cli::Args;
use rows::{AS_IN_EXPORT, ELSEWHERE, ROWS};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// The options that every command has.
const EVERYWHERE: [&str; 5] = ["help", "version", "output", "quiet", "color"];

#[test]
fn every_option_of_every_command_changes_what_comes_out() {
    let next = AtomicUsize::new(0);
    let same = Mutex::new(Vec::new());
    let work = || loop {
        let index = next.fetch_add(1, Relaxed);
        let Some((line, options)) = ROWS.get(index) else { break };
        let without = outcome(line);
        if line.starts_with(ENVIRONMENT) {
            assert_eq!(without, outcome(line), "{line}: a time is not left out");
        }
        for option in *options {
            let line = format!("{line} {option}");
            let with = outcome(&line);
            let unknown = ["multiple times", "unexpected argument"];
            assert!(!unknown.iter().any(|told| with.contains(told)), "{line}: {with}");
            if with == without {
                same.lock().expect("nobody panics").push(line);
            }
        }
    };
    thread::scope(|scope| {
        (0..2).for_each(|_| _ = scope.spawn(work));
    });
    let same = same.into_inner().expect("nobody panics");
    assert!(same.is_empty(), "these change nothing:\n{}", same.join("\n"));
}

#[test]
fn no_option_is_left_out() {
    let mut left: Vec<String> = Vec::new();
    let whole = Args::command();
    for (name, command) in all(&whole, "") {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        for arg in shown.filter(|arg| !EVERYWHERE.contains(&arg.get_id().as_str())) {
            let option = match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some(short)) => format!("-{short}"),
                (None, None) => continue,
            };
            let is_heeded = ROWS.iter().any(|(line, options)| {
                of(line) == name && options.iter().any(|row| named(row).contains(&*option))
            });
            let is_elsewhere = ELSEWHERE
                .iter()
                .any(|(command, options, _)| *command == name && options.contains(&&*option));
            let has = |(command, options): &(&str, &[&str])| {
                *command == name && options.contains(&&*option)
            };
            let is_shown = AS_IN_EXPORT.iter().any(has);
            if !is_heeded && !is_elsewhere && !is_shown {
                left.push(format!("{name} {option}"));
            }
        }
    }
    assert!(left.is_empty(), "no row shows what these do:\n{}", left.join("\n"));
}

/// A command and those of its own, each with its whole name.
fn all<'c>(command: &'c clap::Command, name: &str) -> Vec<(String, &'c clap::Command)> {
    let own = command.get_subcommands().filter(|command| !command.is_hide_set());
    let below =
        own.flat_map(|command| all(command, format!("{name} {}", command.get_name()).trim_start()));
    [(name.to_owned(), command)].into_iter().chain(below).collect()
}

/// A test that is named must name the option.
#[test]
fn what_is_seen_elsewhere_is_there() {
    for (command, options, file) in ELSEWHERE {
        let text = fs::read_to_string(file).expect(file);
        for option in *options {
            assert!(text.contains(option), "{file} has no {option} of `{command}`");
        }
    }
}

/// What a line begins with that sets a variable of the environment.
const ENVIRONMENT: &str = "MATVIZ_";

/// The commands without commands of their own.
const COMMANDS: [&str; 7] = ["learn", "check", "trace", "access", "bench", "export", "doctor"];

/// The command of a line; the screen has none.
fn of(line: &str) -> &str {
    let line = line
        .split_once(' ')
        .map_or(line, |(first, rest)| if first.starts_with(ENVIRONMENT) { rest } else { line });
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let second = rest.split(' ').next().unwrap_or("");
    match first {
        "course" | "generate" => &line[..first.len() + 1 + second.len()],
        first if COMMANDS.contains(&first) => first,
        _ => "",
    }
}

/// The options in a part of a line.
fn named(part: &str) -> BTreeSet<&str> {
    part.split_whitespace().filter(|word| word.starts_with('-')).collect()
}

/// What a command line leaves in a folder of its own: its exit code, its words and its files. Times are
/// left out.
fn outcome(line: &str) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    files(at);
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.current_dir(at).env_clear().env("HOME", at);
    for word in line.split_whitespace() {
        match word.split_once('=').filter(|_| word.starts_with(ENVIRONMENT)) {
            Some((variable, value)) => command.env(variable, value),
            None => command.arg(word),
        };
    }
    let timeless = if line.starts_with(ENVIRONMENT) { without_times } else { str::to_owned };
    let output = command.env("LANG", "C.UTF-8").stdin(Stdio::null()).output().expect("it runs");
    let mut told = format!("{:?}\n", output.status.code());
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text);
        let lines = text.lines().filter(|line| !line.contains("second"));
        told.extend(lines.flat_map(|line| [timeless(line), "\n".to_owned()]));
    }
    let mut found: Vec<_> = walk(at);
    found.sort();
    for file in found {
        let bytes = fs::read(&file).expect("it can be read");
        let text = String::from_utf8_lossy(&bytes);
        let text = text.lines().map(timeless).collect::<Vec<_>>().join("\n");
        told.extend([&*file.display().to_string(), "\n", &*text]);
    }
    told.replace(&at.display().to_string(), "HOME")
}

/// A line of a measurement without what differs from one to the next: of JSON, fractions and numbers
/// of samples; of a table, all numbers.
fn without_times(line: &str) -> String {
    let Some((key, value)) = line.trim().split_once("\": ") else {
        let number = |letter: char| letter.is_ascii_digit() || letter == '.';
        return line.split_whitespace().map(|word| word.replace(number, "")).collect();
    };
    let value = value.trim_end_matches(',');
    let fraction = value.parse::<f64>().is_ok() && value.parse::<u64>().is_err();
    let varies = (fraction || key == "\"samples") && key != "\"tolerance";
    format!("{key} {}", if varies { "" } else { value })
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
