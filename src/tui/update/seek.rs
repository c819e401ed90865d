//! Going to another step or block of the run.

use crate::launch::Dim3;
use crate::report::found::Shows;
use crate::tui::app::App;
use crate::tui::session::Goal;

/// Goes to the first step at which warps conflict or, if there is none, at which any finding shows.
pub(super) fn first_finding(app: &mut App) {
    let all = || app.session.found().into_iter().flatten();
    let between = all().filter(|found| found.is_between_warps());
    let first = |shows: &Shows| shows.step;
    let step = between.flat_map(|found| &found.shows).map(first).min();
    let step = step.or_else(|| all().flat_map(|found| &found.shows).map(first).min());
    if let Some(step) = step {
        go_to(app, step);
    }
}

/// Goes to a step at which a finding may show, and selects the warp that it is about.
pub(super) fn go_to(app: &mut App, step: usize) {
    let warp = app.session.shows_at(step).next().map(|shows| shows.warp);
    go_to_warp(app, step, warp.map(usize::from));
}

pub(super) fn go_to_warp(app: &mut App, step: usize, warp: Option<usize>) {
    app.playback.playing = false;
    app.aim = warp.map(|warp| (step, warp));
    app.session.go(Goal::Step(step));
    app.moved();
}

pub(super) fn select_block(app: &mut App, block: Dim3) {
    if app.session.problem().launch.grid.contains(block) {
        let at = app.session.heading();
        app.show(|was, id| was.again(id, block, was.order()));
        app.session.go(Goal::Step(at));
    }
}
