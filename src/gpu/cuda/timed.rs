//! Times probes: small programs that are run again and again until their figure is known precisely.

use super::failed::failed;
use super::{Cuda, elapsed_ms};
use crate::gpu::sample::{StopRule, sample};
use crate::kernel::Call;
use crate::stats::Quartiles;
use crate::timing::GpuError;
use cudarc::driver::DevicePtr;

/// Duration of the work that is not counted, so that the clocks have risen, in milliseconds.
const WARM_UP_MS: f64 = 20.0;
/// When a figure is known precisely enough.
const ENOUGH: StopRule =
    StopRule { least: 10, spread: 0.01, budget_ms: 100.0, most: 1000, insists: true };

/// Figures of work whose time in milliseconds `run` returns.
pub(super) fn figures(
    mut run: impl FnMut() -> Result<f64, GpuError>,
    figure: impl Fn(f64) -> f64,
) -> Result<Quartiles, GpuError> {
    let mut spent = 0.0;
    while spent < WARM_UP_MS {
        spent += run()?.max(1e-3);
    }
    sample(ENOUGH, || run().map(|ms| (figure(ms), ms)), |_| ())
}

/// Times a call on a buffer of this many bytes, which are zero unless the call `prepare` fills them.
pub(super) fn of_call(
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
    figures(run, figure)
}
