//! A request for the hardware's counters, and its result.

use super::subject::Subject;
use crate::matrix::Size;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A request to read the counters of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountRequest {
    /// The work to run.
    pub subject: Subject,
    pub size: Size,
    /// The seed of the matrices.
    pub seed: u64,
    /// The GPU's number, counted from 0.
    pub device: u32,
    /// The metrics, by their names in Nsight Compute.
    pub metrics: Vec<String>,
}

/// The hardware's counts for one launch on an empty L2 cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HardwareCounts {
    /// The value of each metric, summed over all multiprocessors.
    pub counters: BTreeMap<String, f64>,
    /// The metrics that this GPU does not have.
    pub missing: Vec<String>,
    /// The number of passes, one launch each: the hardware counts only a few things at a time.
    pub passes: u32,
}
