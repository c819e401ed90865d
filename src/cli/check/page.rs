//! `matviz check -o report.html`: the result with the source and a picture, in one file.

use super::args::KernelCheck;
use crate::cli::export::run::animated;
use crate::cli::problem::block_of;
use crate::cli::view::ViewOptions;
use crate::export;
use crate::kernel::{Kernel, Problem};
use crate::report::sim::SimReport;
use crate::report::sim::page::PageParts;
use crate::tui::action::Action;
use crate::tui::film::Film;
use crate::tui::headless::settle;
use crate::tui::layout::ScreenView;
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{App, StartAt, StartOptions, frame, ground, update};

/// The steps that are played before the one at which the picture ends.
const BEFORE: usize = 400;

/// The size of the picture, in characters.
const SCREEN: (u16, u16) = (120, 36);

/// The stage, the same for everybody: no learner's progress, no settings.
fn start(shown: &ViewOptions, kernel: Option<&'static Kernel>) -> anyhow::Result<StartOptions> {
    let (options, _) = shown.options(kernel, Look::default())?;
    let (look, view, begin) = (Look::default(), ScreenView::Stage, StartAt::Finding);
    Ok(StartOptions { look, view, begin, lessons: Lessons::default(), ..options })
}

/// The page; `name` is that of the file.
///
/// # Errors
/// A block outside the grid, PTX that cannot be run.
pub(super) fn html(
    check: &KernelCheck<'_>,
    problem: &Problem,
    outcome: &SimReport,
    name: &str,
) -> anyhow::Result<String> {
    let shown = ViewOptions::new(check.problem.clone(), block_of(problem, check.args.at)?);
    let options = || start(&shown, check.kernel);
    let (mut app, tasks) = App::new(options()?, SCREEN)?;
    settle(&mut app, tasks);
    if outcome.is_sound() {
        // The first barrier, where a tile is complete.
        let tasks = update::update(&mut app, Action::NextPhase);
        settle(&mut app, tasks);
    }
    let (to, ground) = (app.at(), ground(Look::default()));
    let begun = StartOptions { begin: StartAt::default(), ..options()? };
    let (film, _) = Film::new(begun, SCREEN, to.saturating_sub(BEFORE)..to, &[])?;
    let end = frame(&app, SCREEN.0, SCREEN.1);
    let picture = animated(film, Some(&end), ground, app.sentence());
    let picture = picture.unwrap_or_else(|| export::svg(&end, ground));
    let source = problem.source.as_ref().map_or(&*problem.ptx, |source| &source.text);
    let parts = PageParts {
        file: name,
        source,
        picture: &picture,
        caption: app.sentence(),
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(outcome.html(&parts))
}
