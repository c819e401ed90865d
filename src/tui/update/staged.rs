//! The stage and the workbench: from one to the other, and the panels that join the stage.

use super::focus::focus;
use crate::kernel::Problem;
use crate::tui::app::App;
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::layout::{Panel, ScreenView, SizeClass};
use crate::tui::mode::Mode;
use crate::tui::remembered::ToRemember;
use crate::tui::task::Task;

/// Shows the workbench instead of the stage or the stage instead of the workbench, at the same step,
/// and remembers that.
pub(super) fn switch(app: &mut App) {
    if let Some(lesson) = app.mode.lesson_mut() {
        lesson.panels = !lesson.panels && app.display.wanted.zoomed.is_none();
        app.display.wanted.zoomed = None;
        return;
    }
    if !matches!(app.mode, Mode::Watch) {
        app.message = Some("while a kernel is edited, all panels are shown".to_owned());
        return;
    }
    let zoomed = app.display.wanted.zoomed.take().is_some();
    // From a panel that fills the screen, it goes back to where that was opened.
    if !zoomed {
        app.display.view = app.display.view.other();
        let kernel = app.run.session.problem().name().to_owned();
        app.tasks.push(Task::Remember(ToRemember::View(kernel, app.display.view)));
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
    app.display.stage.joined = Some((app.run.session.id(), None));
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

/// Shows the same kernel with a product whose numbers all fit the screen or, from there, the product
/// before.
pub(super) fn numbers(app: &mut App) {
    let shown = app.kernels.shown;
    if let Some((_, before)) = app.kernels.numbers.filter(|(small, _)| *small == shown) {
        return app.turn_to(before);
    }
    let problem = app.run.session.problem();
    let known = app.kernels.numbers.map(|(small, _)| small);
    match known.filter(|small| app.kernels.cache.problem(*small).name() == problem.name()) {
        Some(small) => show_numbers(app, small),
        None => app.tasks.push(Task::Shrink(shown, Box::new(problem.clone()))),
    }
}

fn show_numbers(app: &mut App, small: KernelIndex) {
    app.kernels.numbers = Some((small, app.kernels.shown));
    app.display.stage.drawer = None;
    app.turn_to(small);
}

impl App {
    /// Shows the product whose numbers all fit, unless another kernel is shown by now.
    pub(super) fn hear_shrunk(&mut self, of: KernelIndex, small: Option<Problem>) {
        let Some(small) = small else {
            self.message =
                Some("no tile of this kernel is so small that its numbers fit".to_owned());
            return;
        };
        let shown = self.run.session.problem();
        if self.kernels.shown == of && shown.name() == small.name() && self.shows_stage() {
            let small = self.kernels.cache.add(small);
            show_numbers(self, small);
        }
    }
}
