//! The subjects of a measurement, before a size is chosen for them.

use super::request::BenchRequest;
use crate::cli::output::show_progress;
use crate::gpu::client::Client;
use crate::kernel::{Kernel, Problem, Tile};
use crate::matrix::{Precision, Size};
use crate::timing::GpuError;
use crate::timing::{Loops, SamplingPlan, Subject};
use std::borrow::Cow;

/// A subject of a measurement, before a size is chosen for it.
pub(super) enum Runner {
    Catalogue(&'static Kernel, Tile, String),
    /// The variant depends on the size.
    BySize(&'static Kernel),
    Foreign(Box<Problem>),
    Cublas(Precision),
    Cpu(Loops),
}

/// The CPU's loops; the user's kernel, or every kernel at every tile size; then cuBLAS.
pub(super) fn runners(
    asked: &BenchRequest<'_>,
    own: Option<&Problem>,
    client: &mut Client,
) -> Result<Vec<Runner>, GpuError> {
    let (args, subjects) = (asked.args, &asked.subjects);
    let cpu = Loops::ALL.into_iter().filter(|_| subjects.cpu).map(Runner::Cpu);
    let mut runners: Vec<_> = cpu.chain(own.cloned().map(Box::new).map(Runner::Foreign)).collect();
    let kernels = || subjects.kernels.iter().copied().filter(|_| own.is_none());
    for tile in &args.tile {
        for kernel in kernels().filter(|kernel| kernel.variant(*tile).is_some()) {
            runners.push(Runner::Catalogue(kernel, *tile, ptx(client, kernel, *tile)?));
        }
    }
    let has_none = |kernel: &&Kernel| args.tile.iter().all(|tile| kernel.variant(*tile).is_none());
    runners.extend(kernels().filter(has_none).map(Runner::BySize));
    if subjects.cublas || subjects.ladder {
        runners.extend(libraries(&runners));
    }
    Ok(runners)
}

/// cuBLAS in every precision among these.
fn libraries(runners: &[Runner]) -> Vec<Runner> {
    let met = |precision: &Precision| runners.iter().any(|runner| runner.precision() == *precision);
    [Precision::Single, Precision::Half].into_iter().filter(met).map(Runner::Cublas).collect()
}

impl Runner {
    /// Precision of A and B.
    fn precision(&self) -> Precision {
        match self {
            Self::Catalogue(kernel, ..) | Self::BySize(kernel) => kernel.precision,
            Self::Cublas(precision) => *precision,
            Self::Foreign(_) | Self::Cpu(_) => Precision::Single,
        }
    }

    pub(super) fn subject(&self, size: Size) -> Subject {
        match self {
            Self::Catalogue(kernel, tile, ptx) => Subject::of(&compiled(kernel, *tile, ptx, size)),
            Self::BySize(kernel) => Subject::of(&kernel.problem_for(size)),
            Self::Foreign(problem) => Subject::of(problem),
            Self::Cublas(precision) => Subject::Cublas { precision: *precision },
            Self::Cpu(loops) => Subject::Cpu { loops: *loops },
        }
    }

    /// The launch of its kernel, or `None` for a library or the CPU.
    pub(super) fn launch(&self, size: Size) -> Option<Problem> {
        match self {
            Self::Catalogue(kernel, tile, ptx) => Some(compiled(kernel, *tile, ptx, size)),
            Self::BySize(kernel) => Some(kernel.problem_for(size)),
            Self::Foreign(problem) => Some((**problem).clone()),
            Self::Cublas(_) | Self::Cpu(_) => None,
        }
    }

    /// The sampling plan. A ladder measures many rows one after the other, so the clocks stay high;
    /// on a CPU a row may take seconds.
    pub(super) fn effort(&self, is_ladder: bool) -> SamplingPlan {
        let whole = SamplingPlan::default();
        match self {
            Self::Cpu(_) => {
                SamplingPlan { warm_up_ms: 0.0, least_samples: 3, budget_ms: 500.0, ..whole }
            }
            _ if is_ladder => SamplingPlan {
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

/// A kernel of the catalogue with PTX that may have been compiled just now.
fn compiled(kernel: &'static Kernel, tile: Tile, ptx: &str, size: Size) -> Problem {
    let variant = kernel.variant(tile).unwrap_or_else(|| kernel.variant_for(size));
    Problem::of(kernel, variant, size, Cow::Owned(ptx.to_owned()))
}

fn ptx(client: &mut Client, kernel: &Kernel, tile: Tile) -> Result<String, GpuError> {
    if let Some(ptx) = kernel.embedded(tile) {
        return Ok(ptx.to_owned());
    }
    show_progress(&format!("compiling {} for tile {tile}", kernel.name));
    let compiled = client.compile(kernel, tile, false);
    show_progress("");
    compiled
}
