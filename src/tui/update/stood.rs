//! The run that stood before the lessons.

use crate::tui::app::App;
use crate::tui::chart::Chart;
use crate::tui::kernel_cache::Kernels;
use crate::tui::lesson::Stood;
use crate::tui::run_view::RunView;
use crate::tui::session::{Goal, Session};

/// Keeps the run that a lesson is about to replace, unless that is a lesson's too.
pub(super) fn keep(app: &mut App, kernels: Kernels) {
    let RunView { session, warp, watch, .. } = &app.run;
    let (block, order, step) = (session.block(), session.order(), session.at());
    let (warp, playback, wanted) = ((*warp, *watch), app.play.playback, app.display.wanted);
    app.run.stood.get_or_insert_with(|| {
        Box::new(Stood { kernels, block, order, step, warp, playback, wanted })
    });
}

/// Brings the run back, at its step and paused.
pub(super) fn bring_back(app: &mut App) {
    let Some(stood) = app.run.stood.take() else { return };
    let Stood { kernels, block, order, step, warp, playback, wanted } = *stood;
    let Some(loaded) = kernels.shelf.loaded(kernels.shown).cloned() else { return };
    app.kernels = Kernels { turning: None, corner: None, ..kernels };
    app.run.followed = None;
    app.measuring.measures.turn_to(&app.kernels.shelf.problems());
    app.display.chart = Chart::of(&loaded.problem);
    app.show(|_, id| Session::new(id, loaded, block, order));
    app.run.session.go(Goal::Step(step));
    (app.play.playback, app.display.wanted) = (playback, wanted);
    (app.play.playback.playing, app.display.wanted.text) = (false, false);
    app.moved();
    (app.run.warp, app.run.watch) = warp;
}
