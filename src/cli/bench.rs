//! `matviz bench`: the kernels' times on this machine's GPU, as a table, JSON, CSV or a timing pack.

mod counters;
mod interrupt;
mod progress;
pub(super) mod record;
mod sizes;
mod spread;

use self::counters::Counters;
use self::interrupt::Interrupt;
use self::progress::note;
use self::sizes::Sizes;
use self::spread::Devices;
use super::BadUse;
use super::foreign::{self, HEADING, say_assumed};
use super::output::print;
use super::problem::kernel;
use crate::gpu::GpuError;
use crate::gpu::client::{Client, Launcher};
use crate::gpu::pack::{self, Pack, Skipped};
use crate::gpu::protocol::{Effort, Gpus, Loops, Measure, Measurement, Subject};
use crate::kernel::{KERNELS, Kernel, Problem, Tile};
use crate::matrix::{Precision, SEED, Size};
use crate::report::bench::{columns, ladder, table};
use crate::report::counted::Counted;
use crate::report::recorded;
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of `matviz bench`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Args {
    /// Sizes: N, MxNxK, or FIRST..LAST for the powers of two between them
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_value = "256,512,1024",
          conflicts_with_all = ["ptx", "cuda"])]
    sizes: Vec<Sizes>,
    /// Tiles: N for NxN (1 to 32), or MxNxK [default: 16, or by the size]
    #[arg(long, value_name = "TILE", value_delimiter = ',',
          value_parser = super::problem::tile, conflicts_with_all = ["ptx", "cuda"])]
    tile: Vec<Tile>,
    /// Kernels to measure
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = kernel,
          default_value = "naive,tiled", conflicts_with_all = ["ptx", "cuda"])]
    kernels: Vec<&'static Kernel>,
    /// Measure every kernel of the catalogue in order, cuBLAS, and the GPU's peak rates
    #[arg(long, conflicts_with_all = ["kernels", "ptx", "cuda"])]
    ladder: bool,
    /// Also measure cuBLAS: SGEMM, and GemmEx next to half-precision kernels
    #[arg(long)]
    cublas: bool,
    /// Also measure the CPU: a plain loop, a blocked loop, and all cores
    #[arg(long)]
    cpu: bool,
    /// Also read the hardware counters of each launch, next to the simulated counts
    #[arg(long, conflicts_with = "devices")]
    counters: bool,
    /// GPU to measure on, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: u32,
    /// GPUs that share each product: all, or their numbers; rows of A and C are split, B is sent
    /// with NCCL
    #[arg(long, value_name = "all|N,N", conflicts_with_all = ["device", "ptx", "cuda", "record"])]
    devices: Option<Devices>,
    /// Give up if the GPU does not answer for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Write a timing pack to FILE; a pack of the same GPU, driver and day keeps its other rows
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare the measurements with the timing pack in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "csv")]
    compare: Option<PathBuf>,
    #[command(flatten)]
    foreign: foreign::Args,
    /// Size of its matrices: N, MxNxK or M,N,K [default: 1024]
    #[arg(long, value_name = "SIZE", help_heading = HEADING)]
    size: Option<Size>,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = super::sim::tolerance)]
    tolerance: Option<f64>,
}

/// What is measured, before a size is chosen for it.
enum Runner {
    Catalogue(&'static Kernel, Tile, String),
    /// In the variant that is chosen by the size.
    BySize(&'static Kernel),
    Foreign(Problem),
    Cublas(Precision),
    Cpu(Loops),
}

/// All that came of it.
struct Outcome {
    pack: Pack,
    /// What has read the hardware's counters, where they were asked for.
    counters: Option<Counters>,
    /// What is in the file that is recorded into.
    earlier: Option<Pack>,
    /// What ended it before the last row.
    failure: Option<GpuError>,
    /// The exit code, if that was a signal.
    interrupted: Option<u8>,
}

impl Outcome {
    /// The hardware's counters of each row beside the simulated ones, each simulated as it is taken.
    fn counted(&self) -> impl Iterator<Item = Counted> {
        self.counters.iter().flat_map(|counters| counters.beside(&self.pack))
    }

    /// The rows whose C is wrong.
    fn wrong(&self) -> impl Iterator<Item = &Measurement> {
        self.pack.rows.iter().filter(|row| !row.is_right())
    }

    /// Whether it is worth recording.
    fn is_kept(&self) -> bool {
        self.wrong().next().is_none() && (self.failure.is_none() || self.interrupted.is_some())
    }
}

/// Measures, with progress on stderr and the result on stdout: 0 if every C is right, else 1; 128
/// and the signal's number if Ctrl-C or another has ended it, and then what was measured before is
/// kept.
///
/// # Errors
/// A file to record in that cannot be written, which is found before anything is measured; no GPU,
/// or a measurement that failed: what was measured before it has been printed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(devices) = &args.devices {
        return spread::run(args, devices);
    }
    let own = own(args)?;
    let beside = args.compare.as_deref().map(record::read).transpose()?;
    let earlier = args.record.as_deref().map(record::earlier).transpose()?.flatten();
    let time_limit = Duration::from_secs(args.time_limit);
    let mut client = Client::new(Launcher::default(), time_limit);
    let mut counters = args.counters.then(|| Counters::new(args.device, time_limit));
    let stoppers = counters.iter().map(Counters::stopper).chain([client.stopper()]);
    let interrupt = Interrupt::ends(stoppers.collect());
    let result = measured(args, own.as_ref(), &mut client, counters.as_mut());
    match (result, interrupt.exit_code()) {
        (Ok((pack, failure)), interrupted) => {
            let outcome = Outcome { pack, counters, earlier, failure, interrupted };
            conclude(args, &outcome, beside.as_ref())
        }
        (Err(_), Some(code)) => {
            note("interrupted before anything was measured");
            Ok(ExitCode::from(code))
        }
        (Err(error), None) if args.json => {
            let error = serde_json::json!({ "error": error.to_string() });
            print(&(serde_json::to_string_pretty(&error)? + "\n"))?;
            Ok(ExitCode::FAILURE)
        }
        (Err(error), None) => Err(error.into()),
    }
}

/// The kernel of one's own, if there is one.
fn own(args: &Args) -> anyhow::Result<Option<Problem>> {
    if !args.foreign.is_given() {
        args.foreign.for_catalogue(KERNELS[0].name)?;
        let has = |tile: Tile| args.kernels().iter().any(|kernel| kernel.variant(tile).is_some());
        if let Some(tile) = args.tile.iter().find(|tile| !has(**tile)) {
            return Err(BadUse(format!("none of these kernels has a tile {tile}")).into());
        }
        return Ok(None);
    }
    let problem = args.foreign.problem(args.size.unwrap_or(Size::square(1024)))?;
    say_assumed(&problem);
    Ok(Some(problem))
}

/// All rows up to the first that failed, and what failed.
fn measured(
    args: &Args,
    own: Option<&Problem>,
    client: &mut Client,
    mut counters: Option<&mut Counters>,
) -> Result<(Pack, Option<GpuError>), GpuError> {
    let mut pack = pack(client.probe()?, args.device)?;
    if args.ladder || args.record.is_some() {
        pack.ceilings = Some(progress::ceilings(client, args.device)?);
    }
    let runners = runners(args, own, client)?;
    let sizes = own.map_or(args.sizes(), |own| vec![own.size]);
    let all: Vec<_> =
        sizes.iter().flat_map(|size| runners.iter().map(|runner| (*size, runner))).collect();
    let start = Instant::now();
    for (index, (size, runner)) in all.iter().enumerate() {
        let (size, subject, effort) = (*size, runner.subject(*size), runner.effort(args));
        let name = subject.name().to_owned();
        let request = Measure { subject, size, seed: SEED, device: args.device, effort };
        match progress::measure(client, request, (index + 1, all.len())) {
            Ok(row) => {
                let tolerance = args.tolerance.unwrap_or(row.tolerance);
                let mut row = Measurement { tolerance, ..row };
                if let Some(counters) = &mut counters {
                    counters.read(runner, &mut row);
                }
                pack.rows.push(row);
            }
            Err(error) if may_be_skipped(args, &error) => {
                note(&format!("{name} at {size}: {error}"));
                pack.skipped.push(Skipped { kernel: name, size, reason: error.to_string() });
            }
            Err(error) if pack.rows.is_empty() => return Err(error),
            Err(error) => return Ok((pack, Some(error))),
        }
    }
    if all.len() > 1 {
        note(&format!("{} rows in {:.0} s", pack.rows.len(), start.elapsed().as_secs_f64()));
    }
    Ok((pack, None))
}

/// Whether the other rows are worth measuring without this one.
fn may_be_skipped(args: &Args, error: &GpuError) -> bool {
    match error {
        GpuError::TooSlow { .. } => true,
        GpuError::NoCublas
        | GpuError::Architecture { .. }
        | GpuError::Excess(_)
        | GpuError::OutOfMemory { .. } => args.ladder,
        _ => false,
    }
}

fn conclude(args: &Args, outcome: &Outcome, beside: Option<&Pack>) -> anyhow::Result<ExitCode> {
    // Recorded first: where the terminal is gone, nothing can be printed any more.
    let recorded = match &args.record {
        Some(file) if outcome.is_kept() => {
            record::record(file, &outcome.pack, outcome.earlier.as_ref())
        }
        Some(_) | None => Ok(()),
    };
    let printed = tell(args, outcome, beside);
    recorded?;
    if let Some(code) = outcome.interrupted {
        note(&format!("interrupted; {} rows were measured before", outcome.pack.rows.len()));
        return Ok(ExitCode::from(code));
    }
    printed?;
    match &outcome.failure {
        Some(error) if !args.json => Err(error.clone().into()),
        None if outcome.wrong().next().is_none() => Ok(ExitCode::SUCCESS),
        Some(_) | None => Ok(ExitCode::FAILURE),
    }
}

/// Prints all that is told.
fn tell(args: &Args, outcome: &Outcome, beside: Option<&Pack>) -> anyhow::Result<()> {
    print(&told(args, outcome, beside)?)?;
    for row in outcome.wrong() {
        note(&format!("{} at {}: C is wrong", row.kernel, row.size));
    }
    // Last and one by one, since to simulate a large launch may take a while.
    for counted in outcome.counted().filter(|_| !args.json && !args.csv) {
        print(&format!("\n{}", counted.text()))?;
    }
    Ok(())
}

/// What is printed: JSON, CSV or a table.
fn told(args: &Args, outcome: &Outcome, beside: Option<&Pack>) -> anyhow::Result<String> {
    let Outcome { pack, failure, interrupted, .. } = outcome;
    if args.json {
        return json(outcome, failure.as_ref().filter(|_| interrupted.is_none()), beside);
    }
    if args.csv {
        return Ok(columns::csv(pack));
    }
    let rows = if args.ladder { ladder::tables(pack) } else { table(pack) };
    Ok(beside.map_or(rows.clone(), |beside| format!("{rows}\n{}", recorded::table(pack, beside))))
}

/// A pack without rows, of today.
fn pack(gpus: Gpus, device: u32) -> Result<Pack, GpuError> {
    Pack::begin(gpus, device, pack::today())
}

/// The CPU's loops; the kernel of one's own, or every kernel at every tile size; then cuBLAS.
fn runners(
    args: &Args,
    own: Option<&Problem>,
    client: &mut Client,
) -> Result<Vec<Runner>, GpuError> {
    let cpu = Loops::ALL.into_iter().filter(|_| args.cpu).map(Runner::Cpu);
    let mut runners: Vec<_> = cpu.chain(own.cloned().map(Runner::Foreign)).collect();
    let kernels = || args.kernels().into_iter().filter(|_| own.is_none());
    for tile in &args.tile {
        for kernel in kernels().filter(|kernel| kernel.variant(*tile).is_some()) {
            runners.push(Runner::Catalogue(kernel, *tile, ptx(client, kernel, *tile)?));
        }
    }
    let has_none = |kernel: &&Kernel| args.tile.iter().all(|tile| kernel.variant(*tile).is_none());
    runners.extend(kernels().filter(has_none).map(Runner::BySize));
    if args.cublas || args.ladder {
        runners.extend(libraries(&runners));
    }
    Ok(runners)
}

/// cuBLAS in every precision that is met among these.
fn libraries(runners: &[Runner]) -> Vec<Runner> {
    let met = |precision: &Precision| runners.iter().any(|runner| runner.precision() == *precision);
    [Precision::Single, Precision::Half].into_iter().filter(met).map(Runner::Cublas).collect()
}

impl Runner {
    /// What the elements of A and B are.
    fn precision(&self) -> Precision {
        match self {
            Self::Catalogue(kernel, ..) | Self::BySize(kernel) => kernel.precision,
            Self::Cublas(precision) => *precision,
            Self::Foreign(_) | Self::Cpu(_) => Precision::Single,
        }
    }

    fn subject(&self, size: Size) -> Subject {
        match self {
            Self::Catalogue(kernel, tile, ptx) => Subject::of(&compiled(kernel, *tile, ptx, size)),
            Self::BySize(kernel) => Subject::of(&kernel.problem_for(size)),
            Self::Foreign(problem) => Subject::of(problem),
            Self::Cublas(precision) => Subject::Cublas { precision: *precision },
            Self::Cpu(loops) => Subject::Cpu { loops: *loops },
        }
    }

    /// The launch of its kernel; none of a library's or the CPU's.
    fn launch(&self, size: Size) -> Option<Problem> {
        match self {
            Self::Catalogue(kernel, tile, ptx) => Some(compiled(kernel, *tile, ptx, size)),
            Self::BySize(kernel) => Some(kernel.problem_for(size)),
            Self::Foreign(problem) => Some(problem.clone()),
            Self::Cublas(_) | Self::Cpu(_) => None,
        }
    }

    /// How long it is timed: a ladder has many rows, one after the other, so that the clocks stay
    /// high; and on a CPU a row may take seconds.
    fn effort(&self, args: &Args) -> Effort {
        let whole = Effort::default();
        match self {
            Self::Cpu(_) => Effort { warm_up_ms: 0.0, least_samples: 3, budget_ms: 500.0, ..whole },
            _ if args.ladder => Effort {
                warm_up_ms: 50.0,
                least_samples: 5,
                budget_ms: 300.0,
                beside_ms: 50.0,
                ..whole
            },
            Self::Catalogue(..) | Self::BySize(_) | Self::Foreign(_) | Self::Cublas(_) => whole,
        }
    }
}

/// A kernel of the catalogue as PTX that may have been made just now.
fn compiled(kernel: &'static Kernel, tile: Tile, ptx: &str, size: Size) -> Problem {
    let variant = kernel.variant(tile).unwrap_or_else(|| kernel.variant_for(size));
    Problem::of(kernel, variant, size, Cow::Owned(ptx.to_owned()))
}

fn ptx(client: &mut Client, kernel: &Kernel, tile: Tile) -> Result<String, GpuError> {
    if let Some(ptx) = kernel.embedded(tile) {
        return Ok(ptx.to_owned());
    }
    client.compile(kernel, tile, false)
}

impl Args {
    /// Every size that is asked for, in order.
    fn sizes(&self) -> Vec<Size> {
        self.sizes.iter().flat_map(|sizes| sizes.0.iter().copied()).collect()
    }

    /// The kernels to measure.
    fn kernels(&self) -> Vec<&'static Kernel> {
        if self.ladder { KERNELS.iter().collect() } else { self.kernels.clone() }
    }
}

fn json(
    outcome: &Outcome,
    failure: Option<&GpuError>,
    beside: Option<&Pack>,
) -> anyhow::Result<String> {
    let pack = &outcome.pack;
    let mut value = serde_json::to_value(pack)?;
    if outcome.counters.is_some() {
        value["counted"] = serde_json::to_value(outcome.counted().collect::<Vec<_>>())?;
    }
    if let Some(beside) = beside {
        value["compared"] = serde_json::json!({
            "with": beside.label(),
            "rows": recorded::pairs(pack, beside),
        });
    }
    if let Some(error) = failure {
        value["error"] = error.to_string().into();
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}
