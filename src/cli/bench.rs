//! `matviz bench`: the kernels' times on this machine's GPU, as a table, JSON or a timing pack.

mod spread;

use super::BadUse;
use super::foreign::{self, HEADING, say_assumed};
use super::output::print;
use super::problem::kernel;
use crate::gpu::GpuError;
use crate::gpu::client::{Client, Launcher};
use crate::gpu::pack::{FORMAT, Pack};
use crate::gpu::protocol::{Answer, Effort, Gpus, Measure, Measurement, Phase, Request, Subject};
use crate::kernel::{KERNELS, Kernel, Problem, Tile};
use crate::matrix::{SEED, Size};
use crate::report::bench::table;
use anyhow::Context;
use spread::Devices;
use std::borrow::Cow;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `matviz bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Sizes, each N or MxNxK
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_value = "256,512,1024",
          conflicts_with_all = ["ptx", "cuda"])]
    sizes: Vec<Size>,
    /// Tiles: sides of square ones, 1 to 32, or MxNxK [default: 16, or by the size]
    #[arg(long, value_name = "TILE", value_delimiter = ',',
          value_parser = super::problem::tile, conflicts_with_all = ["ptx", "cuda"])]
    tile: Vec<Tile>,
    /// Kernels
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = kernel,
          default_value = "naive,tiled", conflicts_with_all = ["ptx", "cuda"])]
    kernels: Vec<&'static Kernel>,
    /// Measure cuBLAS's SGEMM beside them
    #[arg(long)]
    cublas: bool,
    /// Which GPU, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    device: u32,
    /// GPUs that share each product, all or their numbers: rows of A and C split, B sent with NCCL
    #[arg(long, value_name = "all|N,N", conflicts_with_all = ["device", "ptx", "cuda", "record"])]
    devices: Option<Devices>,
    /// Give up when the GPU says nothing for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a timing pack to FILE
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    foreign: foreign::Args,
    /// Size for it: N, MxNxK or M,N,K [default: 1024]
    #[arg(long, value_name = "SIZE", help_heading = HEADING)]
    size: Option<Size>,
    /// The largest relative error that counts as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = super::sim::tolerance)]
    tolerance: Option<f64>,
}

/// What is measured, before a size is chosen for it.
enum Runner {
    Catalogue(&'static Kernel, Tile, String),
    /// In the variant that is chosen by the size.
    BySize(&'static Kernel),
    Foreign(Problem),
    Cublas,
}

/// Measures, with progress on stderr and the result on stdout: 0 if every C is right, else 1.
///
/// # Errors
/// No GPU, or a measurement that failed; what was measured before it has been printed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(devices) = &args.devices {
        return spread::run(args, devices);
    }
    let own = own(args)?;
    match measured(args, own.as_ref()) {
        Ok((pack, failure)) => conclude(args, &pack, failure),
        Err(error) if args.json => {
            let error = serde_json::json!({ "error": error.to_string() });
            print(&(serde_json::to_string_pretty(&error)? + "\n"))?;
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(error.into()),
    }
}

/// The kernel of one's own, if there is one.
fn own(args: &Args) -> anyhow::Result<Option<Problem>> {
    if !args.foreign.is_given() {
        args.foreign.for_catalogue(KERNELS[0].name)?;
        let has = |tile: Tile| args.kernels.iter().any(|kernel| kernel.variant(tile).is_some());
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
fn measured(args: &Args, own: Option<&Problem>) -> Result<(Pack, Option<GpuError>), GpuError> {
    let mut client = Client::new(Launcher::default(), Duration::from_secs(args.time_limit));
    let mut pack = pack(probe(&mut client)?, args.device)?;
    let runners = runners(args, own, &mut client)?;
    let sizes = own.map_or(args.sizes.clone(), |own| vec![own.size]);
    for size in sizes {
        for runner in &runners {
            let (device, effort) = (args.device, Effort::default());
            let subject = runner.subject(size);
            let request = Measure { subject, size, seed: SEED, device, effort };
            match measure(&mut client, request) {
                Ok(row) => {
                    let tolerance = args.tolerance.unwrap_or(row.tolerance);
                    pack.rows.push(Measurement { tolerance, ..row });
                }
                Err(error) if pack.rows.is_empty() => return Err(error),
                Err(error) => return Ok((pack, Some(error))),
            }
        }
    }
    Ok((pack, None))
}

fn conclude(args: &Args, pack: &Pack, failure: Option<GpuError>) -> anyhow::Result<ExitCode> {
    print(&if args.json { json(pack, failure.as_ref())? } else { table(pack) })?;
    if let Some(error) = failure {
        return if args.json { Ok(ExitCode::FAILURE) } else { Err(error.into()) };
    }
    let wrong: Vec<_> = pack.rows.iter().filter(|row| !row.is_right()).collect();
    for row in &wrong {
        note(&format!("{} at {}: C is wrong", row.kernel, row.size));
    }
    if let (Some(file), true) = (&args.record, wrong.is_empty()) {
        record(file, pack)?;
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn probe(client: &mut Client) -> Result<Gpus, GpuError> {
    match client.ask(&Request::Probe, |_| ())? {
        Answer::Gpus(gpus) => Ok(gpus),
        other => Err(GpuError::Protocol { line: format!("{other:?}") }),
    }
}

/// A pack without rows, of today.
fn pack(gpus: Gpus, device: u32) -> Result<Pack, GpuError> {
    let found = gpus.gpus.len() as u32;
    let no_such = GpuError::NoSuchGpu { asked: device, found };
    let gpu = gpus.gpus.into_iter().nth(device as usize).ok_or(no_such)?;
    Ok(Pack {
        format: FORMAT,
        device: gpu.name,
        compute_capability: gpu.compute_capability,
        driver: gpus.driver,
        cuda: gpus.cuda,
        date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
        program: env!("CARGO_PKG_VERSION").to_owned(),
        rows: Vec::new(),
    })
}

/// The kernel of one's own, or every kernel at every tile size; then cuBLAS.
fn runners(
    args: &Args,
    own: Option<&Problem>,
    client: &mut Client,
) -> Result<Vec<Runner>, GpuError> {
    let mut runners: Vec<_> = own.cloned().map(Runner::Foreign).into_iter().collect();
    let kernels = || args.kernels.iter().filter(|_| own.is_none()).copied();
    for tile in &args.tile {
        for kernel in kernels().filter(|kernel| kernel.variant(*tile).is_some()) {
            runners.push(Runner::Catalogue(kernel, *tile, ptx(client, kernel, *tile)?));
        }
    }
    let has_none = |kernel: &&Kernel| args.tile.iter().all(|tile| kernel.variant(*tile).is_none());
    runners.extend(kernels().filter(has_none).map(Runner::BySize));
    runners.extend(args.cublas.then_some(Runner::Cublas));
    Ok(runners)
}

impl Runner {
    fn subject(&self, size: Size) -> Subject {
        match self {
            Self::Catalogue(kernel, tile, ptx) => {
                let variant = kernel.variant(*tile).unwrap_or_else(|| kernel.variant_for(size));
                Subject::of(&Problem::of(kernel, variant, size, Cow::Owned(ptx.clone())))
            }
            Self::BySize(kernel) => Subject::of(&kernel.problem_for(size)),
            Self::Foreign(problem) => Subject::of(problem),
            Self::Cublas => Subject::Cublas,
        }
    }
}

fn ptx(client: &mut Client, kernel: &Kernel, tile: Tile) -> Result<String, GpuError> {
    if let Some(ptx) = kernel.embedded(tile) {
        return Ok(ptx.to_owned());
    }
    let request = Request::Compile { kernel: kernel.name.to_owned(), tile, rolled: false };
    match client.ask(&request, |_| ())? {
        Answer::Ptx { ptx } => Ok(ptx),
        other => Err(GpuError::Protocol { line: format!("{other:?}") }),
    }
}

fn measure(client: &mut Client, request: Measure) -> Result<Measurement, GpuError> {
    let tile = request.subject.tile().map_or(String::new(), |tile| format!(", tile {tile}"));
    let what = format!("{} at {}{tile}", request.subject.name(), request.size);
    say_progress(&what, |progress| client.measure(request, progress))
}

/// Does what takes a while, and says on stderr how far it is.
fn say_progress<T>(what: &str, work: impl FnOnce(&mut dyn FnMut(Phase)) -> T) -> T {
    let watched = io::stderr().is_terminal();
    if !watched {
        note(&format!("measuring {what}"));
    }
    let overwrite = |text: &str| {
        if watched {
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
        }
    };
    let done = work(&mut |phase| overwrite(&format!("{what}: {}", words(phase))));
    overwrite("");
    done
}

fn words(phase: Phase) -> String {
    match phase {
        Phase::Loading => "loading".to_owned(),
        Phase::Filling => "filling A and B".to_owned(),
        Phase::Warming => "warming up".to_owned(),
        Phase::Timing { samples, median_ms } => {
            format!("{samples} samples, median {median_ms:.4} ms")
        }
        Phase::Beside => "launches on an empty cache, copies".to_owned(),
        Phase::Checking => "checking C".to_owned(),
        Phase::Ceiling { of } => of,
    }
}

fn json(pack: &Pack, failure: Option<&GpuError>) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(pack)?;
    if let Some(error) = failure {
        value["error"] = error.to_string().into();
    }
    Ok(serde_json::to_string_pretty(&value)? + "\n")
}

fn record(file: &Path, pack: &Pack) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(pack)? + "\n";
    fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
    note(&format!("wrote {}", file.display()));
    Ok(())
}

/// A line for whoever watches.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
