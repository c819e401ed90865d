//! The screen without a terminal: brought to a position by a step number and keys, then drawn once.

use super::action::Action;
use super::app::{App, Options};
use super::edit::job::Job;
use super::keymap::Key;
use super::task::{Event, Task, load};
use super::{input, update};
use crate::ptx::ParseError;

/// Returns the screen of `size` cells at step `step`, after `keys`, with every run recorded to its
/// end.
///
/// # Errors
/// The kernel's PTX cannot be run.
pub fn still(
    options: Options,
    size: (u16, u16),
    step: usize,
    keys: &[Key],
) -> Result<App, ParseError> {
    let options = Options { device: None, playing: false, ..options };
    let (mut app, tasks) = App::new(options, size)?;
    settle(&mut app, tasks);
    let tasks = update::update(&mut app, Action::Seek(step));
    settle(&mut app, tasks);
    for key in keys {
        if let Some(action) = input::key(&app, &key.event()) {
            let tasks = update::update(&mut app, action);
            settle(&mut app, tasks);
        }
    }
    Ok(app)
}

/// Runs the tasks that affect only the state: loads, seeks, recordings, checks, counts and
/// questions. Tasks with effects outside of it are ignored.
pub fn settle(app: &mut App, mut tasks: Vec<Task>) {
    while let Some(task) = tasks.pop() {
        match task {
            Task::Load(place, problem) => {
                load(place, *problem, |event| tasks.extend(app.hear(event)));
            }
            Task::Stage(staging) => staging.run(|event| tasks.extend(app.hear(event))),
            Task::Dial(work) => {
                if let Some((news, which)) = work.run() {
                    tasks.extend(app.hear(Event::Dialled(Box::new(news), which)));
                }
            }
            Task::Walk(walking) => walking.run(|event| tasks.extend(app.hear(event))),
            Task::Seek(seeking) => seeking.run(|event| tasks.extend(app.hear(event))),
            Task::Record(recording) => recording.run(|event| tasks.extend(app.hear(event))),
            Task::Check(checking) => checking.run(|event| tasks.extend(app.hear(event))),
            Task::Ask(inquiry) => inquiry.run(|event| tasks.extend(app.hear(event))),
            Task::Count(counting) => {
                let mut told = Vec::new();
                counting.run(|event| told.push(event));
                for event in told {
                    tasks.extend(app.hear(event));
                }
            }
            Task::Edit(Job::Compile(compiling)) => {
                let mut told = Vec::new();
                compiling.run(|news| told.push(news));
                for news in told {
                    tasks.extend(app.hear(Event::Edit(news)));
                }
            }
            Task::LookAhead(_)
            | Task::Keep(_)
            | Task::Measure(_)
            | Task::ReadCounters(_)
            | Task::MeasureLadder(_)
            | Task::StopMeasuring
            | Task::Edit(_)
            | Task::SavePicture
            | Task::Mouse(_)
            | Task::Redraw
            | Task::Suspend => {}
        }
    }
}
