//! `matviz TARGET`: the screen, or its contents as text with `--format text`.

mod follow;

use super::gpu_choice::GpuChoice;
use super::learn::screen;
use super::output::{StdoutReader, is_stdin};
use super::problem::{self, block_of};
use super::target::{KernelTarget, TargetArg};
use super::user_kernel::{self, SourceText, say_assumed};
use super::{BadUse, bench, look, output, plain};
use crate::kernel::{BROKEN, KERNELS, Kernel, Problem};
use crate::launch::{Dim3, shape};
use crate::lesson::progress::Progress;
use crate::timing::pack::{self, Pack};
use crate::tui::config::Config;
use crate::tui::layout::ScreenView;
use crate::tui::remembered::Remembered;
use crate::tui::theme::Look;
use crate::tui::{self, FirstRun, StartOptions, terminal};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

/// What the screen starts with.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    target: TargetArg,
    #[command(flatten)]
    shown: ViewOptions,
    /// The form of what is printed instead of the screen: text, one line per event
    #[arg(long, value_name = "FORM", value_parser = ["text"], hide_possible_values = true,
          conflicts_with_all = ["pack", "gpu"])]
    format: Option<String>,
    /// GPU to measure on, counted from 0, or none: the times shown are recorded ones [default: 0]
    #[arg(long, value_name = "N|none", hide_short_help = true)]
    gpu: Option<GpuChoice>,
}

/// Whether a file is shown anew at every save.
enum Followed {
    Yes(PathBuf),
    /// It is not, for this reason if there is a file.
    No(Option<String>),
}

/// What is shown, and how.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct ViewOptions {
    #[command(flatten)]
    pub(super) problem: problem::Args,
    /// Block to watch [default: one in the middle of the grid]
    #[arg(long, value_name = "X,Y", value_parser = shape::place, hide_short_help = true)]
    at: Option<Dim3>,
    /// Timing pack for the Measure screen [default: the embedded one]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pack: Option<PathBuf>,
    #[command(flatten)]
    pub(super) look: look::Args,
}

/// Shows the screen until the user quits.
///
/// # Errors
/// No terminal, a block outside the grid, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (shown, kernel) = args.shown.of(args.target.get()?)?;
    if args.format.is_some() {
        return as_text(&shown, kernel);
    }
    let device = match &args.gpu {
        None => Some(0),
        Some(choice) => choice.one().map_err(BadUse::of)?,
    };
    // Loading the recorded times takes some milliseconds, so it runs in parallel with the rest.
    thread::spawn(|| _ = pack::packs());
    // Before anything is compiled, so that a pipe gets its error at once.
    output::screen("use --format text for the run as text")?;
    let once = match shown.followed()? {
        Followed::Yes(file) => return follow::run(&file, &shown),
        Followed::No(why) => why,
    };
    let (options, config) = shown.options(kernel, terminal::look())?;
    let told = [once.as_ref(), options.message.as_ref()].into_iter().flatten();
    let mut message = told.map(String::as_str).collect::<Vec<_>>().join("; ");
    if let Some(once) = once.filter(|_| !fits(&message) && shown.look.config().1.is_none()) {
        message = format!("{once}; {REST}");
    }
    let shown_first = options.problems.get(options.kernel).map_or("", |first| first.name());
    let remembered = Remembered::of_user();
    let view = config.view.or_else(|| remembered.view_of(shown_first)).unwrap_or_default();
    tui::run(StartOptions {
        view,
        told: remembered.told,
        message: Some(message).filter(|message| !message.is_empty()),
        device,
        playing: true,
        lessons: match device {
            Some(_) => options.lessons,
            None => screen::lessons_without_gpu(Progress::of_user()),
        },
        ..options
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the run of a block.
fn as_text(shown: &ViewOptions, kernel: Option<&'static Kernel>) -> anyhow::Result<ExitCode> {
    if shown.look.sets_other_than(&["view"]) {
        let told = "--set is for the screen: as text, view=stage alone says more; leave it out";
        return Err(BadUse(told.to_owned()).into());
    }
    let given = &shown.problem;
    let problem = given.problem(kernel)?;
    given.refuse_fill(&problem)?;
    say_assumed(&problem);
    let block = block_of(&problem, shown.at)?;
    let program = given.program(&problem)?;
    if shown.look.over(Config::default()).view == Some(ScreenView::Stage)
        && output::print(&plain::stage(&problem, &program, block))? == StdoutReader::Gone
    {
        return Ok(ExitCode::SUCCESS);
    }
    plain::run(&problem, program, block, given.order_to_watch())
}

/// The columns that the last row has on the narrowest screen with panels.
const ROW: usize = 78;

/// What stands for all that has no room in it.
const REST: &str = "matviz check tells the rest";

fn fits(row: &str) -> bool {
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
    fn followed(&self) -> Result<Followed, BadUse> {
        let foreign = &self.problem.foreign;
        let Some(file) = foreign.file.as_ref().filter(|file| !is_stdin(file)) else {
            return Ok(Followed::No(None));
        };
        let is_ptx = || SourceText::read(file).map(|text| matches!(text, SourceText::Ptx(_)));
        let why = match foreign.compiled_otherwise() {
            Some(option) => option,
            None if self.problem.fill.is_some() => "--fill",
            None if is_ptx()? => "PTX",
            None => return Ok(Followed::Yes(file.clone())),
        };
        Ok(Followed::No(Some(format!("{why}: read once, saves are not followed"))))
    }

    /// The same for a kernel or a file.
    ///
    /// # Errors
    /// An option that it does not have.
    pub(super) fn of(
        &self,
        target: Option<KernelTarget>,
    ) -> Result<(Self, Option<&'static Kernel>), BadUse> {
        let (problem, kernel) = self.problem.of(target)?;
        Ok((Self { problem, ..self.clone() }, kernel))
    }

    /// Whether it is said what the screen opens with.
    pub(super) fn has_view(&self) -> bool {
        self.look.sets(&["view"])
    }

    /// The block to watch, if one is given.
    pub(super) const fn at(&self) -> Option<Dim3> {
        self.at
    }

    /// The recorded times.
    ///
    /// # Errors
    /// The file is no timing pack.
    pub(super) fn recorded(&self) -> anyhow::Result<Option<Cow<'static, Pack>>> {
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
