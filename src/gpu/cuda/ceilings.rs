//! Measures a GPU's ceilings: small programs and copies, timed like kernels.

use super::failed::failed;
use super::hierarchy::hierarchy;
use super::timed::{figures, of_call};
use super::{Cuda, elapsed_ms};
use crate::gpu::ceilings::CeilingProbe;
use crate::stats::Quartiles;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Overheads};
use std::time::Instant;

/// Bytes of a copy within the GPU, if there is memory: far more than the L2 cache holds.
const COPIED: u64 = 1 << 30;
/// Bytes of a copy to or from the host.
const SENT: usize = 1 << 26;
/// The number of consecutive launches of the program that does nothing.
const BATCH: u32 = 1000;
/// Measures all ceilings.
pub(super) fn ceilings(
    gpu: &mut Cuda,
    progress: &mut dyn FnMut(Phase),
) -> Result<Ceilings, GpuError> {
    let mut said = |program: &str| progress(Phase::Ceiling { of: program.to_owned() });
    let before = gpu.nvml.as_ref().map(super::Nvml::read);
    said("copy");
    let copy_gb_s = copy(gpu)?;
    said("shared memory");
    let shared_gb_s = rate(gpu, CeilingProbe::ReadShared)?;
    said("float32");
    let float32_gflops = rate(gpu, CeilingProbe::MultiplyAdd)?;
    said("tensor cores");
    let half_mma_gflops = match rate(gpu, CeilingProbe::MultiplyTiles) {
        Ok(rate) => Some(rate),
        Err(GpuError::Architecture { .. } | GpuError::DriverTooOld { .. }) => None,
        Err(error) => return Err(error),
    };
    said("caches and latencies");
    let hierarchy = Some(hierarchy(gpu)?);
    let after = gpu.nvml.as_ref().map(super::Nvml::read);
    said("the way there and back");
    let [to_gpu_gb_s, from_gpu_gb_s] = there_and_back(gpu)?;
    let overheads = overheads(gpu)?;
    Ok(Ceilings {
        copy_gb_s,
        shared_gb_s,
        float32_gflops,
        half_mma_gflops,
        to_gpu_gb_s,
        from_gpu_gb_s,
        overheads,
        hierarchy,
        before,
        after,
    })
}

/// Bytes of the buffer of the probes of the processors, which never write it.
const SPARE: usize = 4096;

fn rate(gpu: &Cuda, probe: CeilingProbe) -> Result<Quartiles, GpuError> {
    let call = probe.call(&gpu.limits);
    of_call(gpu, SPARE, None, &call, |ms| probe.rate(&call, ms))
}

/// A copy within the GPU: each byte is read and written.
fn copy(gpu: &Cuda) -> Result<Quartiles, GpuError> {
    let doing = |error| failed("copying within the GPU", error);
    let (free, _) = gpu.context.mem_get_info().map_err(doing)?;
    let bytes = COPIED.min(free as u64 / 4) as usize;
    let from = gpu.stream.alloc_zeros::<u8>(bytes).map_err(doing)?;
    let mut to = gpu.stream.alloc_zeros::<u8>(bytes).map_err(doing)?;
    let run = || {
        let before = gpu.event()?;
        gpu.stream.memcpy_dtod(&from, &mut to).map_err(doing)?;
        elapsed_ms(&before, &gpu.event()?)
    };
    figures(run, |ms| 2.0 * bytes as f64 / ms / 1e6)
}

/// Copies from page-locked host memory to the GPU, and back.
fn there_and_back(gpu: &Cuda) -> Result<[Quartiles; 2], GpuError> {
    let doing = |error| failed("copying to the GPU and back", error);
    // SAFETY: its contents are written below before they are read.
    let mut host = unsafe { gpu.context.alloc_pinned::<u8>(SENT) }.map_err(doing)?;
    host.as_mut_slice().map_err(doing)?.fill(1);
    let mut there = gpu.stream.alloc_zeros::<u8>(SENT).map_err(doing)?;
    let rate = |ms| SENT as f64 / ms / 1e6;
    let send = || {
        let before = gpu.event()?;
        gpu.stream.memcpy_htod(&host, &mut there).map_err(doing)?;
        elapsed_ms(&before, &gpu.event()?)
    };
    let to_gpu = figures(send, rate)?;
    let fetch = || {
        let before = gpu.event()?;
        gpu.stream.memcpy_dtoh(&there, &mut host).map_err(doing)?;
        elapsed_ms(&before, &gpu.event()?)
    };
    Ok([to_gpu, figures(fetch, rate)?])
}

/// The times of a program that does nothing, which are those of the launch itself.
fn overheads(gpu: &Cuda) -> Result<Overheads, GpuError> {
    let nothing = gpu.kernel(&CeilingProbe::Nothing.call(&gpu.limits))?;
    let go = || nothing.start(&gpu.stream, &[]);
    let events = |times: u32| {
        let before = gpu.event()?;
        (0..times).try_for_each(|_| go())?;
        elapsed_ms(&before, &gpu.event()?)
    };
    let batch_us = figures(|| events(BATCH), |ms| ms * 1e3 / f64::from(BATCH))?;
    let single_us = figures(|| events(1), |ms| ms * 1e3)?;
    let [mut submits, mut trips] = [const { Vec::new() }; 2];
    for _ in 0..BATCH {
        let began = Instant::now();
        go()?;
        submits.push(began.elapsed().as_secs_f64() * 1e6);
        gpu.wait("running a program that does nothing")?;
        trips.push(began.elapsed().as_secs_f64() * 1e6);
    }
    let of = |times: &[f64]| Quartiles::of(times).unwrap_or(batch_us);
    Ok(Overheads { batch_us, single_us, submit_us: of(&submits), round_trip_us: of(&trips) })
}
