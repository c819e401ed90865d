//! What the bench asks of a GPU.

use super::GpuError;
use super::nccl::Rank;
use super::protocol::{Ceilings, Phase, Resources, Sensors, Subject};
use crate::kernel::Call;
use crate::matrix::Size;
use std::collections::BTreeMap;

/// One GPU with one product on it. The order of calls is that of the methods.
pub(super) trait Device {
    /// Its name.
    fn name(&self) -> &str;

    /// Forgets the last product; the room that there is for the next.
    fn memory(&mut self) -> Result<Room, GpuError>;

    /// Makes the subject ready to run: the driver compiles the PTX.
    fn load(&mut self, subject: &Subject) -> Result<(), GpuError>;

    /// Whether cuBLAS can serve as a reference.
    fn has_cublas(&mut self) -> bool;

    /// Makes room for the product and sends A and B, both row-major.
    fn fill(&mut self, size: Size, a: &[f32], b: &[f32]) -> Result<(), GpuError>;

    /// Overwrites all of C.
    fn blank(&mut self, value: f32) -> Result<(), GpuError>;

    /// Sends C, row-major.
    fn give(&mut self, c: &[f32]) -> Result<(), GpuError>;

    /// Runs the loaded subject `times` times in a row; the time of them all, in milliseconds.
    fn run(&mut self, times: u32) -> Result<f64, GpuError>;

    /// Runs the loaded subject once with nothing of A, B and C in the L2 cache; `None` where there is
    /// no room for what it takes to empty it.
    fn run_cold(&mut self) -> Result<Option<Alone>, GpuError>;

    /// Sends A and B once more and fetches C, timed apart, in milliseconds; `None` where nothing
    /// need be sent.
    fn copy(&mut self, a: &[f32], b: &[f32]) -> Result<Option<[f64; 2]>, GpuError>;

    /// Gets ready to count one launch, and hands back which of `metrics` it does not know.
    fn counting(
        &mut self,
        _metrics: &[String],
    ) -> Result<(Box<dyn Counting>, Vec<String>), GpuError> {
        Err(GpuError::Protocol { line: format!("{} has no counters", self.name()) })
    }

    /// Leaves nothing of A, B and C in the L2 cache, and nothing in it that is still to be written to
    /// memory: what moves then, the next launch moves.
    fn clear_cache(&mut self) -> Result<(), GpuError> {
        Ok(())
    }

    /// What a block of the loaded subject takes, if that is known.
    fn resources(&self) -> Option<Resources>;

    /// Cores at work, if it is a CPU.
    fn cores(&self) -> Option<u32> {
        None
    }

    /// Clocks, temperature and power now, where they can be read.
    fn sensors(&mut self) -> Option<Sensors>;

    /// The most that it can do.
    fn ceilings(&mut self, progress: &mut dyn FnMut(Phase)) -> Result<Ceilings, GpuError>;

    /// Joins others with whom B is to be shared; returns when all have joined.
    fn join(&mut self, seat: Rank) -> Result<(), GpuError>;

    /// Takes over the B of the first of those that have joined, each of which calls this.
    fn share_b(&mut self) -> Result<(), GpuError>;

    /// C, row-major.
    fn read(&mut self) -> Result<Vec<f32>, GpuError>;

    /// Runs a launch once on buffers of 4-byte words, and hands out what is then in them. The
    /// product is left as it is.
    fn execute(&mut self, call: &Call, buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError>;
}

/// A GPU that counts, in passes: each counts another part of what was asked for.
pub(super) trait Counting {
    /// Begins a pass: what runs from here on is counted.
    fn begin(&mut self) -> Result<(), GpuError>;

    /// Ends it; whether it was the last.
    fn end(&mut self) -> Result<bool, GpuError>;

    /// What was counted, after the last pass.
    fn values(&mut self) -> Result<BTreeMap<String, f64>, GpuError>;
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// That may be taken.
    pub(super) free: u64,
    /// In all.
    pub(super) total: u64,
}

/// A launch timed alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Alone {
    /// From an event before it to an event after it, in milliseconds.
    pub(super) ms: f64,
    /// The CPU's part, until the driver has taken the launch, in microseconds.
    pub(super) submit_us: f64,
}
