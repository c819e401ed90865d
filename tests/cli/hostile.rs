//! Files that somebody else wrote, full disks, closed streams and kills: nothing leaks, ends the
//! program or is lost.

#![cfg(unix)]

mod mutated;
mod packs;
mod progress;
mod readers;
mod sizes;
mod sources;
mod streams;
mod text;

use std::path::Path;
use std::process::{Command, Output};

/// The program in an environment of its own, whose home is `home`.
fn matviz(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(args).env_clear().env("HOME", home).env("COLUMNS", "100");
    command
}

/// The program in a shell that first executes `before`, for example `ulimit -v 1000`.
fn matviz_after(before: &str, home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("/bin/sh");
    let script = format!("{before}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_matviz")]).args(args);
    command.env_clear().env("HOME", home).env("COLUMNS", "100");
    command
}

/// What it prints on both streams.
fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    out.into_owned() + &err
}

/// Checks that the program was neither killed nor panicked.
fn assert_ended_well(output: &Output, what: &str) {
    let said = said(output);
    assert!(matches!(output.status.code(), Some(0..=3)), "{what}: {}: {said}", output.status);
    assert!(!said.contains("panicked"), "{what}: {said}");
}
