//! The lessons on the screen: what `matviz learn` shows.

use super::live_times::LiveTimes;
use crate::cli::BadUse;
use crate::cli::course::check;
use crate::cli::look;
use crate::cli::output::{self, complain};
use crate::kernel::KERNELS;
use crate::launch::Dim3;
use crate::lesson::document::Course;
use crate::lesson::progress::Progress;
use crate::lesson::read;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Size;
use crate::sim::Order;
use crate::timing::pack;
use crate::tui::layout::ScreenView;
use crate::tui::lesson::{Lessons, Opening};
use crate::tui::{self, FirstRun, StartOptions, clock, terminal};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which lessons, whose progress, and how the screen looks and moves.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Neither read nor write what you have answered
    #[arg(long, hide_short_help = true)]
    no_progress: bool,
    /// Take the lessons from PATH instead: a file, a folder, or - for stdin
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    from: Option<PathBuf>,
    #[command(flatten)]
    look: look::Args,
}

/// The kernel and the size of the picture beside the list of lessons.
const KERNEL: &str = "tiled";
const SIZE: Size = Size::square(64);

/// What the screen offers to somebody with this progress.
pub(in crate::cli) fn lessons(progress: Progress) -> Lessons {
    Lessons {
        cache: SettingCache::timed_by(Some(LiveTimes::start())),
        ..Lessons::of(progress, clock::today())
    }
}

/// The same without a GPU: the times in lessons are the recorded ones.
pub(in crate::cli) fn lessons_without_gpu(progress: Progress) -> Lessons {
    Lessons { cache: SettingCache::timed_by(None), ..Lessons::of(progress, clock::today()) }
}

impl Args {
    /// The course that comes with matviz, or the lessons of a file or folder, and whether they have no
    /// error; what is wrong with them is told on stderr.
    ///
    /// # Errors
    /// There is no such file or folder.
    pub(in crate::cli) fn course(&self) -> Result<(Course, bool), BadUse> {
        let Some(path) = &self.from else { return Ok((read::shipped().0, true)) };
        let (course, complaints) = check::read(path)?;
        let mut is_right = true;
        for complaint in complaints.iter().filter(|complaint| !complaint.warning) {
            is_right = false;
            complain(&complaint.to_string());
        }
        Ok((course, is_right))
    }

    /// Whether settings of the screen are given.
    pub(in crate::cli) const fn is_set(&self) -> bool {
        self.look.is_given()
    }

    /// Whether it is the course that comes with matviz.
    pub(in crate::cli) const fn is_shipped(&self) -> bool {
        self.from.is_none()
    }

    /// The learner's progress, or one that ends with the program.
    pub(in crate::cli) fn progress(&self) -> Progress {
        if self.no_progress { Progress::nowhere() } else { Progress::of_user() }
    }

    /// What the screen starts with on which a file is edited.
    pub(in crate::cli) fn edits(&self, run: FirstRun) -> StartOptions {
        let (config, message) = self.look.config();
        let options = look::start(run, &config, terminal::look(), lessons(self.progress()));
        let pack = pack::packs().first().map(Cow::Borrowed);
        StartOptions { view: ScreenView::Workbench, pack, message, ..options }
    }

    /// Shows the list of lessons, or a page of one, until the user leaves.
    pub(in crate::cli) fn show(
        &self,
        open: Opening,
        lessons: Lessons,
        notices: Vec<String>,
    ) -> anyhow::Result<ExitCode> {
        output::screen("use --format text for the lessons as text")?;
        let (config, wrong) = self.look.config();
        let message: Vec<_> = wrong.into_iter().chain(notices).collect();
        let message = (!message.is_empty()).then(|| message.join("; "));
        let problems: Vec<_> = KERNELS.iter().map(|kernel| kernel.problem_for(SIZE)).collect();
        let kernel = problems.iter().position(|problem| problem.name() == KERNEL).unwrap_or(0);
        let grid = problems[kernel].launch.grid;
        let run = FirstRun {
            block: Dim3::at(grid.x / 2, grid.y / 2),
            problems,
            kernel,
            order: Order::ByPhase,
        };
        let lessons = Lessons { open: Some(open), ..lessons };
        let pack = pack::packs().first().map(Cow::Borrowed);
        let options = look::start(run, &config, terminal::look(), lessons);
        tui::run(StartOptions { pack, message, ..options })?;
        Ok(ExitCode::SUCCESS)
    }
}
