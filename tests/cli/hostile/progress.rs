//! Answers of a lesson, while the program is killed, the disk is full, or two run at once.

use super::{matviz, matviz_after, said};
use serde_json::{Map, Value};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Empty lines: each skips a question, or goes on.
const SKIPS: [u8; 400] = [b'\n'; 400];

fn file(home: &Path) -> PathBuf {
    home.join(".local/state/matviz/progress.json")
}

/// Begins with a lesson that is answered by skipping everything.
fn begin(mut command: Command) -> Child {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("the binary runs");
    // A lesson that ends before it has read everything closes the pipe.
    _ = child.stdin.take().expect("a pipe").write_all(&SKIPS);
    child
}

fn take(command: Command) -> Output {
    begin(command).wait_with_output().expect("it ends")
}

fn lesson(home: &Path, number: &str) -> Command {
    matviz(home, &["learn", number, "--format", "text"])
}

/// The answers in the file, in all lessons; `None` if there is no file.
fn answers(home: &Path) -> Option<usize> {
    let text = fs::read(file(home)).ok()?;
    let kept: Value = serde_json::from_slice(&text).expect("the file is always whole");
    let lessons = kept["lessons"].as_object().expect("lessons");
    Some(lessons.values().filter_map(|taken| taken["asks"].as_object()).map(Map::len).sum())
}

/// The questions that a lesson has been seen to answer.
fn answered(line: &str) -> bool {
    line.starts_with("it is ")
}

/// `MATVIZ_KILLS` is how often the program is killed; 30 times, if it is not given.
#[test]
fn a_kill_at_any_moment_leaves_a_file_with_every_answer_that_was_seen() {
    let kills = env::var("MATVIZ_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(30_u64);
    let home = tempfile::tempdir().expect("a folder");
    let (mut seen_at_all, mut random) = (0, 1_u64);
    for round in 0..kills {
        _ = fs::remove_file(file(home.path()));
        let mut child = begin(lesson(home.path(), ["1", "2", "3"][round as usize % 3]));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // After this many answers, and up to 4 ms later: writing one takes about as long.
        let (after, later) = (random >> 33 & 3, Duration::from_micros(random >> 40 & 4095));
        let is_answer = |line: &Result<String, _>| line.as_ref().is_ok_and(|line| answered(line));
        let mut seen = lines.by_ref().filter(is_answer).take(after as usize).count();
        let start = Instant::now();
        while start.elapsed() < later {
            std::hint::spin_loop();
        }
        child.kill().expect("it may be killed");
        child.wait().expect("it was killed");
        seen += lines.filter(is_answer).count();
        let kept = answers(home.path()).unwrap_or(0);
        assert!(kept >= seen, "round {round}: {kept} of {seen} answers");
        seen_at_all += seen;
    }
    assert!(seen_at_all > 0, "it was always killed before the first answer");
    // What a kill leaves half written is removed by the next answer.
    let output = take(lesson(home.path(), "1"));
    assert!(output.status.success(), "{}", said(&output));
    let folder = file(home.path());
    let names = fs::read_dir(folder.parent().expect("a folder")).expect("the folder").flatten();
    let names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["progress.json"]);
}

#[test]
fn two_lessons_at_once_lose_no_answer_of_each_other() {
    let apart = tempfile::tempdir().expect("a folder");
    for number in ["1", "2"] {
        assert!(take(lesson(apart.path(), number)).status.success());
    }
    let all = answers(apart.path()).expect("a file");
    for _ in 0..5 {
        let home = tempfile::tempdir().expect("a folder");
        let both = ["1", "2"].map(|number| begin(lesson(home.path(), number)));
        for child in both {
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{}", said(&output));
        }
        assert_eq!(answers(home.path()), Some(all));
    }
}

#[test]
fn a_full_disk_is_said_once_and_neither_stops_the_lesson_nor_harms_the_file() {
    let home = tempfile::tempdir().expect("a folder");
    assert!(take(lesson(home.path(), "1")).status.success());
    let before = fs::read(file(home.path())).expect("a file");
    let full = "trap '' XFSZ; ulimit -f 0";
    let output = take(matviz_after(full, home.path(), &["learn", "2", "--format", "text"]));
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("The progress is not kept").count(), 1, "{said}");
    assert!(said.contains("Lesson 2, "), "it came to its end: {said}");
    assert_eq!(fs::read(file(home.path())).expect("a file"), before);
}

#[test]
fn where_nothing_can_be_written_the_lesson_goes_on() {
    // Nobody, not even root, can make a folder there.
    let output = take(lesson(Path::new("/proc/nobody"), "1"));
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert_eq!(
        said.matches(" not kept").count() + said.matches("nothing is kept").count(),
        1,
        "{said}"
    );
}

#[test]
fn no_progress_neither_reads_nor_writes_the_file() {
    let home = tempfile::tempdir().expect("a folder");
    let args = ["learn", "1", "--format", "text", "--no-progress"];
    assert!(take(matviz(home.path(), &args)).status.success());
    assert!(!home.path().join(".local").exists());
    fs::create_dir_all(file(home.path()).parent().expect("a folder")).expect("a folder");
    fs::write(file(home.path()), "broken").expect("written");
    assert!(take(matviz(home.path(), &args)).status.success());
    assert_eq!(fs::read_to_string(file(home.path())).expect("a file"), "broken");
}

#[test]
fn a_newer_file_is_left_as_it_is_and_a_broken_one_set_aside() {
    let home = tempfile::tempdir().expect("a folder");
    let path = file(home.path());
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let newer = r#"{"format":2,"seed":7,"lessons":{},"stars":[1]}"#;
    fs::write(&path, newer).expect("written");
    let output = take(lesson(home.path(), "1"));
    assert!(output.status.success() && said(&output).contains("newer"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&path).expect("a file"), newer);
    for number in ["", ".2"] {
        fs::write(&path, format!("broken{number}")).expect("written");
        let output = take(lesson(home.path(), "1"));
        assert!(said(&output).contains("set aside"), "{}", said(&output));
        assert!(answers(home.path()).is_some_and(|answers| answers > 0));
        let aside = path.with_file_name(format!("progress.json.bad{number}"));
        assert_eq!(fs::read_to_string(aside).expect("set aside"), format!("broken{number}"));
    }
}

#[test]
fn the_report_has_every_first_answer_and_the_course() {
    let home = tempfile::tempdir().expect("a folder");
    assert!(take(lesson(home.path(), "1")).status.success());
    let args = ["learn", "--progress", "-o", "report.md"];
    let output = matviz(home.path(), &args).current_dir(home.path()).output();
    let output = output.expect("the binary runs");
    assert!(output.status.success(), "{}", said(&output));
    let report = fs::read_to_string(home.path().join("report.md")).expect("a file");
    assert!(report.starts_with("# matviz: what was learnt\n"), "{report}");
    assert!(report.contains("1 of ") && report.contains(" lessons done"), "{report}");
    let skipped = report.lines().filter(|line| line.contains("| skipped |")).count();
    assert_eq!(Some(skipped), answers(home.path()), "{report}");
    assert!(report.contains(", course "), "{report}");
}
