//! A request to measure a row, and the measured row.

use super::subject::{Subject, is_library, library};
use super::telemetry::Telemetry;
use crate::kernel::{self, Tile};
use crate::matrix::{Precision, Size};
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};

/// One row to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The work to run.
    pub subject: Subject,
    /// The sizes of A, B and C.
    pub size: Size,
    /// The seed of the matrices.
    pub seed: u64,
    /// The GPU's number, counted from 0.
    pub device: u32,
    /// When to stop timing.
    pub effort: SamplingPlan,
}

/// Rules for how long to take samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplingPlan {
    /// Duration of the work before the first sample, so that the clocks have risen, in
    /// milliseconds.
    pub warm_up_ms: f64,
    /// A sample has enough launches to take at least this long, in milliseconds.
    pub sample_ms: f64,
    /// The minimum number of samples.
    pub least_samples: usize,
    /// Sampling stops when the interquartile range is below this fraction of the median.
    pub spread: f64,
    /// Sampling stops when the samples have taken this long in total, in milliseconds.
    pub budget_ms: f64,
    /// The time limit for each kind of sample in [`Telemetry`], in milliseconds; 0 to take none.
    pub beside_ms: f64,
}

impl Default for SamplingPlan {
    fn default() -> Self {
        Self {
            warm_up_ms: 100.0,
            sample_ms: 1.0,
            least_samples: 10,
            spread: 0.01,
            budget_ms: 2000.0,
            beside_ms: 100.0,
        }
    }
}

/// One measured row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The GPU or CPU that ran it: a time means nothing without it.
    pub device: String,
    /// The kernel's name, or the library's: see [`library`].
    pub kernel: String,
    /// SHA-256 of the PTX that ran, or `None` for cuBLAS.
    pub ptx_sha256: Option<String>,
    /// Who compiled the PTX of a kernel outside the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiled_by: Option<String>,
    /// The sizes of A, B and C.
    pub size: Size,
    /// Side of the tiles, or `None` for cuBLAS.
    pub tile: Option<Tile>,
    /// Time of one launch, in milliseconds.
    pub ms: Quartiles,
    /// 10^9 floating-point operations per second, at the median time.
    pub gflops: f64,
    /// |C - reference| / |reference|, or `None` if C contains a value that is not finite.
    pub relative_error: Option<f64>,
    /// The largest error that counts as correct.
    pub tolerance: f64,
    /// The reference that C was compared with.
    pub reference: Reference,
    /// SHA-256 of C, as little-endian float32.
    pub c_sha256: String,
    /// The observations made next to the time.
    #[serde(default)]
    pub beside: Telemetry,
}

/// The reference that C is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reference {
    /// The whole product in float64 on the host.
    #[serde(rename = "float64")]
    Float64,
    /// Some rows of it, if the whole would take too long and cuBLAS is absent.
    #[serde(rename = "float64, sampled rows")]
    SampledRows,
    /// cuBLAS on the same GPU.
    #[serde(rename = "cuBLAS SGEMM")]
    Cublas,
    /// cuBLAS on the same GPU, with A and B in half precision.
    #[serde(rename = "cuBLAS GemmEx")]
    CublasHalf,
}

impl Measurement {
    /// Precision of A and B; float32 for a kernel outside the catalogue.
    pub fn precision(&self) -> Precision {
        if self.kernel == library(Precision::Half) {
            return Precision::Half;
        }
        let known = self.tile.and_then(|_| kernel::find(&self.kernel));
        known.map_or(Precision::Single, |kernel| kernel.precision)
    }

    /// Whether cuBLAS ran it.
    pub fn is_library(&self) -> bool {
        is_library(&self.kernel)
    }

    /// Whether the CPU ran it.
    pub fn is_cpu(&self) -> bool {
        self.beside.cores.is_some()
    }

    /// Whether matviz compiled it: PTX to look at, which nobody has made fast.
    pub fn is_to_look_at(&self) -> bool {
        self.compiled_by.as_ref().is_some_and(|by| by.starts_with("matviz"))
    }

    /// Whether C is correct.
    pub fn is_right(&self) -> bool {
        self.relative_error.is_some_and(|error| error <= self.tolerance)
    }
}
