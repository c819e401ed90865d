//! `matviz course changes`, `gaps` and `dials`: kernels broken on purpose, and what is said of them.

use serde_json::Value;
use std::process::{Command, Output};

fn matviz(args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_matviz");
    Command::new(program).args(args).output().expect("matviz starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The JSON on stdout.
fn json(args: &[&str]) -> Value {
    let output = matviz(&[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The error of a command that is not understood.
fn bad_use(args: &[&str]) -> String {
    let output = matviz(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    text(&output.stderr)
}

#[test]
fn a_change_is_shown_with_what_it_does_and_what_proves_it_wrong() {
    let shown = json(&["course", "changes", "no-compute-barrier"]);
    let difference = shown["difference"].as_str().expect("a text");
    assert!(difference.contains("\n-        __syncthreads();\n"), "{difference}");
    assert!(shown["at"][0]["right"] == true && shown["at"][0]["findings"][0]["kind"] == "race");
    let order = &shown["spoiling_order"];
    assert!(order["wrong"].as_u64() > Some(0) && order["spoilt"]["wrong"].as_u64() > Some(0));
    // The order can be played: `matviz check` computes a wrong C in it.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tiled.cu");
    let source = matviz(&["course", "changes", "no-compute-barrier", "--source"]).stdout;
    std::fs::write(&file, source).expect("it can be written");
    let file = file.to_str().expect("UTF-8");
    let launch =
        ["--launch", "<<<,16x16>>>", "--size", "64", "-D", "TILE=16", "--compiler", "matviz"];
    let sim = |order: &str| json(&[&["check", file, "--order", order], &launch[..]].concat());
    assert!(!sim(order["order"].as_str().expect("an order"))["wrong"].is_null());
    assert!(sim("round-robin")["wrong"].is_null());
}

#[test]
fn the_gaps_in_which_the_barrier_belongs_are_found_in_a_file_as_well() {
    let insert = ["--insert", "__syncthreads();", "--size", "64"];
    let change = ["--change", "no-compute-barrier"];
    for kernel in ["tiled", "kernels/tiled.cu"] {
        let found = json(&[&["course", "gaps", kernel], &change[..], &insert[..]].concat());
        assert_eq!(found["sound"], serde_json::json!([30, 31, 32, 33, 41, 42]), "{kernel}");
        let lines = found["gaps"].as_array().expect("gaps");
        let broken = lines.iter().find(|gap| gap["line"] == 40).expect("line 40");
        assert!(broken["error"].as_str().is_some_and(|told| told.contains("`k` is not declared")));
    }
}

#[test]
fn a_setting_of_the_dials_is_judged_at_each_size() {
    let set = ["--set", "STORED=as it lies", "AFTER=yes", "EDGE=nothing"];
    let output = matviz(&[&["course", "dials"], &set[..]].concat());
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "C is wrong at the second size: {told}");
    assert!(told.contains("zeros  [nothing]  no guard"), "{told}");
    let row = |size: &str| {
        let line = told.lines().find(|line| line.starts_with(size)).expect("a line").to_owned();
        line.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("at 64 ")[..3], ["right", "0", "4,096"]);
    assert_eq!(row("at 60x52x84 ")[..3], ["WRONG", "0", "6,096"]);
    let right = [&["course", "dials", "lessons/kernels/dials.cu"], &set[..3]].concat();
    assert_eq!(matviz(&right).status.code(), Some(0), "with zeros it is right and sound");
}

#[test]
fn what_cannot_be_meant_is_said() {
    let told = bad_use(&["course", "changes", "no-barrier"]);
    assert!(
        told.contains("there is no change `no-barrier`: give swap-xy, no-load-barrier"),
        "{told}"
    );
    let told = bad_use(&["course", "gaps", "naive", "--change", "pad-a", "--insert", ";"]);
    assert!(told.contains("the source has 0; it is a change of tiled"), "{told}");
    let told = bad_use(&["course", "gaps", "tilde", "--insert", ";"]);
    assert!(
        told.contains("there is no command, kernel or file `tilde`; did you mean `tiled`?"),
        "{told}"
    );
    for sizes in ["0", "64x", "257", "64,300,64"] {
        let told = bad_use(&["course", "dials", "--count", "--size", sizes]);
        assert!(told.contains("size"), "{told}");
    }
    let told = bad_use(&["course", "dials", "kernels/tiled.cu"]);
    assert!(told.contains("tiled.cu has no dials"), "{told}");
}
