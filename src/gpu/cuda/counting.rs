//! Profiling on the GPU, with its caches in the same state before each pass.

use super::Cuda;
use crate::gpu::ceilings;
use crate::gpu::cupti;
use crate::gpu::device::Profiler;
use crate::timing::GpuError;
use cudarc::driver::DevicePtr;

/// A profiler in the GPU's context, and the metrics that it does not know.
pub(super) fn open(
    gpu: &Cuda,
    metrics: &[String],
) -> Result<(Box<dyn Profiler>, Vec<String>), GpuError> {
    let (context, device) = (gpu.context.cu_ctx().cast(), gpu.context.ordinal() as u32);
    let (counting, missing) = cupti::CuptiProfiler::open(context, device, metrics)?;
    Ok((Box::new(counting), missing))
}

/// Reads more than the L2 cache holds, from a buffer that was written once, long before. (Writing
/// that much would leave dirty lines, which would be written back to memory during the next
/// launch.)
pub(super) fn clear_cache(gpu: &mut Cuda) -> Result<(), GpuError> {
    let words = gpu.filler_words();
    let filler = match gpu.filler.take() {
        Some(filler) => filler,
        None => gpu
            .stream
            .alloc_zeros(words)
            .map_err(|error| gpu.shortage(4 * words as u64, "emptying the L2 cache", error))?,
    };
    let call = ceilings::read(&gpu.limits, words);
    let reader = gpu.kernel(&call)?;
    let address = filler.device_ptr(&gpu.stream).0;
    // After one pass, 8 KB to 271 KB of dirty lines were still in the cache.
    for _ in 0..2 {
        reader.start(&gpu.stream, &[address])?;
    }
    gpu.filler = Some(filler);
    gpu.wait("emptying the L2 cache")
}
