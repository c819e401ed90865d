//! Measures a GPU's ceilings: small programs and copies, timed like kernels.

use super::failed::failed;
use super::hierarchy::hierarchy;
use super::{Cuda, elapsed_ms};
use crate::gpu::GpuError;
use crate::gpu::ceilings::Probe;
use crate::gpu::protocol::{Ceilings, Overheads, Phase};
use crate::gpu::sample::{Enough, sample};
use crate::stats::Quartiles;
use cudarc::driver::DevicePtr;
use std::time::Instant;

/// Bytes of a copy within the GPU, if there is memory: far more than the L2 cache holds.
const COPIED: u64 = 1 << 30;
/// Bytes of a copy to or from the host.
const SENT: usize = 1 << 26;
/// The number of consecutive launches of the program that does nothing.
const BATCH: u32 = 1000;
/// Duration of the work that is not counted, so that the clocks have risen, in milliseconds.
const WARM_UP_MS: f64 = 20.0;
/// When a ceiling is known precisely enough.
const ENOUGH: Enough =
    Enough { least: 10, spread: 0.01, budget_ms: 100.0, most: 1000, insists: true };

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
    let shared_gb_s = rate(gpu, Probe::ReadShared)?;
    said("float32");
    let float32_gflops = rate(gpu, Probe::MultiplyAdd)?;
    said("tensor cores");
    let half_mma_gflops = match rate(gpu, Probe::MultiplyTiles) {
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

/// Figures of work whose time in milliseconds `run` returns.
pub(super) fn rates(
    mut run: impl FnMut() -> Result<f64, GpuError>,
    rate: impl Fn(f64) -> f64,
) -> Result<Quartiles, GpuError> {
    let mut spent = 0.0;
    while spent < WARM_UP_MS {
        spent += run()?.max(1e-3);
    }
    sample(ENOUGH, || run().map(|ms| (rate(ms), ms)), |_| ())
}

fn rate(gpu: &Cuda, probe: Probe) -> Result<Quartiles, GpuError> {
    let call = probe.call(&gpu.limits);
    let kernel = gpu.kernel(&call)?;
    let out = gpu.stream.alloc_zeros::<u32>(1024);
    let out = out.map_err(|error| failed("making room for a probe", error))?;
    let address = out.device_ptr(&gpu.stream).0;
    let run = || {
        let before = gpu.event()?;
        kernel.start(&gpu.stream, &[address])?;
        elapsed_ms(&before, &gpu.event()?)
    };
    rates(run, |ms| probe.rate(&call, ms))
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
    rates(run, |ms| 2.0 * bytes as f64 / ms / 1e6)
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
    let to_gpu = rates(send, rate)?;
    let fetch = || {
        let before = gpu.event()?;
        gpu.stream.memcpy_dtoh(&there, &mut host).map_err(doing)?;
        elapsed_ms(&before, &gpu.event()?)
    };
    Ok([to_gpu, rates(fetch, rate)?])
}

/// The times of a program that does nothing, which are those of the launch itself.
fn overheads(gpu: &Cuda) -> Result<Overheads, GpuError> {
    let nothing = gpu.kernel(&Probe::Nothing.call(&gpu.limits))?;
    let go = || nothing.start(&gpu.stream, &[]);
    let events = |times: u32| {
        let before = gpu.event()?;
        (0..times).try_for_each(|_| go())?;
        elapsed_ms(&before, &gpu.event()?)
    };
    let batch_us = rates(|| events(BATCH), |ms| ms * 1e3 / f64::from(BATCH))?;
    let single_us = rates(|| events(1), |ms| ms * 1e3)?;
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
