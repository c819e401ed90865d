//! The run that stood before the lessons.

use crate::tui::app::App;
use crate::tui::chart::Chart;
use crate::tui::kernel_cache::KernelCache;
use crate::tui::lesson::Stood;
use crate::tui::session::{Goal, Session};

/// Keeps the run that a lesson is about to replace, unless that is a lesson's too.
pub(super) fn keep(app: &mut App, shelf: KernelCache) {
    if app.stood.is_some() {
        return;
    }
    let (kernel, before, session) = (app.kernel, app.before, &app.session);
    let (block, order, step) = (session.block(), session.order(), session.at());
    let (warp, playback, wanted) = ((app.warp, app.watch), app.playback, app.wanted);
    let stood = Stood { shelf, kernel, before, block, order, step, warp, playback, wanted };
    app.stood = Some(Box::new(stood));
}

/// Brings the run back, at its step and paused.
pub(super) fn bring_back(app: &mut App) {
    let Some(stood) = app.stood.take() else { return };
    let Stood { shelf, kernel, before, block, order, step, warp, playback, wanted } = *stood;
    let Some(loaded) = shelf.loaded(kernel).cloned() else { return };
    (app.shelf, app.kernel, app.before) = (shelf, kernel, before);
    (app.turning, app.corner, app.followed) = (None, None, None);
    app.measures.turn_to(&app.shelf.problems());
    app.chart = Chart::of(&loaded.problem);
    app.show(|_, id| Session::new(id, loaded, block, order));
    app.session.go(Goal::Step(step));
    (app.playback, app.wanted) = (playback, wanted);
    (app.playback.playing, app.wanted.text) = (false, false);
    app.moved();
    (app.warp, app.watch) = warp;
}
