//! `matviz mine.cu`: shows a kernel while it is edited elsewhere, anew at every save.

use super::options::ViewOptions;
use crate::cli::BadUse;
use crate::cli::learn::screen;
use crate::cli::look;
use crate::cli::problem::block_of;
use crate::kernel::{Problem, find};
use crate::lesson::edit::version::{EditRequest, Version};
use crate::lesson::progress::Progress;
use crate::matrix::Size;
use crate::own::launch::StatedLaunch;
use crate::sim::Order;
use crate::tui::edit::job::{Opened, file_name};
use crate::tui::layout::ScreenView;
use crate::tui::{self, FirstRun, StartOptions, clock, terminal};
use std::path::Path;
use std::process::ExitCode;

/// Shows the file until the user quits, and its newest version at every save.
///
/// # Errors
/// A file that cannot be read; no terminal.
pub(super) fn run(file: &Path, shown: &ViewOptions) -> anyhow::Result<ExitCode> {
    let foreign = &shown.problem.foreign;
    let launch = StatedLaunch { size: shown.problem.size, ..foreign.stated() };
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let (defines, include) = (foreign.define.clone(), foreign.include.clone());
    let request =
        EditRequest { file: file_name(file), folder, include, launch, defines, assignment: None };
    let opened = Opened::read(file.to_owned(), request, clock::time_of_day());
    let opened = opened.map_err(|why| BadUse(format!("{}: {why}", file.display())))?;
    tui::edit(options(shown, &opened)?, opened)?;
    Ok(ExitCode::SUCCESS)
}

/// The initial state of the screen: the file's first version or, if that does not compile, a
/// kernel that is not drawn until one does.
fn options(shown: &ViewOptions, opened: &Opened) -> anyhow::Result<StartOptions> {
    let problem = first(opened);
    let is_there = problem.is_some();
    let problem = problem.unwrap_or_else(hidden);
    let block = block_of(&problem, shown.at().filter(|_| is_there))?;
    let (config, message) = shown.look.config();
    let order = shown.problem.order_to_watch();
    let run = FirstRun { problems: vec![problem], kernel: 0, block, order };
    let lessons = screen::lessons(Progress::of_user());
    let options = look::start(run, &config, terminal::look(), lessons);
    let (view, pack) = (ScreenView::Workbench, shown.recorded()?);
    Ok(StartOptions { view, pack, message, ..options })
}

/// The run that a file's screen begins with: that of its first version in the middle of the grid, or
/// what [`hidden`] gives.
pub(in crate::cli) fn first_run(opened: &Opened) -> FirstRun {
    let problem = first(opened).unwrap_or_else(hidden);
    let grid = problem.launch.grid;
    let block = grid.middle();
    FirstRun { problems: vec![problem], kernel: 0, block, order: Order::ByPhase }
}

/// The file's first version, if it compiles.
fn first(opened: &Opened) -> Option<Problem> {
    let version = Version::of(&opened.text, &opened.request).ok()?;
    Some(version.stages.first()?.problem.clone())
}

/// A small kernel for a screen that shows none.
fn hidden() -> Problem {
    let naive = find("naive").unwrap_or(&crate::kernel::KERNELS[0]);
    naive.problem_for(Size::square(16))
}
