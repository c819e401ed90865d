//! Arguments of `matviz bench`.

use super::devices::Devices;
use crate::cli::names::KERNEL;
use crate::cli::problem::TILE;
use crate::cli::sim::tolerance;
use crate::cli::size_list::SizeList;
use crate::cli::user_kernel;
use crate::kernel::{KERNELS, Kernel, Tile};
use crate::matrix::Size;
use std::path::PathBuf;

/// Arguments of `matviz bench`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Args {
    /// Sizes, several with commas: N, MxNxK, FIRST..LAST [default: 256,512,1024]
    ///
    /// FIRST..LAST are the powers of two between them. A kernel of your own has one size, 1024 if none
    /// is given.
    #[arg(long, alias = "sizes", value_name = "SIZE,...")]
    pub(super) size: Option<SizeList>,
    /// Tiles, several with commas: N or MxNxK [default: 16, or by the size]
    #[arg(long, value_name = "TILE,...", value_delimiter = ',', value_parser = TILE,
          hide_possible_values = true, conflicts_with_all = ["ptx", "cuda"])]
    pub(super) tile: Vec<Tile>,
    /// Kernels of the catalogue, several with commas
    ///
    /// `matviz --help` lists them.
    #[arg(long = "kernel", alias = "kernels", value_name = "NAME,...", value_delimiter = ',',
          value_parser = KERNEL, hide_possible_values = true, default_value = "naive,tiled",
          conflicts_with_all = ["ptx", "cuda"])]
    pub(super) kernels: Vec<&'static Kernel>,
    /// Measure every kernel of the catalogue, cuBLAS, and the GPU's peak rates
    #[arg(long, conflicts_with_all = ["kernels", "ptx", "cuda"])]
    pub(super) ladder: bool,
    /// Also measure cuBLAS: SGEMM, and GemmEx next to half-precision kernels
    #[arg(long, conflicts_with = "ladder")]
    pub(super) cublas: bool,
    /// Also measure the CPU: a plain loop, a blocked loop, and all cores
    #[arg(long, conflicts_with = "devices")]
    pub(super) cpu: bool,
    /// Also read the hardware counters, next to the simulated counts
    #[arg(long, conflicts_with = "devices")]
    pub(super) counters: bool,
    /// GPU to measure on, counted from 0
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)]
    pub(super) device: u32,
    /// GPUs that share each product: all, or their numbers; rows of A and C are split, B is sent
    /// with NCCL
    #[arg(long, hide_short_help = true, value_name = "all|N,N", conflicts_with_all = ["device", "ptx", "cuda", "record", "csv", "compare", "tolerance"])]
    pub(super) devices: Option<Devices>,
    /// Give up if the GPU does not answer for this long
    #[arg(long, hide_short_help = true, value_name = "SECONDS", default_value_t = 60,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) time_limit: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(super) json: bool,
    /// Print CSV
    #[arg(long)]
    pub(super) csv: bool,
    /// Write a timing pack to FILE, or add to one of the same GPU and day
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Compare the measurements with the timing pack in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "csv")]
    pub(super) compare: Option<PathBuf>,
    #[command(flatten)]
    pub(super) foreign: user_kernel::Args,
    /// Largest relative error accepted as right [default: that of a float32 sum]
    #[arg(long, hide_short_help = true, value_name = "ERROR", value_parser = tolerance)]
    pub(super) tolerance: Option<f64>,
}

impl Args {
    /// All requested sizes, in order.
    pub(super) fn sizes(&self) -> Vec<Size> {
        let usual = || [256, 512, 1024].map(Size::square).to_vec();
        self.size.as_ref().map_or_else(usual, |list| list.sizes().to_vec())
    }

    /// The kernels to measure.
    pub(super) fn kernels(&self) -> Vec<&'static Kernel> {
        if self.ladder { KERNELS.iter().collect() } else { self.kernels.clone() }
    }
}
