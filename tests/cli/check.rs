//! `matviz check FILE`: a kernel of one's own, at a square size and at an awkward one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const TILED: &str = include_str!("../../kernels/tiled.cu");

fn check(text: &str, options: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.cu");
    fs::write(&file, text).expect("it is written");
    run(folder.path(), &[&["mine.cu"], options].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.arg("check").args(arguments).current_dir(folder).output().expect("it runs")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn a_right_kernel_is_fine_and_a_wrong_one_is_not() {
    let right = check(TILED, &[]);
    assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
    assert!(text(&right.stdout).contains("compiled by matviz"), "{}", text(&right.stdout));
    let wrong = check(&TILED.replace("sA[ty][tx] =", "sA[tx][ty] ="), &[]);
    assert_eq!(wrong.status.code(), Some(1));
    for said in ["\nC is WRONG", "\nAt 60x52x84: C is WRONG", "line 34: a store of shared memory"] {
        assert!(text(&wrong.stdout).contains(said), "{said}: {}", text(&wrong.stdout));
    }
    // A size that is given is the only one.
    let one = check(TILED, &["--size", "32"]);
    assert!(!text(&one.stdout).contains("At 60x52x84"), "{}", text(&one.stdout));
}

#[test]
fn what_cannot_be_compiled_or_launched_is_said_with_its_place() {
    let broken = check(&TILED.replace("int tx =", "int tx"), &[]);
    assert_eq!(broken.status.code(), Some(3));
    assert!(text(&broken.stderr).contains("mine.cu:18:"), "{}", text(&broken.stderr));
    let unknown = check(&format!("// launch: --blocks 16,16\n{TILED}"), &[]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("mine.cu:1: in `// launch:`: `--blocks` is not known"));
    let several = check(include_str!("../../lessons/mistakes.cu"), &[]);
    assert_eq!(several.status.code(), Some(2));
    assert!(text(&several.stderr).contains("name a kernel"), "{}", text(&several.stderr));
    let mistakes = include_str!("../../lessons/mistakes.cu");
    let chosen = check(mistakes, &["--launch", "forgets_a_barrier"]);
    assert_eq!(chosen.status.code(), Some(2));
    let said = text(&chosen.stderr);
    assert!(said.contains("the block is missing") && said.contains("'<<<,16x16>>>'"), "{said}");
    let launched = check(mistakes, &["--launch", "forgets_a_barrier", "--launch", "<<<,16x16>>>"]);
    assert_eq!(launched.status.code(), Some(1), "it races: {}", text(&launched.stdout));
}

#[test]
fn shared_memory_for_a_kernel_that_takes_none_is_refused() {
    let output = check(TILED, &["--launch", "<<<,,64>>>"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("the launch gives dynamic shared memory, and the kernel has none"),
        "{said}"
    );
    let most = check(TILED, &["--launch", "<<<,,232449>>>"]);
    assert!(text(&most.stderr).contains("at most 232448 bytes"), "{}", text(&most.stderr));
}

/// At both sizes there are 4 x 4 blocks.
#[test]
fn clusters_are_those_of_the_command_line() {
    let checked = |cluster: &str| {
        let output = check(TILED, &["--launch", &format!("__cluster_dims__({cluster})")]);
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = checked("4");
    assert!(code == Some(0) && said.contains("At 60x52x84: C is right"), "{said}");
    let (code, said) = checked("3");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("4 x 4 x 1 blocks is no multiple of clusters of 3 x 1 x 1"), "{said}");
}

#[test]
fn what_is_not_a_file_is_an_error_of_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, why) in
        [(".", ". is a folder: name a file in it"), ("missing.cu", "there is no file missing.cu")]
    {
        let output = run(folder.path(), &[name]);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
    }
}

/// Its host says one size, for its buffers and its matrices; here a smaller one, as it takes long.
#[test]
fn a_program_is_checked_at_its_own_size_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = include_str!("../data/kernel/host/whole.cu");
    fs::write(folder.path().join("whole.cu"), whole).expect("it is written");
    let output = run(folder.path(), &["whole.cu"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("\nC is right"), "{said}");
    assert!(!said.contains("\nAt 60x52x84"), "{said}");
    let told = text(&output.stderr);
    assert!(told.contains("assuming M = 250 instead of 1000 in line 46"), "{told}");
    assert!(told.contains("--size gives another"), "{told}");
}

/// It is right where the size is a multiple of the tile.
#[test]
fn a_finding_says_at_which_size_it_was_found() {
    let output = check(include_str!("../data/cli/whole_tiles.cu"), &[]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("\nmemory at 60x52x84: ") || said.contains("\nrace at 60x52x84: "),
        "{said}"
    );
    assert!(!said.contains("\nmemory: ") && !said.contains("\nrace: "), "{said}");
}
