//! `matviz check --against` on reports that Nsight Compute wrote on an H200 (driver 580.159.04, CUDA 13.0,
//! 2026-11-21).

#![expect(clippy::unwrap_used, reason = "what the test itself writes is right")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RAW: &str = "tests/data/report/nsight_compute/h200_raw.csv";
const LONG: &str = "tests/data/report/nsight_compute/h200_long.csv";

fn reconcile(report: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(["check", "--against"]).arg(report).args(more).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The report with one text replaced by another.
fn changed(from: &str, to: &str) -> tempfile::NamedTempFile {
    let text = fs::read_to_string(RAW).unwrap();
    assert!(text.contains(from), "{from}");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text.replacen(from, to, 1)).unwrap();
    file
}

#[test]
fn the_hardware_and_the_simulation_agree_in_both_forms_of_a_report() {
    for (report, size, launches) in [(RAW, "100x36x257", 2), (LONG, "512", 1)] {
        let output = reconcile(Path::new(report), &["--size", size, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{report}: {}", stdout(&output));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["launches"].as_array().unwrap().len(), launches);
        for launch in found["launches"].as_array().unwrap() {
            let rows = launch["rows"].as_array().unwrap();
            assert!(rows.len() >= 10, "{launch}");
            let equal = rows.iter().filter(|row| row["difference"] == 0).count();
            assert!(equal >= 9, "{launch:#}");
        }
    }
}

#[test]
fn a_difference_without_a_reason_is_one() {
    let report = fs::read_to_string(RAW).unwrap();
    // The requests of a launch, from its row and the column of that name.
    let requests = stdout(&reconcile(Path::new(RAW), &["--size", "100x36x257"]));
    let figure =
        requests.split_whitespace().find(|word| word.contains(',') && report.contains(word));
    let figure = format!("\"{}\"", figure.unwrap());
    let wrong = changed(&figure, "\"77\"");
    let output = reconcile(wrong.path(), &["--size", "100x36x257", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("\"explained\": false"));
    let table = stdout(&reconcile(wrong.path(), &["--size", "100x36x257"]));
    assert_eq!(table.matches("no reason is known").count(), 1, "{table}");
}

#[test]
fn metrics_that_are_not_known_are_named() {
    let heads = "gpu__sector_hit_rate.pct";
    let report = changed("gpu__time_duration.sum", heads);
    let table = stdout(&reconcile(report.path(), &["--size", "100x36x257"]));
    let line = table.lines().find(|line| line.contains("not known here: "));
    let line = line.unwrap_or_else(|| panic!("{table}"));
    assert!(line.contains("gpu__sector_hit_rate, ") && line.ends_with(", .."), "{line}");
    assert!(!line.contains(".avg"), "{line}");
}

#[test]
fn what_is_no_report_of_this_problem_is_said() {
    let other_size = reconcile(Path::new(RAW), &["--size", "512"]);
    assert_eq!(other_size.status.code(), Some(2));
    let text = String::from_utf8(other_size.stderr).unwrap();
    assert!(text.contains("give the size of that launch with --size"), "{text}");
    let other_kernel = changed("\"tiled\"", "\"gemm\"");
    let text = reconcile(other_kernel.path(), &["--size", "100x36x257"]).stderr;
    assert!(String::from_utf8(text).unwrap().contains("gemm is not a kernel of matviz"));
    for nothing in ["README.md", "src", "no-such-file.csv"] {
        let output = reconcile(Path::new(nothing), &[]);
        assert_eq!(output.status.code(), Some(2), "{nothing}");
    }
}
