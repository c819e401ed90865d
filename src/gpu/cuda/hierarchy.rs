//! Measures the latencies and rates of a GPU's memory hierarchy.

use super::Cuda;
use super::timed::of_call;
use crate::gpu::hierarchy::{Cache, Chain};
use crate::stats::Quartiles;
use crate::timing::GpuError;
use crate::timing::Hierarchy;

/// Measures every level.
pub(super) fn hierarchy(gpu: &Cuda) -> Result<Hierarchy, GpuError> {
    Ok(Hierarchy {
        date: None,
        l1_gb_s: rate(gpu, Cache::L1)?,
        l1_glines_s: rate(gpu, Cache::L1Lines)?,
        l2_gb_s: rate(gpu, Cache::L2)?,
        registers_ns: latency(gpu, Chain::Registers)?,
        shared_ns: latency(gpu, Chain::Shared)?,
        l1_ns: latency(gpu, Chain::L1)?,
        l2_ns: latency(gpu, Chain::L2)?,
        dram_ns: latency(gpu, Chain::Dram)?,
    })
}

fn rate(gpu: &Cuda, cache: Cache) -> Result<Quartiles, GpuError> {
    let call = cache.call(&gpu.limits);
    of_call(gpu, cache.bytes(&gpu.limits), None, &call, |ms| cache.rate(&call, ms))
}

fn latency(gpu: &Cuda, chain: Chain) -> Result<Quartiles, GpuError> {
    let link = chain.link(&gpu.limits);
    let bytes = chain.bytes(&gpu.limits);
    of_call(gpu, bytes, link.as_ref(), &chain.follow(), |ms| chain.step_ns(ms))
}
