//! What is said of the hardware's own counters.

use super::subject::Subject;
use crate::matrix::Size;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A launch whose counters are to be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// What is to run.
    pub subject: Subject,
    /// The sizes of A, B and C.
    pub size: Size,
    /// What the matrices are filled from.
    pub seed: u64,
    /// Which GPU, counted from 0.
    pub device: u32,
    /// The metrics, by Nsight Compute's names for them.
    pub metrics: Vec<String>,
}

/// What one launch did on an empty L2 cache, as the hardware counts it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The value of each metric, over all multiprocessors.
    pub counters: BTreeMap<String, f64>,
    /// The metrics that this GPU does not have.
    pub missing: Vec<String>,
    /// Launches that it took: the hardware counts only so much at a time.
    pub passes: u32,
}
