//! A row to be measured, and a row that has been.

use super::subject::{Subject, is_library, library};
use super::telemetry::Telemetry;
use crate::kernel::{self, Tile};
use crate::matrix::{Precision, Size};
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};

/// One row to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What is to run.
    pub subject: Subject,
    /// The sizes of A, B and C.
    pub size: Size,
    /// What the matrices are filled from.
    pub seed: u64,
    /// Which GPU, counted from 0.
    pub device: u32,
    /// When to stop timing.
    pub effort: SamplingPlan,
}

/// How long to time for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplingPlan {
    /// Work before the first sample, so that the clocks have risen, in milliseconds.
    pub warm_up_ms: f64,
    /// A sample is as many launches as take at least this, in milliseconds.
    pub sample_ms: f64,
    /// Fewest samples.
    pub least_samples: usize,
    /// Enough when the interquartile range is below this part of the median.
    pub spread: f64,
    /// Enough when the samples took this together, in milliseconds.
    pub budget_ms: f64,
    /// Enough of each of what stands [`Beside`] the time when it took this, in milliseconds; 0 for
    /// none of it.
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
    /// The GPU or CPU that ran it: a time without it says nothing.
    pub device: String,
    /// The kernel's name, or the library's: see [`library`].
    pub kernel: String,
    /// SHA-256 of the PTX that ran; none for cuBLAS.
    pub ptx_sha256: Option<String>,
    /// The sizes of A, B and C.
    pub size: Size,
    /// Side of the tiles; none for cuBLAS.
    pub tile: Option<Tile>,
    /// Time of one launch, in milliseconds.
    pub ms: Quartiles,
    /// 10^9 floating-point operations a second, at the median time.
    pub gflops: f64,
    /// |C - reference| / |reference|; none where C holds a value that is not a finite number.
    pub relative_error: Option<f64>,
    /// The largest error that counts as right.
    pub tolerance: f64,
    /// What C was compared with.
    pub reference: Reference,
    /// SHA-256 of C, as little-endian float32.
    pub c_sha256: String,
    /// What was seen beside the time.
    #[serde(default)]
    pub beside: Telemetry,
}

/// What C is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reference {
    /// The whole product in float64 on the host.
    #[serde(rename = "float64")]
    Float64,
    /// Some rows of it, where the whole would take too long and there is no cuBLAS.
    #[serde(rename = "float64, sampled rows")]
    SampledRows,
    /// cuBLAS on the same GPU.
    #[serde(rename = "cuBLAS SGEMM")]
    Cublas,
    /// The same with A and B in half precision.
    #[serde(rename = "cuBLAS GemmEx")]
    CublasHalf,
}

impl Measurement {
    /// What the elements of A and B were; float32 for a kernel that the catalogue has not.
    pub fn precision(&self) -> Precision {
        if self.kernel == library(Precision::Half) {
            return Precision::Half;
        }
        let known = self.tile.and_then(|_| kernel::find(&self.kernel));
        known.map_or(Precision::Single, |kernel| kernel.precision)
    }

    /// Whether it is cuBLAS's.
    pub fn is_library(&self) -> bool {
        is_library(&self.kernel)
    }

    /// Whether the CPU did it.
    pub fn is_cpu(&self) -> bool {
        self.beside.cores.is_some()
    }

    /// Whether C is what it should be.
    pub fn is_right(&self) -> bool {
        self.relative_error.is_some_and(|error| error <= self.tolerance)
    }
}
