//! What is told beside a time: how the GPU was, what the kernel takes of it, and the times around it.

use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was seen beside the time of a launch. None where the device cannot tell, and in packs of
/// format 1, which did not ask.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Time of one launch that finds nothing in the L2 cache, in milliseconds. Each is timed singly:
    /// it holds what [`Overheads::single_us`] is for a kernel that does nothing.
    pub cold_ms: Option<Quartiles>,
    /// Time of the CPU to hand over one launch, in microseconds.
    pub submit_us: Option<Quartiles>,
    /// The ways there and back.
    pub copies: Option<Copies>,
    /// What a block of the kernel takes of a multiprocessor; none for cuBLAS, which chooses its own.
    pub resources: Option<Resources>,
    /// The GPU after the warm-up.
    pub before: Option<Sensors>,
    /// The GPU after the last sample.
    pub after: Option<Sensors>,
    /// Cores of the CPU that did the work, where it was a CPU.
    pub cores: Option<u32>,
    /// The hardware's own counters of one launch, by their names.
    pub counters: Option<BTreeMap<String, f64>>,
}

/// Times of the copies between ordinary (pageable) memory of the host and the GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Copies {
    /// A and B to the GPU, in milliseconds.
    pub to_gpu_ms: Quartiles,
    /// Bytes of A and B.
    pub to_gpu_bytes: u64,
    /// C from the GPU, in milliseconds.
    pub from_gpu_ms: Quartiles,
    /// Bytes of C.
    pub from_gpu_bytes: u64,
}

/// What a loaded kernel takes, as the driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Threads of a block.
    pub threads: u32,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory that its source declares.
    pub static_shared: u32,
    /// Bytes of shared memory that its launch adds.
    pub dynamic_shared: u32,
    /// Bytes of local memory of a thread: registers spilled, and arrays that are indexed.
    pub local: u32,
    /// Blocks that a multiprocessor holds at a time.
    pub blocks_per_sm: u32,
}

/// The GPU at a moment, as NVML tells it; each is none where it does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sensors {
    /// Clock of the multiprocessors, in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of the memory, in MHz.
    pub memory_mhz: Option<u32>,
    /// Temperature, in degrees Celsius.
    pub temperature_c: Option<u32>,
    /// Power drawn, in watts.
    pub power_w: Option<f64>,
    /// What keeps the clocks down, in words.
    pub held_back_by: Vec<String>,
}

/// What a GPU can hold, as its driver tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Threads of a multiprocessor.
    pub threads_per_sm: u32,
    /// Blocks of a multiprocessor.
    pub blocks_per_sm: u32,
    /// 32-bit registers of a block.
    pub registers_per_block: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_sm: u32,
    /// Bytes of shared memory of a block, the most that a launch may ask for.
    pub shared_per_block: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_per_sm: u32,
    /// Bytes of shared memory that the system takes for itself from each block.
    pub shared_reserved: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u32,
    /// The highest clock of the multiprocessors, in MHz.
    pub sm_mhz: u32,
    /// The highest clock of the memory, in MHz.
    pub memory_mhz: u32,
}

/// The most that this GPU was seen to do, by small programs that do nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// A copy within the GPU's memory, bytes read and bytes written, in GB/s.
    pub copy_gb_s: Quartiles,
    /// Reads of shared memory without conflicts, all multiprocessors together, in GB/s.
    pub shared_gb_s: Quartiles,
    /// Fused multiply-adds in float32, in GFLOP/s.
    pub float32_gflops: Quartiles,
    /// Products of half-precision tiles added up in float32 (`mma.sync`), in GFLOP/s; none for a
    /// GPU without them.
    pub half_mma_gflops: Option<Quartiles>,
    /// From page-locked memory of the host to the GPU, in GB/s.
    pub to_gpu_gb_s: Quartiles,
    /// Back, in GB/s.
    pub from_gpu_gb_s: Quartiles,
    /// What a launch costs.
    pub overheads: Overheads,
    /// The GPU before these.
    pub before: Option<Sensors>,
    /// The GPU after them.
    pub after: Option<Sensors>,
}

/// What the launch of a kernel that does nothing costs, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overheads {
    /// One of many, launched one after the other without a wait.
    pub batch_us: Quartiles,
    /// One alone, from an event before it to an event after it.
    pub single_us: Quartiles,
    /// The CPU's part: until the driver has taken the launch.
    pub submit_us: Quartiles,
    /// The CPU's wait until the kernel has ended.
    pub round_trip_us: Quartiles,
}
