//! What somebody reads who takes a lesson in lines of text.

use super::*;
use crate::lesson::session::example::course;
use std::io::Cursor;

/// What is printed from a page on, for some input.
fn taken(lesson: u32, page: usize, input: impl AsRef<[u8]>) -> String {
    let mut progress = Progress::nowhere();
    with(&mut progress, lesson, page, input)
}

fn with(progress: &mut Progress, lesson: u32, page: usize, input: impl AsRef<[u8]>) -> String {
    let mut walk = LessonSession::begin(course(), lesson, page, 3).expect("a page");
    let mut out = Vec::new();
    let mut session = PlainLesson::new(&mut walk, progress, "2026-11-22", &mut out);
    session.run(&mut Cursor::new(input)).expect("it is read and written");
    String::from_utf8(out).expect("text")
}

/// Whether the lines stand in the text, in this order.
fn in_order(text: &str, lines: &[&str]) {
    let mut rest = text;
    for line in lines {
        let at = rest.find(line).unwrap_or_else(|| panic!("`{line}` is not next in\n{text}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn the_listing_is_printed_for_those_who_see_no_screen() {
    let text = taken(12, 1, "l\n2\n");
    let shown = ["In how many passes", "l the listing", "__global__ void tiled_padded(", "it is 2"];
    in_order(&text, &shown);
    assert!(!text.contains("The checks find"), "{text}");
}

#[test]
fn nothing_is_told_that_is_asked() {
    let text = taken(12, 1, "findings\n");
    let asked = text.split("Your answer").next().unwrap_or_default();
    let picture = asked.split("tiled_padded 16x16, ").last().unwrap_or_default();
    assert!(picture.contains("step ") && picture.trim_end().ends_with('.'), "{text}");
    assert!(!picture.contains(": 2 ") && !picture.contains("sector"), "what it costs: {text}");
    assert!(text.contains("First answer, or an empty line."), "{text}");
}

#[test]
fn what_is_broken_shows_its_symptoms_before_it_is_named() {
    let text = taken(12, 4, "!\n");
    in_order(
        &text,
        &["Something is changed", "findings what the checks find", "The checks find: "],
    );
}

#[test]
fn it_asks_takes_an_answer_and_says_which_idea_it_was() {
    let text = taken(12, 1, "1\n1\n2\n");
    in_order(
        &text,
        &[
            "12.1  One column more",
            "page 1 of 4\n",
            "The grid has 2,304 threads.",
            "    __shared__ float sA[16][17];\n",
            "In how many passes is it done now?\n",
            "tiled_padded 16x16, ",
            "Your answer: a number (passes). An empty line shows it, ? for a hint (2 left)",
            "\nyou 1  it is 2  simulated\n",
            "padding-helps: \"A padded array has no conflicts.\"\n",
            "Warp 0 stores sA[0-15][0-1]",
            "You say 1, but it is 2: 2 passes, and nothing else.",
            "The store took 2 passes.",
            "12.2  Two scenes",
        ],
    );
    assert_eq!(text.matches("The store took 2 passes.").count(), 1, "{text}");
}

#[test]
fn nothing_is_wider_than_78_columns_but_code() {
    let text = taken(12, 1, "1\n\n\n\n\n?\n8\n\n\n\n\n\n\n\n\n\n");
    for line in text.lines().filter(|line| !line.starts_with("    ")) {
        assert!(line.chars().count() <= 78, "{line}");
    }
}

#[test]
fn empty_lines_lead_through_the_whole_lesson_to_its_results() {
    let text = taken(12, 1, "\n".repeat(40));
    in_order(
        &text,
        &[
            "\nit is 2  simulated\n",
            "This is the start.",
            "This is the end.",
            "How many warps has a block?",
            "A question is left out here: ",
            "How many threads has the grid?",
            "Three questions skipped: `w`",
            "Something is changed in this kernel now.",
            "It is this: ",
            "Prove it: an order of the warps",
            "of C are wrong",
            "The change is undone.",
            "That was it.",
            "Lesson 12, Padding: what you predicted",
            "12.4   One thing is gone: ",
        ],
    );
    assert_eq!(text.matches("This is the start.").count(), 1);
}

#[test]
fn a_hint_is_opened_and_another_answer_may_follow() {
    let text = taken(12, 1, "?\n77\n2\n");
    in_order(
        &text,
        &[
            "Hint:\nA block has 8 warps.\n",
            "? for a hint, l",
            "77 is too high. One more try.\n",
            "\nyou 2  it is 2  simulated\n",
        ],
    );
}

#[test]
fn what_is_no_answer_says_what_is_expected() {
    let text = taken(12, 1, "what?\n2\n");
    assert!(!text.contains("you what?"), "{text}");
    in_order(&text, &["you 2  it is 2"]);
}

#[test]
fn q_and_the_end_of_the_input_end_it() {
    for input in ["", "q\n", "q", " q \n1\n"] {
        let text = taken(12, 1, input);
        assert!(text.contains("Your answer") && !text.contains("it is 2"), "{text}");
    }
}

#[test]
fn three_skipped_lead_to_a_film() {
    let text = taken(12, 3, "\n\n\n\n\nw\n\nb\n");
    in_order(&text, &["it is 2", "it is 4,096", "Three questions skipped"]);
    let film = text.split("\nw").last().unwrap_or_default();
    assert!(film.contains("it is"), "{text}");
}

#[test]
fn hostile_input_does_nothing() {
    let long = vec![b'7'; 100_000];
    let all: Vec<u8> = (0..=255).cycle().take(20_000).collect();
    for input in
        [&long[..], &all, &[0xff, 0xfe, b'\n', 0, b'\n', 0x1b, b'['], "9e999\n-1\n1/0\n".as_bytes()]
    {
        let text = taken(12, 1, input);
        assert!(text.contains("One column more"));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{0}'), "it is not printed back");
        assert!(text.len() < 100_000, "{}", text.len());
    }
}

#[test]
fn answers_are_kept_while_the_lesson_is_taken() {
    let mut progress = Progress::nowhere();
    with(&mut progress, 12, 1, "1\n1\n\n");
    let padding = &progress.kept().lessons["padding"];
    assert_eq!(padding.page, 2);
    assert_eq!(padding.asks["padded-store"].model.as_deref(), Some("padding-helps"));
    assert_eq!(progress.kept().due(13), Some("padding-helps"));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut walk = LessonSession::begin(course(), 12, 1, 0).expect("a page");
    let mut progress = Progress::nowhere();
    let mut session = PlainLesson::new(&mut walk, &mut progress, "", Gone);
    assert!(session.run(&mut Cursor::new("1\n")).is_ok());
}
