//! `matviz export PICTURE`: a picture of the measurements, as text, SVG, CSV or JSON.

use super::args::Args;
use crate::cli::form::OutputForm;
use crate::cli::names::meant;
use crate::cli::output::{json, print, print_coloured};
use crate::cli::working::{SharedWork, Working};
use crate::cli::{BadUse, look, problem};
use crate::export;
use crate::report::charts::table;
use crate::report::ladder;
use crate::timing::pack::Pack;
use crate::tui::config::Config;
use crate::tui::measure_view::{MeasureData, MeasureView};
use crate::tui::theme::Look;
use crate::tui::widget::pictures::Picture;
use crate::tui::{self, ground, terminal};
use anyhow::Context;
use std::process::ExitCode;

/// The size of a picture if nobody gives one.
const SCREEN: (u16, u16) = (100, 28);

/// Draws a picture of the measurements, or prints its figures.
pub(super) fn run(args: &Args, picture: Picture) -> anyhow::Result<ExitCode> {
    let forms = [OutputForm::Text, OutputForm::Svg, OutputForm::Csv, OutputForm::Json];
    let form = args.form(&forms)?;
    let asked = MeasuredPicture { args, picture, form };
    if let Some(told) = asked.ignored() {
        return Err(BadUse(told).into());
    }
    let recorded = args.shown.recorded()?.context("no times are recorded")?;
    let board = asked.board(&recorded)?;
    let mut times = MeasureData { recorded: Some(recorded), ..MeasureData::default() };
    let picture = picture.row();
    if picture.counted {
        let working = Working::on(format!("counting what the kernels do at {}", board.size));
        times.count(&board, &working.heard_by(SharedWork::done));
    }
    let shown = times.shown(&board).context("no times are recorded")?;
    let look = look::look(&args.shown.look.over(Config::default()), asked.found());
    let drawn = || tui::picture(&times, &board, look, args.screen.unwrap_or(SCREEN));
    match form {
        // Its text is the program's own.
        OutputForm::Svg => print_coloured(&export::svg(&drawn(), ground(look)))?,
        OutputForm::Csv => print(&table::csv((picture.table)(&shown)))?,
        OutputForm::Json => {
            print(&json("export", &table::json(&shown, picture.name, (picture.table)(&shown)))?)?
        }
        _ => print(&(export::text(&drawn()) + "\n"))?,
    };
    Ok(ExitCode::SUCCESS)
}

/// A picture of the measurements in a form.
struct MeasuredPicture<'a> {
    args: &'a Args,
    picture: Picture,
    form: OutputForm,
}

impl MeasuredPicture<'_> {
    /// What to say of an option that would change nothing, if one is given.
    fn ignored(&self) -> Option<String> {
        let (args, picture) = (self.args, self.picture.row());
        let is_figures = matches!(self.form, OutputForm::Csv | OutputForm::Json);
        let (form, heeded) = if is_figures {
            ("the figures of", picture.table_options)
        } else {
            ("the picture", picture.options)
        };
        let given = [
            (!args.targets.is_empty(), "kernel", "a kernel"),
            (args.targets.len() > 1, "beside", "a second kernel"),
            (args.shown.problem.size.is_some(), "size", "--size"),
            (args.only.is_some(), "memory", "--only"),
        ];
        let stray = given.iter().find(|(given, name, _)| *given && !heeded.contains(name));
        let stray = stray.map(|(.., told)| {
            format!("{told} changes nothing in {form} {}: leave it out", picture.name)
        });
        let of_frame = args.of_frame().map(|option| {
            format!("{option} is for a frame: {} is a picture of measured times", picture.name)
        });
        let drawn = [(args.screen.is_some(), "--screen"), (args.shown.look.is_given(), "--set")];
        let drawn = drawn.iter().find(|(given, _)| *given && is_figures);
        let drawn =
            drawn.map(|(_, option)| format!("{option}: figures are not drawn; leave it out"));
        let is_plain = self.form != OutputForm::Svg && args.shown.is_themed();
        let themed = "--set theme: text has no colours here; -o FILE.svg has";
        stray.or(of_frame).or(drawn).or(is_plain.then(|| themed.to_owned()))
    }

    /// The default appearance: text, in characters that the locale supports.
    fn found(&self) -> Look {
        let glyphs = terminal::look().glyphs;
        let is_drawn = self.form == OutputForm::Svg;
        if is_drawn { Look::default() } else { Look { glyphs, ..Look::default() } }
    }

    fn board(&self, pack: &Pack) -> Result<MeasureView, BadUse> {
        let size = self.args.shown.problem.size.unwrap_or_else(|| ladder::first_size(&pack.rows));
        let rungs = ladder::rungs(&pack.rows, size);
        if rungs.is_empty() {
            let sizes: Vec<_> = ladder::sizes(&pack.rows).iter().map(ToString::to_string).collect();
            return Err(BadUse(format!("size {size} was not measured, only {}", sizes.join(", "))));
        }
        let rung = |name: &str| {
            let found = rungs.iter().position(|rung| rung.row.kernel == name);
            found.ok_or_else(|| {
                let names: Vec<_> = rungs.iter().map(|rung| &*rung.row.kernel).collect();
                let meant = meant(name, names.iter().copied());
                let names = names.join(", ");
                BadUse(format!("{name} was not measured at {size}, only {names}{meant}"))
            })
        };
        let words: Vec<_> = self.args.targets.iter().map(|it| it.to_string_lossy()).collect();
        let word = |at: usize| words.get(at).map(|it| &**it);
        let (kernel, beside) = (word(0), word(1));
        let board = MeasureView::new(pack, size, "sgemm");
        Ok(MeasureView {
            picture: self.picture,
            rung: kernel.map_or(Ok(rung("sgemm").unwrap_or(0)), rung)?,
            beside: beside.map(rung).transpose()?,
            size,
            traffic: self.args.only,
            ..board
        })
    }
}

impl Args {
    /// An option of a frame, if one is given.
    fn of_frame(&self) -> Option<&'static str> {
        let problem::Args { tile, no_unroll, fill, order, foreign, .. } = &self.shown.problem;
        let given = [
            (self.step.is_some(), "--step"),
            (self.keys.is_some(), "--keys"),
            (self.has_steps(), "--from and --to"),
            (self.shown.at().is_some(), "--at"),
            (self.shown.has_view(), "--set view"),
            (tile.is_some(), "--tile"),
            (*no_unroll, "--no-unroll"),
            (fill.is_some(), "--fill"),
            (order.is_some(), "--order"),
            (foreign.refuse("").is_err(), "an option of a kernel of your own"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
    }
}
