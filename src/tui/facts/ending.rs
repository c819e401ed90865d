//! What a run comes to, in a few lines: why its time is what it is, what comes next, and what else one
//! can know now. Each is there only if its figures are.

use super::counts::{counted, subject};
use super::race::{limit, racing};
use crate::kernel::Tile;
use crate::report::charts::memory::{MemoryLevel, distances};
use crate::report::charts::metrics::{from_l1, sectors, sectors_per_load};
use crate::report::charts::units::GpuUnit;
use crate::report::ladder::short_name;
use crate::report::sentence::{Aside, SHARED_MEMORY, ToldEvent};
use crate::report::tiles::{self, Tiling};
use crate::study::counts::SizedSubject;
use crate::study::schedule::RandomOrders;
use crate::timing::Measurement;
use crate::tui::app::App;
use crate::tui::luck::SIZE;
use crate::tui::measurements::Row;

/// What stands beside the sentence on the stage, the longest wording first.
pub fn asides(app: &App) -> Vec<Aside> {
    let Some(aside) = &app.display.stage.aside else { return Vec::new() };
    let here = (app.run.session.id(), app.run.session.at());
    let follows = |told: &ToldEvent| told.asides.iter().any(|(_, own)| own == aside);
    // What follows from an event may be what a lesson asks.
    if app.mode.lesson().is_some() && app.display.stage.told(here).is_some_and(follows) {
        return Vec::new();
    }
    let with = |text: String| Aside { text, ..aside.clone() };
    let far = (aside.label == SHARED_MEMORY).then(|| distance(app)).flatten();
    // Where not all of it fits, the reason is left out.
    let (told, _) = aside.text.split_once([':', ',']).unwrap_or((&aside.text, ""));
    far.map(with).into_iter().chain([aside.clone(), with(told.to_owned())]).collect()
}

/// "23 cycles away, global memory 653 (recorded)"; not where a lesson may ask it.
fn distance(app: &App) -> Option<String> {
    let pack = app.measuring.times.pack(false).filter(|_| app.mode.lesson().is_none())?;
    let all = distances(pack)?;
    let of = |wanted| all.iter().find(|(level, _)| *level == wanted).map(|(_, cycles)| *cycles);
    let (near, far) = (of(MemoryLevel::Shared)?, of(MemoryLevel::Dram)?);
    Some(format!("{near:.0} cycles away, global memory {far:.0} (recorded)"))
}

/// The lines of the end, the most important first.
pub fn notes(app: &App) -> Vec<Aside> {
    let own = app.measuring.measures.row(app.run.session.problem());
    let of_race = own.map(|own| {
        let racing = racing(app, own);
        let why = why(app, own, &racing);
        let names = names(app, &racing, why.is_some());
        [why, what_limits(app, own), next(own, &racing), names]
    });
    let others = [levels(app), other_tile(app), luck(app)];
    of_race.into_iter().flatten().chain(others).flatten().collect()
}

fn note(label: impl Into<String>, text: String) -> Aside {
    Aside { label: label.into(), text }
}

/// Why fewer sectors are not as much less time, both counted by the hardware: L1 has what others ask for
/// again.
fn why(app: &App, own: &Row, racing: &[Measurement]) -> Option<Aside> {
    let own = &own.measurement;
    let slower = racing.iter().filter(|row| !row.is_library() && row.ms.median > own.ms.median);
    let known = slower.filter_map(|row| Some((row, sectors(row)?)));
    let (other, before) = known.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let (fewer, faster) = (before / sectors(own)?, other.ms.median / own.ms.median);
    let waits_for_l1 = limit(app, other).is_some_and(|limit| limit.load.unit == GpuUnit::L1);
    if fewer < 1.5 * faster {
        return None;
    }
    let name = short_name(other);
    let loads = sectors_per_load(other).zip(sectors_per_load(own)).map(|(each, own)| {
        let [often, each, own] = [fewer * own / each, each, own].map(tenths);
        format!("makes {often} loads of {each} sectors where this makes one of {own}:")
    });
    let loads = loads.unwrap_or_else(|| "fetches".to_owned());
    let served = from_l1(other).filter(|_| waits_for_l1).map_or_else(String::new, |part| {
        let meaning = GpuUnit::L1.meaning();
        format!(", but L1, {meaning}, has {:.0} % of them", (100.0 * part).floor())
    });
    let label = format!("why only {}x", tenths(faster));
    Some(note(label, format!("{name} {loads} {} times the sectors{served}.", tenths(fewer))))
}

/// The unit that is busy for most of the time, and what would have to change.
fn what_limits(app: &App, own: &Row) -> Option<Aside> {
    let limit = limit(app, &own.measurement)?;
    let unit = limit.load.unit;
    let busy = if limit.is_close() { "busy" } else { "the busiest unit," };
    let text = format!("{}, {busy} {}: {}.", unit.word(), limit.share(), unit.advice());
    Some(note("its limit", text))
}

/// What the next faster kernel does.
fn next(own: &Row, racing: &[Measurement]) -> Option<Aside> {
    let (name, _) = super::race::next(racing, own)?;
    let kernel = crate::kernel::find(&name)?;
    Some(note("next", format!("{name}: {}.", kernel.summary)))
}

/// What the names of the race mean, that of L1 unless it was told before.
fn names(app: &App, racing: &[Measurement], knows_l1: bool) -> Option<Aside> {
    let mut units: Vec<GpuUnit> = Vec::new();
    for limit in racing.iter().filter_map(|row| limit(app, row)) {
        let unit = limit.load.unit;
        let is_known = knows_l1 && unit == GpuUnit::L1;
        if !is_known && !unit.meaning().is_empty() && !units.contains(&unit) {
            units.push(unit);
        }
    }
    let units = units.into_iter().map(|unit| format!("{}: {}", unit.word(), unit.meaning()));
    let library = racing.iter().find(|row| row.is_library());
    let library = library.map(|row| format!("{}: NVIDIA's own library", short_name(row)));
    let all: Vec<_> = units.chain(library).collect();
    (!all.is_empty()).then(|| note("names", format!("{}.", all.join("; "))))
}

/// "registers 4, shared memory 23, L1 32, L2 281, global memory 653"
fn levels(app: &App) -> Option<Aside> {
    let pack = app.measuring.times.pack(false)?;
    let level = |(level, cycles): (MemoryLevel, f64)| match level {
        MemoryLevel::Dram => format!("global memory {cycles:.0}"),
        level => format!("{} {cycles:.0}", level.word()),
    };
    let all = distances(pack)?.map(level).join(", ");
    Some(note("near and far", format!("cycles to a word, recorded: {all}.")))
}

/// The tile with which that of the run is compared: the next larger one.
fn next_tile(app: &App) -> Option<(Tile, Tile)> {
    let now = app.run.session.problem().tile()?;
    let tiles = app.kernels.cache.tiles(app.kernels.shown);
    let at = tiles.iter().position(|tile| *tile == now)?;
    Some((now, *tiles.get(at + 1)?))
}

/// The tiles that have to be counted before they can be compared.
pub fn to_count(app: &App) -> Vec<SizedSubject> {
    let both = next_tile(app).map_or_else(Vec::new, |(now, next)| vec![now, next]);
    let subjects = both.into_iter().filter_map(|tile| subject(app, tile));
    subjects.filter(|subject| app.measuring.times.counts.known(subject).is_none()).collect()
}

/// What another tile would change.
fn other_tile(app: &App) -> Option<Aside> {
    let (now, next) = next_tile(app)?;
    let problem = app.run.session.problem();
    let other = problem.with_tile(next)?;
    let pack = app.measuring.times.pack(false);
    let size = app.measuring.measures.size;
    let shared = Some(app.run.session.trace().program().shared_bytes);
    let of = |problem, tile, shared| {
        let counted = counted(app, tile);
        Tiling { tile, problem, counted, shared, pack, size }
    };
    let both = [&of(problem, now, shared), &of(&other, next, None)];
    let threads = other.launch.threads();
    let told = tiles::sentence(both)?;
    let told = told.strip_prefix(&format!("Tile {next} ")).unwrap_or(&told);
    Some(note(format!("tile {next}"), format!("{threads} threads a block; {told}")))
}

/// How often the kernel is right by luck without a barrier.
fn luck(app: &App) -> Option<Aside> {
    let problem = app.run.session.problem();
    let (kernel, RandomOrders { wrong, tried }) = app.display.stage.luck.luckiest(problem)?;
    let without = kernel.summary.split_once(", ").map_or(kernel.summary, |(_, without)| without);
    let right = tried - wrong;
    Some(note(
        "one test",
        format!(
            "{without}, C is right in {right} of {tried} random orders of the warps at {SIZE} (simulated), \
             by luck: `matviz check --prove {} --size {SIZE}` finds that.",
            kernel.name
        ),
    ))
}

/// A ratio with one digit after the point, unless that is 0.
fn tenths(ratio: f64) -> String {
    let text = format!("{ratio:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
