//! Arguments of `matviz bench`.

use super::devices::Devices;
use super::sizes::Sizes;
use crate::cli::problem::{kernel, tile};
use crate::cli::sim::tolerance;
use crate::cli::user_kernel::{self, HEADING};
use crate::kernel::{KERNELS, Kernel, Tile};
use crate::matrix::Size;
use std::path::PathBuf;

/// Arguments of `matviz bench`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Args {
    /// Sizes: N, MxNxK, or FIRST..LAST for the powers of two between them
    #[arg(long, value_name = "SIZE", value_delimiter = ',', default_value = "256,512,1024",
          conflicts_with_all = ["ptx", "cuda"])]
    pub(super) sizes: Vec<Sizes>,
    /// Tiles: N for NxN (1 to 32), or MxNxK [default: 16, or by the size]
    #[arg(long, value_name = "TILE", value_delimiter = ',',
          value_parser = tile, conflicts_with_all = ["ptx", "cuda"])]
    pub(super) tile: Vec<Tile>,
    /// Kernels to measure
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = kernel,
          default_value = "naive,tiled", conflicts_with_all = ["ptx", "cuda"])]
    pub(super) kernels: Vec<&'static Kernel>,
    /// Measure every kernel of the catalogue in order, cuBLAS, and the GPU's peak rates
    #[arg(long, conflicts_with_all = ["kernels", "ptx", "cuda"])]
    pub(super) ladder: bool,
    /// Also measure cuBLAS: SGEMM, and GemmEx next to half-precision kernels
    #[arg(long, conflicts_with = "ladder")]
    pub(super) cublas: bool,
    /// Also measure the CPU: a plain loop, a blocked loop, and all cores
    #[arg(long, conflicts_with = "devices")]
    pub(super) cpu: bool,
    /// Also read the hardware counters of each launch, next to the simulated counts
    #[arg(long, conflicts_with = "devices")]
    pub(super) counters: bool,
    /// GPU to measure on, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) device: u32,
    /// GPUs that share each product: all, or their numbers; rows of A and C are split, B is sent
    /// with NCCL
    #[arg(long, value_name = "all|N,N", conflicts_with_all = ["device", "ptx", "cuda", "record", "csv", "compare", "tolerance"])]
    pub(super) devices: Option<Devices>,
    /// Give up if the GPU does not answer for this long
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) time_limit: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(super) json: bool,
    /// Print CSV
    #[arg(long)]
    pub(super) csv: bool,
    /// Write a timing pack to FILE; a pack of the same GPU, driver and day keeps its other rows
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Compare the measurements with the timing pack in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "csv")]
    pub(super) compare: Option<PathBuf>,
    #[command(flatten)]
    pub(super) foreign: user_kernel::Args,
    /// Size of its matrices: N, MxNxK or M,N,K [default: 1024]
    #[arg(long, value_name = "SIZE", help_heading = HEADING)]
    pub(super) size: Option<Size>,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, value_name = "ERROR", value_parser = tolerance)]
    pub(super) tolerance: Option<f64>,
}

impl Args {
    /// All requested sizes, in order.
    pub(super) fn sizes(&self) -> Vec<Size> {
        self.sizes.iter().flat_map(|sizes| sizes.0.iter().copied()).collect()
    }

    /// The kernels to measure.
    pub(super) fn kernels(&self) -> Vec<&'static Kernel> {
        if self.ladder { KERNELS.iter().collect() } else { self.kernels.clone() }
    }
}
