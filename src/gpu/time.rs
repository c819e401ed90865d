//! Times a launch on buffers of any kind, and says what it leaves in them.

use super::bench::{cold, time as sampled, warm_up};
use super::device::{Device, DeviceMemory};
use super::sample::StopRule;
use crate::kernel::{Filled, sha256};
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{SamplingPlan, Timed, Timing};
use rayon::prelude::*;

/// Cold launches up to which more are timed.
const MOST_COLD: usize = 100;

/// Launches twice on the same contents, to see what is left and whether that is always so, and then
/// measures.
///
/// # Errors
/// Any error of the device, and [`GpuError::OutOfMemory`] before anything is allocated.
pub(super) fn time(
    device: &mut dyn Device,
    request: &Timing,
    progress: &mut dyn FnMut(Phase),
) -> Result<Timed, GpuError> {
    let Timing { call, buffers, effort, .. } = request;
    progress(Phase::Loading);
    device.load_call(call)?;
    let needed = buffers.iter().map(|buffer| 4 * buffer.words()).sum();
    let DeviceMemory { free, total } = device.memory()?;
    if needed > free {
        return Err(GpuError::OutOfMemory { needed, free, total });
    }
    progress(Phase::Filling);
    let words: Vec<_> = buffers.iter().map(words).collect();
    let mut left = || -> Result<Vec<String>, GpuError> {
        device.place(&words)?;
        device.run(1)?;
        let after = device.fetch()?;
        Ok(after.iter().zip(buffers).map(|(words, buffer)| hash(words, buffer)).collect())
    };
    let sha256 = left()?;
    let repeats = left()? == sha256;
    progress(Phase::Warming);
    let launch_ms = warm_up(device, effort)?;
    let ms = sampled(device, effort, launch_ms, None, progress)?;
    let after = device.sensors();
    progress(Phase::Beside);
    let SamplingPlan { least_samples: least, spread, beside_ms: budget_ms, .. } = *effort;
    let enough = StopRule { least, spread, budget_ms, most: MOST_COLD, insists: false };
    let [cold_ms, _] = cold(device, enough)?;
    let (name, resources) = (device.name().to_owned(), device.resources());
    Ok(Timed { device: name, ms, cold_ms, resources, after, sha256, repeats })
}

/// The words of a buffer before the launch, computed on all cores.
fn words(buffer: &Filled) -> Vec<u32> {
    (0..buffer.words()).into_par_iter().map(|index| buffer.word(index)).collect()
}

/// SHA-256 of a buffer's bytes.
fn hash(words: &[u32], buffer: &Filled) -> String {
    let mut bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(buffer.bytes as usize);
    sha256(&bytes)
}
