//! `matviz bench`: times of the kernels on this machine's GPU, as a table, JSON, CSV or a timing
//! pack.

mod any;
mod args;
mod counters;
mod interrupt;
mod progress;
pub(super) mod record;
mod request;
mod runner;
mod spread;

pub use self::args::Args;
use self::counters::CounterReader;
use self::interrupt::BenchInterrupt;
use self::progress::note;
use self::request::BenchRequest;
use self::runner::runners;
use super::BadUse;
use super::form::OutputForm;
use super::limit::{self, Limited};
use super::output::{complain, json_of_file, print};
use super::size_list::SizeList;
use super::user_kernel::say_assumed;
use super::working::{EndedWork, Working};
use crate::gpu::client::{Client, Launcher};
use crate::kernel::{Problem, Tile};
use crate::matrix::SEED;
use crate::report::bench::{columns, ladder, table};
use crate::report::counted::CounterComparison;
use crate::report::recorded;
use crate::timing::GpuError;
use crate::timing::pack::{self, NoSuchGpu, Pack, Skipped};
use crate::timing::{Gpus, Measure, Measurement};
use crate::tui::clock;
use std::process::ExitCode;
use std::time::Instant;

/// The results of a run.
struct BenchResults {
    pack: Pack,
    /// The reader of the hardware's counters, if requested.
    counters: Option<CounterReader>,
    /// The previous contents of the file that is recorded into.
    earlier: Option<Pack>,
    /// The error that ended the run before the last row.
    failure: Option<GpuError>,
    /// The exit code, if a signal ended it.
    interrupted: Option<u8>,
}

impl BenchResults {
    /// The hardware's counters of each row next to the simulated ones, each simulated when it is
    /// taken from the iterator. Ctrl-C ends them.
    fn counted<'a>(&'a self, working: &'a Working) -> impl Iterator<Item = CounterComparison> {
        self.counters.iter().flat_map(|counters| counters.beside(&self.pack, working))
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

/// Measures, with progress on stderr and the result on stdout. Returns 0 if every C is right,
/// otherwise 1; or 128 plus the signal's number if Ctrl-C or another signal ended it. What was
/// measured before a signal is kept.
///
/// # Errors
/// A file to record into that cannot be written, which is checked before anything is measured; no
/// GPU, or a measurement that failed. What was measured before is printed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    limit::refuse(&args.limit, &[Limited::Seconds])?;
    let asked = &BenchRequest::of(args)?;
    if let Some(gpus) = args.gpu.as_ref().filter(|gpus| gpus.one().is_err()) {
        return spread::run(asked, gpus);
    }
    let device = args.device()?;
    let own = own(asked)?;
    if let Some(own) = own.as_ref().filter(|own| !own.is_measurable()) {
        return any::run(asked, own, device);
    }
    let beside = args.against.as_deref().map(record::read).transpose()?;
    let earlier = args.record.as_deref().map(record::earlier).transpose()?.flatten();
    let time_limit = args.patience();
    let mut client = Client::new(Launcher::default(), time_limit);
    let mut counters = args.counters.then(|| CounterReader::new(device, time_limit));
    let stoppers = counters.iter().map(CounterReader::stopper).chain([client.stopper()]);
    let interrupt = BenchInterrupt::ends(stoppers.collect());
    let result = measured(asked, device, own.as_ref(), &mut client, counters.as_mut());
    match (result, interrupt.exit_code()) {
        (Ok((pack, failure)), interrupted) => {
            let outcome = BenchResults { pack, counters, earlier, failure, interrupted };
            conclude(asked, &outcome, beside.as_ref(), &interrupt)
        }
        (Err(_), Some(code)) => {
            let told = "interrupted before anything was measured";
            if asked.is_json() {
                let error = serde_json::json!(
                    { "format": pack::FORMAT, "interrupted": true, "error": told }
                );
                print(&json_of_file("bench", &error)?)?;
            }
            note(told);
            Ok(ExitCode::from(code))
        }
        (Err(error), None) if asked.is_json() => {
            let error = serde_json::json!({ "format": pack::FORMAT, "error": error.to_string() });
            print(&json_of_file("bench", &error)?)?;
            Ok(ExitCode::from(2))
        }
        (Err(error), None) => Err(error.into()),
    }
}

/// The user's kernel, if there is one.
fn own(asked: &BenchRequest<'_>) -> anyhow::Result<Option<Problem>> {
    let BenchRequest { args, own, subjects, .. } = asked;
    if !own.is_given() {
        own.refuse(subjects.kernels.first().map_or("", |kernel| kernel.name))?;
        let has = |tile: Tile| subjects.kernels.iter().any(|kernel| kernel.variant(tile).is_some());
        if let Some(tile) = args.tile.iter().find(|tile| !has(**tile)) {
            return Err(BadUse(format!("none of these kernels has a tile {tile}")).into());
        }
        return Ok(None);
    }
    if own.has_source() {
        let told = "--source: times are measured, of which no line is shown; leave it out";
        return Err(BadUse(told.to_owned()).into());
    }
    let size = args.size.as_ref().map(SizeList::one).transpose()?;
    let problem = own.problem(size, true)?;
    say_assumed(&problem);
    Ok(Some(problem))
}

/// All rows up to the first that failed, and its error.
fn measured(
    asked: &BenchRequest<'_>,
    device: u32,
    own: Option<&Problem>,
    client: &mut Client,
    mut counters: Option<&mut CounterReader>,
) -> Result<(Pack, Option<GpuError>), GpuError> {
    let args = asked.args;
    let mut pack = pack(client.probe()?, device)?;
    if asked.subjects.ladder || args.record.is_some() {
        pack.ceilings = Some(progress::ceilings(client, device)?);
    }
    let runners = runners(asked, own, client)?;
    let sizes = own.map_or(args.sizes(), |own| vec![own.size]);
    let all: Vec<_> =
        sizes.iter().flat_map(|size| runners.iter().map(|runner| (*size, runner))).collect();
    let start = Instant::now();
    for (index, (size, runner)) in all.iter().enumerate() {
        let (size, subject, effort) =
            (*size, runner.subject(*size), runner.effort(asked.subjects.ladder));
        let name = subject.name().to_owned();
        let request = Measure { subject, size, seed: SEED, device, effort };
        match progress::measure(client, request, (index + 1, all.len())) {
            Ok(row) => {
                let tolerance = args.tolerance.unwrap_or(row.tolerance);
                let mut row = Measurement { tolerance, ..row };
                if let Some(counters) = &mut counters {
                    counters.read(runner, &mut row);
                }
                pack.rows.push(row);
            }
            Err(error) if may_be_skipped(asked, &error) => {
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
fn may_be_skipped(asked: &BenchRequest<'_>, error: &GpuError) -> bool {
    match error {
        GpuError::TooSlow { .. } => true,
        GpuError::NoCublas
        | GpuError::Architecture { .. }
        | GpuError::Excess(_)
        | GpuError::OutOfMemory { .. } => asked.subjects.ladder,
        _ => false,
    }
}

fn conclude(
    asked: &BenchRequest<'_>,
    outcome: &BenchResults,
    beside: Option<&Pack>,
    interrupt: &BenchInterrupt,
) -> anyhow::Result<ExitCode> {
    // Recorded first: if the terminal is gone, nothing more can be printed.
    let recorded = match &asked.args.record {
        Some(file) if outcome.is_kept() => {
            record::record(file, &outcome.pack, outcome.earlier.as_ref())
        }
        Some(_) | None => Ok(()),
    };
    interrupt.measured();
    let printed = tell(asked, outcome, beside);
    recorded?;
    if let Some(code) = outcome.interrupted {
        note(&format!("interrupted; {} rows were measured before", outcome.pack.rows.len()));
        return Ok(ExitCode::from(code));
    }
    let ended = printed?;
    let fine = outcome.wrong().next().is_none();
    match &outcome.failure {
        Some(error) if !asked.is_json() => Err(error.clone().into()),
        Some(_) => Ok(ended.code(ExitCode::from(2))),
        None => Ok(ended.code(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })),
    }
}

/// Prints all results; Ctrl-C may have ended the simulation that stands beside them.
fn tell(
    asked: &BenchRequest<'_>,
    outcome: &BenchResults,
    beside: Option<&Pack>,
) -> anyhow::Result<EndedWork> {
    let wrong = || {
        for row in outcome.wrong() {
            complain(&format!("{} at {}: C is wrong", row.kernel, row.size));
        }
    };
    let working = Working::on("simulating what was measured");
    if asked.is_json() {
        let counted = outcome.counters.is_some().then(|| outcome.counted(&working).collect());
        let ended = working.ends();
        print(&json(outcome, counted, beside, &ended)?)?;
        wrong();
        return Ok(ended);
    }
    print(&answer(asked, outcome, beside))?;
    wrong();
    // Last and one by one, since simulating a large launch may take a while.
    if asked.form != OutputForm::Csv {
        for counted in outcome.counted(&working) {
            print(&format!("\n{}", counted.text()))?;
        }
    }
    Ok(working.ends())
}

/// The text to print: CSV or a table.
fn answer(asked: &BenchRequest<'_>, outcome: &BenchResults, beside: Option<&Pack>) -> String {
    let pack = &outcome.pack;
    if asked.form == OutputForm::Csv {
        return columns::csv(pack);
    }
    let rows = if asked.subjects.ladder { ladder::tables(pack) } else { table(pack) };
    beside.map_or(rows.clone(), |beside| format!("{rows}\n{}", recorded::table(pack, beside)))
}

/// A pack without rows, with today's date.
fn pack(gpus: Gpus, device: u32) -> Result<Pack, NoSuchGpu> {
    Pack::begin(gpus, device, clock::today())
}

fn json(
    outcome: &BenchResults,
    counted: Option<Vec<CounterComparison>>,
    beside: Option<&Pack>,
    ended: &EndedWork,
) -> anyhow::Result<String> {
    let pack = &outcome.pack;
    let mut value = serde_json::to_value(pack)?;
    if let Some(counted) = counted {
        value["counted"] = serde_json::to_value(counted)?;
    }
    if let Some(beside) = beside {
        value["compared"] = serde_json::json!({
            "with": beside.label(),
            "rows": recorded::pairs(pack, beside),
        });
    }
    let interrupted = outcome.interrupted.is_some();
    if interrupted || ended.is_interrupted() {
        value["interrupted"] = true.into();
    }
    if let Some(error) = outcome.failure.as_ref().filter(|_| !interrupted) {
        value["error"] = error.to_string().into();
    }
    Ok(json_of_file("bench", &value)?)
}
