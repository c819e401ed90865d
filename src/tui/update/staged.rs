//! The stage and the workbench: from one to the other, and the panels that join the stage.

use super::focus::focus;
use crate::kernel::{Problem, Tile};
use crate::matrix::{SMALL, Size};
use crate::tui::app::App;
use crate::tui::layout::{Panel, ScreenView, SizeClass};
use crate::tui::mode::Mode;
use crate::tui::remembered::Remembered;
use crate::tui::task::Task;

/// Shows the workbench instead of the stage or the stage instead of the workbench, at the same step,
/// and remembers that.
pub(super) fn switch(app: &mut App) {
    if let Some(lesson) = app.mode.lesson_mut().filter(|lesson| !lesson.now().places.is_empty()) {
        lesson.panels = !lesson.panels && app.display.wanted.zoomed.is_none();
        app.display.wanted.zoomed = None;
        return;
    }
    if !matches!(app.mode, Mode::Watch) {
        app.message = Some("this page shows panels: it speaks of what only they show".to_owned());
        return;
    }
    let zoomed = app.display.wanted.zoomed.take().is_some();
    // From a panel that fills the screen, it goes back to where that was opened.
    if !zoomed {
        app.display.view = app.display.view.other();
        app.tasks.push(Task::Remember(Remembered { view: Some(app.display.view) }));
    }
    app.measuring.measure_view = None;
    if app.display.view == ScreenView::Stage {
        let refusal = app.display.stage.refusal(app.run.session.id());
        app.message = refusal.map(str::to_owned);
    }
}

/// Lets a panel join the stage; if it has already, it leaves.
pub(super) fn join(app: &mut App, panel: Panel) {
    let wide = SizeClass::of(app.size().width, app.size().height) >= SizeClass::Medium;
    let alone = matches!(app.mode, Mode::Watch);
    if panel == Panel::Compare && wide && alone && app.kernels.compared().is_some() {
        app.display.stage.beside = !app.display.stage.beside;
        app.display.stage.drawer = None;
        return;
    }
    if app.display.stage.drawer == Some(panel) {
        close(app);
        return;
    }
    focus(app, panel);
    app.display.stage.drawer = Some(panel);
}

/// Closes the stage beside it or the panel that has joined it; returns whether there was one.
pub(super) fn close(app: &mut App) -> bool {
    if app.shows_stage() && std::mem::take(&mut app.display.stage.beside) {
        return true;
    }
    let open = app.shows_stage() && app.display.stage.drawer.take().is_some();
    if open {
        app.display.stage.closed = Some(app.run.session.id());
    }
    open
}

/// The tile and the size of a product whose numbers all fit a screen.
const SMALL_TILE: u32 = 4;
const SMALL_SIZE: u32 = 8;

/// Shows the same kernel with a product whose numbers all fit the screen or, from there, the product
/// before.
pub(super) fn numbers(app: &mut App) {
    let shown = app.kernels.shown;
    if let Some((_, before)) = app.kernels.numbers.filter(|(small, _)| *small == shown) {
        return app.turn_to(before);
    }
    let name = app.run.session.problem().name();
    let known = app.kernels.numbers.map(|(small, _)| small);
    let known = known.filter(|small| app.kernels.cache.problem(*small).name() == name);
    let small = known.or_else(|| {
        let problem = small(app.run.session.problem())?;
        Some(app.kernels.cache.add(problem))
    });
    let Some(small) = small else {
        app.message = Some("no tile of this kernel is so small that its numbers fit".to_owned());
        return;
    };
    app.kernels.numbers = Some((small, shown));
    app.display.stage.drawer = None;
    app.turn_to(small);
}

/// The same kernel with a product of digits, if it has a tile that is small enough.
fn small(problem: &Problem) -> Option<Problem> {
    let kernel = problem.catalogue()?;
    let variant = kernel.variant(Tile::square(SMALL_TILE))?;
    let (file, defines) = (kernel.file(), variant.defines());
    let options = cudac::CompileOptions {
        file: &file,
        defines: &defines,
        headers: &[],
        instances: &[],
        rolled: false,
    };
    let ptx = match variant.ptx {
        Some(ptx) => ptx.into(),
        None => cudac::compile(kernel.source, &options).ok()?.ptx.into(),
    };
    let small = Problem::of(kernel, variant, Size::square(SMALL_SIZE), ptx);
    Some(Problem { seed: SMALL, ..small })
}
