//! `matviz export`: a frame of the screen as a picture, without a terminal.

use super::output::{json, output, print, print_coloured, write};
use super::working::Working;
use super::{BadUse, film, view};
use crate::export;
use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::tui::keymap::{Key, UnknownKey};
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{StartOptions, frame, ground, headless};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz export`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Output: FILE.svg for a picture (with --from or --to one that moves), FILE.txt for its
    /// characters, FILE.cast for an asciinema recording, FILE.json for a timeline that Perfetto and
    /// chrome://tracing open; or by --output
    #[arg(value_hint = clap::ValueHint::FilePath, conflicts_with = "json")]
    file: Option<PathBuf>,
    #[command(flatten)]
    shown: view::ViewOptions,
    /// Size of the screen in characters
    #[arg(long, value_name = "COLSxROWS", default_value = "120x36", value_parser = screen)]
    screen: (u16, u16),
    /// Step of the block's run to show
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: usize,
    #[command(flatten)]
    steps: film::Steps,
    /// Keys to press at that step, spelled as in the help and separated by blanks
    #[arg(long, value_name = "KEYS", default_value = "", value_parser = keys)]
    keys: KeySequence,
    /// Print JSON: what is shown, and the characters line by line
    #[arg(long)]
    json: bool,
}

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

/// A sequence of keys.
#[derive(Clone, Debug)]
struct KeySequence(Vec<Key>);

/// Draws the frame and writes it to the file.
///
/// # Errors
/// An unknown file extension, a block outside the grid, PTX that cannot be run, a full disk.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kind = args.kind()?;
    args.refuse_ignored(kind)?;
    // The picture is for its readers' screens, so the terminal of this command does not matter.
    let (options, _) = args.shown.options(Look::default())?;
    // The same picture for everybody: no learner's progress, no times of this machine.
    let options = StartOptions { lessons: Lessons::default(), ..options };
    let (look, block) = (options.look, options.block);
    let problem = options.problems[options.kernel].clone();
    if kind == FrameKind::Timeline {
        return args.put(&film::timeline(options)?);
    }
    if let FrameKind::Film(film) = kind {
        let text = args.steps.film(film, options, args.screen, &args.keys.0)?;
        return args.put(&text);
    }
    let working = Working::on(format!("running to step {}", args.step));
    let (app, reached) = headless::still(options, args.screen, args.step, &args.keys.0)?;
    if reached < args.step {
        let told = format!("--step {}: the block's run has {reached} steps", args.step);
        return Err(BadUse(told).into());
    }
    let frame = frame(&app, args.screen.0, args.screen.1);
    drop(working);
    let text = match kind {
        FrameKind::Svg | FrameKind::Film(_) | FrameKind::Timeline => {
            export::svg(&frame, ground(look))
        }
        FrameKind::Text => export::text(&frame),
        FrameKind::Json => {
            let (text, (columns, rows)) = (export::text(&frame), args.screen);
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
            print(&json("export", &frame)?)?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    args.put(&text)
}

/// What is made of the frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    Svg,
    Text,
    Json,
    Film(film::FilmKind),
    /// The block's run as trace events.
    Timeline,
}

impl Args {
    /// Writes what was made to the file.
    fn put(&self, text: &str) -> anyhow::Result<ExitCode> {
        match &self.file {
            Some(file) => write(file, text)?,
            // Its text is the program's own.
            None => _ = print_coloured(text)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Refuses options that would change nothing.
    fn refuse_ignored(&self, kind: FrameKind) -> Result<(), BadUse> {
        let moves = matches!(kind, FrameKind::Film(_));
        let told = if self.shown.is_still() && !moves {
            "--still: a frame shows no way between two steps; leave it out"
        } else if self.shown.is_themed()
            && matches!(kind, FrameKind::Text | FrameKind::Json | FrameKind::Timeline)
        {
            "--theme: text has no colours; FILE.svg has"
        } else if kind == FrameKind::Timeline && (self.step > 0 || !self.keys.0.is_empty()) {
            "--step and --keys: FILE.json holds the whole run of the block; leave them out"
        } else if self.step > 0 && moves {
            "--step shows one frame; --from and --to give the steps of a picture that moves"
        } else if self.steps.is_given() && !moves {
            "--from and --to are for pictures that move: FILE.svg or FILE.cast"
        } else {
            return Ok(());
        };
        Err(BadUse(told.to_owned()))
    }

    /// What is asked for, which the name of the file says.
    fn kind(&self) -> Result<FrameKind, BadUse> {
        let told = |told: &str| Err(BadUse(told.to_owned()));
        let file = match (&self.file, output()) {
            _ if self.json => return Ok(FrameKind::Json),
            (Some(file), None) => file.as_path(),
            (None, Some(file)) => file,
            (None, None) => return told("give a file, FILE.svg or FILE.txt, or --json"),
            (Some(_), Some(_)) => return told("give one file, not two"),
        };
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("svg") if self.steps.is_given() => Ok(FrameKind::Film(film::FilmKind::Svg)),
            Some("json") => Ok(FrameKind::Timeline),
            Some("cast") => Ok(FrameKind::Film(film::FilmKind::Cast)),
            Some("svg") => Ok(FrameKind::Svg),
            Some("txt") => Ok(FrameKind::Text),
            _ => told("the file's name must end in .svg, .txt, .cast or .json"),
        }
    }
}

/// Columns and rows.
///
/// # Errors
/// Anything but two numbers from 1 to 500.
pub(super) fn screen(text: &str) -> Result<(u16, u16), BadUse> {
    let sides = text.split_once('x').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    let fits = |side: u16| (1..=500).contains(&side);
    let sides = sides.filter(|(columns, rows)| fits(*columns) && fits(*rows));
    let told = "give COLSxROWS, each 1 to 500, for example 120x36";
    sides.ok_or_else(|| BadUse(told.to_owned()))
}

fn keys(text: &str) -> Result<KeySequence, BadUse> {
    let keys: Result<_, UnknownKey> = text.split_whitespace().map(str::parse).collect();
    keys.map(KeySequence).map_err(BadUse::of)
}
