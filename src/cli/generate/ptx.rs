//! `matviz generate ptx`: regenerates the committed PTX from the kernels' sources, or checks that it is up
//! to date.

use crate::cli::output::{print, write};
use crate::gpu::Nvrtc;
use crate::gpu::ceilings::PROBES;
use crate::gpu::client::{Client, Launcher, PATIENCE};
use crate::gpu::compiled::{self, PINNED};
use crate::kernel::{self, Kernel, Variant};
use crate::timing::GpuError;
use anyhow::{Context, bail};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz generate ptx`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; list the files that differ, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// The folder of the PTX
    #[arg(value_name = "DIR", default_value = "kernels/ptx", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
}

/// Compiles every kernel for every embedded tile, and writes or compares the results.
///
/// # Errors
/// No NVRTC, a version other than the pinned one, a source that does not compile, a full disk.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let files = compiled(args)?;
    let differs = |(name, ptx): &&(String, String)| {
        fs::read_to_string(args.dir.join(name)).ok().as_ref() != Some(ptx)
    };
    let changed: Vec<_> = files.iter().filter(differs).collect();
    for (name, ptx) in &changed {
        let path = args.dir.join(name);
        if args.check {
            print(&format!("{} is not what NVRTC {PINNED} makes of its source\n", path.display()))?;
        } else {
            write(&path, ptx)?;
            print(&format!("wrote {}\n", path.display()))?;
        }
    }
    let unchanged = files.len() - changed.len();
    print(&format!("{unchanged} of {} files unchanged\n", files.len()))?;
    Ok(if args.check && !changed.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The variants whose PTX is embedded, each as the compiler unrolls it and, if that is embedded
/// too, with its loops rolled.
fn forms(kernel: &Kernel) -> impl Iterator<Item = (&Variant, bool)> {
    let forms = |variant| [(variant, false), (variant, true)];
    let embedded = |(variant, rolled): &(&Variant, bool)| {
        if *rolled { variant.rolled } else { variant.ptx }.is_some()
    };
    kernel.variants.iter().flat_map(forms).filter(embedded)
}

/// The number of attempts to reproduce a file that differs. NVRTC 12.9 compiles the largest kernels
/// in several ways that vary from one process to the next; within a few attempts it repeats the way
/// of the committed file.
const TRIES: u32 = 12;

/// Compiles in a process of its own.
fn alone(kernel: &Kernel, variant: &Variant, rolled: bool) -> Result<String, GpuError> {
    Client::new(Launcher::default(), PATIENCE).compile(kernel, variant.tile, rolled)
}

/// Refuses a compiler other than the one that made the committed PTX.
fn is_pinned(nvrtc: &Nvrtc, ptx: &str) -> anyhow::Result<()> {
    let compiler = compiled::compiler(ptx);
    if compiler == Some(PINNED) {
        return Ok(());
    }
    bail!(
        "the committed PTX is made by NVRTC {PINNED}, and {} is {}; `.ci/nvrtc` installs the \
         pinned one",
        nvrtc.path().display(),
        compiler.unwrap_or("of an unknown version")
    );
}

/// (file name, PTX) for every kernel and embedded tile.
fn compiled(args: &Args) -> anyhow::Result<Vec<(String, String)>> {
    let nvrtc = Nvrtc::find()?
        .context("NVRTC is not found; `.ci/nvrtc` installs the pinned one and prints its path")?;
    let mut files = Vec::new();
    for kernel in kernel::all() {
        for (variant, rolled) in forms(kernel) {
            let form = if rolled { ".u1" } else { "" };
            let name = format!("{}.t{}{form}.ptx", kernel.name, variant.tile);
            let committed = fs::read_to_string(args.dir.join(&name)).unwrap_or_default();
            let mut ptx = compiled::ptx(&nvrtc, kernel, variant, rolled)?;
            is_pinned(&nvrtc, &ptx)?;
            for _ in 0..TRIES {
                if ptx == committed {
                    break;
                }
                ptx = alone(kernel, variant, rolled)?;
            }
            files.push((name, ptx));
        }
    }
    for probes in PROBES {
        files.push((format!("probe_{}.ptx", probes.name), compiled::probes(&nvrtc, probes)?));
    }
    Ok(files)
}
