//! Whatever happens to the screen, in any order: nothing breaks it.

use super::app;
use matviz::report;
use matviz::tui::keymap::{COMMANDS, Key};
use matviz::tui::still::settle;
use matviz::tui::{App, frame, input, update};
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::time::Duration;

/// One thing that can happen to the screen.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    Key(Key),
    Mouse(MouseEvent),
    Resize(u16, u16),
    Tick(u64),
}

fn happening() -> impl Strategy<Value = Happening> {
    let keys: Vec<Key> = COMMANDS
        .iter()
        .flat_map(|command| command.keys)
        .map(|key| key.parse().expect("a key"))
        .chain("xyz019,".chars().map(|c| c.to_string().parse().expect("a key")))
        .collect();
    let kind = prop::sample::select(vec![
        MouseEventKind::Down(MouseButton::Left),
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollUp,
    ]);
    let mouse = (kind, 0..220_u16, 0..70_u16).prop_map(|(kind, column, row)| {
        Happening::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
    });
    prop_oneof![
        8 => prop::sample::select(keys).prop_map(Happening::Key),
        3 => mouse,
        1 => (1..220_u16, 1..70_u16).prop_map(|(w, h)| Happening::Resize(w, h)),
        1 => (0..3000_u64).prop_map(Happening::Tick),
    ]
}

pub(crate) fn happen(app: &mut App, happening: &Happening) {
    let actions = match happening {
        Happening::Key(key) => input::key(app, &key.event()).into_iter().collect(),
        Happening::Mouse(event) => input::mouse(app, *event),
        Happening::Resize(width, height) => {
            let tasks = app.resize(*width, *height);
            return settle(app, tasks);
        }
        Happening::Tick(milliseconds) => {
            app.tick(Duration::from_millis(*milliseconds));
            return;
        }
    };
    for action in actions {
        let tasks = update::update(app, action);
        settle(app, tasks);
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
        happenings in prop::collection::vec(happening(), 1..60)
    ) {
        let mut app = app("tiled", 40, 80, 24);
        for happening in &happenings {
            happen(&mut app, happening);
            let size = app.size();
            let first = frame(&app, size.width, size.height);
            prop_assert_eq!(&first, &frame(&app, size.width, size.height));
            prop_assert!(app.sentence().chars().count() <= report::sentence::WIDTH);
        }
    }
}
