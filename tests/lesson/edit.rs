//! `matviz edit --plain`: the table and what is wrong as text, for pipes and for people.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TILED: &str = include_str!("../../kernels/tiled.cu");

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
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("mine.cu:1:12: `--blocks` is not known"));
    let several = edit(include_str!("../../lessons/mistakes.cu"), &[]);
    assert_eq!(several.status.code(), Some(2));
    assert!(text(&several.stderr).contains("--entry is missing"), "{}", text(&several.stderr));
    let chosen = edit(include_str!("../../lessons/mistakes.cu"), &["--entry", "forgets_a_barrier"]);
    assert_eq!(chosen.status.code(), Some(1), "it races: {}", text(&chosen.stdout));
}

#[test]
fn shared_memory_for_a_kernel_that_takes_none_is_refused() {
    let output = edit(TILED, &["--shared", "64"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("--shared: the kernel has no dynamic shared memory"), "{said}");
    let most = edit(TILED, &["--shared", "232449"]);
    assert!(text(&most.stderr).contains("at most 232448 bytes"), "{}", text(&most.stderr));
}

/// At 128 there are 8 x 8 blocks, at 64 and at the size that fits no tile 4 x 4.
#[test]
fn clusters_are_those_of_the_command_line_at_each_size_that_has_whole_ones() {
    let sizes = |options: &[&str]| {
        let output = edit(TILED, &[&["--size", "128"], options].concat());
        let said = text(&output.stdout);
        let sizes = ["C at 128 ", "C at 64 ", "C at 60,52,84 "].map(|size| said.contains(size));
        (output.status.code(), sizes, said)
    };
    let (code, at, said) = sizes(&["--cluster", "4"]);
    assert_eq!((code, at), (Some(0), [true; 3]), "{said}");
    let (code, at, said) = sizes(&["--cluster", "8"]);
    assert_eq!((code, at), (Some(0), [true, false, false]), "{said}");
    let (code, _, said) = sizes(&["--cluster", "3"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("8 x 8 x 1 blocks is no multiple of clusters of 3 x 1 x 1"), "{said}");
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

/// Its host gives its buffers the size of its matrices, at each size.
#[test]
fn a_sound_kernel_is_sound_at_the_second_size_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = include_str!("../data/kernel/host/whole.cu");
    fs::write(folder.path().join("whole.cu"), whole).expect("it is written");
    let output = run(folder.path(), &["whole.cu", "--plain"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for right in ["C at 64 ", "C at 60,52,84 "] {
        let line = said.lines().find(|line| line.contains(right)).unwrap_or_default();
        assert!(line.ends_with("right"), "{right}: {said}");
    }
}

/// It is right where the size is a multiple of the tile.
#[test]
fn a_finding_says_at_which_size_it_was_found() {
    let output = edit(include_str!("../data/kernel/host/doubles.cu"), &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(" at 60,52,84: "), "{said}");
    assert!(!said.contains("memory: ") && !said.contains("race: "), "{said}");
}
