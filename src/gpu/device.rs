//! The interface through which the bench drives a GPU.

use super::nccl::Rank;
use crate::kernel::Call;
use crate::matrix::Size;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Resources, Sensors, Subject};
use std::collections::BTreeMap;

/// A GPU with one matrix product on it. Call the methods in the order in which they are declared.
pub(super) trait Device {
    fn name(&self) -> &str;

    /// Frees the last product and returns the memory available for the next.
    fn memory(&mut self) -> Result<DeviceMemory, GpuError>;

    /// Makes the subject ready to run; the driver compiles its PTX.
    fn load(&mut self, subject: &Subject) -> Result<(), GpuError>;

    /// Whether cuBLAS can serve as a reference.
    fn has_cublas(&mut self) -> bool;

    /// Allocates `c` 4-byte words for the product, and sends the words of A and B.
    fn fill(&mut self, size: Size, ab: [&[f32]; 2], c: usize) -> Result<(), GpuError>;

    /// Overwrites all of C.
    fn blank(&mut self, value: f32) -> Result<(), GpuError>;

    /// Sends the words of C.
    fn give(&mut self, c: &[f32]) -> Result<(), GpuError>;

    /// Runs the loaded subject `times` times in a row and returns the total time in milliseconds.
    fn run(&mut self, times: u32) -> Result<f64, GpuError>;

    /// Runs the loaded subject once with nothing of A, B and C in the L2 cache, or returns `None`
    /// if there is no memory for the buffer that empties the cache.
    fn run_cold(&mut self) -> Result<Option<SingleLaunch>, GpuError>;

    /// Sends A and B once more and fetches C. Returns both times in milliseconds, or `None` if the
    /// device needs no copies.
    fn copy(&mut self, a: &[f32], b: &[f32]) -> Result<Option<[f64; 2]>, GpuError>;

    /// Prepares to profile one launch, and also returns those of `metrics` that it does not know.
    fn counting(
        &mut self,
        _metrics: &[String],
    ) -> Result<(Box<dyn Profiler>, Vec<String>), GpuError> {
        Err(GpuError::Protocol { line: format!("{} has no counters", self.name()) })
    }

    /// Evicts A, B and C from the L2 cache and leaves no dirty lines in it, which would be written
    /// back to memory during the next launch.
    fn clear_cache(&mut self) -> Result<(), GpuError> {
        Ok(())
    }

    /// Resources of a block of the loaded subject, if known.
    fn resources(&self) -> Option<Resources>;

    /// The number of cores that it uses, if it is a CPU.
    fn cores(&self) -> Option<u32> {
        None
    }

    /// Clocks, temperature and power now, if they can be read.
    fn sensors(&mut self) -> Option<Sensors>;

    /// Measures its ceilings.
    fn ceilings(&mut self, progress: &mut dyn FnMut(Phase)) -> Result<Ceilings, GpuError>;

    /// Joins the GPUs among which B is to be shared; returns when all have joined.
    fn join(&mut self, seat: Rank) -> Result<(), GpuError>;

    /// Receives B from the first of the GPUs that have joined. Each of them calls this.
    fn share_b(&mut self) -> Result<(), GpuError>;

    /// Reads C, row-major.
    fn read(&mut self) -> Result<Vec<f32>, GpuError>;

    /// Makes a launch ready to run on buffers of any kind; the driver compiles its PTX.
    fn load_call(&mut self, _call: &Call) -> Result<(), GpuError> {
        Err(GpuError::NoDriver)
    }

    /// Allocates the buffers of the loaded launch, of 4-byte words, and sends their contents.
    fn place(&mut self, _buffers: &[Vec<u32>]) -> Result<(), GpuError> {
        Err(GpuError::NoDriver)
    }

    /// Reads these buffers.
    fn fetch(&mut self) -> Result<Vec<Vec<u32>>, GpuError> {
        Err(GpuError::NoDriver)
    }

    /// Runs a launch once on buffers of 4-byte words and returns their contents afterwards. Leaves
    /// the product as it is.
    fn execute(&mut self, call: &Call, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError>;
}

/// A GPU that profiles in passes, each of which counts another part of the metrics.
pub(super) trait Profiler {
    /// Begins a pass: work from here on is counted.
    fn begin(&mut self) -> Result<(), GpuError>;

    /// Ends the pass; returns whether it was the last.
    fn end(&mut self) -> Result<bool, GpuError>;

    /// The values of the metrics, after the last pass.
    fn values(&mut self) -> Result<BTreeMap<String, f64>, GpuError>;
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DeviceMemory {
    /// Bytes that can be allocated.
    pub(super) free: u64,
    /// Bytes in total.
    pub(super) total: u64,
}

/// The times of a launch that was timed alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SingleLaunch {
    /// From an event before it to an event after it, in milliseconds.
    pub(super) ms: f64,
    /// The CPU's time until the driver has accepted the launch, in microseconds.
    pub(super) submit_us: f64,
}
