//! `matviz picture`: a picture of the measurements, as text, SVG, CSV or JSON.

use super::bench::record::read;
use super::export::screen;
use super::names::{NameParser, meant};
use super::output::{json, output, print, print_coloured, write};
use super::working::{SharedWork, Working};
use super::{BadUse, look};
use crate::export;
use crate::matrix::Size;
use crate::report::charts::Traffic;
use crate::report::charts::table;
use crate::report::ladder;
use crate::timing::pack::{self, Pack};
use crate::tui::config::Config;
use crate::tui::measure_view::{MeasureData, MeasureView};
use crate::tui::theme::Look;
use crate::tui::widget::pictures::{self, PICTURES, ParsePictureError, Picture};
use crate::tui::{self, ground, terminal};
use anyhow::Context;
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz picture`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(help = format!("Picture: {}", pictures::names()), value_parser = PICTURE,
          hide_possible_values = true)]
    picture: Picture,
    /// Kernel to show, cublas included [default: sgemm]
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Kernel to compare it with [default: the one before it]
    #[arg(long, value_name = "NAME")]
    beside: Option<String>,
    /// Size, one of those measured [default: 4096, or the nearest]
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
    /// Memory whose traffic the roofline counts, dram or shared [default: the one that limits]
    #[arg(long, value_name = "MEMORY", value_parser = MEMORY, hide_possible_values = true)]
    memory: Option<Traffic>,
    /// Timing pack written by `matviz bench --record` [default: the embedded one]
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
    /// Write the picture to FILE as SVG
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "json"])]
    svg: Option<PathBuf>,
    /// Print the figures as CSV
    #[arg(long, conflicts_with_all = ["json", "theme", "glyphs"])]
    csv: bool,
    /// Print the figures as JSON
    #[arg(long, conflicts_with_all = ["theme", "glyphs"])]
    json: bool,
    /// Size of the picture in characters
    #[arg(long, value_name = "COLSxROWS", default_value = "100x28", value_parser = screen,
          conflicts_with_all = ["csv", "json"])]
    screen: (u16, u16),
    #[command(flatten)]
    look: look::Args,
}

/// Draws the picture, or prints its figures.
///
/// # Errors
/// A kernel or a size that was not measured, a file that is not a pack, a full disk.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(told) = args.ignored() {
        return Err(BadUse(told).into());
    }
    let recorded = args.pack.as_deref().map(read).transpose()?.map(Cow::Owned);
    let recorded = recorded.or_else(|| pack::packs().first().map(Cow::Borrowed));
    let recorded = recorded.context("no times are recorded")?;
    let board = args.board(&recorded)?;
    let mut times = MeasureData { recorded: Some(recorded), ..MeasureData::default() };
    let picture = args.picture.row();
    if picture.counted {
        let working = Working::on(format!("counting what the kernels do at {}", board.size));
        times.count(&board, &working.heard_by(SharedWork::done));
    }
    let shown = times.shown(&board).context("no times are recorded")?;
    let look = args.look.look(&Config::default(), args.found());
    let drawn = || tui::picture(&times, &board, look, args.screen);
    if args.is_drawn() {
        let drawn = export::svg(&drawn(), ground(look));
        match &args.svg {
            Some(file) => write(file, &drawn)?,
            // Its text is the program's own.
            None => _ = print_coloured(&drawn)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    print(&if args.csv {
        table::csv((picture.table)(&shown))
    } else if args.json {
        json("picture", &table::json(&shown, picture.name, (picture.table)(&shown)))?
    } else {
        export::text(&drawn()) + "\n"
    })?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Whether the result is SVG: for --svg, and for an --output whose name says so.
    fn is_drawn(&self) -> bool {
        let named = output().filter(|_| !(self.csv || self.json));
        self.svg.is_some() || named.is_some_and(|file| file.extension() == Some("svg".as_ref()))
    }

    /// What to say of an option that would change nothing, if one is given.
    fn ignored(&self) -> Option<String> {
        let picture = self.picture.row();
        let (form, heeded) = if self.csv || self.json {
            ("the figures of", picture.table_options)
        } else {
            ("the picture", picture.options)
        };
        let given = [
            (self.kernel.is_some(), "kernel"),
            (self.beside.is_some(), "beside"),
            (self.size.is_some(), "size"),
            (self.memory.is_some(), "memory"),
        ];
        let stray = given.iter().find(|(given, option)| *given && !heeded.contains(option));
        let stray = stray.map(|(_, option)| {
            format!("--{option} changes nothing in {form} {}: leave it out", picture.name)
        });
        let is_text = !self.is_drawn() && self.look.is_themed();
        let themed = "--theme: text has no colours here; --svg FILE draws the picture with them";
        stray.or(is_text.then(|| themed.to_owned()))
    }

    /// The default appearance: text, in characters that the locale supports.
    fn found(&self) -> Look {
        let glyphs = terminal::look().glyphs;
        if self.is_drawn() { Look::default() } else { Look { glyphs, ..Look::default() } }
    }

    fn board(&self, pack: &Pack) -> Result<MeasureView, BadUse> {
        let size = self.size.unwrap_or_else(|| ladder::first_size(&pack.rows));
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
        let board = MeasureView::new(pack, size, "sgemm");
        Ok(MeasureView {
            picture: self.picture,
            rung: self.kernel.as_deref().map_or(Ok(rung("sgemm").unwrap_or(0)), rung)?,
            beside: self.beside.as_deref().map(rung).transpose()?,
            size,
            traffic: self.memory,
            ..board
        })
    }
}

const PICTURE: NameParser<Picture> = NameParser {
    of: || PICTURES.iter().map(|row| (row.name, row.title)).collect(),
    parse: |text| text.parse().map_err(|error: ParsePictureError| BadUse::of(error)),
};

const MEMORY: NameParser<Traffic> = NameParser {
    of: || vec![("dram", ""), ("shared", "")],
    parse: |text| match text {
        "dram" => Ok(Traffic::Dram),
        "shared" => Ok(Traffic::Shared),
        _ => Err(BadUse("give dram or shared".to_owned())),
    },
};
