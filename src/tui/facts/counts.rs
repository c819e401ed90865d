//! What has been counted of the kernel that is shown, and what is still to be counted for it.

use crate::kernel::Tile;
use crate::report::charts::FigureSource;
use crate::report::charts::units::{self, UnitLimit};
use crate::report::ladder::Rung;
use crate::study::counts::{LaunchCounts, SizedSubject};
use crate::tui::app::App;
use crate::tui::layout::has_bars;

/// Returns the limit of the kernel on the screen, from recorded counters and from what has been
/// simulated so far.
pub fn limit(app: &App) -> Option<UnitLimit> {
    let row = app.measuring.measures.row(app.run.session.problem())?;
    let counted = app.measuring.measures.counted(app.run.session.problem());
    let counted = counted.filter(|counted| counted.measurement.size == row.measurement.size);
    let mut measured = row.measurement.clone();
    measured.beside.counters = counted.and_then(|row| row.measurement.beside.counters.clone());
    let pack = app.measuring.times.pack(false).filter(|pack| pack.device == measured.device)?;
    let rung = Rung {
        name: row.name.clone(),
        row: &measured,
        precision: measured.precision(),
        of_library: None,
        over_previous: None,
    };
    units::limit(pack, &rung, &app.measuring.times.counts)
}

/// Returns what limits the kernel on the screen, in words, and where that comes from, if it is known.
pub fn limit_line(app: &App) -> Option<(String, FigureSource)> {
    let limit = limit(app)?;
    Some((limit.line().into_iter().next()?, limit.load.weakest()))
}

/// Returns the kernel to simulate before its limit can be told.
pub fn for_limit(app: &App) -> Option<SizedSubject> {
    let row =
        app.measuring.measures.row(app.run.session.problem()).filter(|_| limit(app).is_none())?;
    SizedSubject::of(&row.measurement)
}

/// Returns what has to be counted for the card: the tiles that it compares before the others.
pub fn for_card(app: &App) -> Vec<SizedSubject> {
    let of = |place| app.kernels.cache.problem(place).tile();
    let compared =
        [Some(app.kernels.shown), app.kernels.before].into_iter().flatten().filter_map(of);
    let all =
        app.kernels.cache.tiles(app.kernels.shown).into_iter().filter(|_| has_bars(app.size()));
    let subjects = compared.chain(all).filter_map(|tile| subject(app, tile));
    subjects.filter(|subject| app.measuring.times.counts.known(subject).is_none()).collect()
}

pub fn subject(app: &App, tile: Tile) -> Option<SizedSubject> {
    let problem = app.kernels.cache.problem(app.kernels.shown);
    Some(SizedSubject { kernel: problem.catalogue()?, tile, size: problem.size })
}

pub fn counted(app: &App, tile: Tile) -> Option<&LaunchCounts> {
    app.measuring.times.counts.known(&subject(app, tile)?)?.as_ref().ok()
}
