//! How the hardware's counters of a launch are read: the same launch again and again, each time on
//! the same matrices and an empty cache, until all that was asked for has been counted.
//!
//! It is no part of a measurement and runs in a process of its own: a GPU that counts keeps other
//! times, and so may one that has counted.

use super::GpuError;
use super::bench;
use super::device::Device;
use super::protocol::{Count, Counted, Phase};

/// More passes than any request took, so that a profiler that never ends is given up.
const MOST_PASSES: u32 = 200;

/// Counts one launch on `device`, telling each phase as it begins.
///
/// # Errors
/// Whatever the device answers: above all that the counters are not shown.
pub(super) fn count(
    device: &mut dyn Device,
    request: &Count,
    progress: &mut dyn FnMut(Phase),
) -> Result<Counted, GpuError> {
    let Count { subject, size, seed, metrics, .. } = request;
    progress(Phase::Loading);
    device.load(subject)?;
    // Whoever may not count is told so before anything is sent.
    let (mut counting, missing) = device.counting(metrics)?;
    progress(Phase::Filling);
    let precision = subject.precision();
    let [a, b] = bench::operands(device, *size, *seed, precision)?;
    let [a, b] = [&a, &b].map(|values| bench::words(values, precision));
    device.fill(*size, &a, &b)?;
    let c = bench::before(subject, *size, *seed);
    // The first launch does more than the others: the driver loads the code.
    bench::run_once(device, &c)?;
    for pass in 1..=MOST_PASSES {
        progress(Phase::Counting { pass });
        device.copy(&a, &b)?;
        bench::set(device, &c)?;
        device.clear_cache()?;
        counting.begin()?;
        device.run(1)?;
        if counting.end()? {
            return Ok(Counted { counters: counting.values()?, missing, passes: pass });
        }
    }
    let reason = format!("it has not come to an end in {MOST_PASSES} passes");
    Err(GpuError::Cupti { function: "counting".to_owned(), reason })
}
