//! What was asked of another run than the one that is shown comes late, and breaks nothing.

use super::{app, press, shown};
use matviz::tui::keymap::Key;
use matviz::tui::task::Task;
use matviz::tui::{App, input, update};

/// Presses keys, and leaves what is to be done for them to the caller.
fn press_only(app: &mut App, keys: &str) -> Vec<Task> {
    let mut tasks = Vec::new();
    for key in keys.split_whitespace() {
        let key: Key = key.parse().expect("a key");
        let action = input::key(app, &key.event());
        tasks.extend(action.into_iter().flat_map(|action| update::update(app, action)));
        shown(app);
    }
    tasks
}

/// The instructions of an answer are those of the program that was asked about: they may not be
/// looked up in that of the kernel which is shown now.
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
        matviz::tui::still::settle(&mut app, late);
        assert!(shown(&app).contains("by warp"), "{kernel}, {first}, {then}");
    }
}
