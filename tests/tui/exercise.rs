//! An exercise on the screen on which a file is edited: its task, its goals, what is wrong, a solution.

use crate::{options, press, shown, start};
use matviz::file::watch;
use matviz::launch::Dim3;
use matviz::lesson::edit::version::{EditRequest, Version};
use matviz::lesson::exercise::assignment::Assignment;
use matviz::lesson::exercise::{Exercise, read};
use matviz::sim::Order;
use matviz::tui::edit::job::{EditEvent, Opened};
use matviz::tui::headless::settle;
use matviz::tui::task::Event;
use matviz::tui::{App, StartOptions};
use std::sync::Arc;

const FILE: &str = "mine.cu";

fn exercise(id: &str) -> Exercise {
    let all = read::shipped().expect("they are well formed");
    all.iter().find(|exercise| exercise.is_called(id)).expect("it is shipped").clone()
}

/// The screen of an exercise that is begun.
fn begun(exercise: &Exercise, screen: (u16, u16)) -> App {
    let assignment = Some(Arc::new(Assignment::practice(Arc::new(exercise.clone()))));
    let request = EditRequest { file: FILE.to_owned(), assignment, ..EditRequest::default() };
    let version = Version::of(&exercise.starter, &request).expect("it compiles");
    let problem = version.stages[0].problem.clone();
    let options =
        StartOptions { order: Order::ByPhase, ..options(vec![problem], 0, Dim3::at(0, 0)) };
    let mut app = start(options, screen);
    let (text, read) = (exercise.starter.clone(), "10:41:00".to_owned());
    let tasks = app.edit(Opened { path: FILE.into(), request, text, read, watch: None });
    settle(&mut app, tasks);
    app
}

fn save(app: &mut App, text: &str) {
    let saved = watch::FileEvent::Saved(text.to_owned());
    let tasks = app.hear(Event::Edit(EditEvent::File(FILE.into(), saved, "10:42:07".to_owned())));
    settle(app, tasks);
}

#[test]
fn an_exercise_is_read_tried_and_solved() {
    for (width, height) in [(80, 24), (120, 36)] {
        let exercise = exercise("E1");
        let mut app = begun(&exercise, (width, height));
        assert!(shown(&app).contains("E1: Coalesce the loads"), "{}", shown(&app));
        press(&mut app, "H H");
        assert!(shown(&app).contains("Hint 2 of 3"), "{}", shown(&app));
        press(&mut app, "Enter");
        assert!(shown(&app).contains("goal is <= 42,000."), "{}", shown(&app));
        save(&mut app, &exercise.solution);
        assert!(shown(&app).contains("Solved: C is right"), "{}", shown(&app));
        press(&mut app, "Enter");
        assert!(shown(&app).contains("this very solution"), "{}", shown(&app));
        press(&mut app, "Enter");
        assert!(shown(&app).contains("Solved: C is right"), "{}", shown(&app));
    }
}

#[test]
fn after_the_last_hint_a_solution_is_shown_also_to_who_has_none() {
    let exercise = exercise("E4");
    let mut app = begun(&exercise, (120, 36));
    press(&mut app, "H H H H");
    assert!(shown(&app).contains("What a solution has otherwise:"), "{}", shown(&app));
    assert!(shown(&app).contains("__syncthreads();"), "{}", shown(&app));
    press(&mut app, "Enter");
    assert!(shown(&app).contains("race"), "{}", shown(&app));
    save(
        &mut app,
        &exercise.starter.replacen("        for", "        __syncthreads();\n        for", 1),
    );
    assert!(shown(&app).contains("race"), "one barrier is not enough: {}", shown(&app));
    assert!(!shown(&app).contains("barrier arrivals:"), "one thing at a time: {}", shown(&app));
}
