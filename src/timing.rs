//! What a GPU measures of a launch, as data: what is asked for, the times, the counters, the limits,
//! and the packs that keep them.
//!
//! Nothing here measures: `gpu` does, in a child process, and sends these structures as JSON.

pub mod pack;
pub mod protocol;

mod advice;
mod counting;
mod error;
pub mod excess;
mod measure;
mod multi_gpu;
mod packages;
mod subject;
mod telemetry;
mod timed;

pub use counting::{CountRequest, HardwareCounts};
pub use error::{GpuError, NvrtcStage};
pub use excess::Excess;
pub use measure::{Measure, Measurement, Reference, SamplingPlan};
pub use multi_gpu::{DeviceRows, MultiGpuRequest, MultiGpuResult, Share};
pub use subject::{Loops, Subject, is_library, library};
pub use telemetry::{
    Ceilings, Hierarchy, HostCopies, Limits, Overheads, Resources, Sensors, Telemetry,
};
pub use timed::{Timed, Timing};

use serde::{Deserialize, Serialize};

/// A driver and its GPUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpus {
    /// The driver's release, for example `580.159.03`, or `None` if the system does not report it.
    pub driver: Option<String>,
    /// The newest CUDA version that the driver supports, for example `13.0`.
    pub cuda: String,
    /// The GPUs, in the driver's order.
    pub gpus: Vec<Gpu>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its name, as the driver reports it.
    pub name: String,
    /// Its compute capability, for example `9.0`.
    pub compute_capability: String,
    /// Its memory, in bytes.
    pub memory: u64,
    /// Its limits; `None` in packs of format 1.
    #[serde(default)]
    pub limits: Option<Limits>,
}
