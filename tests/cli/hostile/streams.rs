//! Streams that are full or closed: no message is worth a crash.

use super::{assert_ended_well, matviz, matviz_after, said};
use std::fs::{self, File};
use std::process::Stdio;

#[test]
fn no_command_panics_on_a_full_or_closed_stream() {
    let home = tempfile::tempdir().expect("a folder");
    let at = home.path();
    fs::create_dir(at.join("empty")).expect("a folder");
    fs::create_dir_all(at.join(".local/state/matviz")).expect("a folder");
    let report = fs::read_to_string("tests/data/report/nsight_compute/none").unwrap_or_default();
    let head =
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric Name\",\"Metric Value\"";
    let row = |kernel: &str| {
        format!(
            "\"0\",\"{kernel}\",\"(16, 16, 1)\",\"(4, 4, 1)\",\"smsp__inst_executed.sum\",\"1\""
        )
    };
    let two = format!("{head}\n{}\n{}\n", row("tiled"), row("unknown"));
    fs::write(at.join("report.csv"), if report.is_empty() { two } else { report })
        .expect("written");
    let kernel =
        "// launch: <<<,32>>>\n__global__ void k(float* c) {\n    c[threadIdx.x] = 1.0f;\n}\n";
    fs::write(at.join("own.cu"), kernel).expect("written");
    for args in [
        &["check", "--against", "report.csv", "--size", "64"][..],
        &["check", "--against", "nothing.csv"],
        &["learn", "--progress"],
        &["learn", "--list", "--format", "text"],
        &["learn", "--list", "--format", "text", "--from", "empty"],
        &["learn", "1", "--format", "text", "--from", "empty"],
        &["learn", "1", "--format", "text", "--no-progress"],
        &["check", "naive", "--size", "16"],
        &["check", "--prove", "tiled_no_load_barrier", "--size", "16"],
        &["access", "tx"],
        &["doctor"],
        &["--format", "text", "naive", "--size", "16"],
        &["trace", "naive", "C[0][0]", "--size", "16"],
        &["export", "ladder"],
        &["export", "ladder", "--format", "csv"],
        &["course", "changes"],
        &["course", "changes", "--json"],
        &["course", "gaps", "own.cu", "--insert", ";", "--size", "16"],
        &["check", "own.cu"],
        &["course", "check", "--quick", "empty"],
        &["learn", "--list", "--json"],
        &["--help"],
        &["--no-such-option"],
    ] {
        // A broken progress file has something to be said about on stderr.
        fs::write(at.join(".local/state/matviz/progress.json"), "broken").expect("written");
        let full = || File::options().write(true).open("/dev/full").expect("a device");
        let run = |mut command: std::process::Command| {
            command.current_dir(at).output().expect("the binary runs")
        };
        let mut errors = matviz(at, args);
        errors.current_dir(at).stderr(full());
        assert_ended_well(
            &errors.output().expect("the binary runs"),
            &format!("{args:?} 2>/dev/full"),
        );
        let mut out = matviz(at, args);
        out.current_dir(at).stdout(full());
        assert_ended_well(&out.output().expect("the binary runs"), &format!("{args:?} >/dev/full"));
        // As before `| head -1`.
        let mut head = matviz(at, args);
        let streams = head.current_dir(at).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = streams.stderr(Stdio::piped()).spawn().expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_ended_well(&output, &format!("{args:?} | head"));
        assert!(!said(&output).contains("Broken pipe"), "{args:?}: {}", said(&output));
        for closed in ["exec 2>&-", "exec 1>&-", "exec 1>&- 2>&-"] {
            assert_ended_well(&run(matviz_after(closed, at, args)), &format!("{closed}, {args:?}"));
        }
    }
}

#[test]
fn what_a_full_disk_does_not_take_is_an_error() {
    let home = tempfile::tempdir().expect("a folder");
    for args in [&["--help"][..], &["check", "-h"], &["--version"], &["doctor"], &["access", "tx"]]
    {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let mut command = matviz(home.path(), args);
        let output = command.stdout(full).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(said(&output).contains("No space left"), "{args:?}: {}", said(&output));
    }
}
