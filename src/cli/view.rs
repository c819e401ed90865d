//! `matviz`: the screen, or its contents as text with `--plain`.

use super::BadUse;
use super::names::{KERNEL, NameParser};
use super::output::StdoutReader;
use super::problem::{self, block_of};
use super::user_kernel::{self, say_assumed};
use super::{bench, course_screen, look, output, plain};
use crate::kernel::{BROKEN, KERNELS, Kernel, Problem};
use crate::launch::{Dim3, shape};
use crate::lesson::progress::Progress;
use crate::timing::pack;
use crate::tui::config::{self, Config};
use crate::tui::layout::{ScreenView, UnknownView};
use crate::tui::playback::{Pace, UnknownPace};
use crate::tui::remembered::Remembered;
use crate::tui::theme::Look;
use crate::tui::{self, StartAt, StartOptions, terminal};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

const PACE: NameParser<Pace> = NameParser {
    of: || vec![("meaning", "what is new is slow, what repeats is fast"), ("even", "")],
    parse: |text| text.parse().map_err(|error: UnknownPace| BadUse::of(error)),
};

const VIEW: NameParser<ScreenView> = NameParser {
    of: || vec![("stage", "what happens now, large"), ("workbench", "all panels")],
    parse: |text| text.parse().map_err(|error: UnknownView| BadUse::of(error)),
};

/// What the screen starts with.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    #[command(flatten)]
    shown: ViewOptions,
    /// Print the run as text, one line per event
    #[arg(long, conflicts_with_all = ["pack", "pace", "still", "theme", "glyphs", "no_gpu"])]
    plain: bool,
    /// GPU to measure on, counted from 0
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "plain",
        hide_short_help = true
    )]
    device: u32,
    /// Do not use the GPU; show recorded times
    #[arg(long, conflicts_with = "device", hide_short_help = true)]
    no_gpu: bool,
    /// Leave the mouse to the terminal, to select text with it
    #[arg(long, conflicts_with = "plain", hide_short_help = true)]
    no_mouse: bool,
}

/// What is shown, and how.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct ViewOptions {
    #[command(flatten)]
    problem: problem::Args,
    /// Kernel of the catalogue; `matviz --help` lists them [default: tiled]
    #[arg(long, value_name = "NAME", value_parser = KERNEL, hide_possible_values = true)]
    kernel: Option<&'static Kernel>,
    /// Block to watch [default: one in the middle of the grid]
    #[arg(long, value_name = "X,Y", value_parser = shape::place, hide_short_help = true)]
    at: Option<Dim3>,
    /// Timing pack for the Measure screen [default: the embedded one]
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pack: Option<PathBuf>,
    /// How the run plays: by meaning (what is new is slow, what repeats is fast) or even
    /// [default: meaning]
    #[arg(long, value_name = "PACE", value_parser = PACE, hide_possible_values = true,
          hide_short_help = true)]
    pace: Option<Pace>,
    /// Do not show the way between two steps of a run that plays
    #[arg(long, hide_short_help = true)]
    still: bool,
    /// What the screen opens with: the stage (what happens now, large) or the workbench (all panels)
    /// [default: the one chosen last, at first the stage]
    #[arg(long, value_name = "VIEW", value_parser = VIEW, hide_possible_values = true,
          hide_short_help = true)]
    view: Option<ScreenView>,
    #[command(flatten)]
    look: look::Args,
}

/// Shows the screen until the user quits.
///
/// # Errors
/// No terminal, a block outside the grid, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.plain {
        let problem = args.shown.problem.problem(args.shown.kernel)?;
        args.shown.problem.refuse_fill(&problem)?;
        say_assumed(&problem);
        let block = block_of(&problem, args.shown.at)?;
        let program = args.shown.problem.program(&problem)?;
        if args.shown.view == Some(ScreenView::Stage)
            && output::print(&plain::stage(&problem, &program, block))? == StdoutReader::Gone
        {
            return Ok(ExitCode::SUCCESS);
        }
        return plain::run(&problem, program, block, args.shown.problem.order_to_watch());
    }
    // Loading the recorded times takes some milliseconds, so it runs in parallel with the rest.
    thread::spawn(|| _ = pack::packs());
    // Before anything is compiled, so that a pipe gets its error at once.
    output::screen("use --plain for the run as text")?;
    let (options, config) = args.shown.options(terminal::look())?;
    let chosen = args.shown.view.or(config.view);
    let kernel = options.problems.get(options.kernel).map_or("", |shown| shown.name());
    let remembered = Remembered::of_user();
    let view = chosen.or_else(|| remembered.view_of(kernel)).unwrap_or_default();
    tui::run(StartOptions {
        view,
        told: remembered.told,
        mouse: !args.no_mouse && config.mouse.unwrap_or(true),
        device: (!args.no_gpu).then_some(args.device),
        playing: true,
        lessons: if args.no_gpu {
            course_screen::lessons_without_gpu(Progress::of_user())
        } else {
            options.lessons
        },
        ..options
    })?;
    Ok(ExitCode::SUCCESS)
}

impl ViewOptions {
    /// Whether a theme is given.
    pub const fn is_themed(&self) -> bool {
        self.look.is_themed()
    }

    /// Whether the way between two steps is not to be shown.
    pub const fn is_still(&self) -> bool {
        self.still
    }

    /// A block of a problem's grid, with the configuration's appearance.
    pub fn new(problem: problem::Args, kernel: Option<&'static Kernel>, block: Dim3) -> Self {
        Self {
            problem,
            kernel,
            at: Some(block),
            pack: None,
            pace: None,
            still: false,
            view: None,
            look: look::Args::default(),
        }
    }

    /// The initial state of the screen, paused and without a GPU, for a terminal with the
    /// appearance `found`; and the user's configuration.
    ///
    /// # Errors
    /// A block outside the grid, a tile size that cannot be compiled, a file that is not a pack.
    pub fn options(&self, found: Look) -> anyhow::Result<(StartOptions, Config)> {
        let problem = self.problem.problem(self.kernel)?;
        self.problem.program(&problem)?;
        let block = block_of(&problem, self.at)?;
        let assumed: Vec<_> = problem.assumed.told().map(ToString::to_string).collect();
        let assumed = (!assumed.is_empty()).then(|| format!("assuming {}", assumed.join("; ")));
        let told: Vec<_> = assumed.into_iter().chain(user_kernel::unseen(&problem)).collect();
        let (config, message) = match config::load() {
            Ok(config) => (config, (!told.is_empty()).then(|| told.join("; "))),
            Err(error) => (Config::default(), Some(error.to_string())),
        };
        let (problems, kernel) = self.problems(&problem);
        let recorded = self.pack.as_deref().map(bench::record::read).transpose()?.map(Cow::Owned);
        let options = StartOptions {
            problems,
            kernel,
            block,
            order: self.problem.order_to_watch(),
            look: self.look.look(&config, found),
            keymap: config.keymap.clone(),
            mouse: false,
            device: None,
            playing: false,
            pace: self.pace.or(config.pace).unwrap_or_default(),
            motion: look::moves(self.still, &config),
            view: self.view.or(config.view).unwrap_or_default(),
            told: true,
            begin: StartAt::default(),
            pack: recorded.or_else(|| pack::packs().first().map(Cow::Borrowed)),
            lessons: course_screen::lessons(Progress::of_user()),
            message,
        };
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
