//! A lesson that waits while a copy of its kernel is edited.

use super::stage;
use crate::lesson::edit::copy;
use crate::tui::app::App;
use crate::tui::edit::job::Job;
use crate::tui::facts;
use crate::tui::lesson::Aside;
use crate::tui::task::Task;
use std::path::PathBuf;

/// Has a copy of the lesson's kernel written, to be opened in the user's editor at the line that is
/// shown.
pub(super) fn edit(app: &mut App) {
    let Some(copy) = copy::of(app.session.problem()) else {
        app.message = Some("the source of this kernel is not known".to_owned());
        return;
    };
    let line = copy.above + facts::Now::of(&app.session, app.warp).line.max(1);
    app.aside = app.lesson.take().map(|lesson| Aside { lesson, line });
    app.wanted.text = false;
    app.tasks.push(Task::Edit(Job::Copy(Box::new(copy))));
}

/// Opens the editor on the copy that has been written for a lesson.
pub(super) fn opened(app: &mut App, path: PathBuf) {
    if let Some(aside) = &app.aside {
        app.tasks.push(Task::Edit(Job::Open(path, Some(aside.line))));
    }
}

/// Goes back to the lesson that waits; returns whether one does.
pub(super) fn leave(app: &mut App) -> bool {
    let Some(Aside { lesson, .. }) = app.aside.take() else { return false };
    app.editing = None;
    app.wanted.text = !lesson.hidden;
    app.lesson = Some(lesson);
    stage::bring(app);
    true
}
