//! The words of findings name what is wrong and advise what mends it.

use serde_json::Value;
use std::process::{Command, Output};

fn matviz(args: &[&str], file: &str, more: &[&str]) -> Output {
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.current_dir(env!("CARGO_MANIFEST_DIR")).args(args);
    matviz.args([file, "--compiler", "matviz"]).args(more);
    matviz.output().expect("the binary runs")
}

fn json(args: &[&str], file: &str, more: &[&str]) -> Value {
    let output = matviz(&[args, &["--json"]].concat(), file, more);
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).expect(&told)
}

/// The first finding of a kind in one of the kernels.
fn finding(kernel: &str, kind: &str) -> (String, String) {
    let found = json(&["check"], &format!("tests/data/report/words/{kernel}.cu"), &[]);
    let all = found["findings"].as_array().expect("findings");
    let one = all.iter().find(|one| one["kind"] == kind).expect(kernel);
    let text = |key: &str| one[key].as_str().expect("a text").to_owned();
    (text("message"), text("advice"))
}

#[test]
fn an_access_past_shared_memory_names_the_block_and_its_bytes() {
    let (_, advice) = finding("too_little_shared", "memory");
    assert!(advice.contains("1,024 bytes of dynamic shared memory"), "{advice}");
    assert!(advice.contains("16 x 16 threads"), "{advice}");
    let (_, advice) = finding("larger_block", "memory");
    assert!(advice.contains("A block has 32 x 32 threads"), "{advice}");
    assert!(!advice.contains("row and column"), "{advice}");
}

#[test]
fn a_barrier_is_not_advised_where_the_other_warp_has_ended() {
    let (message, advice) = finding("exits_early", "race");
    assert!(message.ends_with("with no barrier between them"), "{message}");
    assert!(advice.contains("threads that end after line 5"), "{advice}");
    let (message, advice) = finding("exits_before_barrier", "race");
    assert!(message.ends_with("and warp 2 ends without reaching the barrier"), "{message}");
    assert!(advice.contains("threads that end after line 5"), "{advice}");
}

#[test]
fn a_next_round_is_named_only_where_there_is_a_loop() {
    let (_, advice) = finding("one_line", "race");
    assert_eq!(advice, "Put a __syncthreads() between store and load in line 3.");
    let (_, advice) = finding("skipped_barrier", "race");
    let place = "between line 5 and line 7 that all threads of the block reach.";
    assert_eq!(advice, format!("Put a __syncthreads() {place}"));
    let (_, advice) = finding("in_a_loop", "race");
    let place = "after line 9, before the next round comes to line 7.";
    assert_eq!(advice, format!("Put a __syncthreads() {place}"));
}

#[test]
fn rows_that_straddle_sectors_are_not_called_uncoalesced() {
    let costly = |kernel: &str, size: &str| {
        let file = format!("tests/data/study/wrong/{kernel}.cu");
        let output = matviz(&["check"], &file, &["--size", size]);
        String::from_utf8(output.stdout).expect("text")
    };
    let told = costly("k_cut_short", "40,36,44");
    assert!(told.contains("its rows straddle sectors"), "{told}");
    assert!(!told.contains("not coalesced"), "{told}");
    assert!(!costly("k_cut_short", "64").contains("sectors where"), "whole sectors cost no more");
    let told = costly("transposed_b", "64");
    assert!(told.contains("not coalesced") && !told.contains("straddle"), "{told}");
}

#[test]
fn an_instruction_without_a_source_line_is_named_by_its_line_in_the_ptx() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plain.ptx");
    let ptx = compiled("tests/data/study/wrong/transposed_b.cu");
    let plain: Vec<_> = ptx.lines().filter(|line| !line.trim().starts_with(".loc")).collect();
    std::fs::write(&file, plain.join("\n")).expect("written");
    let place = file.display().to_string();
    let mut matviz = Command::new(env!("CARGO_BIN_EXE_matviz"));
    matviz.args(["check", &place, "--launch", "<<<,8x8>>>", "--size", "64"]);
    let output = matviz.output().expect("the binary runs");
    let told = String::from_utf8(output.stdout).expect("text");
    let line = told.lines().find(|line| line.contains("not coalesced")).expect(&told);
    let number = line.trim().strip_prefix("line ").and_then(|rest| rest.split_once(" of the PTX"));
    let number: usize = number.and_then(|(number, _)| number.parse().ok()).expect(line);
    assert!(plain[number - 1].contains("ld.global"), "{line}");
}

/// The PTX that matviz makes of a source.
fn compiled(file: &str) -> String {
    let text = std::fs::read_to_string(file).expect("it is there");
    let options =
        cudac::CompileOptions { file, defines: &[], headers: &[], instances: &[], rolled: false };
    cudac::compile(&text, &options).expect("it compiles").ptx
}

#[test]
fn results_that_are_no_numbers_are_one_result() {
    let file = "tests/data/report/words/nan_everywhere.cu";
    let found = json(&["check", "--prove", "--limit", "orders=5"], file, &[]);
    assert_eq!(found["varies"]["results"], 1, "{found}");
}

#[test]
fn of_a_script_its_turns_are_counted() {
    let output = matviz(
        &["check", "--prove", "--limit", "orders=5"],
        "tests/data/report/words/exits_early.cu",
        &[],
    );
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(told.contains("--order script:2 (1 turn, to a barrier or the warp's end)"), "{told}");
}
