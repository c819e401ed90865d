//! `matviz export frame`: a frame of the screen as a picture, without a terminal.

use super::args::Args;
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::output::{json, print, print_coloured};
use crate::cli::working::Working;
use crate::export;
use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{StartOptions, frame, ground, headless};
use serde::Serialize;
use std::process::ExitCode;

/// The size of the screen if nobody gives one.
pub(super) const SCREEN: (u16, u16) = (120, 36);

/// A frame as JSON.
#[derive(Serialize)]
struct FrameJson<'a> {
    kernel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    /// The tile of a catalogue kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    block: Dim3,
    /// The step that is shown, after the keys.
    step: usize,
    sentence: &'a str,
    screen: Screen,
    lines: Vec<&'a str>,
}

/// A screen, in characters.
#[derive(Serialize)]
struct Screen {
    columns: u16,
    rows: u16,
}

/// Draws the frame.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form(&[OutputForm::Svg, OutputForm::Text, OutputForm::Json])?;
    args.refuse_of_frame(form)?;
    let (shown, kernel) = args.shown.of(args.target()?)?;
    let (step, size) = (args.step.unwrap_or(0), args.screen.unwrap_or(SCREEN));
    // The picture is for its readers' screens, so the terminal of this command does not matter.
    let (options, _) = shown.options(kernel, Look::default())?;
    // The same picture for everybody: no learner's progress, no times of this machine.
    let options = StartOptions { lessons: Lessons::default(), ..options };
    let (look, block) = (options.look, options.block);
    let problem = options.problems[options.kernel].clone();
    let working = Working::on(format!("running to step {step}"));
    let keys = args.keys.as_ref().map_or(&[][..], |keys| &keys.0);
    let (app, reached) = headless::still(options, size, step, keys)?;
    if reached < step {
        let told = format!("--step {step}: the block's run has {reached} steps");
        return Err(BadUse(told).into());
    }
    let frame = frame(&app, size.0, size.1);
    drop(working);
    let text = match form {
        OutputForm::Svg => export::svg(&frame, ground(look)),
        OutputForm::Json => {
            let (text, (columns, rows)) = (export::text(&frame), size);
            let frame = FrameJson {
                kernel: problem.name(),
                size: problem.operands.first().map(|_| problem.size),
                tile: problem.tile(),
                block,
                step: app.at(),
                sentence: app.sentence(),
                screen: Screen { columns, rows },
                lines: text.lines().collect(),
            };
            print(&json("export-frame", &frame)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => export::text(&frame),
    };
    // Its text is the program's own.
    print_coloured(&text)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Refuses what changes nothing in a frame.
    fn refuse_of_frame(&self, form: OutputForm) -> Result<(), BadUse> {
        let told = if self.only.is_some() {
            "--only is for the roofline: leave it out"
        } else if self.has_steps() {
            "--from and --to are for a run: `matviz export run`"
        } else if self.shown.is_still() {
            "--set: a frame has no mouse, and shows no way between two steps; leave it out"
        } else if form != OutputForm::Svg && self.shown.is_themed() {
            "--set theme: text has no colours; -o FILE.svg has"
        } else {
            return Ok(());
        };
        Err(BadUse(told.to_owned()))
    }
}
