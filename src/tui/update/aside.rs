//! A lesson that waits while a copy of its kernel is edited.

use super::stage;
use crate::lesson::edit::copy;
use crate::tui::app::App;
use crate::tui::edit::job::Job;
use crate::tui::facts;
use crate::tui::lesson::Aside;
use crate::tui::mode::Mode;
use crate::tui::task::Task;

/// Has a copy of the lesson's kernel written, to be opened in the user's editor at the line that is
/// shown.
pub(super) fn edit(app: &mut App) {
    let Some(copy) = copy::of(app.run.session.problem()) else {
        app.message = Some("the source of this kernel is not known".to_owned());
        return;
    };
    let line = copy.above + facts::Now::of(&app.run.session, app.run.warp).line.max(1);
    if let Some(lesson) = app.mode.take_lesson() {
        app.mode = Mode::Copy(Aside { lesson, line });
    }
    app.display.wanted.text = false;
    app.tasks.push(Task::Edit(Job::Copy(Box::new(copy))));
}

/// Goes back to the lesson that waits; returns whether one does.
pub(super) fn leave(app: &mut App) -> bool {
    let returns = app.mode.return_to_lesson();
    if let Some(lesson) = app.mode.lesson().filter(|_| returns) {
        app.display.wanted.text = !lesson.hidden;
        stage::bring(app);
    }
    returns
}
