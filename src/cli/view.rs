//! `matviz TARGET`: the screen, or its contents as text with `--format text`.

pub(in crate::cli) mod follow;
mod options;

pub use options::ViewOptions;

use super::gpu_choice::GpuChoice;
use super::learn::screen;
use super::output::StdoutReader;
use super::problem::block_of;
use super::target::{KernelTarget, TargetArg};
use super::user_kernel::say_assumed;
use super::{BadUse, output, plain};
use crate::kernel::Kernel;
use crate::lesson::progress::Progress;
use crate::timing::pack;
use crate::tui::config::Config;
use crate::tui::layout::ScreenView;
use crate::tui::remembered::Remembered;
use crate::tui::{self, StartOptions, terminal};
use options::{FollowedFile, REST, fits};
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

/// Shows the screen until the user quits.
///
/// # Errors
/// No terminal, a block outside the grid, PTX that cannot be run.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let link = args.target.link()?;
    let (shown, kernel) = match &link {
        Some(link) => args.shown.at_link(link).of(Some(KernelTarget::Catalogue(link.kernel())))?,
        None => args.shown.of(args.target.get()?)?,
    };
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
        FollowedFile::Yes(file) => return follow::run(&file, &shown),
        FollowedFile::No(why) => why,
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
    let start = StartOptions {
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
    };
    tui::run(match link {
        Some(link) => link.begin(start),
        None => start,
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
