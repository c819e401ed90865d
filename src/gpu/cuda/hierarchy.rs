//! Measures the latencies and rates of a GPU's memory hierarchy.

use super::ceilings::rates;
use super::failed::failed;
use super::{Cuda, elapsed_ms};
use crate::gpu::GpuError;
use crate::gpu::hierarchy::{Cache, Chain};
use crate::gpu::protocol::Hierarchy;
use crate::kernel::Call;
use crate::stats::Quartiles;
use cudarc::driver::DevicePtr;

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
    timed(gpu, cache.bytes(&gpu.limits), None, &call, |ms| cache.rate(&call, ms))
}

fn latency(gpu: &Cuda, chain: Chain) -> Result<Quartiles, GpuError> {
    let link = chain.link(&gpu.limits);
    let bytes = chain.bytes(&gpu.limits);
    timed(gpu, bytes, link.as_ref(), &chain.follow(), |ms| chain.step_ns(ms))
}

/// Times `call` on a buffer of zeros that `prepare`, if there is one, has filled.
fn timed(
    gpu: &Cuda,
    bytes: usize,
    prepare: Option<&Call>,
    call: &Call,
    figure: impl Fn(f64) -> f64,
) -> Result<Quartiles, GpuError> {
    let buffer = gpu.stream.alloc_zeros::<u8>(bytes);
    let buffer = buffer.map_err(|error| failed("making room for a probe", error))?;
    let address = buffer.device_ptr(&gpu.stream).0;
    if let Some(prepare) = prepare {
        gpu.kernel(prepare)?.start(&gpu.stream, &[address])?;
    }
    let kernel = gpu.kernel(call)?;
    let run = || {
        let before = gpu.event()?;
        kernel.start(&gpu.stream, &[address])?;
        elapsed_ms(&before, &gpu.event()?)
    };
    rates(run, figure)
}
