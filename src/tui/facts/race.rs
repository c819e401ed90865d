//! The measured times of kernels, as a race in their real proportion.

use crate::kernel::{KERNELS, Kernel};
use crate::matrix::Size;
use crate::report::charts::units::{self, UnitLimit};
use crate::report::ladder::{self, Rung};
use crate::study::counts::SizedSubject;
use crate::study::stage::{LowerRoom, StageScene};
use crate::timing::Measurement;
use crate::tui::app::App;
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::measurements::{MeasuredWhen, Row};

/// Kernels that compute the same product, from the slowest to the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeRace {
    /// Where the times come from: `measured now on NVIDIA H200`, `recorded on NVIDIA H200, ...`.
    pub origin: String,
    /// The size of the matrices and, if that is another, the size of the run that has ended.
    pub size: String,
    pub run: Option<String>,
    /// How many times slower than real it is shown.
    pub slowed: f64,
    pub bars: Vec<RaceBar>,
    /// The next kernel of the ladder that is faster, and how many times.
    pub next: Option<(String, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RaceBar {
    /// Its name, with and without its tile.
    pub names: [String; 2],
    /// The measured time, in milliseconds.
    pub ms: f64,
    /// Whether it is the kernel on the screen.
    pub own: bool,
    /// What it waits for, the longest wording first; empty if that is not known.
    pub waits: Vec<String>,
}

impl RaceBar {
    pub fn called(&self, short: bool) -> &str {
        &self.names[usize::from(short)]
    }

    /// What it waits for, in this wording or in the shortest one.
    pub fn waiting(&self, form: usize) -> &str {
        self.waits.get(form).or(self.waits.last()).map_or("", String::as_str)
    }
}

/// The longest that a race may take, in seconds.
const LONGEST: f64 = 6.0;

impl TimeRace {
    /// The seconds until the last one is there.
    pub fn seconds(&self) -> f64 {
        self.bars.iter().map(|bar| bar.ms).fold(0.0, f64::max) * self.slowed / 1e3
    }

    /// The part of the slowest one's time that a kernel has run for after so many seconds, from 0 to 1.
    pub fn part(&self, bar: &RaceBar, seconds: f64) -> f64 {
        (seconds.min(self.seconds_of(bar)) / self.seconds().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    /// The seconds that a kernel takes, as it is shown.
    pub fn seconds_of(&self, bar: &RaceBar) -> f64 {
        bar.ms * self.slowed / 1e3
    }

    /// Returns the race of the kernel on the screen against those beside it on the ladder, if its time
    /// is known.
    pub fn of(app: &App) -> Option<Self> {
        let own = app.measuring.measures.row(app.run.session.problem())?;
        let racing = racing(app, own);
        let bars: Vec<_> = racing.iter().map(|row| bar(app, own, row)).collect();
        let slowest = bars.iter().map(|bar| bar.ms).fold(0.0, f64::max);
        let origin = match &own.origin {
            MeasuredWhen::Now => format!("measured now on {}", own.measurement.device),
            MeasuredWhen::Recorded(label, _) => label.clone(),
        };
        let (measured, run) = (own.measurement.size, app.run.session.problem().size);
        let (size, run) = (sides(measured), (run != measured).then(|| sides(run)));
        let (slowed, next) = (slowed(slowest), next(&racing, own));
        Some(Self { origin, size, run, slowed, bars, next })
    }
}

/// `1024 x 1024`.
fn sides(size: Size) -> String {
    let Size { m, n, k } = size;
    if m == n && n == k { format!("{m} x {n}") } else { size.to_string() }
}

/// The seconds in which C flies from the stage to its place at the end, before anything else happens.
pub const FLIES: f64 = 0.6;

/// The seconds until the race of the end begins.
pub const BEGINS: f64 = 0.8;

/// The seconds from one note to the next, after the race, and the most notes.
pub const NOTE: f64 = 1.6;
const MOST_NOTES: f64 = 7.0;

impl App {
    /// Begins the end of the run: from the stage, C flies to its place first.
    pub(in crate::tui) fn begin_finale(&mut self) {
        let has_c = |scene: StageScene| matches!(scene.below, LowerRoom::Cross(_));
        let flies = self.play.motion.is_some() && self.stage_scene().is_some_and(has_c);
        self.play.playback.end();
        self.play.playback.since_end = if flies { -FLIES } else { 0.0 };
    }

    /// Whether the race at the end is still on its way.
    pub(in crate::tui) fn finale_moves(&self) -> bool {
        let moves = self.play.motion.is_some() && self.shows_finale();
        moves && self.play.playback.since_end < self.finale_length()
    }

    fn finale_length(&self) -> f64 {
        TimeRace::of(self).map_or(0.0, |race| BEGINS + race.seconds() + NOTE * MOST_NOTES)
    }

    /// The kernel to go on with at the end: the next one that is faster, or the next of the ladder.
    pub(in crate::tui) fn next_climb(&self) -> Option<KernelIndex> {
        let next = TimeRace::of(self).and_then(|race| self.kernels.cache.named(&race.next?.0));
        next.or_else(|| self.kernels.next_rung())
    }

    /// The seconds of the race at the end that are shown: all of them if the user wants no motion.
    pub(in crate::tui) fn finale_seconds(&self) -> f64 {
        if self.finale_moves() { self.play.playback.since_end } else { self.finale_length() }
    }
}

/// The kernels to simulate before what they wait for can be told.
pub fn to_count(app: &App) -> Vec<SizedSubject> {
    let Some(own) = app.measuring.measures.row(app.run.session.problem()) else {
        return Vec::new();
    };
    let unknown = racing(app, own).into_iter().filter(|row| limit(app, row).is_none());
    let subjects = unknown.filter_map(|row| SizedSubject::of(&row));
    subjects.filter(|subject| app.measuring.times.counts.known(subject).is_none()).collect()
}

/// The largest of 1, 2, 5, 10, 20, ... with which the slowest is there in time.
fn slowed(slowest_ms: f64) -> f64 {
    let most = LONGEST * 1e3 / slowest_ms.max(1e-6);
    let power = 10_f64.powf(most.log10().floor());
    let steps = [5.0, 2.0, 1.0].into_iter().map(|step| step * power);
    steps.into_iter().find(|slowed| *slowed <= most).unwrap_or(power)
}

/// Returns the rows that race: the kernel itself, the one before it on the ladder, the next one that is
/// faster, the fastest without shared memory, and the library. Times of different GPUs do not race.
pub(super) fn racing(app: &App, own: &Row) -> Vec<Measurement> {
    let mut rows = match &own.origin {
        MeasuredWhen::Now => {
            let now = app.measuring.measures.rows.iter();
            let now = now.filter(|row| row.origin == MeasuredWhen::Now);
            beside(&now.map(|row| row.measurement.clone()).collect::<Vec<_>>(), own)
        }
        MeasuredWhen::Recorded(..) => {
            let pack = app.measuring.times.pack(false);
            pack.map(|pack| beside(&pack.rows, own)).unwrap_or_default()
        }
    };
    if !rows.contains(&own.measurement) {
        rows.push(own.measurement.clone());
    }
    rows.sort_by(|a, b| b.ms.median.total_cmp(&a.ms.median));
    rows
}

/// The kernel of the catalogue that is faster by the least.
pub(super) fn next(racing: &[Measurement], own: &Row) -> Option<(String, f64)> {
    let faster = racing.iter().filter(|row| row.ms.median < own.measurement.ms.median);
    let next = faster
        .filter(|row| row.tile.is_some())
        .max_by(|a, b| a.ms.median.total_cmp(&b.ms.median))?;
    Some((next.kernel.clone(), own.measurement.ms.median / next.ms.median))
}

/// Whether two times are of the same product on the same GPU.
fn fits(own: &Row, other: &Measurement) -> bool {
    let Measurement { device, size, .. } = &own.measurement;
    (device, size, own.measurement.precision()) == (&other.device, &other.size, other.precision())
}

fn beside(all: &[Measurement], own: &Row) -> Vec<Measurement> {
    let rungs = ladder::rungs(all, own.measurement.size);
    let rungs: Vec<_> = rungs.into_iter().filter(|rung| fits(own, rung.row)).collect();
    let at = rungs.iter().position(|rung| rung.row.kernel == own.measurement.kernel);
    let without = rungs.iter().filter(|rung| kernel(rung).is_some_and(|of| of.shared.is_empty()));
    let without = without.min_by(|a, b| a.row.ms.median.total_cmp(&b.row.ms.median));
    let before = at.and_then(|at| rungs.get(at.checked_sub(1)?));
    let faster = |rung: &&Rung<'_>| rung.row.ms.median < own.measurement.ms.median;
    let next = at.and_then(|at| rungs[at + 1..].iter().find(faster));
    let mut rows: Vec<&Measurement> = Vec::new();
    for rung in before
        .into_iter()
        .chain(next)
        .chain(without)
        .chain(rungs.iter().filter(|rung| rung.is_library()))
    {
        let is_own = rung.row.kernel == own.measurement.kernel;
        if !is_own && !rows.iter().any(|row| row.kernel == rung.row.kernel) {
            rows.push(rung.row);
        }
    }
    rows.into_iter().cloned().collect()
}

fn kernel(rung: &Rung<'_>) -> Option<&'static Kernel> {
    KERNELS.iter().find(|kernel| kernel.name == rung.row.kernel)
}

fn bar(app: &App, own: &Row, row: &Measurement) -> RaceBar {
    let waits = limit(app, row).map(|limit| {
        let (unit, ms) = (limit.load.unit.word(), units::ms(limit.load.ms));
        if limit.is_close() {
            vec![format!("{unit}: {ms} ms of it"), format!("{unit} {ms} ms"), unit.to_owned()]
        } else {
            vec![format!("mostly waits; {unit}: {ms} ms"), "mostly waits".to_owned()]
        }
    });
    RaceBar {
        names: [ladder::name(row), ladder::short_name(row)],
        ms: row.ms.median,
        own: *row == own.measurement,
        waits: waits.unwrap_or_default(),
    }
}

/// What limits a kernel, as the Measure screen tells it.
pub(super) fn limit(app: &App, row: &Measurement) -> Option<UnitLimit> {
    let pack = app.measuring.times.pack(false).filter(|pack| pack.device == row.device)?;
    let rung = Rung {
        name: ladder::name(row),
        row,
        precision: row.precision(),
        of_library: None,
        over_previous: None,
    };
    units::limit(pack, &rung, &app.measuring.times.counts)
}
