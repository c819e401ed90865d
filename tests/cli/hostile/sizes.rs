//! Files that never end, and matrices that no machine holds.

use super::{matviz, matviz_after, said};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

/// A command for each argument that is the path of a file.
const FILES: [&[&str]; 11] = [
    &["access", "--batch", "pipe"],
    &["check", "--against", "pipe"],
    &["export", "ladder", "--pack", "pipe"],
    &["check", "pipe", "--launch", "<<<,16>>>"],
    &["check", "pipe", "--launch", "<<<,16>>>"],
    &["course", "check", "pipe"],
    &["course", "gaps", "pipe", "--insert", ";"],
    &["course", "dials", "pipe"],
    &["check", "pipe"],
    &["learn", "1", "--format", "text", "--from", "pipe"],
    &["bench", "--against", "pipe"],
];

#[test]
fn a_file_that_never_ends_is_refused_by_its_name() {
    let home = tempfile::tempdir().expect("a folder");
    // In less memory than such a file would fill.
    let limited = "ulimit -v 4000000";
    for args in [
        &["access", "--batch", "/dev/zero"][..],
        &["check", "--against", "/dev/zero"],
        &["export", "ladder", "--pack", "/dev/zero"],
        &["check", "/dev/zero", "--launch", "<<<,16>>>"],
        &["check", "/dev/zero", "--launch", "<<<,16>>>"],
        &["course", "check", "/dev/zero"],
        &["course", "gaps", "/dev/zero", "--insert", ";"],
        &["course", "dials", "/dev/zero"],
        &["check", "/dev/zero"],
        &["learn", "1", "--format", "text", "--from", "/dev/zero"],
        &["bench", "--against", "/dev/zero"],
        &[
            "--format",
            "text",
            "kernels/ptx/naive.t8.ptx",
            "--launch",
            "<<<,8x8>>>",
            "--source",
            "/dev/zero",
        ],
    ] {
        let output = matviz_after(limited, home.path(), args).output().expect("the binary runs");
        let said = said(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {}: {said}", output.status);
        assert!(said.contains("/dev/zero") && !said.contains("out of memory"), "{args:?}: {said}");
    }
}

/// Neither the end of a file nor any byte of it ever comes.
#[test]
fn a_pipe_that_nobody_writes_into_is_given_up_and_one_with_a_writer_is_read() {
    let home = tempfile::tempdir().expect("a folder");
    let pipe = home.path().join("pipe");
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
    let commands = FILES.map(|args| (args, matviz(home.path(), args)));
    let runs = commands.map(|(args, mut command)| {
        let command = command.current_dir(home.path()).stdin(Stdio::null());
        let streams = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (args, streams.spawn().expect("the binary runs"))
    });
    for (args, child) in runs {
        let output = child.wait_with_output().expect("it ends");
        let said = said(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {}: {said}", output.status);
        assert!(said.contains("pipe"), "{args:?}: {said}");
    }
    let mut batch = matviz(home.path(), &["access", "--batch", "pipe"]);
    let child = batch.current_dir(home.path()).stdout(Stdio::piped()).spawn();
    let child = child.expect("the binary runs");
    let offsets = vec![0; 32];
    let line = serde_json::json!({"space": "shared", "op": "ld", "bytes": 4, "mask": "0x1", "offsets": offsets});
    fs::write(&pipe, line.to_string()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && said(&output).contains("wavefronts"), "{}", said(&output));
}

#[test]
fn settings_and_progress_that_never_end_are_said_and_nothing_is_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let folders = [".config/matviz", ".local/state/matviz"].map(|path| home.path().join(path));
    for (folder, file) in folders.iter().zip(["config.toml", "progress.json"]) {
        fs::create_dir_all(folder).expect("a folder");
        symlink("/dev/zero", folder.join(file)).expect("a link");
    }
    let mut progress = matviz_after("ulimit -v 4000000", home.path(), &["learn", "--progress"]);
    let said = said(&progress.output().expect("the binary runs"));
    assert!(said.contains("progress.json cannot be read"), "{said}");
    let frame = ["export", "frame", "-o", "frame.txt", "naive", "--size", "16"];
    let mut export = matviz(home.path(), &frame);
    let export = export.current_dir(home.path()).output().expect("the binary runs");
    assert!(export.status.success(), "the settings do not stop a picture");
}

#[test]
fn matrices_that_do_not_fit_are_refused_with_what_they_need() {
    let home = tempfile::tempdir().expect("a folder");
    let args = ["check", "naive", "--size", "46340"];
    let mut limited = matviz_after("ulimit -v 4000000", home.path(), &args);
    let output = limited.output().expect("the binary runs");
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("size 46340 need 24.0 GiB of memory"), "{said}");
    assert!(said.contains("smaller --size"), "{said}");
}
