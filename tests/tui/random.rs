//! Random events in any order, with answers that come at any time, do not break the screen.

use super::app;
use matviz::report;
use matviz::tui::headless::settle;
use matviz::tui::input::{Mouse, MouseAct};
use matviz::tui::keymap::{COMMANDS, Key};
use matviz::tui::task::Task;
use matviz::tui::{App, frame, input, update};
use proptest::prelude::*;
use std::time::Duration;

/// An event of the screen.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    Key(Key),
    Mouse(Mouse),
    Resize(u16, u16),
    Tick(u64),
    /// One of the pending tasks completes.
    Settle(usize),
}

fn happening() -> impl Strategy<Value = Happening> {
    let keys: Vec<Key> = COMMANDS
        .iter()
        .flat_map(|command| command.keys)
        .map(|key| key.parse().expect("a key"))
        .chain("xyz019,".chars().map(|c| c.to_string().parse().expect("a key")))
        .collect();
    let act = prop::sample::select(vec![
        MouseAct::Click,
        MouseAct::Drag,
        MouseAct::ScrollDown,
        MouseAct::ScrollUp,
    ]);
    let mouse = (act, 0..220_u16, 0..70_u16)
        .prop_map(|(act, column, row)| Happening::Mouse(Mouse { act, column, row }));
    prop_oneof![
        8 => prop::sample::select(keys).prop_map(Happening::Key),
        3 => mouse,
        1 => (1..220_u16, 1..70_u16).prop_map(|(w, h)| Happening::Resize(w, h)),
        1 => (0..3000_u64).prop_map(Happening::Tick),
        6 => (0..100_usize).prop_map(Happening::Settle),
    ]
}

/// Applies an event; the resulting tasks are added to `tasks`.
pub(crate) fn happen(app: &mut App, tasks: &mut Vec<Task>, happening: &Happening) {
    let actions = match happening {
        Happening::Key(key) => input::key(app, *key).into_iter().collect(),
        Happening::Mouse(event) => input::mouse(app, *event),
        Happening::Resize(width, height) => return tasks.extend(app.resize(*width, *height)),
        Happening::Tick(milliseconds) => {
            let done = app.tick(Duration::from_millis(*milliseconds));
            return tasks.extend(done.into_iter().flatten());
        }
        Happening::Settle(number) => {
            if !tasks.is_empty() {
                let task = tasks.swap_remove(number % tasks.len());
                settle(app, vec![task]);
            }
            return;
        }
    };
    for action in actions {
        tasks.extend(update::update(app, action));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_that_happens_breaks_the_screen(
        kernel in prop::sample::select(vec!["tiled", "double_buffered", "half_tensor"]),
        happenings in prop::collection::vec(happening(), 1..60)
    ) {
        let (mut app, mut tasks) = (app(kernel, 40, 80, 24), Vec::new());
        for happening in &happenings {
            happen(&mut app, &mut tasks, happening);
            let size = app.size();
            let first = frame(&app, size.width, size.height);
            prop_assert_eq!(&first, &frame(&app, size.width, size.height));
            // The stage has more than one row for it.
            let fits = app.sentence().chars().count() <= report::sentence::WIDTH;
            prop_assert!(fits || app.shows_stage(), "{}", app.sentence());
        }
    }
}
