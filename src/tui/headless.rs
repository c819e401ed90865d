//! The screen without a terminal: brought to a position by a step number and keys, then drawn once.

use super::action::Action;
use super::app::{App, StartOptions};
use super::keymap::Key;
use super::task::{Event, Task, WorkKind};
use super::{input, update};
use ptx::ParseError;
use std::sync::mpsc::channel;

/// Returns the screen of `size` cells at step `step`, after `keys`, with every run recorded to its
/// end.
///
/// # Errors
/// The kernel's PTX cannot be run.
pub fn still(
    options: StartOptions,
    size: (u16, u16),
    step: usize,
    keys: &[Key],
) -> Result<(App, usize), ParseError> {
    let options = StartOptions { device: None, playing: false, ..options };
    let (mut app, tasks) = App::new(options, size)?;
    settle(&mut app, tasks);
    let tasks = update::update(&mut app, Action::Seek(step));
    settle(&mut app, tasks);
    let reached = app.at();
    for key in keys {
        if let Some(action) = input::key(&app, *key) {
            let tasks = update::update(&mut app, action);
            settle(&mut app, tasks);
        }
    }
    Ok((app, reached))
}

/// Runs the tasks that affect only the state: loads, seeks, recordings, checks, counts and
/// questions. Tasks with effects outside of it are ignored.
pub fn settle(app: &mut App, tasks: Vec<Task>) {
    settle_by(app, tasks, |_, task| done(task));
}

/// Settles the state with tasks that are done in another way than [`done`].
pub(super) fn settle_by(
    app: &mut App,
    mut tasks: Vec<Task>,
    mut work: impl FnMut(&App, Task) -> Vec<Event>,
) {
    while let Some(task) = tasks.pop() {
        for event in work(app, task) {
            tasks.extend(app.hear(event));
        }
    }
}

/// Runs a task; returns its events.
pub(super) fn done(task: Task) -> Vec<Event> {
    let (tell, hear) = channel();
    match task.work() {
        // What a lesson will need is found out when it needs it.
        Ok((WorkKind::LookAhead | WorkKind::AskAhead, _)) => {}
        Ok((_, work)) => work(Box::new(move |event| _ = tell.send(event))),
        Err(Task::Compare(work)) => {
            work.run(|| true, |which, compared| _ = tell.send(Event::Compared(which, compared)));
        }
        Err(_) => {}
    }
    hear.try_iter().collect()
}
