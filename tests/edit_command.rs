//! `matviz edit --plain`: the table and what is wrong as text, for pipes and for people.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TILED: &str = include_str!("../kernels/tiled.cu");

fn edit(text: &str, options: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    fs::write(&file, text).expect("it is written");
    run(folder.path(), &[&["mine.cu", "--plain"], options].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.arg("edit").args(arguments).current_dir(folder).output().expect("it runs")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn a_right_kernel_is_fine_and_a_wrong_one_is_not() {
    let right = edit(TILED, &[]);
    assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
    assert!(text(&right.stdout).contains("compiled by matviz"), "{}", text(&right.stdout));
    let wrong = edit(&TILED.replace("sA[ty][tx] =", "sA[tx][ty] ="), &["--size", "32"]);
    assert_eq!(wrong.status.code(), Some(1));
    for said in ["C at 32 ", "C at 64 ", "WRONG", "Line 34: a store to sA takes 8 wavefronts"] {
        assert!(text(&wrong.stdout).contains(said), "{said}: {}", text(&wrong.stdout));
    }
}

#[test]
fn what_cannot_be_compiled_or_launched_is_said_with_its_place() {
    let broken = edit(&TILED.replace("int tx =", "int tx"), &[]);
    assert_eq!(broken.status.code(), Some(3));
    assert!(text(&broken.stderr).contains("mine.cu:18:"), "{}", text(&broken.stderr));
    let unknown = edit(&format!("// launch: --blocks 16,16\n{TILED}"), &[]);
    assert_eq!(unknown.status.code(), Some(3));
    assert!(text(&unknown.stderr).contains("mine.cu:1:12: `--blocks` is not known"));
    let several = edit(include_str!("../lessons/mistakes.cu"), &[]);
    assert_eq!(several.status.code(), Some(3));
    assert!(text(&several.stderr).contains("--entry is missing"), "{}", text(&several.stderr));
    let chosen = edit(include_str!("../lessons/mistakes.cu"), &["--entry", "forgets_a_barrier"]);
    assert_eq!(chosen.status.code(), Some(1), "it races: {}", text(&chosen.stdout));
}

#[test]
fn what_is_not_a_file_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, why) in [(".", "it is a folder"), ("missing.cu", "No such file")] {
        let output = run(folder.path(), &[name, "--plain"]);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
    }
    let output = run(folder.path(), &["missing.cu"]);
    assert!(text(&output.stderr).contains("not a terminal"), "{}", text(&output.stderr));
}
