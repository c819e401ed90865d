//! `matviz doctor`: what matviz finds on this machine, and what is missing.

pub(super) mod version;

use self::version::VersionReport;
use super::form::FormArgs;
use super::output::{json, print};
use super::working::Working;
use crate::gpu::client::{Client, Launcher, PATIENCE};
use crate::kernel::KERNELS;
use crate::matrix::{SEED, Size};
use crate::report::counted;
use crate::report::doctor::{self, DoctorItem, Presence, Terminal};
use crate::timing::{CountRequest, Subject};
use crate::tui::config;
use crate::tui::layout::SizeClass;
use crate::tui::terminal;
use crate::tui::theme::{Depth, Glyphs};
use serde::Serialize;
use std::env;
use std::process::ExitCode;

/// Arguments of `matviz doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    form: FormArgs,
}

/// Examines the machine and prints a report; returns 1 if something is wrong. A missing item is not:
/// the program works without it.
///
/// # Errors
/// stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let is_json = args.form.is_json()?;
    let working = Working::on("looking for GPUs and libraries");
    let mut client = Client::new(Launcher::default(), PATIENCE);
    let (gpus, libraries) = (client.probe(), client.libraries());
    working.next("measuring the GPU");
    let ceilings = gpus.is_ok().then(|| client.ceilings(0, |_| ()));
    // Last, since profiling changes a GPU's timing.
    let counted = gpus.is_ok().then(|| client.count(smallest(), |_| ()));
    let (ceilings, counted) = (ceilings.as_ref(), counted.as_ref());
    let mut items = doctor::items(&gpus, ceilings, counted, &libraries, &terminal());
    items.extend(configuration());
    drop(working);
    let is_wrong = items.iter().any(|item| item.state == Presence::Wrong);
    let text = if is_json {
        json("doctor", &DoctorReport { version: VersionReport::of_this(), items })?
    } else {
        doctor::text(&items)
    };
    print(&text)?;
    Ok(if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What was found, as JSON.
#[derive(Serialize)]
struct DoctorReport {
    #[serde(flatten)]
    version: VersionReport,
    items: Vec<DoctorItem>,
}

/// The configuration, if there is one: whether it is read.
fn configuration() -> Option<DoctorItem> {
    let path = config::path().filter(|path| path.exists())?;
    let error = config::load().err().map(|error| error.to_string());
    Some(doctor::configuration(path.display().to_string(), error))
}

/// A request for the counters of a small product.
fn smallest() -> CountRequest {
    let size = Size::square(32);
    let subject = Subject::of(&KERNELS[0].problem_for(size));
    CountRequest { subject, size, seed: SEED, device: 0, metrics: counted::metrics() }
}

fn terminal() -> Terminal {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let (size, look) = (size(), terminal::look());
    Terminal {
        size,
        term: set("TERM"),
        narrow: size.and_then(|(columns, rows)| narrow(SizeClass::of(columns, rows))),
        colours: match look.depth {
            Depth::True => Some("16 million"),
            Depth::Indexed => Some("256"),
            Depth::Ansi => Some("16"),
            Depth::Mono => None,
        },
        unicode: look.glyphs != Glyphs::Ascii,
        locale: ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set),
    }
}

/// A note on what a screen of this class does not show.
const fn narrow(class: SizeClass) -> Option<&'static str> {
    match class {
        SizeClass::Micro => Some("too small for a panel: matviz shows one sentence"),
        SizeClass::Single => Some("all panels need 76 x 20; here matviz shows one at a time"),
        SizeClass::Small | SizeClass::Tall | SizeClass::Medium | SizeClass::Large => None,
    }
}

/// That of the terminal which any of the streams is, since the report may go through a pipe.
#[cfg(unix)]
fn size() -> Option<(u16, u16)> {
    use rustix::termios::tcgetwinsize;
    let size = tcgetwinsize(std::io::stdout());
    let size = size
        .or_else(|_| tcgetwinsize(std::io::stderr()))
        .or_else(|_| tcgetwinsize(std::io::stdin()));
    size.ok().map(|size| (size.ws_col, size.ws_row))
}

#[cfg(not(unix))]
fn size() -> Option<(u16, u16)> {
    None
}
