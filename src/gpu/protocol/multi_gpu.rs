//! One product on several GPUs: what is asked, and what is answered.

use super::measure::{Reference, SamplingPlan};
use super::subject::Subject;
use crate::matrix::Size;
use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};

/// One product, its rows shared out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiGpuRequest {
    /// The sizes of A, B and C, all together.
    pub size: Size,
    /// What the matrices are filled from.
    pub seed: u64,
    /// Who does which rows: all rows of C, in order, each once.
    pub shares: Vec<Share>,
    /// How long to warm up, and the least time of a sample.
    pub effort: SamplingPlan,
}

/// What one GPU does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Which GPU, counted from 0.
    pub device: u32,
    /// The first row of A and C that is its own.
    pub first_row: u32,
    /// How many there are.
    pub rows: u32,
    /// What is to run there, for a product of that many rows.
    pub subject: Subject,
}

/// How several GPUs did together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiGpuResult {
    /// The first GPU's name.
    pub device: String,
    /// The kernel's name, or `cublas`.
    pub kernel: String,
    /// The sizes of A, B and C, all together.
    pub size: Size,
    /// What each did.
    pub parts: Vec<Part>,
    /// Time for B to get from the first GPU to all others, in milliseconds; none for one GPU.
    pub broadcast_ms: Option<Quartiles>,
    /// Time from when all were ready to when the last had finished its rows, in milliseconds by the
    /// host's clock; B was there already.
    pub ms: Quartiles,
    /// 10^9 floating-point operations a second of all together, at the median time.
    pub gflops: f64,
    /// The largest error that counts as right.
    pub tolerance: f64,
}

/// One GPU's part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which GPU, counted from 0.
    pub device: u32,
    /// The first row of C that is its own.
    pub first_row: u32,
    /// How many there are.
    pub rows: u32,
    /// |C - reference| / |reference| of these rows; none where one holds no finite number.
    pub relative_error: Option<f64>,
    /// What they were compared with.
    pub reference: Reference,
}

impl MultiGpuResult {
    /// Whether all rows of C are what they should be.
    pub fn is_right(&self) -> bool {
        let right = |part: &Part| part.relative_error.is_some_and(|e| e <= self.tolerance);
        self.parts.iter().all(right)
    }
}
