//! Compares the output of commands with the stored output.

use matviz::kernel::sha256;
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The file that a command draws a screen into.
const SCREEN: &str = "screen.txt";

/// Parts of the lines whose numbers change from run to run.
const UNSTEADY: [&str; 3] =
    ["\"seconds\": ", "\"warp_instructions_per_second\": ", "million warp instructions a second"];

/// The number of characters that are stored in full, for a screen of 200x60; of longer output, both
/// ends and its hash are stored.
const MOST: usize = 12_500;

/// The number of differences that a failure shows.
const SHOWN: usize = 10;

/// The number of lines at each end of output that is not stored in full.
const ENDS: usize = 5;

/// Runs the commands and compares their output with the file of that name, or writes it
/// (`MATVIZ_WRITE`).
pub(crate) fn check(name: &str, commands: &[String]) {
    stay_on_one_core();
    let path = Path::new("tests/data/golden").join(name).with_extension("txt");
    let said: String = commands.iter().map(|command| transcript(command)).collect();
    if std::env::var_os("MATVIZ_WRITE").is_some() {
        fs::write(&path, &said).expect("written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let differences = differences(&parts(&stored), &parts(&said));
    assert!(
        said == stored,
        "{} differs from what the program says now. Commands that differ: {}, the first of them:\n\
         {}\nIf the change is intended: MATVIZ_WRITE=1 cargo test --test golden",
        path.display(),
        differences.len(),
        differences[..differences.len().min(SHOWN)].join("\n")
    );
}

/// Pins this thread and the programs that it starts to one core. On several, the blocks of a grid
/// are simulated concurrently: the order in which they add to the same sum, or race, is left to
/// chance.
fn stay_on_one_core() {
    let mut core = CpuSet::new();
    core.set(sched_getcpu());
    sched_setaffinity(None, &core).expect("a core that this thread may use");
}

/// A command and its output, in a home folder of its own.
fn transcript(command: &str) -> String {
    let home = tempfile::tempdir().expect("a folder");
    let screen = home.path().join(SCREEN);
    let place = |word: &str| match word {
        SCREEN => screen.display().to_string(),
        _ => word.to_owned(),
    };
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(words(command).into_iter().map(place));
    matviz.env_clear().env("HOME", home.path()).env("COLUMNS", "100");
    let output = matviz.output().expect("the binary runs");
    let drawn = fs::read_to_string(&screen).unwrap_or_default();
    let said = shortened(&steady(&(utf8(output.stdout) + &drawn)));
    let errors = match utf8(output.stderr) {
        errors if errors.is_empty() => errors,
        errors => format!("--- stderr\n{errors}"),
    };
    let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    format!("$ matviz {command}\n{said}{errors}--- exit {code}\n\n")
}

/// The words of a command; text between two `'` is not split.
fn words(command: &str) -> Vec<&str> {
    let quoted = |(index, part): (usize, _)| match index % 2 {
        0 => str::split_whitespace(part).collect(),
        _ => vec![part],
    };
    command.split('\'').enumerate().flat_map(quoted).collect()
}

fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// The text, without the numbers in lines that change from run to run.
fn steady(text: &str) -> String {
    let line = |line: &str| {
        if UNSTEADY.iter().any(|part| line.contains(part)) {
            line.replace(|c: char| c.is_ascii_digit() || c == '.', "")
        } else {
            line.to_owned()
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The text; if it is long, only both ends, with its length and SHA-256 between them.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let lines: Vec<_> = text.lines().collect();
    let (first, last) = (lines[..ENDS].join("\n"), lines[lines.len() - ENDS..].join("\n"));
    let (count, hash) = (lines.len(), sha256(text.as_bytes()));
    format!("{first}\n.. {count} lines with SHA-256 {hash} ..\n{last}\n")
}

/// The commands in a file, each with its output.
fn parts(file: &str) -> BTreeMap<&str, &str> {
    let parts = file.split("$ matviz ").skip(1);
    parts.filter_map(|part| part.split_once('\n')).collect()
}

/// The first differing line of each command whose output differs.
fn differences(stored: &BTreeMap<&str, &str>, said: &BTreeMap<&str, &str>) -> Vec<String> {
    let gone = stored.keys().filter(|command| !said.contains_key(*command));
    let gone = gone.map(|command| format!("matviz {command}\n  is stored and not run"));
    let changed = said.iter().filter_map(|(command, text)| {
        let Some(before) = stored.get(command) else {
            return Some(format!("matviz {command}\n  is not stored"));
        };
        let (before, now) = (before.lines().chain([""]), text.lines().chain([""]));
        let mut lines = before.zip(now).enumerate();
        let (index, (before, now)) = lines.find(|(_, (before, now))| before != now)?;
        Some(format!("matviz {command}\n  line {}: {before}\n  is now: {now}", index + 1))
    });
    gone.chain(changed).collect()
}
