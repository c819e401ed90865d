//! `matviz export`: a frame of the screen as a picture, without a terminal.

use super::output::{output, print_coloured, write};
use super::working::Working;
use super::{BadUse, view};
use crate::export;
use crate::tui::keymap::{Key, UnknownKey};
use crate::tui::lesson::Lessons;
use crate::tui::theme::Look;
use crate::tui::{Options, frame, ground, headless};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz export`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Output: FILE.svg for a picture, FILE.txt for its characters; or by --output
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    #[command(flatten)]
    shown: view::Shown,
    /// Size of the screen in characters
    #[arg(long, value_name = "COLSxROWS", default_value = "120x36", value_parser = screen)]
    screen: (u16, u16),
    /// Step of the block's run to show
    #[arg(long, value_name = "N", default_value_t = 0)]
    step: usize,
    /// Keys to press at that step, spelled as in the help and separated by blanks
    #[arg(long, value_name = "KEYS", default_value = "", value_parser = keys)]
    keys: Keys,
}

/// A sequence of keys.
#[derive(Clone, Debug)]
struct Keys(Vec<Key>);

/// Draws the frame and writes it to the file.
///
/// # Errors
/// An unknown file extension, a block outside the grid, PTX that cannot be run, a full disk.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let file = match (&args.file, output()) {
        (Some(file), None) => file,
        (None, Some(file)) => file,
        (None, None) => return Err(BadUse("give a file, FILE.svg or FILE.txt".to_owned()).into()),
        (Some(_), Some(_)) => return Err(BadUse("give one file, not two".to_owned()).into()),
    };
    let kind = file.extension().and_then(|extension| extension.to_str());
    if args.shown.is_still() {
        let told = "--still: a frame shows no way between two steps; leave it out";
        return Err(BadUse(told.to_owned()).into());
    }
    if kind == Some("txt") && args.shown.is_themed() {
        let told = "--theme: text has no colours; FILE.svg has";
        return Err(BadUse(told.to_owned()).into());
    }
    // The picture is for its readers' screens, so the terminal of this command does not matter.
    let (options, _) = args.shown.options(Look::default())?;
    // The same picture for everybody: no learner's progress, no times of this machine.
    let options = Options { lessons: Lessons::default(), ..options };
    let look = options.look;
    let working = Working::on(format!("running to step {}", args.step));
    let app = headless::still(options, args.screen, args.step, &args.keys.0)?;
    let frame = frame(&app, args.screen.0, args.screen.1);
    drop(working);
    let text = match kind {
        Some("svg") => export::svg(&frame, ground(look)),
        Some("txt") => export::text(&frame),
        _ => return Err(BadUse("the file's name must end in .svg or .txt".to_owned()).into()),
    };
    match &args.file {
        Some(file) => write(file, &text)?,
        // Its text is the program's own.
        None => _ = print_coloured(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Columns and rows.
///
/// # Errors
/// Anything but two numbers from 1 to 500.
pub(super) fn screen(text: &str) -> Result<(u16, u16), String> {
    let sides = text.split_once('x').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
    let fits = |side: u16| (1..=500).contains(&side);
    let sides = sides.filter(|(columns, rows)| fits(*columns) && fits(*rows));
    sides.ok_or_else(|| "give COLSxROWS, each 1 to 500, for example 120x36".to_owned())
}

fn keys(text: &str) -> Result<Keys, String> {
    let keys: Result<_, UnknownKey> = text.split_whitespace().map(str::parse).collect();
    keys.map(Keys).map_err(|error| error.to_string())
}
