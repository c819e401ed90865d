//! Arguments of `matviz bench`.

use crate::cli::BadUse;
use crate::cli::check::tolerance;
use crate::cli::form::FormArgs;
use crate::cli::gpu_choice::GpuChoice;
use crate::cli::limit::{LimitArg, Limited, limit};
use crate::cli::problem::TILE;
use crate::cli::size_list::SizeList;
use crate::cli::target::{KernelTarget, TargetWord};
use crate::cli::user_kernel;
use crate::kernel::{self, KERNELS, Kernel, Tile};
use crate::matrix::Size;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `matviz bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Sizes, several with commas: N, MxNxK, FIRST..LAST [default: 256,512,1024]
    ///
    /// FIRST..LAST are the powers of two between them. A kernel of your own has one size, 1024 if none
    /// is given.
    #[arg(long, value_name = "SIZE,...")]
    pub(super) size: Option<SizeList>,
    /// Tiles, several with commas: N or MxNxK [default: 16, or by the size]
    #[arg(long, value_name = "TILE,...", value_delimiter = ',', value_parser = TILE,
          hide_possible_values = true)]
    pub(super) tile: Vec<Tile>,
    /// Kernels of the catalogue, a file, cublas, cpu (three loops); or ladder: every kernel, cuBLAS and
    /// the GPU's peak rates [default: naive tiled]
    #[arg(value_name = "TARGET", value_parser = TargetWord, hide_possible_values = true,
          value_hint = clap::ValueHint::FilePath)]
    pub(super) targets: Vec<PathBuf>,
    /// Also read the hardware counters, next to the simulated counts
    #[arg(long)]
    pub(super) counters: bool,
    /// GPU to measure on, counted from 0; several, or all, share each product
    ///
    /// Rows of A and C are split, B is sent with NCCL.
    #[arg(long, hide_short_help = true, value_name = "N,...|all")]
    pub(super) gpu: Option<GpuChoice>,
    /// Give up if the GPU does not answer for seconds=N [default: 60]
    #[arg(long, hide_short_help = true, value_name = "seconds=N", value_delimiter = ',',
          value_parser = limit)]
    pub(super) limit: Vec<LimitArg>,
    #[command(flatten)]
    pub(super) form: FormArgs,
    /// Write a timing pack to FILE, or add to one of the same GPU and day
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Compare the measurements with the timing pack in FILE
    #[arg(long, value_name = "FILE")]
    pub(super) against: Option<PathBuf>,
    #[command(flatten)]
    pub(super) foreign: user_kernel::Args,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, hide_short_help = true, value_name = "ERROR", value_parser = tolerance)]
    pub(super) tolerance: Option<f64>,
}

/// What is measured, as the words of the command line name it.
#[derive(Clone, Debug, Default)]
pub(super) struct BenchSubjects {
    pub kernels: Vec<&'static Kernel>,
    pub own: Option<PathBuf>,
    pub cublas: bool,
    pub cpu: bool,
    pub ladder: bool,
}

/// The kernels that are measured if none is named.
const USUAL: [&str; 2] = ["naive", "tiled"];

impl Args {
    /// What is measured.
    ///
    /// # Errors
    /// A word that names nothing; things that cannot be measured together.
    pub(super) fn subjects(&self) -> Result<BenchSubjects, BadUse> {
        let mut all = BenchSubjects::default();
        for path in &self.targets {
            let word = path.to_string_lossy();
            let is_list = word.contains(',') && !path.exists();
            for word in word.split(',').filter(|_| is_list).chain((!is_list).then_some(&*word)) {
                all.take(word)?;
            }
        }
        if all.ladder {
            if let Some(other) = all.beside_ladder() {
                let told = "`ladder` is every kernel of the catalogue and cuBLAS";
                return Err(BadUse(format!("{told}: leave `{other}` out")));
            }
            all.kernels = KERNELS.iter().collect();
        }
        if all.kernels.is_empty() && all.own.is_none() {
            all.kernels = USUAL.iter().filter_map(|name| kernel::find(name)).collect();
        }
        if all.own.is_some() && !(all.kernels.is_empty() && self.tile.is_empty()) {
            let told = "a kernel of your own is measured alone, or beside cublas and cpu";
            return Err(BadUse(told.to_owned()));
        }
        Ok(all)
    }

    /// All requested sizes, in order.
    pub(super) fn sizes(&self) -> Vec<Size> {
        let usual = || [256, 512, 1024].map(Size::square).to_vec();
        self.size.as_ref().map_or_else(usual, |list| list.sizes().to_vec())
    }

    /// How long the GPU may take to answer.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(Limited::Seconds.of(&self.limit, 60))
    }

    /// The one GPU that is measured on.
    ///
    /// # Errors
    /// None, or several.
    pub(super) fn device(&self) -> Result<u32, BadUse> {
        let one = self.gpu.as_ref().map_or(Ok(Some(0)), GpuChoice::one).map_err(BadUse::of)?;
        one.ok_or_else(|| BadUse("--gpu none: there is nothing to measure on".to_owned()))
    }
}

impl BenchSubjects {
    /// What is named beside the ladder and changes nothing in it, or has no place there.
    fn beside_ladder(&self) -> Option<String> {
        let kernel = self.kernels.first().map(|kernel| kernel.name.to_owned());
        let own = self.own.as_ref().map(|file| file.display().to_string());
        kernel.or(own).or_else(|| self.cublas.then(|| "cublas".to_owned()))
    }

    fn take(&mut self, word: &str) -> Result<(), BadUse> {
        match word {
            "cublas" => self.cublas = true,
            "cpu" => self.cpu = true,
            "ladder" => self.ladder = true,
            word => match KernelTarget::find(Path::new(word))? {
                KernelTarget::Catalogue(kernel) => self.kernels.push(kernel),
                KernelTarget::File(file) if self.own.is_none() => self.own = Some(file),
                KernelTarget::File(_) => {
                    return Err(BadUse("one file at a time is measured".to_owned()));
                }
            },
        }
        Ok(())
    }
}
