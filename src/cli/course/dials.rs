//! `matviz course dials`: a kernel with choices, every setting of which is compiled and simulated.

use super::judged::{self, Judging};
use crate::cli::form::FormArgs;
use crate::cli::names::meant;
use crate::cli::output::{json, print};
use crate::cli::working::Working;
use crate::cli::{BadUse, NotCompiled, user_kernel};
use crate::lesson::dials::{Dial, DialCount, DialSetting, Dials};
use crate::lesson::judged::{Judged, Spoilt, Tried};
use crate::matrix::Size;
use crate::report::finding;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz course dials`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// CUDA C with dials: comments `// dial NAME (what it is): a | b | c` [default: the course's];
    /// - is standard input
    file: Option<PathBuf>,
    #[command(flatten)]
    sizes: Judging,
    /// Judge every setting and count those that are right, sound and fast
    #[arg(long)]
    count: bool,
    /// Turn dials; the others stay where they stand first
    #[arg(long, value_name = "NAME=CHOICE", num_args = 1.., conflicts_with = "count")]
    set: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
}

/// Judges one setting, or all. Returns 0 if the setting is right and sound at every size.
///
/// # Errors
/// A file that cannot be read or has no dials, an unknown dial, choice or size, a setting that does
/// not compile.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (dials, is_json) = (args.dials()?, args.form.is_json()?);
    let sizes = args.sizes.sizes("64,60x52x84")?;
    if !args.count {
        return one(args, &dials, (&sizes, is_json));
    }
    let working = Working::on("judging every setting");
    let count = dials.count(&sizes, &working.kept());
    let ended = working.ends();
    let all = || DialsReport::new(&dials, &count);
    print(&if is_json { ended.json("course-dials", &all())? } else { format!("{count}\n") })?;
    Ok(ended.code(ExitCode::SUCCESS))
}

/// Judges the setting that is asked for.
fn one(args: &Args, dials: &Dials, (sizes, is_json): (&[Size], bool)) -> anyhow::Result<ExitCode> {
    let turn = |at: Vec<usize>, turn: &String| Args::turned(dials, &at, turn);
    let at = args.set.iter().try_fold(dials.start.clone(), turn)?;
    dials.trial(&at).ready().map_err(|error| NotCompiled(error.to_string()))?;
    let working = Working::on("judging the setting");
    let tried = dials.trial(&at).tried(sizes);
    drop(working);
    let tried = tried.map_err(BadUse::of)?;
    let (judged, spoilt): (Vec<_>, Vec<_>) =
        tried.into_iter().map(|Tried { judged, spoilt }| (judged, spoilt)).unzip();
    print(&if is_json {
        let at_sizes = judged.iter().zip(&spoilt);
        let at_sizes = at_sizes.map(|(judged, spoilt)| AtSize { judged, spoilt }).collect();
        json(
            "course-dials",
            &SettingReport { set: chosen(dials, &at), defines: dials.defines(&at), at: at_sizes },
        )?
    } else {
        let found = judged.iter().find(|judged| !judged.is_sound());
        let found = found.map(|judged| finding::text(&judged.findings)).unwrap_or_default();
        format!("{}\n{}{found}", positions(dials, &at), judged::table(&judged, &spoilt))
    })?;
    let fine = judged.iter().all(|judged| judged.right && judged.is_sound());
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Args {
    fn dials(&self) -> Result<Dials, BadUse> {
        let Some(file) = &self.file else { return Dials::shipped().map_err(BadUse::of) };
        let source = user_kernel::source(file)?;
        Dials::read(&source.file, &source.text).map_err(BadUse::of)
    }

    /// The places of the dials after a turn, `NAME=CHOICE`.
    fn turned(dials: &Dials, at: &[usize], turn: &str) -> Result<Vec<usize>, BadUse> {
        let (name, choice) = turn.split_once('=').unwrap_or((turn, ""));
        let dial = dials.dials.iter().find(|dial| dial.name.eq_ignore_ascii_case(name.trim()));
        dials.turned(at, turn).map_err(|told| {
            BadUse(
                told.to_string()
                    + &match dial {
                        Some(dial) => {
                            meant(choice.trim(), dial.choices.iter().map(|known| &**known))
                        }
                        None => meant(name.trim(), dials.dials.iter().map(|dial| &*dial.name)),
                    },
            )
        })
    }
}

/// One setting, as JSON.
#[derive(Serialize)]
struct SettingReport<'a> {
    set: BTreeMap<&'a str, &'a str>,
    /// Its macros.
    defines: Vec<String>,
    at: Vec<AtSize<'a>>,
}

#[derive(Serialize)]
struct AtSize<'a> {
    #[serde(flatten)]
    judged: &'a Judged,
    /// The random orders of a racing block's warps that spoil C.
    spoilt: &'a Spoilt,
}

/// Every setting, as JSON.
#[derive(Serialize)]
struct DialsReport<'a> {
    sizes: &'a [Size],
    settings: usize,
    /// Those with the right C at the first size.
    right: usize,
    /// Those of them in which the checks find nothing there.
    sound: usize,
    /// Those that are right and sound at every size.
    always_sound: usize,
    /// Those of them that are coalesced and without bank conflicts at the first size.
    best: usize,
    each: Vec<Each<'a>>,
}

#[derive(Serialize)]
struct Each<'a> {
    set: BTreeMap<&'a str, &'a str>,
    /// Why it does not compile.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    at: Vec<InShort>,
}

#[derive(Serialize)]
struct InShort {
    right: bool,
    findings: usize,
    load_sectors: u64,
    conflicts: u64,
}

impl<'a> DialsReport<'a> {
    fn new(dials: &'a Dials, count: &'a DialCount) -> Self {
        let in_short = |judged: &Judged| InShort {
            right: judged.right,
            findings: judged.findings.len(),
            load_sectors: judged.load_sectors,
            conflicts: judged.conflicts,
        };
        let each = |setting: &'a DialSetting| Each {
            set: chosen(dials, &setting.at),
            error: setting.judged.as_ref().err().map(ToString::to_string),
            at: setting.judged.iter().flatten().map(in_short).collect(),
        };
        Self {
            sizes: &count.sizes,
            settings: count.settings.len(),
            right: count.holding(DialSetting::is_right),
            sound: count.holding(DialSetting::is_sound),
            always_sound: count.holding(DialSetting::is_always_sound),
            best: count.holding(DialSetting::is_best),
            each: count.settings.iter().map(each).collect(),
        }
    }
}

/// The choice of each dial, by the dial's name.
fn chosen<'a>(dials: &'a Dials, at: &[usize]) -> BTreeMap<&'a str, &'a str> {
    let each = dials.dials.iter().zip(at);
    each.map(|(dial, choice)| (&*dial.name, &*dial.choices[*choice])).collect()
}

/// Where each dial stands: `EDGE  beyond the edge  [zeros]  nothing  no guard`.
fn positions(dials: &Dials, at: &[usize]) -> String {
    let widest = |text: fn(&Dial) -> &str| {
        dials.dials.iter().map(|dial| text(dial).chars().count()).max().unwrap_or(0)
    };
    let (name, title) = (widest(|dial| &dial.name), widest(|dial| &dial.title));
    let line = |(dial, chosen): (&Dial, &usize)| {
        let choices = dial.choices.iter().enumerate();
        let choices = choices.map(|(number, choice)| {
            if number == *chosen { format!("[{choice}]") } else { format!(" {choice} ") }
        });
        let choices: Vec<_> = choices.collect();
        let line = format!("{:<name$}  {:<title$}  {}", dial.name, dial.title, choices.join(" "));
        format!("{}\n", line.trim_end())
    };
    dials.dials.iter().zip(at).map(line).collect()
}
