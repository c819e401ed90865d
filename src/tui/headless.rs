//! The screen without a terminal: brought to a position by a step number and keys, then drawn once.

use super::action::Action;
use super::app::{App, StartOptions};
use super::edit::job::EditJob;
use super::keymap::Key;
use super::task::{Event, Task, load, shrink};
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
    let mut told = Vec::new();
    match task {
        Task::Load(place, problem) => load(place, *problem, |event| told.push(event)),
        Task::Shrink(of, problem) => shrink(of, &problem, |event| told.push(event)),
        Task::LoadSetting(staging) => staging.run(|event| told.push(event)),
        Task::Dial(work) => {
            told.extend(work.run().map(|(news, which)| Event::Dialled(Box::new(news), which)));
        }
        Task::Walk(walking) => walking.run(|event| told.push(event)),
        Task::Seek(seeking) => seeking.run(|event| told.push(event)),
        Task::Record(recording) => recording.run(|event| told.push(event)),
        Task::Plan(planning) => planning.run(|event| told.push(event)),
        Task::Check(checking) => checking.run(|event| told.push(event)),
        Task::Ask(inquiry) => inquiry.run(|event| told.push(event)),
        Task::Try(trying) => trying.run(|kernel, orders| told.push(Event::Tried(kernel, orders))),
        Task::Compare(work) => {
            work.run(|| true, |which, compared| told.push(Event::Compared(which, compared)));
        }
        Task::Count(counting) => {
            let (tell, hear) = channel();
            // It hears until the count has ended.
            counting.run(move |event| _ = tell.send(event));
            told.extend(hear);
        }
        Task::Edit(EditJob::Compile(compiling)) => {
            compiling.run(|news| told.push(Event::Edit(news)));
        }
        Task::LookAhead(_)
        | Task::AskAhead(_)
        | Task::Keep(_)
        | Task::Measure(_)
        | Task::ReadCounters(_)
        | Task::MeasureLadder(_)
        | Task::StopMeasuring
        | Task::Edit(_)
        | Task::SavePicture
        | Task::Mouse(_)
        | Task::Remember(..)
        | Task::Redraw
        | Task::Suspend => {}
    }
    told
}
