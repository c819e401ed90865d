//! `matviz check`: the shipped course is without errors, and what is spoilt in a copy is found.

#![expect(clippy::expect_used, reason = "a failure is a failed test")]

use matviz::lesson::answer::AnsweredFrom;
use matviz::lesson::document::{AskKind, Course};
use matviz::lesson::read;
use matviz::lesson::session::LessonSession;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::TempDir;

fn check(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_matviz"));
    command.args(["course", "check"]).args(args).output().expect("it runs")
}

/// The shipped ideas with one lesson of one page.
fn lesson(page: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons/models.md");
    fs::copy(models, folder.path().join("models.md")).expect("copied");
    let head = "# T\n\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n\n## P\n\n";
    fs::write(folder.path().join("1-t.md"), format!("{head}{page}")).expect("written");
    folder
}

/// A page that is right: spoilt copies of it are below. Its first line is line 10 of the file.
const PAGE: &str = r#"```matviz scene
kernel = "tiled_transposed"
tile = 16
size = "64"
unroll = 1
at = "before store sA"
vary = { tile = [8, 16] }
```

The tile is `= tile` wide. Press `j` to see another warp.

In how many passes is the store done?

```matviz ask passes
want = "passes(store sA)"
wrong = ["lanes-in-turn", "y-fastest"]
unit = "passes"
```

It took `= passes(store sA)` passes.
"#;

/// The codes, lines and columns of what is found in a page, without warnings unless `all`.
fn found(page: &str, all: bool) -> Vec<(String, u64, u64)> {
    let folder = lesson(page);
    let path = folder.path().to_str().expect("a path");
    let output = check(&["--json", path]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let complaints = told["complaints"].as_array().expect("a list").iter();
    let wanted = complaints.filter(|told| all || told["warning"] == false);
    let place = |told: &serde_json::Value| {
        let number = |key: &str| told[key].as_u64().expect("a number");
        (told["code"].as_str().expect("a code").to_owned(), number("line"), number("column"))
    };
    let found: Vec<_> = wanted.map(place).collect();
    let is_wrong =
        told["complaints"].as_array().expect("a list").iter().any(|told| told["warning"] == false);
    assert_eq!(output.status.code(), Some(i32::from(is_wrong)), "{told}");
    found
}

/// What is found when a text of the page, which stands there once, is replaced.
fn spoilt(old: &str, new: &str) -> Vec<(String, u64, u64)> {
    assert_eq!(PAGE.matches(old).count(), 1, "{old}");
    found(&PAGE.replace(old, new), false)
}

fn at(code: &str, line: u64, column: u64) -> (String, u64, u64) {
    (code.to_owned(), line, column)
}

#[test]
fn nothing_is_wrong_with_the_page_as_it_is() {
    assert_eq!(found(PAGE, false), []);
}

#[test]
fn a_scene_that_does_not_run_is_found() {
    let change = "unroll = 1\nchange = [\"no-such-change\"]";
    assert_eq!(spoilt("unroll = 1", change).first(), Some(&at("L10", 10, 1)));
    assert_eq!(spoilt("unroll = 1", "unroll = 1\nwarp = 9").first(), Some(&at("L10", 10, 1)));
}

#[test]
fn a_place_that_is_not_reached_is_found() {
    assert_eq!(
        spoilt("at = \"before store sA\"", "at = \"before store sQ\"").first(),
        Some(&at("L11", 15, 14))
    );
    let none = "at = \"line \\\"no such text\\\"\"";
    assert_eq!(spoilt("at = \"before store sA\"", none).first(), Some(&at("L11", 15, 7)));
    let several = "want = \"passes(store sA line \\\"s\\\")\"";
    let told = spoilt("want = \"passes(store sA)\"", several);
    assert!(told.iter().any(|(code, line, _)| code == "L11" && *line == 24), "{told:?}");
}

#[test]
fn a_query_without_an_answer_is_found_with_its_place() {
    assert_eq!(spoilt("`= tile` wide", "`= passes(load Q)` wide")[0], at("L12", 19, 23));
    assert_eq!(spoilt("want = \"passes(store sA)\"", "want = \"passes(store sQ)\"")[0].0, "L12");
}

#[test]
fn a_place_that_the_stage_does_not_have_is_found() {
    let old = "at = \"before store sA\"";
    let places = |name: &str| format!("{old}\nplaces = [\"{name}\"]");
    // On the stage `j` selects no warp.
    let page = PAGE.replace(" Press `j` to see another warp.", "");
    assert_eq!(found(&page.replace(old, &places("shared tile")), false), []);
    assert_eq!(spoilt(old, &places("cinema")).first(), Some(&at("L03", 16, 12)));
    let told = told(&PAGE.replace(old, &places("cinema")), |ideas| ideas);
    for name in ["source tile", "shared tile", "door", "cross", "wear", "banks", "timeline"] {
        assert!(told.contains(name), "all that there are: {told}");
    }
    let both = format!("{}\nlook = [\"banks\"]", places("door"));
    assert_eq!(spoilt(old, &both).first(), Some(&at("L03", 16, 10)), "stage and workbench");
    // A kernel without shared memory has no door.
    let naive = "```matviz scene\nkernel = \"naive\"\ntile = 16\nsize = \"64\"\nunroll = 1\n\
                 at = \"start\"\nplaces = [\"door\"]\n```\n\nLook.\n";
    let codes: Vec<_> = found(naive, false).into_iter().map(|(code, ..)| code).collect();
    assert!(codes.contains(&"L23".to_owned()), "{codes:?}");
    assert_eq!(found(&naive.replace("door", "source tile"), false), []);
}

#[test]
fn options_of_which_not_one_is_true_are_found() {
    let ask = "unit = \"passes\"\n```";
    let options = "kind = \"choice\"\n[options]\na = \"1 == 1\"\nb = \"2 == 2\"\n```\n\n- **a** one\n- **b** two";
    let told = spoilt(ask, options);
    assert_eq!(told.first(), Some(&at("L13", 23, 1)), "{told:?}");
}

#[test]
fn an_idea_that_says_nothing_wrong_is_found() {
    assert_eq!(spoilt("\"y-fastest\"", "\"passed-so-right\""), [at("L14", 25, 28)]);
    let right = PAGE.replace("vary = { tile = [8, 16] }\n", "").replace("tile = 16", "tile = 32");
    assert_eq!(found(&right, false), [at("L14", 24, 11)], "32 lanes take 32 passes");
}

#[test]
fn a_question_with_one_answer_is_warned_of() {
    let page = PAGE.replace("vary = { tile = [8, 16] }", "vary = { size = [\"48\", \"64\"] }");
    assert!(found(&page, true).contains(&at("L15", 24, 9)));
}

#[test]
fn an_answer_in_the_text_is_found_unless_it_is_known() {
    let page = PAGE.replace("vary = { tile = [8, 16] }\n", "");
    let (query, hinted) = ("`= passes(store sA)` passes", "8 passes");
    assert_eq!(found(&page.replace(query, hinted), false), [at("L16", 28, 9)]);
    let known = page.replace("It took", "<!-- known -->\n\nIt took").replace(query, hinted);
    assert_eq!(found(&known, false), []);
    assert_eq!(spoilt("The tile is", "Take lane 4, which loads 3,584 bytes. The tile is"), []);
    let stale = PAGE.replace("The tile is", "Take lane 4, which loads 3,584 bytes. The tile is");
    assert!(found(&stale, true).contains(&at("L17", 19, 26)));
}

#[test]
fn a_key_that_nothing_has_is_found() {
    assert_eq!(spoilt("Press `j`", "Press `Hyper`"), [at("L18", 19, 34)]);
}

#[test]
fn a_key_that_does_not_do_what_the_page_says_is_found() {
    let none = "Press `!` to see what is wrong";
    assert_eq!(spoilt("Press `j` to see another warp", none), [at("L18", 19, 34)]);
    let unit = "Press `u`: now a step is a tile of the matrix";
    assert_eq!(spoilt("Press `j` to see another warp", unit), [at("L18", 19, 34)]);
    let panel = "Press `2` and look at panel 5";
    let shown = PAGE.replace("vary =", "look = [\"lines\"]\nvary =");
    let wrong = found(&shown.replace("Press `j` to see another warp", panel), false);
    assert_eq!(wrong, [at("L18", 20, 34)]);
    let told = told(&PAGE.replace("Press `j` to see another warp", none), |ideas| ideas);
    assert!(told.contains("`!` shows no finding: there is none (with the question open"), "{told}");
}

#[test]
fn what_is_asked_later_is_found_where_it_is_shown() {
    let told = spoilt("The tile is", "It will take `= passes(store sA)`. The tile is");
    assert_eq!(
        told.iter().map(|(code, ..)| code.as_str()).collect::<Vec<_>>(),
        ["L23"],
        "{told:?}"
    );
    let page = "```matviz scene\nkernel = \"tiled\"\ntile = 16\nsize = \"64\"\n\
                change = [\"no-compute-barrier\"]\norder = \"to-barrier\"\nat = \"finding\"\n```\n\n\
                Is C right?\n\n```matviz ask right\nwant = \"right\"\n```\n";
    let codes =
        |page: &str| found(page, false).into_iter().map(|(code, ..)| code).collect::<Vec<_>>();
    assert_eq!(codes(page), ["L23"]);
    assert_eq!(codes(&page.replace("\"finding\"", "\"before finding\"")), [""; 0]);
}

#[test]
fn what_a_page_names_and_does_not_show_is_found() {
    for (text, column) in [("The door opens.", 5), ("See panel 5.", 5), ("In the timeline", 8)] {
        let told = spoilt("The tile is", &format!("{text} The tile is"));
        assert_eq!(told, [at("L24", 19, column)], "{text}");
    }
    // A key shows it.
    assert_eq!(spoilt("The tile is", "See panel 7, press `7`. The tile is"), []);
}

#[test]
fn a_measured_figure_that_is_written_is_found() {
    for figure in ["3 ms", "12 %", "1,043 GFLOP/s"] {
        let told = spoilt("The tile is", &format!("It takes {figure}. The tile is"));
        assert_eq!(told, [at("L17", 19, 10)], "{figure}");
    }
    let told =
        told(PAGE, |ideas| ideas.replacen("## y-fastest\n", "## y-fastest\n\nIt takes 3 ms.\n", 1));
    assert!(told.contains("error[L17]: this figure is measured"), "{told}");
}

#[test]
fn a_reply_that_has_no_value_is_found_by_the_walk() {
    let folder = lesson(PAGE);
    let models = folder.path().join("models.md");
    let text = fs::read_to_string(&models).expect("the ideas");
    let (before, own) = text.split_once("## y-fastest").expect("the idea");
    let own = own.replacen("\n\n> ", "\n\n> Q: ", 1);
    let (says, reply) = own.split_at(own.find("> Q: ").expect("its sentence"));
    let reply = reply.replacen("\n\n", "\n\nIt is `= passes(load Q)`.\n\n", 1);
    fs::write(&models, format!("{before}## y-fastest{says}{reply}")).expect("written");
    let output = check(&[folder.path().to_str().expect("a path")]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1-t.md:24:9: error[L30]: "), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

/// The text of the page's errors, with the ideas as they are changed.
fn told(page: &str, ideas: impl Fn(String) -> String) -> String {
    let folder = lesson(page);
    let models = folder.path().join("models.md");
    let text = fs::read_to_string(&models).expect("the ideas");
    fs::write(&models, ideas(text)).expect("written");
    let output = check(&[folder.path().to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What is written of an idea, from its heading to the next.
fn idea<'t>(text: &'t str, id: &str) -> &'t str {
    let start = text.find(&format!("## {id}\n")).expect("the idea");
    let rest = &text[start + 1..];
    &text[start..=start + rest.find("\n## ").map_or(rest.len(), |end| end + 1)]
}

#[test]
fn a_question_too_long_to_be_seen_whole_is_found() {
    let all = "if you count every pass of it once, and no pass twice, ".repeat(16);
    let asks = format!("is the store done, {all}in all?");
    let told = told(&PAGE.replace("is the store done?", &asks), |ideas| ideas);
    assert!(told.contains(":24:9: error[L30]: what is asked is not seen whole"), "{told}");
    assert!(told.contains("80x24"), "it is the small screen that is too small: {told}");
}

#[test]
fn a_sign_that_a_terminal_without_unicode_lacks_is_found() {
    let told = told(&PAGE.replace("The tile is", "\u{2192} The tile is"), |ideas| ideas);
    assert!(
        told.contains("error[L30]: with `--set glyphs=ascii` the screen shows \u{2192}"),
        "{told}"
    );
}

#[test]
fn an_idea_too_long_to_be_named_in_a_reply_is_found() {
    let endless = |ideas: String| {
        let own = idea(&ideas, "y-fastest");
        let says = own.lines().find(|line| line.starts_with("> ")).expect("its sentence");
        ideas.replace(says, &format!("> {}", "Threads are numbered down columns. ".repeat(200)))
    };
    let told = told(PAGE, endless);
    assert!(
        told.contains(":24:9: error[L30]: what is said to an idea is not seen whole"),
        "{told}"
    );
}

#[test]
fn evidence_that_is_not_seen_is_found() {
    let unseen = spoilt("unit = \"passes\"", "unit = \"passes\"\nshow = \"start\"");
    assert_eq!(unseen, [at("L22", 24, 9)], "nothing has been stored at the start");
}

#[test]
fn options_that_have_no_room_are_found() {
    let long =
        "is what somebody may well think who has not read what stands above, and that is why";
    let keys = ["a", "b", "c", "d", "e"];
    let which = |key: &str| if key == "a" { "1 == 1" } else { "1 == 2" };
    let holds: Vec<_> = keys.iter().map(|key| format!("{key} = \"{}\"", which(key))).collect();
    let texts: Vec<_> = keys.iter().map(|key| format!("- **{key}** {key} {long}")).collect();
    let options = format!("kind = \"choice\"\n[options]\n{}\n```\n\n", holds.join("\n"));
    let page = PAGE.replace("unit = \"passes\"\n```\n", &(options + &texts.join("\n") + "\n"));
    let page = page.replace("wrong = [\"lanes-in-turn\", \"y-fastest\"]\n", "");
    let told = told(&page, |ideas| ideas);
    assert!(told.contains("error[L30]: not every option is seen"), "{told}");
}

#[test]
fn an_option_that_is_broken_in_a_word_is_found() {
    let options = "kind = \"choice\"\n[options]\na = \"passes(store sA) == 2\"\n\
                   b = \"passes(store sA) != 2\"\n```\n\n- **a** two\n- **b** ";
    let page =
        PAGE.replace("unit = \"passes\"\n```\n", &format!("{options}{}\n", "another".repeat(9)));
    let page = page.replace("wrong = [\"lanes-in-turn\", \"y-fastest\"]\n", "");
    let told = told(&page, |ideas| ideas);
    assert!(told.contains(":24:9: error[L30]: not every option is seen"), "{told}");
}

#[test]
fn a_key_in_a_reply_that_nothing_has_is_found() {
    let folder = lesson(PAGE);
    let models = folder.path().join("models.md");
    let text = fs::read_to_string(&models).expect("the ideas");
    let heading = "## y-fastest\n";
    let at = text.find(heading).expect("the idea") + heading.len();
    let (before, after) = text.split_at(at);
    let (says, reply) = after.split_at(after.find("\n\n").expect("its sentence") + 2);
    let rest = reply.split_at(reply.find("\n\n").expect("its sentence") + 2);
    fs::write(&models, format!("{before}{says}{}Press `Hyper`.\n\n{}", rest.0, rest.1))
        .expect("written");
    let output = check(&["--quick", folder.path().to_str().expect("a path")]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("error[L18]: nothing has the key `Hyper`"), "{told}");
    assert!(told.contains("models.md:"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

/// What is asked in a lesson that is only skipped through: each moment of it, and the numbers that
/// are right.
fn skipped_through(course: &Arc<Course>, lesson: u32, seed: u64) -> (Vec<String>, Vec<String>) {
    let mut session = LessonSession::begin(Arc::clone(course), lesson, 1, seed).expect("a lesson");
    let (mut moments, mut numbers) = (Vec::new(), Vec::new());
    while !session.now().over {
        let now = session.now();
        moments.push(format!("{now:?}"));
        match &now.question {
            Some(open) => {
                let question = &open.question;
                // What a GPU has measured is the same for everybody.
                let is_simulated = question.right.origin == AnsweredFrom::Simulated;
                if question.kind == AskKind::Number && is_simulated {
                    numbers.push(format!("{} {}", question.id, question.right.value));
                }
                session.skip();
            }
            None if now.proof.is_some() => session.skip(),
            None => session.go_on(),
        }
    }
    (moments, numbers)
}

#[test]
fn neighbours_have_other_numbers_and_one_seed_always_the_same_page() {
    let course = Arc::new(read::shipped().0);
    let (mut same, mut all) = (Vec::new(), 0);
    for lesson in course.lessons.iter().map(|lesson| lesson.number) {
        let (own, numbers) = skipped_through(&course, lesson, 1);
        assert_eq!(own, skipped_through(&course, lesson, 1).0, "lesson {lesson}");
        let other = skipped_through(&course, lesson, 2).1;
        assert_eq!(numbers.len(), other.len());
        all += numbers.len();
        same.extend(numbers.into_iter().zip(other).filter(|(one, other)| one == other));
    }
    // Some ask what a GPU does whatever the numbers are.
    assert!(same.len() * 10 <= all * 3, "{} of {all}: {same:?}", same.len());
}

#[test]
fn no_text_of_a_lesson_says_how_many_sectors_there_are() {
    for lesson in read::shipped().0.lessons {
        let said = ["8", "16", "32", "64"].map(|number| format!(" {number} sectors"));
        let found = said.iter().find(|said| lesson.text.contains(&***said));
        assert_eq!(found, None, "{}", lesson.file);
    }
}

#[test]
fn the_shipped_course_has_no_errors_and_nearly_every_idea_is_somebodys_wrong_answer() {
    let output = check(&["--quick", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{}", told["complaints"]);
    let names = |key: &str| -> BTreeSet<String> {
        let all = told[key].as_array().expect("a list").iter();
        all.map(|name| name.as_str().expect("a name").to_owned()).collect()
    };
    let unused: Vec<_> = names("ideas").difference(&names("used")).cloned().collect();
    // It has no computation.
    assert_eq!(unused, ["counter-is-index"]);
    let asks = told["lessons"].as_array().expect("a list").iter();
    let asks = asks.flat_map(|lesson| lesson["asks"].as_array().expect("a list"));
    let wrong: Vec<_> = asks.map(|ask| ask["wrong"].as_array().map_or(0, Vec::len)).collect();
    let several = wrong.iter().filter(|ideas| **ideas > 1).count();
    assert!(several * 100 >= 65 * wrong.len(), "{several} of {}", wrong.len());
}
