//! Late answers to questions about a run that is no longer shown break nothing.

use super::{app, press, shown, step};
use matviz::tui::headless::settle;
use matviz::tui::keymap::Key;
use matviz::tui::task::Task;
use matviz::tui::{App, input, update};

/// Presses keys and leaves the resulting tasks to the caller.
fn press_only(app: &mut App, keys: &str) -> Vec<Task> {
    let mut tasks = Vec::new();
    for key in keys.split_whitespace() {
        let key: Key = key.parse().expect("a key");
        let action = input::key(app, key);
        tasks.extend(action.into_iter().flat_map(|action| update::update(app, action)));
        shown(app);
    }
    tasks
}

/// The instructions in an answer belong to the program that was asked about: they must not be
/// looked up in the program of the kernel that is shown now.
#[test]
fn an_answer_about_one_kernel_stays_while_the_next_one_is_shown() {
    let thirty_one_times_j = format!("Space f {}", "j ".repeat(31));
    for (kernel, first, then) in [
        ("double_buffered", "f", "v"),
        ("blocked_1d", "f", "v"),
        ("sgemm", "f", "V"),
        ("half_wgmma", "f", "V"),
        ("tiled", &thirty_one_times_j, "v"),
    ] {
        let mut app = app(kernel, 256, 120, 36);
        press(&mut app, first);
        assert!(shown(&app).contains("where it came from"));
        let late = press_only(&mut app, then);
        settle(&mut app, late);
        assert!(shown(&app).contains("by warp"), "{kernel}, {first}, {then}");
    }
}

/// Replaying a wgmma takes long: the screen must stay responsive meanwhile.
#[test]
fn a_far_place_is_gone_to_elsewhere_and_only_the_newest_wish_counts() {
    let mut app = app("half_wgmma", 1024, 120, 36);
    let len: usize = step(&app).1.parse().expect("a number");
    let mut late = press_only(&mut app, "End");
    assert!(matches!(late[..], [Task::Seek(_)]), "{late:?}");
    assert_eq!(step(&app).0, "0", "nothing was run in the meantime");
    assert!(shown(&app).contains(&format!("going to {len}")));
    late.extend(press_only(&mut app, "Left Left Left"));
    assert_eq!(late.len(), 1, "one journey at a time");
    settle(&mut app, late);
    let there = step(&app).0;
    let mut by_steps = self::app("half_wgmma", 1024, 120, 36);
    press(&mut by_steps, "End Left Left Left");
    assert_eq!(there, step(&by_steps).0);
    let late = press_only(&mut app, "Home");
    assert!(late.is_empty() && step(&app).0 == "0", "what is near is gone to at once");
}

/// A seek that was given up changes nothing when it ends.
#[test]
fn a_journey_that_was_given_up_is_not_listened_to() {
    let mut app = app("half_wgmma", 1024, 120, 36);
    let late = press_only(&mut app, "End Home Right");
    let at = step(&app).0;
    settle(&mut app, late);
    assert_eq!(step(&app).0, at);
}

#[test]
fn kernels_are_loaded_elsewhere_and_the_last_one_that_was_asked_for_is_shown() {
    let mut app = app("naive_rows", 64, 120, 36);
    let late = press_only(&mut app, "V V V");
    assert!(shown(&app).contains("naive_rows 16x16"), "the first one is still there");
    settle(&mut app, late);
    assert!(shown(&app).contains("tiled_transposed 16x16"));
}
