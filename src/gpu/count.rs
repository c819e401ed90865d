//! Reads the hardware's counters for a launch: repeats the launch on the same matrices and an empty
//! cache, one pass each, until all metrics have been counted.
//!
//! It is not part of a measurement and runs in a process of its own: profiling changes a GPU's
//! timing, and may do so afterwards as well.

use super::bench::operands;
use super::device::Device;
use super::once::{before, run_once, set};
use crate::matrix::Operand;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{CountRequest, HardwareCounts};

/// More passes than any request has needed, so that a profiler that never ends is given up.
const MOST_PASSES: u32 = 200;

/// Counts one launch on `device`, reporting each phase as it begins.
///
/// # Errors
/// Any error of the device; most often, that the driver refuses access to the counters.
pub(super) fn count(
    device: &mut dyn Device,
    request: &CountRequest,
    progress: &mut dyn FnMut(Phase),
) -> Result<HardwareCounts, GpuError> {
    let CountRequest { subject, size, seed, metrics, .. } = request;
    progress(Phase::Loading);
    device.load(subject)?;
    // A missing permission must show before any data is sent.
    let (mut counting, missing) = device.counting(metrics)?;
    progress(Phase::Filling);
    let [a, b] = operands(device, subject, *size, *seed)?;
    device.fill(*size, [&a, &b], subject.words(Operand::C, *size))?;
    let c = before(subject, *size, *seed);
    // The first launch does more than the others: the driver loads the code.
    run_once(device, &c)?;
    for pass in 1..=MOST_PASSES {
        progress(Phase::Counting { pass });
        device.copy(&a, &b)?;
        set(device, &c)?;
        device.clear_cache()?;
        counting.begin()?;
        device.run(1)?;
        if counting.end()? {
            return Ok(HardwareCounts { counters: counting.values()?, missing, passes: pass });
        }
    }
    let reason = format!("it has not come to an end in {MOST_PASSES} passes");
    Err(GpuError::Cupti { function: "counting".to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::super::bench::tests::Metronome;
    use super::*;
    use crate::kernel::KERNELS;
    use crate::matrix::Size;
    use crate::timing::Subject;

    fn counted(passes: usize) -> (Result<HardwareCounts, GpuError>, Vec<&'static str>) {
        let mut device = Metronome { launch_ms: vec![1.0], passes, ..Metronome::default() };
        let size = Size::square(2);
        let subject = Subject::of(&KERNELS[0].problem_for(size));
        let metrics = vec!["not.known".to_owned()];
        let request = CountRequest { subject, size, seed: 1, device: 0, metrics };
        let counted = count(&mut device, &request, &mut |_| ());
        (counted, device.log.take())
    }

    #[test]
    fn every_pass_finds_the_same_matrices_and_an_empty_cache_and_nothing_else_is_counted() {
        let (counted, log) = counted(3);
        let counters = [("passes".to_owned(), 3.0)].into();
        let missing = vec!["not.known".to_owned()];
        assert_eq!(counted, Ok(HardwareCounts { counters, missing, passes: 3 }));
        let pass = ["send", "blank", "clear", "begin", "run", "end"];
        assert_eq!(log, [&["blank", "run"][..], &pass, &pass, &pass].concat());
    }

    #[test]
    fn a_profiler_that_never_ends_is_given_up() {
        let (counted, log) = counted(10_000);
        assert!(matches!(counted, Err(GpuError::Cupti { .. })), "{counted:?}");
        assert_eq!(log.iter().filter(|what| **what == "end").count(), MOST_PASSES as usize);
    }
}
