//! `matviz course gaps`: puts a text after each line of a kernel in turn, and says where it belongs.

use super::changes::CHANGE;
use super::judged::Judging;
use crate::cli::form::FormArgs;
use crate::cli::output::print;
use crate::cli::target::{KernelTarget, TargetArg};
use crate::cli::working::{EndedWork, Working};
use crate::cli::{BadUse, NotCompiled, user_kernel};
use crate::kernel::Tile;
use crate::lesson::change::{self, Change};
use crate::lesson::gap::{Gap, gaps};
use crate::lesson::judged::{Judged, Trial};
use crate::matrix::Size;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

/// Columns of a line of the source.
const WIDTH: usize = 52;

/// The side of a tile if none is given.
const USUAL_TILE: u32 = 16;

/// Arguments of `matviz course gaps`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    target: TargetArg,
    /// Make this change of the course first; `matviz course changes` lists them
    #[arg(long = "change", value_name = "ID", value_parser = CHANGE, hide_possible_values = true)]
    changes: Vec<&'static Change>,
    /// The text that is put after each line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = insertion)]
    insert: String,
    #[command(flatten)]
    sizes: Judging,
    /// Side of the tile, from 1 to 32 [default: 16]
    #[arg(long, value_name = "TILE")]
    tile: Option<u32>,
    #[command(flatten)]
    form: FormArgs,
}

/// Reads the text to insert.
fn insertion(text: &str) -> Result<String, BadUse> {
    let told = "give the text to insert, for example '__syncthreads();'";
    if text.trim().is_empty() { Err(BadUse(told.to_owned())) } else { Ok(text.to_owned()) }
}

/// Judges every gap; returns 0 if the text belongs into at least one.
///
/// # Errors
/// No such kernel, file, change or size; a source that does not compile without the text.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (trial, is_json) = (args.trial()?, args.form.is_json()?);
    trial.ready().map_err(|error| NotCompiled(error.to_string()))?;
    let sizes = args.sizes.sizes("64,60")?;
    let working = Working::on(format!("judging `{}` after each line", args.insert));
    let gaps = gaps(&trial, &args.insert, &sizes, &working.kept()).map_err(BadUse::of)?;
    let ended = working.ends();
    let outcome = GapsReport::new(args, &trial, &sizes, &gaps);
    print(&if is_json { ended.json("course-gaps", &outcome)? } else { text(&outcome, &ended) })?;
    let sound = !outcome.sound.is_empty();
    Ok(ended.code(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

impl Args {
    fn trial(&self) -> Result<Trial, BadUse> {
        let ids: Vec<_> = self.changes.iter().map(|change| change.id.clone()).collect();
        let changed = |text: &str| change::applied(text, &ids).map_err(BadUse::of);
        let tile = self.tile.unwrap_or(USUAL_TILE);
        let file = match self.target.named()? {
            KernelTarget::Catalogue(kernel) => {
                let text = changed(kernel.source)?;
                return Trial::of_catalogue(kernel, Tile::square(tile), text).map_err(BadUse::of);
            }
            KernelTarget::File(file) => file,
        };
        let source = user_kernel::source(&file)?;
        let trial = Trial::of_file(&source.file, changed(&source.text)?, tile);
        let trial = trial.map_err(BadUse::of)?;
        if self.tile.is_some() && trial.source.defines.is_empty() {
            let told = format!("--tile: {} has no macro TILE; leave it out", source.file);
            return Err(BadUse(told));
        }
        Ok(trial)
    }
}

/// Every gap, as JSON.
#[derive(Serialize)]
struct GapsReport<'a> {
    file: &'a str,
    changes: Vec<&'a str>,
    insert: &'a str,
    sizes: &'a [Size],
    /// The lines of the changed source after which the checks find nothing.
    sound: Vec<u32>,
    /// Those after which C is right at every size.
    right: Vec<u32>,
    gaps: Vec<GapRow<'a>>,
}

#[derive(Serialize)]
struct GapRow<'a> {
    line: u32,
    after: &'a str,
    sound: bool,
    right: bool,
    /// The lines that take part in findings, counted without the text.
    lines: BTreeSet<u32>,
    /// Why it does not compile.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    at: &'a [Judged],
    /// In words.
    #[serde(skip)]
    verdict: String,
}

impl<'a> GapsReport<'a> {
    fn new(args: &'a Args, trial: &'a Trial, sizes: &'a [Size], gaps: &'a [Gap]) -> Self {
        let which = |holds: fn(&Gap) -> bool| {
            gaps.iter().filter(|gap| holds(gap)).map(|gap| gap.line).collect()
        };
        let row = |gap: &'a Gap| GapRow {
            line: gap.line,
            after: &gap.after,
            sound: gap.is_sound(),
            right: gap.is_right(),
            lines: gap.lines(),
            error: gap.judged.as_ref().err().map(ToString::to_string),
            at: gap.judged.as_deref().unwrap_or_default(),
            verdict: gap.verdict(),
        };
        Self {
            file: &trial.source.file,
            changes: args.changes.iter().map(|change| &*change.id).collect(),
            insert: &args.insert,
            sizes,
            sound: which(Gap::is_sound),
            right: which(Gap::is_right),
            gaps: gaps.iter().map(row).collect(),
        }
    }
}

fn text(outcome: &GapsReport<'_>, ended: &EndedWork) -> String {
    let GapsReport { file, insert, .. } = outcome;
    let changed = match &outcome.changes[..] {
        [] => String::new(),
        changes => format!(" with {}", changes.join(", ")),
    };
    let sizes: Vec<_> = outcome.sizes.iter().map(Size::to_string).collect();
    let mut text =
        format!("`{insert}` after each line of {file}{changed}, at {}\n\n", sizes.join(", "));
    for row in &outcome.gaps {
        let after: String = row.after.chars().take(WIDTH).collect();
        let _ = writeln!(text, "{:>4}  {after:<WIDTH$}  {}", row.line, row.verdict);
    }
    let lines: Vec<_> = outcome.sound.iter().map(u32::to_string).collect();
    let elsewhere = if ended.is_interrupted() { "" } else { " and nowhere else" };
    let _ = match lines.as_slice() {
        [] if ended.is_interrupted() => Ok(()),
        [] => writeln!(text, "\nSound in no gap"),
        [line] => writeln!(text, "\nSound after line {line}{elsewhere}"),
        lines => writeln!(text, "\nSound after lines {}{elsewhere}", lines.join(", ")),
    };
    text
}
