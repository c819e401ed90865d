//! The README says what is: its keys, its picture and what its commands print are the program's.
//!
//! `MATVIZ_WRITE=1 cargo test --test readme` writes the table of keys and the picture anew.

use matviz::tui::keymap::{COMMANDS, Context};
use std::fmt::Write;
use std::fs;
use std::process::Command;

const README: &str = "README.md";
const PICTURE: &str = ".github/screen.svg";
const FIRST: &str = "<!-- keys: written by tests/readme.rs -->\n";
const LAST: &str = "<!-- end of the keys -->\n";

fn readme() -> String {
    fs::read_to_string(README).expect("there is one")
}

fn writes() -> bool {
    std::env::var_os("MATVIZ_WRITE").is_some()
}

/// The table of keys, in the order of the help.
fn table() -> String {
    let mut table = "| keys | |\n|---|---|\n".to_owned();
    let mut group = None;
    for command in COMMANDS.iter().filter(|command| command.context != Context::Overlay) {
        if group.replace(command.group) != Some(command.group) {
            let _ = writeln!(table, "| **{}** | |", command.group.title());
        }
        let keys: Vec<_> = command.keys.iter().map(|key| format!("`{key}`")).collect();
        let _ = writeln!(table, "| {} | {} |", keys.join(" "), command.help);
    }
    table
}

#[test]
fn the_keys_are_those_of_the_keymap() {
    let text = readme();
    let (before, rest) = text.split_once(FIRST).expect("where the table begins");
    let (written, after) = rest.split_once(LAST).expect("where the table ends");
    if writes() {
        let text = [before, FIRST, &table(), LAST, after].concat();
        fs::write(README, text).expect("written");
    } else {
        assert_eq!(written, table(), "MATVIZ_WRITE=1 writes it anew");
    }
}

#[test]
fn the_picture_is_what_its_command_draws() {
    let text = readme();
    let start = format!("`matviz export {PICTURE} ");
    let (_, rest) = text.split_once(&start).expect("the command of the picture");
    let (args, _) = rest.split_once('`').expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let drawn = folder.path().join("screen.svg");
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let status = matviz.arg("export").arg(&drawn).args(args.split_whitespace()).status();
    assert!(status.expect("it runs").success());
    let drawn = fs::read_to_string(drawn).expect("drawn");
    if writes() {
        fs::write(PICTURE, drawn).expect("written");
    } else {
        let same = fs::read_to_string(PICTURE).expect("committed") == drawn;
        assert!(same, "the screen has changed: MATVIZ_WRITE=1 draws it anew");
    }
}

/// A block of `console` holds commands behind `$` and what they print; a line of three dots stands
/// for the rest.
#[test]
fn the_commands_print_what_it_shows() {
    let text = readme();
    let blocks: Vec<_> = text.split("```console\n").skip(1).collect();
    assert!(blocks.len() >= 3, "the README shows no commands");
    for block in blocks {
        let block = block.split("```").next().expect("a first part");
        for run in block.split("$ matviz ").skip(1) {
            let (command, shown) = run.split_once('\n').expect("a line of its own");
            assert_prints(command, shown);
        }
    }
}

fn assert_prints(command: &str, shown: &str) {
    // Words in single quotes are one argument, as in a shell.
    let quoted = |(index, part): (usize, &str)| -> Vec<String> {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    };
    let args: Vec<String> = command.split('\'').enumerate().flat_map(quoted).collect();
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let output = matviz.args(args).env_clear().env("LANG", "C.UTF-8").output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    match shown.split_once("...\n") {
        Some((start, _)) => assert!(printed.starts_with(start), "{command} prints\n{printed}"),
        None => assert_eq!(printed.trim_end(), shown.trim_end(), "{command}"),
    }
}
