//! The lessons on the screen: what `matviz lessons` and `matviz lesson` show without `--plain`.

use super::live_times::LiveTimes;
use super::output::{self, complain};
use super::{BadUse, check, look};
use crate::kernel::KERNELS;
use crate::lesson::document::Course;
use crate::lesson::progress::Progress;
use crate::lesson::read;
use crate::lesson::stage::Stages;
use crate::matrix::Size;
use crate::sim::Order;
use crate::timing::pack;
use crate::tui::config::{self, Config};
use crate::tui::lesson::{Lessons, Opening};
use crate::tui::{self, StartAt, StartOptions, clock, terminal};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which lessons, whose progress, and how the screen looks and moves.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Neither read nor write what you have answered
    #[arg(long)]
    no_progress: bool,
    /// Take the lessons from PATH instead: a file, a folder, or - for stdin
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    #[command(flatten)]
    look: look::Args,
    /// Do not show the way between two steps of a run that plays
    #[arg(long)]
    still: bool,
    /// Leave the mouse to the terminal, to select text with it
    #[arg(long)]
    no_mouse: bool,
}

/// The kernel and the size of the picture beside the list of lessons.
const KERNEL: &str = "tiled";
const SIZE: Size = Size::square(64);

/// What the screen offers to somebody with this progress.
pub(super) fn lessons(progress: Progress) -> Lessons {
    Lessons {
        stages: Stages::timed_by(Some(LiveTimes::start())),
        ..Lessons::of(progress, clock::today())
    }
}

/// The same without a GPU: the times in lessons are the recorded ones.
pub(super) fn lessons_without_gpu(progress: Progress) -> Lessons {
    Lessons { stages: Stages::timed_by(None), ..Lessons::of(progress, clock::today()) }
}

impl Args {
    /// The course that comes with matviz, or the lessons of a file or folder, and whether they have no
    /// error; what is wrong with them is told on stderr.
    ///
    /// # Errors
    /// There is no such file or folder.
    pub(super) fn course(&self) -> Result<(Course, bool), BadUse> {
        let Some(path) = &self.from else { return Ok((read::shipped().0, true)) };
        let (course, complaints) = check::read(path)?;
        let mut is_right = true;
        for complaint in complaints.iter().filter(|complaint| !complaint.warning) {
            is_right = false;
            complain(&complaint.to_string());
        }
        Ok((course, is_right))
    }

    /// Whether it is the course that comes with matviz.
    pub(super) const fn is_shipped(&self) -> bool {
        self.from.is_none()
    }

    /// The learner's progress, or one that ends with the program.
    pub(super) fn progress(&self) -> Progress {
        if self.no_progress { Progress::nowhere() } else { Progress::of_user() }
    }

    /// Shows the list of lessons, or a page of one, until the user leaves.
    pub(super) fn show(
        &self,
        open: Opening,
        lessons: Lessons,
        notices: Vec<String>,
    ) -> anyhow::Result<ExitCode> {
        output::screen("use --plain for the lessons as text")?;
        let (config, wrong) = match config::load() {
            Ok(config) => (config, None),
            Err(error) => (Config::default(), Some(error.to_string())),
        };
        let message: Vec<_> = wrong.into_iter().chain(notices).collect();
        let message = (!message.is_empty()).then(|| message.join("; "));
        let problems: Vec<_> = KERNELS.iter().map(|kernel| kernel.problem_for(SIZE)).collect();
        let kernel = problems.iter().position(|problem| problem.name() == KERNEL).unwrap_or(0);
        let grid = problems[kernel].launch.grid;
        tui::run(StartOptions {
            block: crate::launch::Dim3::at(grid.x / 2, grid.y / 2),
            problems,
            kernel,
            order: Order::ByPhase,
            look: self.look.look(&config, terminal::look()),
            keymap: config.keymap.clone(),
            mouse: !self.no_mouse && config.mouse.unwrap_or(true),
            device: None,
            playing: false,
            pace: config.pace.unwrap_or_default(),
            motion: look::moves(self.still, &config),
            view: config.view.unwrap_or_default(),
            told: true,
            begin: StartAt::default(),
            pack: pack::packs().first().map(Cow::Borrowed),
            lessons: Lessons { open: Some(open), ..lessons },
            message,
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
