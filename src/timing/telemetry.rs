//! Observations next to a time: the GPU's state, the kernel's resources, and the times of copies
//! and launches.

use crate::stats::Quartiles;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Observations made next to the time of a launch. A field is `None` if the device cannot report
/// it, and in packs of format 1, which did not record it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Time of one launch with a cold L2 cache, in milliseconds. Each launch is timed alone, so the
    /// time includes the [`Overheads::single_us`] of a kernel that does nothing.
    pub cold_ms: Option<Quartiles>,
    /// Time that the CPU takes to submit one launch, in microseconds.
    pub submit_us: Option<Quartiles>,
    /// The copies to and from the GPU.
    pub copies: Option<HostCopies>,
    /// Resources of a block of the kernel, or `None` for cuBLAS, which chooses its own kernel.
    pub resources: Option<Resources>,
    /// The GPU after the warm-up.
    pub before: Option<Sensors>,
    /// The GPU after the last sample.
    pub after: Option<Sensors>,
    /// The number of CPU cores that did the work, if a CPU did it.
    pub cores: Option<u32>,
    /// The hardware's own counters of one launch, by their names.
    pub counters: Option<BTreeMap<String, f64>>,
}

/// Times of copies between ordinary (pageable) host memory and the GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostCopies {
    /// A and B to the GPU, in milliseconds.
    pub to_gpu_ms: Quartiles,
    pub to_gpu_bytes: u64,
    /// C from the GPU, in milliseconds.
    pub from_gpu_ms: Quartiles,
    pub from_gpu_bytes: u64,
}

/// Resources of a loaded kernel, as the driver reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Threads per block.
    pub threads: u32,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of shared memory that its source declares.
    pub static_shared: u32,
    /// Bytes of shared memory that its launch adds.
    pub dynamic_shared: u32,
    /// Bytes of local memory per thread: spilled registers, and arrays with a computed index.
    pub local: u32,
    /// The number of blocks that a multiprocessor holds at a time.
    pub blocks_per_sm: u32,
}

/// The GPU's state at a moment, as NVML reports it; a field is `None` if NVML does not report it.
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
    /// The reasons why the clocks are reduced.
    pub held_back_by: Vec<String>,
}

/// The limits of a GPU, as its driver reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub multiprocessors: u32,
    pub threads_per_block: u32,
    /// Threads per multiprocessor.
    pub threads_per_sm: u32,
    /// Blocks per multiprocessor.
    pub blocks_per_sm: u32,
    /// 32-bit registers per block.
    pub registers_per_block: u32,
    /// 32-bit registers per multiprocessor.
    pub registers_per_sm: u32,
    /// Bytes of shared memory per block: the most that a launch may ask for.
    pub shared_per_block: u32,
    /// Bytes of shared memory per multiprocessor.
    pub shared_per_sm: u32,
    /// Bytes of shared memory that the system reserves in each block.
    pub shared_reserved: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u32,
    /// The highest clock of the multiprocessors, in MHz.
    pub sm_mhz: u32,
    /// The highest clock of the memory, in MHz.
    pub memory_mhz: u32,
}

/// Ceilings of this GPU, measured with small programs that each do one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// A copy within the GPU's memory, counting bytes read and bytes written, in GB/s.
    pub copy_gb_s: Quartiles,
    /// Reads of shared memory without bank conflicts, over all multiprocessors, in GB/s.
    pub shared_gb_s: Quartiles,
    /// Fused multiply-adds in float32, in GFLOP/s.
    pub float32_gflops: Quartiles,
    /// Half-precision tile products with float32 sums (`mma.sync`), in GFLOP/s, or `None` if the
    /// GPU lacks the instruction.
    pub half_mma_gflops: Option<Quartiles>,
    /// From page-locked host memory to the GPU, in GB/s.
    pub to_gpu_gb_s: Quartiles,
    /// From the GPU to page-locked host memory, in GB/s.
    pub from_gpu_gb_s: Quartiles,
    /// The cost of a launch.
    pub overheads: Overheads,
    /// The memory hierarchy, or `None` in packs that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Hierarchy>,
    /// The GPU before these measurements.
    pub before: Option<Sensors>,
    /// The GPU after these measurements.
    pub after: Option<Sensors>,
}

/// The rates of a GPU's caches over all multiprocessors, and the latency of each level of its memory
/// hierarchy: the time from one instruction to the next that needs its result, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hierarchy {
    /// The day of these measurements, as `2026-11-23`, if it is not that of the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Loads that hit the L1 caches and take all of their lines, in GB/s.
    pub l1_gb_s: Quartiles,
    /// Lines of the L1 caches in loads that take a word of each, in 10^9 per second.
    pub l1_glines_s: Quartiles,
    /// Loads that hit the L2 cache, in GB/s.
    pub l2_gb_s: Quartiles,
    /// A multiply-add whose operand is the result of the one before it.
    pub registers_ns: Quartiles,
    /// A load of shared memory whose address is the word loaded before it.
    pub shared_ns: Quartiles,
    /// Such a load that hits the L1 cache.
    pub l1_ns: Quartiles,
    /// Such a load that hits the L2 cache.
    pub l2_ns: Quartiles,
    /// Such a load that misses both caches, at random places of four times what L2 holds.
    pub dram_ns: Quartiles,
}

/// The cost of launching a kernel that does nothing, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overheads {
    /// One launch of many, queued one after the other without a wait.
    pub batch_us: Quartiles,
    /// One launch alone, from an event before it to an event after it.
    pub single_us: Quartiles,
    /// The CPU's time until the driver has accepted the launch.
    pub submit_us: Quartiles,
    /// The CPU's time until the kernel has ended.
    pub round_trip_us: Quartiles,
}
