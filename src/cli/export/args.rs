//! What `matviz export` is told: its arguments.

use crate::cli::form::{FormArgs, OutputForm};
use crate::cli::names::NameParser;
use crate::cli::target::{KernelTarget, TargetWord};
use crate::cli::{BadUse, output, view};
use crate::report::charts::Traffic;
use crate::tui::keymap::{Key, UnknownKey};
use crate::tui::widget::pictures::{PICTURES, Picture};
use std::path::PathBuf;

/// Arguments of `matviz export`.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "matviz export [OPTIONS] <PICTURE> [TARGET] [BESIDE]")]
pub struct Args {
    #[arg(help = format!("frame, of the screen; run, as it plays; or of measured times: {}", names()), value_parser = PICTURE,
          hide_possible_values = true)]
    pub(super) picture: ExportedPicture,
    /// A kernel of the catalogue or a file [default: tiled, of measured times sgemm]; for `why` also
    /// the kernel beside it [default: the one before it]
    #[arg(value_name = "TARGET", num_args = 0..=2, value_parser = TargetWord,
          hide_possible_values = true, value_hint = clap::ValueHint::FilePath)]
    pub(super) targets: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) shown: view::ViewOptions,
    /// Size of the picture in characters [default: 120x36, of measured times 100x28]
    #[arg(long, value_name = "COLSxROWS", value_parser = screen)]
    pub(super) screen: Option<(u16, u16)>,
    /// Step of the block's run to show
    #[arg(long, value_name = "N")]
    pub(super) step: Option<usize>,
    /// First step of a run [default: 0]
    #[arg(long, value_name = "N")]
    pub(super) from: Option<usize>,
    /// Last step of a run [default: its last]
    #[arg(long, value_name = "N")]
    pub(super) to: Option<usize>,
    /// Keys to press at that step, spelled as in the help and separated by blanks
    #[arg(long, value_name = "KEYS", value_parser = keys)]
    pub(super) keys: Option<KeySequence>,
    /// Memory whose traffic the roofline counts, dram or shared [default: the one that limits]
    #[arg(long, value_name = "MEMORY", value_parser = MEMORY, hide_possible_values = true,
          hide_short_help = true)]
    pub(super) only: Option<Traffic>,
    #[command(flatten)]
    pub(super) form: FormArgs,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExportedPicture {
    Frame,
    Run,
    Measured(Picture),
}

const PICTURE: NameParser<ExportedPicture> = NameParser {
    of: || {
        let measured = PICTURES.iter().map(|row| (row.name, row.title));
        let drawn = [("frame", "a frame of the screen"), ("run", "the run as it plays")];
        drawn.into_iter().chain(measured).collect()
    },
    parse: |text| match text {
        "frame" => Ok(ExportedPicture::Frame),
        "run" => Ok(ExportedPicture::Run),
        text => {
            let measured = text.parse::<Picture>().map(ExportedPicture::Measured);
            measured.ok().ok_or_else(|| BadUse(format!("give frame, run, {}", names())))
        }
    },
};

const MEMORY: NameParser<Traffic> = NameParser {
    of: || vec![("dram", ""), ("shared", "")],
    parse: |text| match text {
        "dram" => Ok(Traffic::Dram),
        "shared" => Ok(Traffic::Shared),
        _ => Err(BadUse("give dram or shared".to_owned())),
    },
};

fn names() -> String {
    crate::tui::widget::pictures::names()
}

/// A sequence of keys.
#[derive(Clone, Debug, Default)]
pub(super) struct KeySequence(pub(super) Vec<Key>);

impl Args {
    /// Whether the steps of a run are given.
    pub(super) const fn has_steps(&self) -> bool {
        self.from.is_some() || self.to.is_some()
    }

    /// What is asked for, of these forms, which the name of the file may say.
    pub(super) fn form(&self, known: &[OutputForm]) -> Result<OutputForm, BadUse> {
        let is_said = self.form.asked().is_some();
        let is_measured = matches!(self.picture, ExportedPicture::Measured(_));
        if !is_measured && output::output().is_some() && !is_said {
            let told = "the file's name must end in .svg, .cast, .txt, .json or .csv, or --format says what it is";
            return Err(BadUse(told.to_owned()));
        }
        self.form.one_of(known)
    }

    /// The one target of a frame.
    pub(super) fn target(&self) -> Result<Option<KernelTarget>, BadUse> {
        match &self.targets[..] {
            [] => Ok(None),
            [one] => KernelTarget::find(one).map(Some),
            [..] => Err(BadUse("a frame is of one kernel: name one".to_owned())),
        }
    }
}

/// Columns and rows.
///
/// # Errors
/// Anything but two numbers from 1 to 500.
fn screen(text: &str) -> Result<(u16, u16), BadUse> {
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
