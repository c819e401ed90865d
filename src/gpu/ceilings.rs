//! The programs of `kernels/probes/`: their sources, and the work of a launch of each.

use crate::kernel::{Arg, Call};
use crate::launch::{Dim3, Launch};
use crate::stats::Quartiles;
use crate::timing::{Ceilings, Limits, Overheads};

/// A source in `kernels/probes/` with its PTX.
#[derive(Debug)]
pub struct Probes {
    /// The file's stem.
    pub name: &'static str,
    /// CUDA C++.
    pub source: &'static str,
    /// The PTX that NVRTC compiled from it.
    pub ptx: &'static str,
    /// Its virtual architecture, or `None` for the oldest that NVRTC supports.
    pub arch: Option<&'static str>,
}

macro_rules! probes {
    ($name:literal, $arch:expr) => {
        Probes {
            name: $name,
            source: include_str!(concat!("../../kernels/probes/", $name, ".cu")),
            ptx: include_str!(concat!("../../kernels/ptx/probe_", $name, ".ptx")),
            arch: $arch,
        }
    };
}

const ANY: Probes = probes!("ceilings", None);
/// The probes for GPUs with `mma.sync` of 16 x 8 x 16, from compute capability 8.0 on.
const TENSOR: Probes = probes!("tensor", Some("compute_80"));

/// A reader of memory, which so fills the caches.
const READ: Probes = probes!("read", None);

/// The levels of the memory hierarchy.
pub(super) const MEMORY: Probes = probes!("memory", None);

/// All of them.
pub const PROBES: &[Probes] = &[ANY, TENSOR, READ, MEMORY];

/// A launch that reads all of buffer 0, which has `words` 4-byte words.
pub(super) fn read(limits: &Limits, words: usize) -> Call {
    Call {
        entry: "read".to_owned(),
        ptx: READ.ptx.to_owned(),
        launch: Launch { grid: Dim3::flat(blocks(limits), 1), block: Dim3::flat(THREADS, 1) },
        shared: 0,
        cluster: None,
        args: vec![Arg::Buffer(0), Arg::word(words as u32 / 4)],
    }
}

/// The number of blocks that the GPU holds at a time.
pub(super) fn blocks(limits: &Limits) -> u32 {
    limits.multiprocessors * (limits.threads_per_sm / THREADS).max(1)
}

/// A program that does one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CeilingProbe {
    Nothing,
    /// Fused multiply-adds in float32.
    MultiplyAdd,
    /// Reads of shared memory.
    ReadShared,
    /// Multiplies tiles of half precision.
    MultiplyTiles,
}

/// Threads per block, in all of them.
pub(super) const THREADS: u32 = 256;

impl CeilingProbe {
    fn entry(self) -> (&'static Probes, &'static str) {
        match self {
            Self::Nothing => (&ANY, "nothing"),
            Self::MultiplyAdd => (&ANY, "multiply_add"),
            Self::ReadShared => (&ANY, "read_shared"),
            Self::MultiplyTiles => (&TENSOR, "multiply_tiles"),
        }
    }

    /// The number of iterations of its loop: a few milliseconds on a GPU of 2024, whatever its
    /// number of multiprocessors.
    fn rounds(self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::MultiplyAdd => 4000,
            Self::ReadShared => 2000,
            Self::MultiplyTiles => 8000,
        }
    }

    /// The work of a thread in one iteration, in floating-point operations or bytes read, as in its
    /// source: 16 chains of 8 multiply-adds of 2 operations; 16 reads of 16 bytes; 16 products of
    /// 16 x 8 x 16 by 32 lanes.
    fn work(self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::MultiplyAdd | Self::ReadShared => 16 * 16,
            Self::MultiplyTiles => 16 * (16 * 8 * 16 * 2) / 32,
        }
    }

    /// A launch with as many threads as the GPU holds at a time; it never writes buffer 0.
    pub(super) fn call(self, limits: &Limits) -> Call {
        let (probes, entry) = self.entry();
        let grid = if self == Self::Nothing { 1 } else { blocks(limits) };
        let pair = match self {
            // 1 and slightly less than 1: the sums stay finite.
            Self::MultiplyAdd => [0.999_f32.to_bits(), 1.0_f32.to_bits()],
            // Two halves, each 1.
            Self::Nothing | Self::ReadShared | Self::MultiplyTiles => [0x3c00_3c00; 2],
        };
        let [x, y, rounds] = [pair[0], pair[1], self.rounds()].map(Arg::word);
        let args = match self {
            Self::Nothing => vec![],
            Self::ReadShared => vec![Arg::Buffer(0), rounds],
            Self::MultiplyAdd | Self::MultiplyTiles => vec![Arg::Buffer(0), x, y, rounds],
        };
        Call {
            entry: entry.to_owned(),
            ptx: probes.ptx.to_owned(),
            launch: Launch { grid: Dim3::flat(grid, 1), block: Dim3::flat(THREADS, 1) },
            shared: 0,
            cluster: None,
            args,
        }
    }

    /// The rate of `call` if it takes `ms` milliseconds, in 10^9 operations or bytes per second.
    pub(super) fn rate(self, call: &Call, ms: f64) -> f64 {
        let threads = call.launch.threads() as f64 * call.launch.grid.volume() as f64;
        threads * f64::from(self.rounds()) * f64::from(self.work()) / ms / 1e6
    }
}

/// The stand-in's ceilings: figures that no real GPU has.
pub(super) fn made_up() -> Ceilings {
    let one = Quartiles { median: 1.0, q1: 1.0, q3: 1.0, samples: 1 };
    let overheads = Overheads { batch_us: one, single_us: one, submit_us: one, round_trip_us: one };
    Ceilings {
        copy_gb_s: one,
        shared_gb_s: one,
        float32_gflops: one,
        half_mma_gflops: None,
        to_gpu_gb_s: one,
        from_gpu_gb_s: one,
        overheads,
        hierarchy: None,
        before: None,
        after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::excess::tests::H200;

    #[test]
    fn a_launch_fills_the_gpu_and_its_rate_is_its_work_by_its_time() {
        let call = CeilingProbe::MultiplyAdd.call(&H200);
        assert_eq!(call.launch.grid.volume() * u64::from(call.launch.threads()), 132 * 2048);
        // With one multiply-add per cycle in each of 128 lanes at 1980 MHz: 4.137 ms.
        let rate = CeilingProbe::MultiplyAdd.rate(&call, 4.137_374);
        assert!((rate - 66_908.0).abs() < 1.0, "{rate}");
    }

    #[test]
    fn every_probe_is_in_its_module_and_takes_the_arguments_it_is_given() {
        for probe in [
            CeilingProbe::Nothing,
            CeilingProbe::MultiplyAdd,
            CeilingProbe::ReadShared,
            CeilingProbe::MultiplyTiles,
        ] {
            let call = probe.call(&H200);
            let (_, header) =
                call.ptx.split_once(&format!(".entry {}(", call.entry)).expect("there");
            let (parameters, _) = header.split_once(')').expect("its end");
            assert_eq!(parameters.matches(".param").count(), call.args.len(), "{probe:?}");
        }
    }
}
