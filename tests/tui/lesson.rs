//! A lesson beside the picture: what stands where, what keys do, and what is never cut.

use super::{options, press, problem, shown, start, step};
use matviz::kernel::KERNELS;
use matviz::launch::Dim3;
use matviz::lesson::document::{AskKind, Course, PageBlock};
use matviz::lesson::read;
use matviz::lesson::session::words;
use matviz::sim::Order;
use matviz::tui::headless::settle;
use matviz::tui::keymap::Key;
use matviz::tui::layout::Panel;
use matviz::tui::lesson::{Lessons, Opening};
use matviz::tui::task::Task;
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::tui::{App, StartOptions, frame, input, update};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Every size class, from the largest.
const SCREENS: [(u16, u16); 8] =
    [(200, 60), (176, 50), (120, 36), (116, 34), (80, 50), (80, 24), (76, 20), (60, 18)];

fn course() -> Arc<Course> {
    static COURSE: OnceLock<Arc<Course>> = OnceLock::new();
    let read = || {
        let (course, complaints) = read::read(Path::new("tests/data/lesson"));
        assert!(complaints.is_empty(), "{}", complaints[0]);
        Arc::new(course)
    };
    Arc::clone(COURSE.get_or_init(read))
}

fn opened(open: Option<Opening>, look: Look, screen: (u16, u16)) -> App {
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let lessons = Lessons { course: Some(course()), open, seed: Some(1), ..Lessons::default() };
    let options = options(problems, 0, Dim3::at(1, 1));
    start(StartOptions { lessons, look, order: Order::ByPhase, ..options }, screen)
}

fn page(page: usize, screen: (u16, u16)) -> App {
    opened(Some(Opening::Page(1, page)), Look::default(), screen)
}

/// Lets it play until it rests.
fn rest(app: &mut App) {
    for _ in 0..200 {
        let tasks = app.tick(Duration::from_millis(200));
        settle(app, tasks.into_iter().flatten().collect());
    }
    assert!(!app.is_playing(), "it plays on");
}

fn sentence(app: &App) -> String {
    shown(app).lines().nth(1).expect("a sentence").trim().to_owned()
}

fn footer(app: &App) -> String {
    shown(app).trim_end().lines().last().expect("a footer").to_owned()
}

#[test]
fn a_question_and_its_input_are_in_view_on_every_screen() {
    for (width, height) in SCREENS {
        let mut app = page(1, (width, height));
        press(&mut app, "1");
        let text = shown(&app);
        assert!(text.contains("In how many passes is it done now?"), "{width}x{height}\n{text}");
        assert!(text.contains("► 1▏ passes"), "{width}x{height}\n{text}");
        assert!(text.contains("1.1  One column more"), "{width}x{height}\n{text}");
        let keys = footer(&app);
        assert!(keys.contains(" Enter  answer ") && keys.contains(" Esc  show me"), "{keys}");
    }
}

#[test]
fn nothing_moves_before_the_answer() {
    let mut app = page(1, (120, 36));
    let before = step(&app);
    for keys in ["Right", "Space", "n", "G", "v", "T", "o", "a", "Left", "d", "!", "s"] {
        press(&mut app, keys);
        assert_eq!(step(&app), before, "{keys}");
        assert_eq!(sentence(&app), "first answer, or Esc", "{keys}");
        assert!(!app.is_playing());
    }
    press(&mut app, "j");
    assert_ne!(sentence(&app), "first answer, or Esc", "another warp may be looked at");
    press(&mut app, "z");
    assert!(shown(&app).contains("In how many passes"), "a zoomed panel leaves the text alone");
}

#[test]
fn an_answer_is_replied_to_and_the_run_goes_on_to_what_shows_it() {
    for (width, height) in [(200, 60), (120, 36), (80, 24)] {
        let mut app = page(1, (width, height));
        press(&mut app, "5 Enter 5 Enter");
        rest(&mut app);
        let text = shown(&app);
        assert!(text.contains("you ") && text.contains("it is  2 passes"), "{text}");
        assert!(text.contains("simulated"), "a figure says where it is from: {text}");
        assert!(text.contains("2 passes, a 2-way bank conflict"), "{text}");
        assert!(footer(&app).starts_with("  Enter  go on   N  again"), "{}", footer(&app));
        press(&mut app, "Enter");
        assert!(shown(&app).contains("1.2  An element"), "{}", shown(&app));
    }
}

#[test]
fn the_right_answer_is_marked_and_escape_shows_it_without() {
    let mut app = page(1, (120, 36));
    press(&mut app, "2 Enter");
    assert!(shown(&app).contains("● it is  2 passes"), "{}", shown(&app));
    let mut app = page(1, (120, 36));
    press(&mut app, "Esc");
    let text = shown(&app);
    assert!(text.contains("it is  2 passes") && !text.contains("you  "), "{text}");
}

#[test]
fn a_second_enter_goes_to_the_evidence_at_once() {
    let mut app = page(1, (120, 36));
    press(&mut app, "2 Enter Enter");
    assert!(!app.is_playing());
    assert!(shown(&app).contains("1.1  One column more"), "it is still on its page");
    press(&mut app, "Enter");
    assert!(shown(&app).contains("1.2  An element"));
}

#[test]
fn typed_digits_can_be_deleted_and_deleting_never_leaves_the_page() {
    let mut app = page(3, (120, 36));
    press(&mut app, "Backspace Backspace");
    assert!(shown(&app).contains("1.3  "), "{}", shown(&app));
    let wide = footer(&page(3, (200, 60)));
    assert!(wide.contains(" B  page before"), "{wide}");
    press(&mut app, "B");
    assert!(shown(&app).contains("1.2  An element"), "{}", shown(&app));
    let mut app = page(1, (120, 36));
    press(&mut app, "1 2 Backspace");
    assert!(shown(&app).contains("► 1▏ passes"));
}

#[test]
fn a_hint_opens_and_is_in_view_where_the_text_is_long() {
    for screen in [(120, 36), (80, 24)] {
        let mut app = page(1, screen);
        assert!(!shown(&app).contains("17 tx + ty"));
        press(&mut app, "H");
        assert!(shown(&app).contains("17 tx + ty"), "{}", shown(&app));
    }
}

#[test]
fn the_text_hides_and_comes_back() {
    for screen in [(200, 60), (120, 36), (80, 24), (60, 18)] {
        let mut app = page(1, screen);
        press(&mut app, "L");
        assert!(!shown(&app).contains("The rows of sA"), "{}", shown(&app));
        press(&mut app, "Right");
        assert_eq!(sentence(&app), "first answer, or Esc", "it still waits");
        press(&mut app, "L");
        assert!(shown(&app).contains("The rows of sA"), "{}", shown(&app));
    }
}

#[test]
fn a_page_shows_the_panels_that_it_names_and_0_all() {
    let mut app = page(1, (120, 36));
    let named = |app: &App| app.areas().panels.iter().map(|(panel, _)| *panel).collect::<Vec<_>>();
    assert_eq!(named(&app), [Panel::Banks, Panel::Shared]);
    let rows = |app: &App| app.areas().panel(Panel::Banks).expect("the panel").height;
    assert!(rows(&app) >= 15, "{}", shown(&app));
    // While a number is asked for, a digit is a digit.
    press(&mut app, "Esc 0");
    assert!(named(&app).len() > 4, "{}", shown(&app));
    press(&mut app, "0");
    assert_eq!(named(&app), [Panel::Banks, Panel::Shared]);
}

#[test]
fn a_long_text_is_turned_and_comes_to_its_end() {
    let mut app = page(1, (76, 20));
    let first = shown(&app);
    assert!(first.contains("1 of ") && first.contains("The rows of sA"), "{first}");
    press(&mut app, "PageDown PageDown PageDown");
    let last = shown(&app);
    assert!(last.contains("so is C.") && !last.contains("The rows of sA"), "{last}");
    assert!(last.contains("In how many passes"), "the question stays: {last}");
    press(&mut app, "PageUp PageUp PageUp");
    assert_eq!(shown(&app), first);
}

#[test]
fn an_element_is_pointed_at_with_the_keys_or_typed() {
    let mut app = page(2, (120, 36));
    assert!(shown(&app).contains("► C[32][32]"), "{}", shown(&app));
    press(&mut app, "Down Down Down Right Right Right Right Right");
    assert!(shown(&app).contains("► C[35][37]"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("● it is  C[35][37]"), "{}", shown(&app));
    let mut app = page(2, (80, 24));
    press(&mut app, "3 5 , 3 7 Enter");
    assert!(shown(&app).contains("● it is  C[35][37]"), "{}", shown(&app));
}

#[test]
fn what_is_pointed_at_says_nothing_of_the_answer() {
    let mut app = page(2, (120, 36));
    press(&mut app, "Down Right");
    assert!(!footer(&app).contains("thread"), "{}", footer(&app));
}

#[test]
fn an_option_is_chosen_by_its_key_or_with_the_arrows() {
    let marked = |app: &App| {
        let text = shown(app);
        let line = text.lines().find(|line| line.contains('►') && line.contains("  eight"));
        line.is_some()
    };
    for screen in [(200, 60), (120, 36), (80, 24)] {
        let mut app = page(3, screen);
        let (mut with_keys, mut with_arrows) = (false, false);
        for key in ["1", "2", "3"] {
            press(&mut app, key);
            with_keys |= marked(&app);
        }
        for key in ["Up", "Up", "Down", "Down"] {
            press(&mut app, key);
            with_arrows |= marked(&app);
        }
        assert!(with_keys && with_arrows, "{}", shown(&app));
    }
}

#[test]
fn behind_the_last_page_are_the_results_and_then_the_list() {
    let mut app = page(3, (120, 36));
    press(&mut app, "Esc Enter");
    let text = shown(&app);
    assert!(text.contains("What you predicted") && text.contains("skipped"), "{text}");
    press(&mut app, "Enter");
    let text = shown(&app);
    assert!(text.contains("From one thread to cuBLAS") && text.contains("1 of 1 done"), "{text}");
}

#[test]
fn the_list_opens_a_lesson_and_is_left_again() {
    for screen in [(200, 60), (120, 36), (80, 24), (40, 12)] {
        let mut app = opened(None, Look::default(), screen);
        press(&mut app, "L");
        let text = shown(&app);
        assert!(text.contains("Padding") && text.contains("6 min"), "{text}");
        press(&mut app, "q");
        assert!(!app.is_over() && !shown(&app).contains("6 min"));
        press(&mut app, "L Enter");
        assert!(shown(&app).contains("1.1  One column more"), "{}", shown(&app));
        press(&mut app, "q");
        assert!(shown(&app).contains("6 min"), "q goes back to the list");
    }
    let mut app = opened(Some(Opening::List), Look::default(), (80, 24));
    press(&mut app, "q");
    assert!(app.is_over(), "there is nothing else to go back to");
}

#[test]
fn the_run_that_stood_before_the_lessons_stands_again_after_them() {
    let status = |app: &App| shown(app).lines().next().unwrap_or_default().to_owned();
    let mut app = opened(None, Look::default(), (120, 36));
    press(&mut app, "n Right Right");
    let before = (status(&app), app.at());
    assert!(before.1 > 2 && before.0.contains("block (1,1)"), "{before:?}");
    for keys in ["L Enter q q", "L Enter Esc Enter q Down Enter q q"] {
        press(&mut app, keys);
        assert!(!app.is_over());
        assert_eq!((status(&app), app.at()), before);
    }
}

#[test]
fn in_little_room_the_text_is_read_before_it_is_asked() {
    let mut app = page(1, (80, 24));
    let text = shown(&app);
    assert!(text.contains("The rows of sA") && !text.contains("passes"), "{text}");
    assert!(text.contains("PageDown  the rest of the text, then the question"), "{text}");
    assert!(!footer(&app).contains("Enter"), "{}", footer(&app));
    press(&mut app, "Enter Enter Enter");
    let text = shown(&app);
    assert!(text.contains("In how many passes") && text.contains("► ▏ passes"), "{text}");
    press(&mut app, "PageUp PageUp PageUp 1");
    assert!(shown(&app).contains("► 1▏ passes"), "an answer brings it: {}", shown(&app));
}

#[test]
fn the_footer_says_what_digits_do_before_and_after_the_answer() {
    for screen in [(200, 60), (120, 36)] {
        let mut app = page(1, screen);
        assert!(footer(&app).contains(" 0-9  type "), "{}", footer(&app));
        press(&mut app, "2 Enter");
        assert!(footer(&app).contains(" 1-9  panels "), "{}", footer(&app));
        assert!(footer(&page(3, screen)).contains(" 1-3  choose "));
    }
}

#[test]
fn a_page_can_be_drawn_on_every_screen_in_every_look() {
    for (theme, glyphs) in Theme::ALL
        .iter()
        .flat_map(|theme| [Glyphs::Basic, Glyphs::Ascii].map(|glyphs| (*theme, glyphs)))
    {
        for depth in [Depth::Mono, Depth::True] {
            let look = Look { theme, glyphs, depth };
            for number in 1..=3 {
                let mut app = opened(Some(Opening::Page(1, number)), look, (120, 36));
                for keys in ["", "Esc", "L"] {
                    press(&mut app, keys);
                    for (width, height) in [(1, 1), (3, 2), (25, 5), (30, 7), (40, 10), (75, 40)]
                        .into_iter()
                        .chain(SCREENS)
                    {
                        let buf = frame(&app, width, height);
                        let text = matviz::export::text(&buf);
                        assert!(glyphs == Glyphs::Basic || text.is_ascii(), "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_smallest_screen_says_where_the_lesson_is() {
    let app = page(1, (29, 6));
    assert!(shown(&app).contains("lesson 1.1: widen the window"), "{}", shown(&app));
    let app = page(1, (20, 5));
    let words: Vec<_> = shown(&app).split_whitespace().map(str::to_owned).collect();
    assert!(words.join(" ").contains("lesson 1.1: widen the window"), "{}", shown(&app));
    // In less room as many whole words as there is room for.
    assert!(shown(&page(1, (20, 2))).contains("widen the window"));
    assert!(shown(&page(1, (12, 2))).contains("lesson 1.1"));
    assert!(shown(&page(1, (6, 2))).contains("1.1"));
}

/// Presses a key, and leaves what it starts undone.
fn begin(app: &mut App, key: &str) -> Vec<Task> {
    let key: Key = key.parse().expect("a key");
    let action = input::key(app, key).expect("it does something");
    update::update(app, action)
}

#[test]
fn the_screen_lives_on_while_a_lesson_computes() {
    let mut app = page(1, (120, 36));
    press(&mut app, "2");
    let tasks = begin(&mut app, "Enter");
    assert!(matches!(tasks[..], [Task::Walk(_)]), "{tasks:?}");
    // The page stands as it was; the help, the text and the size are as free as ever.
    assert!(shown(&app).contains("► 2▏ passes"), "{}", shown(&app));
    assert!(app.next_frame().is_some() && app.tick(Duration::from_millis(130)).is_some());
    assert_eq!(sentence(&app), "simulating ... (Esc stops it)");
    press(&mut app, "?");
    assert!(shown(&app).contains("page 1 of 3"));
    press(&mut app, "Esc L");
    assert!(!shown(&app).contains("In how many passes"));
    press(&mut app, "L");
    app.resize(80, 24);
    // Nothing is typed, and no second answer is given.
    press(&mut app, "5 Enter");
    assert!(shown(&app).contains("► 2▏ passes"), "{}", shown(&app));
    settle(&mut app, tasks);
    assert!(shown(&app).contains("it is  2 passes"), "{}", shown(&app));
    assert_ne!(sentence(&app), "simulating ... (Esc stops it)");
}

#[test]
fn what_a_lesson_computes_is_dropped_when_it_is_not_wanted_any_more() {
    let mut app = page(1, (120, 36));
    press(&mut app, "1");
    let tasks = begin(&mut app, "Enter");
    press(&mut app, "Esc");
    settle(&mut app, tasks);
    assert!(shown(&app).contains("► 1▏ passes"), "the question is open: {}", shown(&app));
    let tasks = begin(&mut app, "Enter");
    press(&mut app, "q");
    settle(&mut app, tasks);
    assert!(shown(&app).contains("Lessons"), "{}", shown(&app));
}

#[test]
fn a_list_to_be_put_in_order_is_seen_whole_on_a_small_screen() {
    let (course, _) = read::shipped();
    let pages = course
        .lessons
        .iter()
        .flat_map(|lesson| (1..).zip(&lesson.pages).map(move |page| (lesson.number, page)));
    let asks = pages.flat_map(|(lesson, (page, content))| {
        content.blocks.iter().map(move |beat| ((lesson, page), beat))
    });
    let mut lists = 0;
    for ((lesson, page), beat) in asks {
        let PageBlock::Ask(ask) = beat else { continue };
        if ask.kind != Some(AskKind::Order) {
            continue;
        }
        let open = Some(Opening::Page(lesson, page));
        let lessons = Lessons { open, seed: Some(1), ..Lessons::default() };
        let problems = vec![problem(&KERNELS[0], 64)];
        let options = StartOptions { lessons, ..options(problems, 0, Dim3::at(1, 1)) };
        let mut app = start(options, (80, 24));
        press(&mut app, "PageDown PageDown PageDown PageDown");
        let text = shown(&app);
        assert!(text.contains("K  moves it up") && text.contains("J  moves it down"), "{text}");
        for option in &ask.options {
            let item = words(&option.text);
            assert!(text.contains(&item), "{lesson}.{page} {item}\n{text}");
        }
        lists += 1;
    }
    assert!(lists > 0, "the course has a list to be put in order");
}

#[test]
fn enter_goes_on_also_while_a_value_is_followed() {
    let mut app = page(3, (120, 36));
    press(&mut app, "Esc f");
    assert!(shown(&app).contains("sum over k of"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("What you predicted"), "{}", shown(&app));
}

#[test]
fn a_narrow_screen_has_the_text_alone_and_the_picture_behind_it() {
    let mut app = page(1, (60, 18));
    assert!(!shown(&app).contains("Shared"), "{}", shown(&app));
    press(&mut app, "L");
    assert!(shown(&app).contains("6  Shared"), "the lesson's panel: {}", shown(&app));
}
