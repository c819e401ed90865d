//! Every command that compiles a kernel says who did, and other tiles need no NVRTC.

use serde_json::Value;
use std::process::Command;

fn matviz(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    let output = command.args(args).env_clear().output().expect("matviz starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {said}");
    String::from_utf8(output.stdout).expect("matviz prints UTF-8")
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&matviz(args)).expect("JSON")
}

const TILED: &[&str] = &[
    "kernels/tiled.cu",
    "--compiler",
    "matviz",
    "-D",
    "TILE=16",
    "--launch",
    "<<<,16x16>>>",
    "--size",
    "32",
];

#[test]
fn each_command_says_who_compiled() {
    for command in [&["check", "--json"][..], &["check", "--prove", "--json"], &["trace", "--json"]]
    {
        let element: &[&str] = if command[0] == "trace" { &["C[1][2]"] } else { &[] };
        let outcome = json(&[command, TILED, element].concat());
        let by = outcome["compiled_by"].as_str().expect("somebody did");
        assert!(by.starts_with("matviz "), "{command:?}: {by}");
        assert_eq!(outcome["ptx_sha256"].as_str().map(str::len), Some(64), "{command:?}");
    }
    for command in [&["check"][..], &["check", "--prove"], &["--format", "text"]] {
        let text = matviz(&[command, TILED].concat());
        assert!(text.contains("compiled by matviz "), "{command:?}: {text}");
    }
    for committed in [&["trace", "tiled", "C[1][2]"][..], &["--format", "text"]] {
        let text = matviz(&[committed, &["--size", "32"]].concat());
        assert!(!text.contains("compiled by"), "{committed:?}: {text}");
    }
}

#[test]
fn a_picture_says_who_compiled() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("frame.txt");
    let file = file.to_str().expect("its name is UTF-8");
    let (export, into) = (["export", "frame"], ["-o", file, "--set", "view=workbench"]);
    matviz(&[&export[..], TILED, &into[..]].concat());
    let frame = std::fs::read_to_string(file).expect("the frame is written");
    assert!(frame.contains("compiled by matviz"), "{frame}");
}

#[test]
fn the_table_of_a_trace_is_json_as_well() {
    let found = json(&["trace", "tiled", "C[1][2]", "--size", "32", "--json"]);
    assert_eq!(found["element"], "C[1][2]");
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 64, "two factors of 32 products");
    assert_eq!((&rows[0]["load"], &rows[0]["slot"]), (&"A[1][0]".into(), &"sA[1][0]".into()));
}

/// With NVRTC it compiles, otherwise matviz does.
#[test]
fn a_tile_without_ptx_is_compiled() {
    let outcome = json(&["check", "tiled", "--tile", "12", "--size", "40", "--json"]);
    assert_eq!(outcome["tile"]["n"], 12, "{outcome}");
    assert!(outcome["compiled_by"].is_string(), "{outcome}");
    assert!(outcome["max_relative_error"].as_f64() < Some(1e-5), "{outcome}");
}
