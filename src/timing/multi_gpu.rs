//! A request to run one matrix product on several GPUs, and its result.

use super::measure::{Reference, SamplingPlan};
use super::subject::Subject;
use crate::matrix::Size;
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};

/// One matrix product whose rows are divided among GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiGpuRequest {
    /// The sizes of the whole A, B and C.
    pub size: Size,
    /// The seed of the matrices.
    pub seed: u64,
    /// The rows of each GPU: together all rows of C, in order, each once.
    pub shares: Vec<Share>,
    /// How long to warm up, and the minimum time of a sample.
    pub effort: SamplingPlan,
}

/// One GPU's share of the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The GPU's number, counted from 0.
    pub device: u32,
    /// Its first row of A and C.
    pub first_row: u32,
    /// The number of its rows.
    pub rows: u32,
    /// The work to run on it, for a product with that number of rows.
    pub subject: Subject,
}

/// The result of a product on several GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiGpuResult {
    /// The first GPU's name.
    pub device: String,
    /// The kernel's name, or `cublas`.
    pub kernel: String,
    /// The sizes of the whole A, B and C.
    pub size: Size,
    pub parts: Vec<DeviceRows>,
    /// Time to broadcast B from the first GPU to all others, in milliseconds, or `None` for one
    /// GPU.
    pub broadcast_ms: Option<Quartiles>,
    /// Time from the moment when all GPUs are ready until the last has finished its rows, in
    /// milliseconds by the host's clock. B has been broadcast before.
    pub ms: Quartiles,
    /// 10^9 floating-point operations per second of all GPUs together, at the median time.
    pub gflops: f64,
    /// The largest error that counts as correct.
    pub tolerance: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceRows {
    /// The GPU's number, counted from 0.
    pub device: u32,
    pub first_row: u32,
    /// The number of its rows.
    pub rows: u32,
    /// |C - reference| / |reference| of these rows, or `None` if one contains a value that is not
    /// finite.
    pub relative_error: Option<f64>,
    /// The reference that they were compared with.
    pub reference: Reference,
}

impl MultiGpuResult {
    /// Whether all rows of C are correct.
    pub fn is_right(&self) -> bool {
        let right = |part: &DeviceRows| part.relative_error.is_some_and(|e| e <= self.tolerance);
        self.parts.iter().all(right)
    }
}
