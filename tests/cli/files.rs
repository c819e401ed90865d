//! Whatever happens, a file has either its new contents or its old: on a full disk, with links, and
//! when a signal or a closed terminal ends a measurement.

#![cfg(unix)]

use crate::need::not_tested;
use matviz::file;
use matviz::timing::pack::Pack;
use portable_pty::{CommandBuilder, PtyPair, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const MATVIZ: &str = env!("CARGO_BIN_EXE_matviz");
const STAND_IN: &str = "MATVIZ_STAND_IN";

/// A disk that is full after 1 kB at most, as far as one file can tell.
const FULL: &str = "ulimit -f 1; trap '' XFSZ";

/// A frame of the screen, into the file that follows.
const FRAME: [&str; 3] = ["export", "frame", "-o"];

/// Two rows that are measured quickly.
const BENCH: [&str; 4] = ["bench", "--size", "16", "--record"];

/// Two rows that are measured quickly, and two that take long.
const LONG_BENCH: [&str; 4] = ["bench", "--size", "16,2048", "--record"];

/// The message when the second row is measured.
const MEASURED: &str = "[2/4] tiled at 16, tile 16: ";

/// Runs the program after these shell commands, with the stand-in for the GPU.
fn after(commands: &str, args: &[&str], file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{commands}; exec \"$@\"")).args(["sh", MATVIZ]);
    command.args(args).arg(file).env(STAND_IN, "1");
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the binary runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The names of all files in a folder, including hidden ones.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable"));
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn pack(file: &Path) -> Pack {
    Pack::read(&fs::read_to_string(file).expect("written")).expect("a pack")
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).expect("written").permissions().mode() & 0o777
}

#[test]
fn a_full_disk_leaves_pictures_as_they_were() {
    let folder = folder();
    let all: [(&[&str], &str); 3] =
        [(&FRAME, "frame.svg"), (&FRAME, "frame.txt"), (&["export", "ladder", "-o"], "ladder.svg")];
    for (args, name) in all {
        let file = folder.path().join(name);
        fs::write(&file, "of yesterday").expect("written");
        let output = run(&mut after(FULL, args, &file));
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains("nothing there was changed: make room"), "{output:?}");
        assert_eq!(fs::read_to_string(&file).expect("still there"), "of yesterday", "{name}");
    }
    assert_eq!(names(&folder), ["frame.svg", "frame.txt", "ladder.svg"]);
}

#[test]
fn a_file_keeps_its_permissions_and_a_new_one_has_those_of_any_other() {
    let folder = folder();
    let [old, new] = ["old.svg", "new.svg"].map(|name| folder.path().join(name));
    fs::write(&old, "of yesterday").expect("written");
    fs::set_permissions(&old, Permissions::from_mode(0o606)).expect("it is ours");
    for file in [&old, &new] {
        assert!(run(&mut after("umask 027", &FRAME, file)).status.success());
        assert!(fs::read_to_string(file).expect("written").starts_with("<svg"));
    }
    assert_eq!([mode(&old), mode(&new)], [0o606, 0o640]);
}

#[test]
fn a_link_stays_one_and_what_it_leads_to_is_written() {
    let folder = folder();
    fs::create_dir(folder.path().join("in")).expect("a folder");
    fs::write(folder.path().join("in/old"), "of yesterday").expect("written");
    for (link, to) in [("1.svg", "in/old"), ("2.svg", "in/new"), ("3.svg", "2.svg")] {
        let link = folder.path().join(link);
        symlink(to, &link).expect("a link");
        assert!(run(&mut after(":", &FRAME, &link)).status.success());
        assert_eq!(fs::read_link(&link).expect("a link"), Path::new(to));
        assert!(fs::read_to_string(&link).expect("written").starts_with("<svg"));
    }
    assert_eq!(names(&folder), ["1.svg", "2.svg", "3.svg", "in"]);
}

#[test]
fn a_device_or_a_pipe_is_written_straight() {
    let folder = folder();
    let file = folder.path().join("out.svg");
    symlink("/dev/stdout", &file).expect("a link");
    let output = run(&mut after(":", &FRAME, &file));
    assert!(output.status.success() && output.stdout.starts_with(b"<svg"), "{output:?}");
}

#[test]
fn where_nothing_can_be_written_it_says_what_to_do() {
    let folder = folder();
    let inside = |name: &str| folder.path().join(name);
    fs::create_dir(inside("there.svg")).expect("a folder");
    let output = run(&mut after(":", &FRAME, &inside("there.svg")));
    assert!(stderr(&output).contains("this is a folder: add a file's name"), "{output:?}");
    let output = run(&mut after(":", &FRAME, &inside("nowhere/frame.svg")));
    assert!(stderr(&output).contains("there is no folder"), "{output:?}");
    assert_eq!(names(&folder), ["there.svg"]);
}

#[test]
fn new_files_are_made_together_or_not_at_all() {
    let folder = folder();
    let inside = |name: &str| folder.path().join(name);
    let made = |second: PathBuf| file::create_new(&[(&inside("1"), "one"), (&second, "two")]);
    assert_eq!(made(inside("nowhere/2")).map_err(|error| error.kind()), Err(ErrorKind::NotFound));
    symlink("nowhere", inside("link")).expect("a link");
    assert_eq!(made(inside("link")).map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
    assert_eq!(names(&folder), ["link"]);
    made(inside("2")).expect("made");
    assert_eq!(names(&folder), ["1", "2", "link"]);
}

#[test]
fn a_full_disk_leaves_a_pack_as_it_was() {
    let (folder, other) = (folder(), folder());
    let file = folder.path().join("pack.json");
    assert!(run(&mut after(":", &BENCH, &file)).status.success());
    let before = fs::read(&file).expect("written");
    let output = run(after(FULL, &BENCH, &file).env("TMPDIR", other.path()));
    assert_eq!(output.status.code(), Some(2));
    assert!(fs::read(&file).expect("still there") == before);
    assert!(stderr(&output).contains("the rows are only in what was printed"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("tiled"), "{output:?}");
    assert_eq!((names(&folder), names(&other)), (vec!["pack.json".to_owned()], Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn rows_that_cannot_be_recorded_where_they_should_are_kept_elsewhere() {
    let folder = folder();
    let output = run(after(":", &BENCH, Path::new("/dev/full")).env("TMPDIR", folder.path()));
    assert_eq!(output.status.code(), Some(2));
    let names = names(&folder);
    let [kept] = &names[..] else { unreachable!("one file: {names:?}") };
    assert!(stderr(&output).contains(&format!("{kept}: move it there")), "{output:?}");
    assert_eq!(pack(&folder.path().join(kept)).rows.len(), 2);
}

#[test]
fn a_pack_that_cannot_be_written_is_found_before_anything_is_measured() {
    let folder = folder();
    let file = folder.path().join("nowhere/pack.json");
    let output = run(&mut after(":", &BENCH, &file));
    assert_eq!(output.status.code(), Some(2));
    let nowhere = folder.path().join("nowhere");
    let (file, nowhere) = (file.display(), nowhere.display());
    let told = format!("writing {file}: there is no folder {nowhere}: make it, or name another");
    assert_eq!(stderr(&output), format!("error: {told}\n"));
}

/// Measures four rows and sends these signals after two. Returns the exit code and the number of
/// recorded rows.
fn interrupted(signals: &[Signal]) -> (Option<i32>, usize) {
    let folder = folder();
    let file = folder.path().join("pack.json");
    let mut command = after(":", &LONG_BENCH, &file);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the binary runs");
    let mut lines = BufReader::new(program.stderr.take().expect("piped")).lines();
    assert!(lines.any(|line| line.expect("UTF-8").starts_with(MEASURED)));
    let pid = Pid::from_raw(program.id() as i32).expect("a process");
    for signal in signals {
        kill_process(pid, *signal).expect("it still runs, or is not waited for");
    }
    lines.for_each(drop);
    let code = program.wait().expect("it ends").code();
    (code, pack(&file).rows.len())
}

/// Whether the tests themselves run under `nohup`, and so do all programs that they start.
fn is_hang_up_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("a mask") & 1 == 1;
    if ignored {
        not_tested("sighup", "what SIGHUP keeps: these tests run under nohup");
    }
    ignored
}

#[test]
fn a_signal_keeps_the_rows_that_are_measured() {
    assert_eq!(interrupted(&[Signal::TERM]), (Some(143), 2));
    if !is_hang_up_ignored() {
        assert_eq!(interrupted(&[Signal::HUP]), (Some(129), 2));
        // The terminal and the shell may send one each.
        assert_eq!(interrupted(&[Signal::HUP, Signal::HUP]), (Some(129), 2));
    }
}

#[test]
fn a_closed_terminal_keeps_the_rows_that_are_measured() {
    if is_hang_up_ignored() {
        return;
    }
    let folder = folder();
    let file = folder.path().join("pack.json");
    let mut command = CommandBuilder::new(MATVIZ);
    command.args(LONG_BENCH);
    command.arg(&file);
    command.env(STAND_IN, "1");
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let PtyPair { master, slave } = native_pty_system().openpty(size).expect("a pty");
    let mut program = slave.spawn_command(command).expect("the binary runs");
    drop(slave);
    let mut reader = master.try_clone_reader().expect("a reader");
    let (mut said, mut buffer) = (Vec::new(), [0; 1 << 12]);
    while !String::from_utf8_lossy(&said).contains("[3/4] ") {
        let read = reader.read(&mut buffer).expect("it still runs");
        said.extend_from_slice(&buffer[..read]);
    }
    // From here on nothing can be printed.
    drop((reader, master));
    let status = program.wait().expect("it ends");
    assert_eq!((status.signal(), status.exit_code()), (None, 129));
    assert_eq!(pack(&file).rows.len(), 2);
}

#[test]
fn under_nohup_a_closed_terminal_ends_nothing() {
    let folder = folder();
    let file = folder.path().join("pack.json");
    let mut command = after("trap '' HUP", &BENCH, &file);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the binary runs");
    let mut lines = BufReader::new(program.stderr.take().expect("piped")).lines();
    assert!(lines.any(|line| line.expect("UTF-8").starts_with("[1/2] naive at 16")));
    let pid = Pid::from_raw(program.id() as i32).expect("a process");
    kill_process(pid, Signal::HUP).expect("it still runs, or is not waited for");
    lines.for_each(drop);
    assert_eq!(program.wait().expect("it ends").code(), Some(0));
    assert_eq!(pack(&file).rows.len(), 2);
}
