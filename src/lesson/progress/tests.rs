//! What somebody notices whose answers are kept.

use super::*;
use crate::lesson::session::example::course;
use crate::lesson::session::{GivenAnswer, Outcome};
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

const DAY: &str = "2026-11-22";

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state").join("matviz").join("progress.json");
    (folder, path)
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn given(ask: &str, outcome: Outcome, typed: &str, tries: u32) -> LessonEvent {
    let model = (typed == "1").then(|| "padding-helps".to_owned());
    LessonEvent::Given(GivenAnswer {
        lesson: ("padding".to_owned(), 12),
        ask: ask.to_owned(),
        outcome,
        model,
        typed: (!typed.is_empty()).then(|| typed.to_owned()),
        is: "2 passes".to_owned(),
        tries,
        hints: 0,
    })
}

fn wrong() -> LessonEvent {
    given("padded-store", Outcome::Wrong, "1", 1)
}

fn review(lesson: u32, outcome: Outcome) -> LessonEvent {
    LessonEvent::Review { idea: "padding-helps".to_owned(), lesson, outcome }
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

#[test]
fn an_answer_is_in_the_file_as_soon_as_it_is_given() {
    let (_folder, path) = folder();
    let mut progress = Progress::open(&path);
    let page = LessonEvent::Page { lesson: "padding".to_owned(), page: 5 };
    progress.add(&[page, wrong()], DAY);
    assert_eq!(progress.notices(), [""; 0]);
    let file = json(&path);
    assert_eq!(file["format"], 1);
    assert_eq!(file["seed"], progress.kept().seed);
    let padding = &file["lessons"]["padding"];
    assert_eq!(padding["page"], 5);
    let answered = &padding["asks"]["padded-store"];
    let expected = json!({
        "first": "wrong", "model": "padding-helps", "typed": "1", "is": "2 passes",
        "tries": 1, "hints": 0, "when": "2026-11-22",
    });
    assert_eq!(*answered, expected);
    assert_eq!(Progress::open(&path).kept(), progress.kept(), "and is there the next time");
}

#[test]
fn the_first_answer_stays_when_it_is_asked_again() {
    let mut progress = Progress::nowhere();
    let second = given("padded-store", Outcome::Right, "2", 2);
    progress.add(&[wrong(), second], DAY);
    let answered =
        |progress: &Progress| progress.kept().lessons["padding"].asks["padded-store"].clone();
    assert_eq!((answered(&progress).first, answered(&progress).tries), (Outcome::Wrong, 2));
    assert!(answered(&progress).is_right(), "in the second try");
    progress.add(&[given("padded-store", Outcome::Wrong, "9", 1)], DAY);
    assert_eq!(answered(&progress).typed.as_deref(), Some("1"));
    assert_eq!(answered(&progress).last(), Outcome::Wrong);
    progress.add(&[given("other", Outcome::Skipped, "", 0)], DAY);
    progress.add(&[given("other", Outcome::Right, "2", 1)], DAY);
    let other = &progress.kept().lessons["padding"].asks["other"];
    assert_eq!(other.first, Outcome::Right, "what was only skipped is answered for the first time");
}

#[test]
fn a_broken_file_is_set_aside_and_said_once() {
    for broken in
        ["", "{", "[]", "null", "{\"format\":1,\"lessons\":7}", "{\"format\":\"x\"}", "\u{0}"]
    {
        let (_folder, path) = folder();
        put(&path, broken);
        let mut progress = Progress::open(&path);
        let notices = progress.notices();
        assert_eq!(notices.len(), 1, "{broken}");
        assert!(notices[0].contains("progress.json.bad"), "{notices:?}");
        progress.add(&[wrong()], DAY);
        assert_eq!(progress.notices(), [""; 0]);
        let aside = path.with_file_name("progress.json.bad");
        assert_eq!(fs::read_to_string(aside).expect("it is set aside"), broken);
        assert_eq!(json(&path)["lessons"]["padding"]["asks"]["padded-store"]["typed"], "1");
    }
}

#[test]
fn a_newer_file_is_read_and_left_as_it_is() {
    let newer = r#"{"format":2,"seed":7,"stars":3,"lessons":{"padding":{"page":4,"done":true}}}"#;
    let unknown = r#"{"format":3,"lessons":["another","shape"]}"#;
    for (text, page) in [(newer, Some(4)), (unknown, None)] {
        let (_folder, path) = folder();
        put(&path, text);
        let mut progress = Progress::open(&path);
        let found = progress.kept().lessons.get("padding").map(|taken| taken.page);
        assert_eq!(found, page);
        assert!(progress.notices()[0].contains("newer"));
        progress.add(&[wrong()], DAY);
        progress.reset(None);
        assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        assert_eq!(progress.notices(), [""; 0]);
    }
}

#[test]
fn what_another_version_wrote_beside_it_stays() {
    let (_folder, path) = folder();
    let text = r#"{"format":1,"seed":7,"colour":"red","exercises":{"E1":{"points":4}},
        "lessons":{"padding":{"page":1,"stars":2,"asks":{"x":{"first":"right","tries":1,"took":9}}}}}"#;
    put(&path, text);
    Progress::open(&path).add(&[wrong()], DAY);
    let file = json(&path);
    assert_eq!((&file["colour"], &file["exercises"]["E1"]["points"]), (&json!("red"), &json!(4)));
    let padding = &file["lessons"]["padding"];
    assert_eq!((&padding["stars"], &padding["asks"]["x"]["took"]), (&json!(2), &json!(9)));
    assert_eq!(file["seed"], 7);
}

#[test]
fn what_cannot_be_written_is_said_once_and_the_lesson_goes_on() {
    let (folder, _) = folder();
    let file = folder.path().join("file");
    put(&file, "no folder");
    let mut progress = Progress::open(&file.join("matviz").join("progress.json"));
    let mut said = progress.notices();
    for ask in ["one", "two", "three"] {
        progress.add(&[given(ask, Outcome::Right, "2", 1)], DAY);
        said.extend(progress.notices());
    }
    assert_eq!(said.len(), 1, "{said:?}");
    if progress.file().is_some() {
        assert_eq!(progress.kept().lessons["padding"].asks.len(), 3);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_not_written_over() {
    let (_folder, path) = folder();
    let mut progress = Progress::open(&path);
    progress.add(&[wrong()], DAY);
    let kept = fs::read_to_string(&path).expect("a file");
    fs::File::create(&path).and_then(|file| file.set_len(MOST + 1)).expect("a large file");
    for _ in 0..2 {
        progress.add(&[given("threads", Outcome::Right, "2", 1)], DAY);
    }
    assert_eq!(progress.notices().len(), 1, "it is said once");
    assert_eq!(fs::metadata(&path).expect("a file").len(), MOST + 1);
    put(&path, &kept);
    progress.add(&[given("warps", Outcome::Right, "2", 1)], DAY);
    let asks = &json(&path)["lessons"]["padding"]["asks"];
    for ask in ["padded-store", "threads", "warps"] {
        assert!(asks[ask].is_object(), "{ask} is there once it can be written again");
    }
}

#[test]
fn two_lessons_at_once_keep_each_others_answers() {
    let (_folder, path) = folder();
    let mut one = Progress::open(&path);
    let mut other = Progress::open(&path);
    one.add(&[given("one", Outcome::Right, "2", 1)], DAY);
    other.add(&[given("other", Outcome::Right, "2", 1)], DAY);
    one.add(&[given("again", Outcome::Right, "2", 1)], DAY);
    assert_eq!(Progress::open(&path).kept().lessons["padding"].asks.len(), 3);
}

#[test]
fn a_missed_idea_comes_back_until_it_was_right_twice() {
    let mut progress = Progress::nowhere();
    let due = |progress: &Progress, lesson| progress.kept().due(lesson).map(str::to_owned);
    progress.add(&[wrong()], DAY);
    assert_eq!(due(&progress, 12), None);
    assert_eq!(due(&progress, 13).as_deref(), Some("padding-helps"));
    progress.add(&[review(13, Outcome::Right)], DAY);
    assert_eq!(due(&progress, 15), None);
    assert_eq!(due(&progress, 16).as_deref(), Some("padding-helps"));
    progress.add(&[review(16, Outcome::Wrong)], DAY);
    assert_eq!(due(&progress, 17).as_deref(), Some("padding-helps"));
    progress.add(&[review(17, Outcome::Right)], DAY);
    progress.add(&[review(20, Outcome::Skipped)], DAY);
    assert_eq!(due(&progress, 26), None);
    assert_eq!(due(&progress, 27).as_deref(), Some("padding-helps"));
    progress.add(&[review(27, Outcome::Right)], DAY);
    assert_eq!(due(&progress, 99), None);
}

#[test]
fn a_lesson_or_everything_is_forgotten() {
    let (_folder, path) = folder();
    let mut progress = Progress::open(&path);
    let done = LessonEvent::Done { lesson: "after".to_owned() };
    progress.add(&[wrong(), done], DAY);
    progress.reset(Some("padding"));
    let lessons =
        |path: &Path| Progress::open(path).kept().lessons.keys().cloned().collect::<Vec<_>>();
    assert_eq!(lessons(&path), ["after"]);
    progress.reset(None);
    assert_eq!(lessons(&path), [""; 0]);
    assert_eq!(Progress::open(&path).kept().due(99), None);
}

#[test]
fn the_results_say_what_was_right_and_which_ideas_to_watch() {
    let course = course();
    let mut progress = Progress::nowhere();
    let done = LessonEvent::Done { lesson: "padding".to_owned() };
    let events = [
        wrong(),
        given("warps", Outcome::Wrong, "3", 1),
        given("warps", Outcome::Right, "8", 2),
        given("threads", Outcome::Skipped, "", 0),
        // A question that the lesson has no more is listed nowhere, and not counted either.
        given("of-long-ago", Outcome::Right, "8", 1),
        done,
    ];
    progress.add(&events, DAY);
    let shown = results(&course, &course.lessons[0], progress.kept()).to_string();
    for line in [
        "Lesson 12, Padding: what you predicted",
        "  wrong 12.1   One column more: 2 passes, you said 1",
        "  right 12.3   Its size: 2 passes, second try",
        "  -     12.3b  Its size, not asked",
        "  -     12.3c  Its size: 2 passes, skipped",
        "  \"A padded array has no conflicts.\" (once here; it comes back in lesson 13)",
        "Next: 13  After it, 2 minutes.",
        "Progress: 1 of 2 lessons, 1 of 2 predictions right at once or in the",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 78), "{shown}");
}

#[test]
fn the_list_says_how_far_each_lesson_is() {
    let course = course();
    let mut progress = Progress::nowhere();
    let page = |page| LessonEvent::Page { lesson: "padding".to_owned(), page };
    let row = |progress: &Progress| list(&course, progress.kept()).swap_remove(0);
    assert_eq!((row(&progress).state, row(&progress).page), (LessonStatus::New, None));
    progress.add(&[page(2), given("threads", Outcome::Skipped, "", 0)], DAY);
    assert_eq!((row(&progress).state, row(&progress).page), (LessonStatus::Begun, Some(2)));
    assert_eq!(row(&progress).open, ["12.3c"]);
    // What was answered once is not open, though it was passed over when it was seen again.
    progress.add(&[wrong(), given("padded-store", Outcome::Skipped, "", 1)], DAY);
    let again = [given("warps", Outcome::Right, "8", 1), given("warps", Outcome::Skipped, "", 0)];
    progress.add(&again, DAY);
    assert_eq!(row(&progress).open, ["12.3c"]);
    progress.add(&[LessonEvent::Done { lesson: "padding".to_owned() }], DAY);
    assert_eq!(row(&progress).state, LessonStatus::Done);
}

#[test]
fn tables_have_an_answer_in_each_line() {
    let course = course();
    let mut progress = Progress::nowhere();
    progress.add(&[wrong(), given("warps", Outcome::Wrong, "=a,\"b\"", 1)], DAY);
    let kept = progress.kept();
    let lines: Vec<_> = csv(&course, kept).lines().map(str::to_owned).collect();
    assert_eq!(
        lines[1],
        "padding,12.1,padded-store,wrong,wrong,padding-helps,1,2 passes,1,0,2026-11-22"
    );
    assert!(lines[2].contains(",\"'=a,\"\"b\"\"\","), "{}", lines[2]);
    let unknown = unknown(&course, kept);
    assert_eq!(unknown, "12.3   padding/warps: =a,\"b\", it is 2 passes, 2026-11-22\n");
    assert!(
        text(&course, kept).contains("12.1   2 passes: you said 1 (padding-helps), 2026-11-22")
    );
    for (typed, cell) in [("-1+cmd", ",\"'-1+cmd\","), ("-3", ",-3,")] {
        let mut progress = Progress::nowhere();
        progress.add(&[given("warps", Outcome::Wrong, typed, 1)], DAY);
        let table = csv(&course, progress.kept());
        assert!(table.contains(cell), "{table}");
    }
}

/// The file that a process is to write until it is killed.
const VICTIM: &str = "MATVIZ_TEST_PROGRESS";

#[test]
fn a_kill_leaves_a_file_that_holds_what_was_answered() {
    if let Some(path) = env::var_os(VICTIM) {
        let mut progress = Progress::open(Path::new(&path));
        for number in 0.. {
            progress.add(&[given(&format!("ask-{number}"), Outcome::Right, "2", 1)], DAY);
            println!("{number}");
        }
    }
    let (_folder, path) = folder();
    let program = env::current_exe().expect("this test");
    let mut held = 0;
    for round in 0..20 {
        let mut child = Command::new(&program)
            .args([
                "--exact",
                "--nocapture",
                "lesson::progress::tests::a_kill_leaves_a_file_that_holds_what_was_answered",
            ])
            .env(VICTIM, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("another process");
        sleep(Duration::from_millis(20 + 7 * round));
        child.kill().expect("it runs for ever");
        let output = child.wait_with_output().expect("its output");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = told.lines().filter_map(|line| line.parse::<usize>().ok()).max();
        let mut progress = Progress::open(&path);
        assert_eq!(progress.notices(), [""; 0], "round {round}");
        let asks = progress.kept().lessons.get("padding").map_or(0, |taken| taken.asks.len());
        assert!(asks >= last.map_or(0, |last| last + 1), "{asks}, {last:?}");
        assert!(asks >= held);
        held = asks;
    }
    assert!(held > 0, "no process came to write anything");
}
