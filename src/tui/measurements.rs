//! The measured times on the screen: recorded ones, until this machine's own arrive.

use super::own_time::{OwnTime, timing};
use super::task::MeasureEvent;
use crate::kernel::{KERNELS, Kernel, Problem, Tile, Variant};
use crate::matrix::{Precision, Size};
use crate::report::counted::metrics;
use crate::report::ladder::{self, called};
use crate::timing::GpuError;
use crate::timing::pack::{self, Freshness};
use crate::timing::protocol::Request;
use crate::timing::{
    CountRequest, HardwareCounts, Measure, Measurement, SamplingPlan, Subject, library,
};
use std::borrow::Cow;

/// The rows of the table of times, and the state of the measurement.
#[derive(Debug)]
pub struct Measurements {
    pub size: Size,
    /// The simulated size, if that is so small that only a launch would be timed.
    pub too_small: Option<Size>,
    /// The known rows: one per kernel and one per library.
    pub rows: Vec<Row>,
    pub status: MeasureStatus,
    /// Recorded GFLOP/s by size, one series per row.
    pub sweep: Vec<Series>,
    /// The time of a kernel that stands in no row.
    pub own: Option<OwnTime>,
    /// Rows with hardware counters that were read on this machine.
    counted: Vec<Row>,
    /// The kernels whose counters were requested.
    asked: Vec<(String, Option<Tile>)>,
    /// The reason why counters cannot be read on this machine.
    pub refused: Option<String>,
}

/// One measured time.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub measurement: Measurement,
    /// The origin of the time.
    pub origin: MeasuredWhen,
}

/// The origin of a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredWhen {
    /// This machine, since the program started.
    Now,
    /// A pack: the label to show next to the time, and whether the kernel has changed since.
    Recorded(String, Freshness),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasureStatus {
    Idle,
    /// Measuring; a description of the progress.
    Running(String),
    /// A measurement failed, for this reason.
    Failed(String),
    /// This machine has no GPU.
    NoGpu,
}

/// One kernel's speed at several sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub name: String,
    /// The name without the tile.
    pub short: String,
    /// (N, GFLOP/s), ascending.
    pub points: Vec<(u32, f64)>,
}

impl Measurements {
    /// Returns the recorded times of these kernels, at their size or at the nearest recorded one; at a
    /// larger one, if they are so small that only a launch would be timed.
    pub fn recorded(problems: &[Problem]) -> Self {
        let simulated = problems.first().map_or(Size::square(1), |problem| problem.size);
        let larger = larger(problems);
        let too_small = larger.map(|_| simulated);
        let near = || nearest(&subjects(problems, simulated), simulated);
        let size = larger.unwrap_or_else(near);
        let subjects = subjects(problems, size);
        let rows = subjects.iter().filter_map(|(kernel, tile)| {
            let found = pack::lookup(kernel, *tile, size)?;
            let origin = MeasuredWhen::Recorded(found.label, found.freshness);
            Some(Row { name: called(kernel, *tile), measurement: found.row.clone(), origin })
        });
        let (mut rows, sweep): (Vec<_>, _) =
            (rows.collect(), subjects.iter().map(series).collect());
        rows.sort_by_key(|row: &Row| rank(&row.measurement));
        let (status, counted, asked, refused) = (MeasureStatus::Idle, Vec::new(), Vec::new(), None);
        Self { size, too_small, rows, status, sweep, own: None, counted, asked, refused }
    }

    /// Shows the times of these kernels: those that were measured on this machine at the size of the
    /// others, and recorded ones. Those of a user's kernel that is another one now are dropped.
    pub fn turn_to(&mut self, problems: &[Problem]) {
        let recorded = Self::recorded(problems);
        let lasts = |row: &Row| {
            let users = row.measurement.tile.is_none() && row.measurement.ptx_sha256.is_some();
            !users || problems.iter().any(|problem| is_of(&row.measurement, problem))
        };
        self.rows.retain(lasts);
        self.counted.retain(lasts);
        self.asked.retain(|(_, tile)| tile.is_some());
        let Some(own) = self.rows.iter().find(|row| row.origin == MeasuredWhen::Now) else {
            (self.size, self.too_small) = (recorded.size, recorded.too_small);
            (self.rows, self.sweep) = (recorded.rows, recorded.sweep);
            return;
        };
        let fits = own.measurement.size == recorded.size;
        let is_new = |row: &Row| fits && self.rows.iter().all(|known| known.name != row.name);
        let new: Vec<_> = recorded.rows.into_iter().filter(is_new).collect();
        self.rows.extend(new);
        self.rows.sort_by_key(|row| rank(&row.measurement));
        self.sweep = recorded.sweep;
    }

    /// Returns the row with the hardware counters of this problem's kernel: read on this machine,
    /// or recorded at the nearest size.
    pub fn counted(&self, problem: &Problem) -> Option<Cow<'_, Row>> {
        let tile = self.tile(problem);
        let is_it = |row: &Measurement| {
            row.kernel == problem.name() && row.tile == tile && is_of(row, problem)
        };
        let own = self.counted.iter().find(|row| is_it(&row.measurement));
        let recorded = || recorded_counters(problem.name(), tile, self.size);
        own.map(Cow::Borrowed).or_else(|| recorded().map(Cow::Owned))
    }

    /// Returns the row of this problem's kernel.
    pub fn row(&self, problem: &Problem) -> Option<&Row> {
        let tile = self.tile(problem);
        let is_it = |row: &&Row| {
            let row = &row.measurement;
            (&*row.kernel, row.tile) == (problem.name(), tile) && is_of(row, problem)
        };
        self.rows.iter().find(is_it)
    }

    /// The tile with which this problem's kernel is measured.
    fn tile(&self, problem: &Problem) -> Option<Tile> {
        tile_at(problem, self.size)
    }

    /// Returns the request for the counters of this problem: only once, after its time was
    /// measured, while no measurement is running, and never again once counters were refused.
    pub fn ask_counters(&mut self, problem: &Problem, device: u32) -> Option<CountRequest> {
        let problem = &at(problem, self.size);
        let key = (problem.name().to_owned(), problem.timed_tile());
        let timed = self.rows.iter().any(|row| {
            let Measurement { kernel, tile, size, .. } = &row.measurement;
            row.origin == MeasuredWhen::Now
                && (kernel, tile, size) == (&key.0, &key.1, &problem.size)
        });
        let idle = !matches!(self.status, MeasureStatus::Running(_));
        if !timed || !idle || self.refused.is_some() || self.asked.contains(&key) {
            return None;
        }
        self.asked.push(key);
        let (subject, size, seed) = (Subject::of(problem), problem.size, problem.seed);
        Some(CountRequest { subject, size, seed, device, metrics: metrics() })
    }

    fn hear_counters(&mut self, count: &CountRequest, counted: HardwareCounts) {
        self.status = MeasureStatus::Idle;
        let is_it = |row: &&Row| {
            let Measurement { kernel, tile, size, .. } = &row.measurement;
            (&**kernel, *tile, *size) == (count.subject.name(), count.subject.tile(), count.size)
        };
        if let Some(mut row) = self.rows.iter().find(is_it).cloned() {
            row.measurement.beside.counters = Some(counted.counters);
            self.counted.push(row);
        }
    }

    /// Takes in events of the measuring process.
    pub fn hear(&mut self, news: MeasureEvent) {
        match news {
            MeasureEvent::Progress(row, phase) => {
                self.status = MeasureStatus::Running(format!("{}: {phase}", row.name()));
            }
            MeasureEvent::Measured(measurement) => self.put(*measurement),
            MeasureEvent::Failed(_, GpuError::NoDriver | GpuError::NoGpu { .. }) => {
                self.status = MeasureStatus::NoGpu;
            }
            // A machine without cuBLAS can still measure the kernels.
            MeasureEvent::Failed(row, _) if row.is_library() && self.has_own() => {
                self.status = MeasureStatus::Idle;
            }
            MeasureEvent::Failed(row, error) => {
                self.status = MeasureStatus::Failed(format!("{}: {error}", row.name()));
            }
            MeasureEvent::Counted(count, counted) => self.hear_counters(&count, *counted),
            MeasureEvent::NotCounted(error) => {
                self.status = MeasureStatus::Idle;
                self.refused = Some(error.to_string());
            }
            MeasureEvent::Timed(..) => self.status = MeasureStatus::Idle,
        }
    }

    /// Replaces the recorded row of this kernel, and removes the rows of other sizes.
    fn put(&mut self, measurement: Measurement) {
        let stays = |row: &Row| {
            let other = (&row.measurement.kernel, row.measurement.tile);
            row.measurement.size == measurement.size
                && other != (&measurement.kernel, measurement.tile)
        };
        self.rows.retain(stays);
        self.size = measurement.size;
        let name = ladder::name(&measurement);
        // The SGEMM of cuBLAS is requested last.
        if measurement.kernel == library(Precision::Single) {
            self.status = MeasureStatus::Idle;
        }
        self.rows.push(Row { name, measurement, origin: MeasuredWhen::Now });
        self.rows.sort_by_key(|row| rank(&row.measurement));
    }

    fn has_own(&self) -> bool {
        self.rows.iter().any(|row| row.origin == MeasuredWhen::Now)
    }
}

/// Whether a time is that of this problem's kernel, as far as its name and its tile do not say: the
/// PTX of a kernel that is edited is another one after each save.
fn is_of(row: &Measurement, problem: &Problem) -> bool {
    row.tile.is_some() || row.ptx_sha256.as_deref() == Some(&*problem.ptx_sha256())
}

/// Returns the recorded row of a kernel that has counters and is nearest to this size in work.
fn recorded_counters(kernel: &str, tile: Option<Tile>, size: Size) -> Option<Row> {
    let packs = pack::packs().iter().flat_map(|pack| pack.rows.iter().map(move |row| (pack, row)));
    let has = packs.filter(|(_, row)| {
        (&*row.kernel, row.tile) == (kernel, tile) && row.beside.counters.is_some()
    });
    let (pack, row) = ladder::nearest(has, size, |(_, row)| row.size)?;
    let origin = MeasuredWhen::Recorded(pack.label(), pack::freshness(row));
    Some(Row { name: ladder::name(row), measurement: row.clone(), origin })
}

/// Returns the larger size whose times to show for kernels that are so small that only a launch
/// would be timed; `None` for others.
fn larger(problems: &[Problem]) -> Option<Size> {
    let (size, pack) = problems.first().map(|problem| problem.size).zip(pack::packs().first())?;
    let near = nearest(&subjects(problems, size), size);
    let telling = ladder::telling_size(pack, near);
    (telling != near).then_some(telling)
}

/// Returns the size at which to measure these kernels: the larger one for those of the catalogue,
/// but the launch of a user's kernel is of one size.
fn measured_size(problems: &[Problem]) -> Option<Size> {
    let ours = problems.iter().all(|problem| problem.catalogue().is_some());
    let own = problems.first().map(|problem| problem.size);
    larger(problems).filter(|_| ours).or(own)
}

/// Returns the problem of the same kernel at another size.
fn at(problem: &Problem, size: Size) -> Problem {
    let variant = variant_at(problem, size).filter(|_| problem.size != size);
    let Some((kernel, variant)) = problem.catalogue().zip(variant) else { return problem.clone() };
    let same = problem.tile() == Some(variant.tile);
    let ptx = if same { problem.ptx.clone() } else { variant.ptx.unwrap_or_default().into() };
    Problem { seed: problem.seed, ..Problem::of(kernel, variant, size, ptx) }
}

fn tile_at(problem: &Problem, size: Size) -> Option<Tile> {
    if problem.size == size {
        return problem.timed_tile();
    }
    variant_at(problem, size).map(|variant| variant.tile)
}

/// Returns the variant of a kernel at another size: square tiles, which the user chooses, stay if
/// there are times of them.
fn variant_at(problem: &Problem, size: Size) -> Option<Variant> {
    let kernel = problem.catalogue()?;
    let recorded = |tile: Tile| {
        let mut rows = pack::packs().iter().flat_map(|pack| &pack.rows);
        rows.any(|row| (&*row.kernel, row.tile, row.size) == (kernel.name, Some(tile), size))
    };
    let own =
        problem.known.map(|known| known.variant).filter(|variant| variant.tile.side().is_some());
    Some(own.filter(|own| recorded(own.tile)).unwrap_or_else(|| kernel.variant_for(size)))
}

/// Returns (kernel, tile) of everything whose times are shown at a size, in teaching order.
fn subjects(problems: &[Problem], size: Size) -> Vec<(&str, Option<Tile>)> {
    let tile = |kernel: &Kernel| kernel.variant_for(size).tile;
    let kernels = beside(problems).map(|kernel| (kernel.name, Some(tile(kernel))));
    let shown = problems.iter().map(|problem| (problem.name(), told_tile(problem, size)));
    let libraries = [Precision::Single, Precision::Half].into_iter();
    let libraries = libraries.filter(|_| problems.iter().all(Problem::is_product));
    let libraries = libraries.map(|precision| (library(precision), None));
    kernels.chain(shown).chain(libraries).collect()
}

/// Returns the tile whose recorded times are shown for a problem: its own or, if no pack has that,
/// the usual one of its kernel.
fn told_tile(problem: &Problem, size: Size) -> Option<Tile> {
    let own = tile_at(problem, size);
    let mut rows = pack::packs().iter().flat_map(|pack| &pack.rows);
    let known = rows.any(|row| row.kernel == problem.name() && row.tile == own);
    let usual = problem.catalogue().filter(|_| !known);
    usual.map_or(own, |kernel| Some(kernel.variant_for(size).tile))
}

/// Returns the kernels to measure in addition to these: the whole catalogue for a user's kernel.
pub fn beside(problems: &[Problem]) -> impl Iterator<Item = &'static Kernel> {
    let own = problems.iter().all(|problem| problem.catalogue().is_none());
    let comparable = problems.iter().all(Problem::is_measurable);
    KERNELS.iter().filter(move |_| own && comparable)
}

/// The sort key of a row: float32 before halves; within each the catalogue, a user's kernel, the
/// library.
fn rank(row: &Measurement) -> (bool, usize) {
    let known = KERNELS.iter().position(|known| known.name == row.kernel);
    let place = match known.filter(|_| row.tile.is_some()) {
        Some(place) => place,
        None if row.is_library() => usize::MAX,
        None => KERNELS.len(),
    };
    (row.precision() == Precision::Half, place)
}

/// Returns `size`, or the recorded size that is nearest to it in work.
fn nearest(subjects: &[(&str, Option<Tile>)], size: Size) -> Size {
    let is_ours = |row: &&Measurement| {
        subjects.iter().any(|(kernel, tile)| row.kernel == *kernel && row.tile == *tile)
    };
    let recorded = pack::packs().iter().flat_map(|pack| &pack.rows).filter(is_ours);
    ladder::nearest(recorded.map(|row| row.size), size, |size| *size).unwrap_or(size)
}

fn series((kernel, tile): &(&str, Option<Tile>)) -> Series {
    let rows = pack::packs().iter().take(1).flat_map(|pack| &pack.rows);
    let mut points: Vec<(u32, f64)> = rows
        .filter(|row| {
            row.kernel == *kernel && row.tile == *tile && row.size == Size::square(row.size.n)
        })
        .map(|row| (row.size.n, row.gflops))
        .collect();
    points.sort_by_key(|(n, _)| *n);
    Series { name: called(kernel, *tile), short: called(kernel, None), points }
}

/// Returns what to ask a GPU for these kernels: the rows, and the time of one that stands in none.
pub fn requests(problems: &[Problem], device: u32) -> Vec<Request> {
    let own = problems.iter().filter_map(|problem| timing(problem, device)).map(Request::Time);
    let rows = measures(problems, device).into_iter().map(Request::Measure);
    own.chain(rows).collect()
}

/// Returns what to measure for these kernels on a GPU: each of them, those that they are compared
/// with, and cuBLAS, with its SGEMM last.
fn measures(problems: &[Problem], device: u32) -> Vec<Measure> {
    let Some(first) = problems.first() else { return Vec::new() };
    let (size, seed) = (measured_size(problems).unwrap_or(first.size), first.seed);
    let measure =
        |subject| Measure { subject, size, seed, device, effort: SamplingPlan::default() };
    let beside = beside(problems).map(|kernel| Subject::of(&kernel.problem_for(size)));
    let own = problems.iter().filter(|problem| problem.is_measurable());
    let own = own.map(|problem| Subject::of(&at(problem, size)));
    let subjects: Vec<_> = own.chain(beside).collect();
    let library = |precision| {
        let met = subjects.iter().any(|subject| subject.precision() == precision);
        met.then_some(Subject::Cublas { precision })
    };
    let libraries = [Precision::Half, Precision::Single].into_iter().filter_map(library);
    subjects.clone().into_iter().chain(libraries).map(measure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{LaunchSpec, find};

    #[test]
    fn counters_are_asked_for_once_when_the_times_are_there_and_never_after_a_refusal() {
        let of = |name: &str| find(name).expect("a kernel").problem_for(Size::square(1024));
        let problems = [of("naive"), of("tiled"), of("tiled_padded")];
        let mut measures = Measurements::recorded(&problems);
        let origin = |measures: &Measurements, problem| {
            measures.counted(problem).expect("recorded or read").into_owned().origin
        };
        assert!(matches!(origin(&measures, &problems[1]), MeasuredWhen::Recorded(..)));
        assert_eq!(measures.ask_counters(&problems[1], 0), None, "its time comes first");
        for problem in &problems {
            let row = pack::lookup(problem.name(), problem.tile(), problem.size);
            measures.hear(MeasureEvent::Measured(Box::new(row.expect("recorded").row.clone())));
        }
        let count = measures.ask_counters(&problems[1], 0).expect("it is time");
        assert_eq!(measures.ask_counters(&problems[1], 0), None, "it has been asked for");
        let counters = [("a".to_owned(), 2.0)].into();
        let counted = HardwareCounts { counters, ..HardwareCounts::default() };
        measures.hear(MeasureEvent::Counted(Box::new(count), Box::new(counted)));
        assert_eq!(origin(&measures, &problems[1]), MeasuredWhen::Now);
        assert!(measures.ask_counters(&problems[2], 0).is_some());
        measures.hear(MeasureEvent::NotCounted(GpuError::CountersRefused));
        let refused = measures.refused.clone().expect("it is told why");
        assert!(refused.contains("administrator"), "{refused}");
        assert_eq!(measures.ask_counters(&problems[0], 0), None);
        assert!(matches!(origin(&measures, &problems[0]), MeasuredWhen::Recorded(..)));
    }

    #[test]
    fn after_a_change_of_the_tile_its_recorded_time_stands_beside_those_of_this_machine() {
        let tiled = find("tiled").expect("a kernel");
        let of = |tile: u32| {
            let ptx = tiled.embedded(tile).expect("its PTX");
            Problem::of(tiled, tile, Size::square(1024), ptx.into())
        };
        let mut measures = Measurements::recorded(&[of(16)]);
        assert_eq!(measures.row(&of(32)), None);
        measures.turn_to(&[of(32)]);
        assert!(measures.row(&of(16)).is_none() && measures.row(&of(32)).is_some());
        let row = measures.row(&of(32)).expect("it is there").measurement.clone();
        measures.hear(MeasureEvent::Measured(Box::new(row)));
        measures.turn_to(&[of(16)]);
        let origin = |tile| measures.row(&of(tile)).map(|row| row.origin.clone());
        assert_eq!(origin(32), Some(MeasuredWhen::Now));
        assert!(matches!(origin(16), Some(MeasuredWhen::Recorded(..))));
    }

    #[test]
    fn what_is_too_small_to_time_is_measured_at_a_size_that_tells_something() {
        let of = |name: &str, n| find(name).expect("a kernel").problem_for(Size::square(n));
        let sizes = |n| {
            let problems = [of("tiled", n), of("sgemm", n)];
            let measures = measures(&problems, 0);
            assert!(measures.iter().all(|measure| measure.size == measures[0].size));
            let recorded = Measurements::recorded(&problems);
            let tiles: Vec<_> = measures.iter().map(|measure| measure.subject.tile()).collect();
            for row in recorded.rows.iter().filter(|row| !row.measurement.is_library()) {
                assert!(tiles.contains(&row.measurement.tile), "{}", row.name);
            }
            (measures[0].size.n, recorded.size.n, recorded.too_small.map(|size| size.n))
        };
        assert_eq!(sizes(64), (4096, 4096, Some(64)));
        assert_eq!(sizes(1000), (1000, 1024, None));
    }

    #[test]
    fn a_tile_without_recorded_times_has_those_of_the_usual_one_beside_it() {
        let tiled = find("tiled").expect("a kernel");
        let (variant, ptx) = (tiled.variant(4).expect("a tile"), tiled.embedded(4).expect("PTX"));
        let problem = Problem::of(tiled, variant, Size::square(1024), ptx.into());
        let measures = Measurements::recorded(std::slice::from_ref(&problem));
        let names: Vec<_> = measures.rows.iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["tiled 16", "cuBLAS", "cuBLAS half"]);
        assert_eq!(measures.row(&problem), None);
    }

    #[test]
    fn the_library_of_each_precision_comes_along() {
        let names = ["tiled", "half_tensor"];
        let kernels = names.map(|name| find(name).expect("a kernel"));
        let problems = kernels.map(|kernel| kernel.problem_for(Size::square(64)));
        let measures = measures(&problems, 0);
        let names: Vec<_> = measures.iter().map(|measure| measure.subject.name()).collect();
        assert_eq!(names, ["tiled", "half_tensor", "cublas half", "cublas"]);
    }

    #[test]
    fn a_small_users_kernel_stands_beside_times_that_tell_something_and_is_measured_as_it_is() {
        let size = Size::square(64);
        let ptx = find("tiled").and_then(|kernel| kernel.embedded(16)).expect("its PTX");
        let module = ptx::parse(ptx).expect("it is supported");
        let args = Some("A,B,C,M,N,K".to_owned());
        let block = crate::launch::Dim3::flat(16, 16);
        let wanted = LaunchSpec { block, args, ..LaunchSpec::default() };
        let problems = [wanted.problem(&module, ptx, size).expect("it can be launched")];
        let recorded = Measurements::recorded(&problems);
        assert_eq!((recorded.size.n, recorded.too_small), (4096, Some(size)));
        assert!(recorded.rows.iter().any(|row| row.measurement.kernel == "tiled"));
        assert!(measures(&problems, 0).iter().all(|measure| measure.size == size));
    }

    #[test]
    fn a_kernel_whose_tile_was_never_measured_has_the_times_of_its_usual_tile() {
        let kernel = find("tiled").expect("a kernel");
        let problem =
            Problem::of(kernel, 4, Size::square(8), kernel.embedded(4).expect("PTX").into());
        let recorded = Measurements::recorded(std::slice::from_ref(&problem));
        let row = recorded.row(&problem).expect("recorded");
        assert_eq!((&*row.name, row.measurement.size.n), ("tiled 16", 4096));
    }
}
