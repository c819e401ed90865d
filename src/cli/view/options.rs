//! What is shown, and how, on the screen and in what is made of it.

use crate::cli::learn::screen;
use crate::cli::output::is_stdin;
use crate::cli::problem::{self, block_of};
use crate::cli::target::KernelTarget;
use crate::cli::user_kernel::{self, SourceText};
use crate::cli::{BadUse, bench, look};
use crate::kernel::{BROKEN, KERNELS, Kernel, Problem};
use crate::launch::{Dim3, shape};
use crate::lesson::progress::Progress;
use crate::timing::pack::{self, Pack};
use crate::tui::config::Config;
use crate::tui::link::ScreenLink;
use crate::tui::theme::Look;
use crate::tui::{FirstRun, StartOptions};
use std::borrow::Cow;
use std::path::PathBuf;

/// Whether a file is shown anew at every save.
pub(super) enum FollowedFile {
    Yes(PathBuf),
    /// It is not, for this reason if there is a file.
    No(Option<String>),
}

/// What is shown, and how.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct ViewOptions {
    #[command(flatten)]
    pub(in crate::cli) problem: problem::Args,
    /// Block to watch [default: one in the middle of the grid]
    #[arg(long, value_name = "X,Y", value_parser = shape::place, hide_short_help = true)]
    pub(super) at: Option<Dim3>,
    /// Timing pack for the Measure screen [default: the embedded one]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pack: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) look: look::Args,
}

/// The columns that the last row has on the narrowest screen with panels.
const ROW: usize = 78;

/// What stands for all that has no room in it.
pub(super) const REST: &str = "matviz check tells the rest";

pub(super) fn fits(row: &str) -> bool {
    row.chars().count() <= ROW
}

/// What is assumed of a launch and which files are not shown, in one row: without the reasons where they
/// are too long for it, which `matviz check` gives.
fn assumed(problem: &Problem) -> Option<String> {
    let told = |assumed: Vec<String>| {
        let assumed = (!assumed.is_empty()).then(|| format!("assuming {}", assumed.join("; ")));
        assumed.into_iter().chain(user_kernel::unseen(problem)).collect::<Vec<_>>().join("; ")
    };
    let all = &problem.assumed;
    let whole = told(all.told().map(ToString::to_string).collect());
    let brief = told(all.told().map(|one| one.what.clone()).collect()) + "; " + REST;
    let row = [whole, brief, REST.to_owned()].into_iter().find(|row| fits(row));
    row.filter(|row| !row.is_empty())
}

impl ViewOptions {
    /// Whether a theme is set, which text has none of.
    pub fn is_themed(&self) -> bool {
        self.look.sets(&["theme"])
    }

    /// Whether it is set how the way between two steps is shown.
    pub fn is_still(&self) -> bool {
        self.look.sets(&["reduced_motion", "mouse"])
    }

    /// A block of a problem's grid, with the configuration's appearance.
    pub fn new(problem: problem::Args, block: Dim3) -> Self {
        Self { problem, at: Some(block), pack: None, look: look::Args::default() }
    }

    /// The file that is shown anew at every save, or why it is not: CUDA C or Python is, compiled as
    /// usual.
    pub(super) fn followed(&self) -> Result<FollowedFile, BadUse> {
        let foreign = &self.problem.foreign;
        let Some(file) = foreign.file.as_ref().filter(|file| !is_stdin(file)) else {
            return Ok(FollowedFile::No(None));
        };
        let is_ptx = || SourceText::read(file).map(|text| matches!(text, SourceText::Ptx(_)));
        let why = match foreign.compiled_otherwise() {
            Some(option) => option,
            None if self.problem.fill.is_some() => "--fill",
            None if is_ptx()? => "PTX",
            None => return Ok(FollowedFile::Yes(file.clone())),
        };
        Ok(FollowedFile::No(Some(format!("{why}: read once, saves are not followed"))))
    }

    /// The same for a kernel or a file.
    ///
    /// # Errors
    /// An option that it does not have.
    pub(in crate::cli) fn of(
        &self,
        target: Option<KernelTarget>,
    ) -> Result<(Self, Option<&'static Kernel>), BadUse> {
        let (problem, kernel) = self.problem.of(target)?;
        Ok((Self { problem, ..self.clone() }, kernel))
    }

    /// What a link says where these options say nothing.
    pub(super) fn at_link(&self, link: &ScreenLink) -> Self {
        let given = &self.problem;
        let (tile, size) = (given.tile.or(link.tile), given.size.or(link.size));
        let problem = problem::Args { tile, size, ..given.clone() };
        Self { problem, at: self.at.or(link.block), ..self.clone() }
    }

    /// Whether it is said what the screen opens with.
    pub(in crate::cli) fn has_view(&self) -> bool {
        self.look.sets(&["view"])
    }

    /// The block to watch, if one is given.
    pub(in crate::cli) const fn at(&self) -> Option<Dim3> {
        self.at
    }

    /// The recorded times.
    ///
    /// # Errors
    /// The file is no timing pack.
    pub(in crate::cli) fn recorded(&self) -> anyhow::Result<Option<Cow<'static, Pack>>> {
        let recorded = self.pack.as_deref().map(bench::record::read).transpose()?.map(Cow::Owned);
        Ok(recorded.or_else(|| pack::packs().first().map(Cow::Borrowed)))
    }

    /// The initial state of the screen, paused and without a GPU, for a terminal with the
    /// appearance `found`; and the user's configuration.
    ///
    /// # Errors
    /// A block outside the grid, a tile size that cannot be compiled, a file that is not a pack.
    pub fn options(
        &self,
        kernel: Option<&'static Kernel>,
        found: Look,
    ) -> anyhow::Result<(StartOptions, Config)> {
        let problem = self.problem.problem(kernel)?;
        self.problem.program(&problem)?;
        let block = block_of(&problem, self.at)?;
        let (config, wrong) = self.look.config();
        let message = wrong.or_else(|| assumed(&problem));
        let (problems, kernel) = self.problems(&problem);
        let run = FirstRun { problems, kernel, block, order: self.problem.order_to_watch() };
        let lessons = screen::lessons(Progress::of_user());
        let options = look::start(run, &config, found, lessons);
        let options = StartOptions { pack: self.recorded()?, message, ..options };
        Ok((options, config))
    }

    /// Every kernel of the catalogue with this problem's size and tile, in the catalogue's order, and
    /// the index of the one to show. A kernel that cannot be compiled for this tile is left out of the
    /// comparison. A user's kernel stands alone, since it is not known whether it does the same work
    /// per block; so does a kernel that is broken on purpose.
    fn problems(&self, shown: &Problem) -> (Vec<Problem>, usize) {
        let broken = |kernel: &Kernel| BROKEN.iter().any(|other| other.name == kernel.name);
        if shown.catalogue().is_none_or(broken) {
            return (vec![shown.clone()], 0);
        }
        let of = |kernel: &'static Kernel| {
            let embedded = user_kernel::Args::default();
            // A kernel without this tile uses its own.
            let tile = self.problem.tile.filter(|tile| kernel.variant(*tile).is_some());
            let other = problem::Args { foreign: embedded, tile, ..self.problem.clone() };
            let same = kernel.name == shown.name();
            if same { Some(shown.clone()) } else { other.problem(Some(kernel)).ok() }
        };
        let problems: Vec<_> = KERNELS.iter().filter_map(of).collect();
        let kernel = problems.iter().position(|problem| problem.name() == shown.name());
        (problems, kernel.unwrap_or(0))
    }
}
