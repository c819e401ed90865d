//! How a row is measured: fill, warm up, time until the median is steady, check C.

use super::GpuError;
use super::check::{self, Expected, Verdict};
use super::device::Device;
use super::protocol::{Effort, Measure, Measurement, Phase, Subject};
use crate::kernel::sha256;
use crate::matrix::{self, Operand, Size};
use crate::stats::Quartiles;

/// Most launches of one sample, so that an immeasurably short one cannot make it endless.
const MOST_LAUNCHES: f64 = 10_000.0;

/// Measures one row on `device`, telling each phase as it begins.
///
/// # Errors
/// Whatever the device answers, and [`GpuError::OutOfMemory`] before anything is allocated.
pub(super) fn measure(
    device: &mut dyn Device,
    request: &Measure,
    progress: &mut dyn FnMut(Phase),
) -> Result<Measurement, GpuError> {
    let Measure { subject, size, effort, .. } = request;
    progress(Phase::Loading);
    device.load(subject)?;
    progress(Phase::Filling);
    let [a, b] = fill(device, *size, request.seed)?;
    let before = before(request);
    progress(Phase::Warming);
    // What is checked comes first: a foreign kernel may add to C, or overwrite A and B.
    let c = run_once(device, &before)?;
    let launch_ms = warm_up(device, effort)?;
    let ms = time(device, effort, launch_ms, progress)?;
    progress(Phase::Checking);
    let expected =
        Expected { size: *size, gemm: subject.gemm(), ab: [&a, &b], before: before.elements() };
    let verdict = check::check(device, &expected, &c)?;
    Ok(measurement(device.name(), request, ms, &c, verdict))
}

/// What C holds before a run.
pub(super) enum Before {
    /// Nothing but this.
    Blank(f32),
    /// These elements, row-major: they have a part in the result.
    Filled(Vec<f32>),
}

impl Before {
    /// The elements that have a part in the result.
    fn elements(&self) -> &[f32] {
        match self {
            Self::Blank(_) => &[],
            Self::Filled(elements) => elements,
        }
    }
}

fn before(Measure { subject, size, seed, .. }: &Measure) -> Before {
    if subject.gemm().reads_c() {
        Before::Filled(operand_on_all_cores(*seed, Operand::C, *size))
    } else {
        Before::Blank(subject.blank())
    }
}

/// Runs the loaded subject once on such a C.
pub(super) fn run_once(device: &mut dyn Device, before: &Before) -> Result<Vec<f32>, GpuError> {
    match before {
        Before::Blank(value) => device.blank(*value)?,
        Before::Filled(elements) => device.give(elements)?,
    }
    device.run(1)?;
    device.read()
}

/// Bytes of A, B and C.
fn bytes(size: Size) -> u64 {
    Operand::ALL.into_iter().map(|operand| size.elements(operand) * 4).sum()
}

fn fill(device: &mut dyn Device, size: Size, seed: u64) -> Result<[Vec<f32>; 2], GpuError> {
    let (needed, free) = (bytes(size), device.free_memory()?);
    if needed > free {
        return Err(GpuError::OutOfMemory { needed, free });
    }
    let operands =
        [Operand::A, Operand::B].map(|operand| operand_on_all_cores(seed, operand, size));
    let [a, b] = &operands;
    device.fill(size, a, b)?;
    Ok(operands)
}

/// The same values as [`matrix::fill`]: 128 million elements would keep one core for a second.
fn operand_on_all_cores(seed: u64, operand: Operand, size: Size) -> Vec<f32> {
    let mut values = vec![0.0; size.elements(operand) as usize];
    let chunk = values.len().div_ceil(check::cores()).max(1);
    std::thread::scope(|scope| {
        for (number, values) in values.chunks_mut(chunk).enumerate() {
            scope.spawn(move || {
                for (index, value) in values.iter_mut().enumerate() {
                    *value = matrix::element(seed, operand, (number * chunk + index) as u64);
                }
            });
        }
    });
    values
}

/// Runs until the clocks have had time to rise; the time of one launch then, in milliseconds.
fn warm_up(device: &mut dyn Device, effort: &Effort) -> Result<f64, GpuError> {
    let (mut times, mut spent) = (1, 0.0);
    loop {
        let ms = device.run(times)?;
        spent += ms.max(1e-3);
        if spent >= effort.warm_up_ms {
            return Ok(ms / f64::from(times));
        }
        times = (times * 2).min(1024);
    }
}

fn time(
    device: &mut dyn Device,
    effort: &Effort,
    launch_ms: f64,
    progress: &mut dyn FnMut(Phase),
) -> Result<Quartiles, GpuError> {
    let times = (effort.sample_ms / launch_ms).ceil().clamp(1.0, MOST_LAUNCHES) as u32;
    let (mut samples, mut spent) = (Vec::new(), 0.0);
    loop {
        let ms = device.run(times)?;
        samples.push(ms / f64::from(times));
        spent += ms;
        // Sorting is kept out of the way of short samples, and long ones are reported singly.
        if samples.len() % 10 != 0 && ms < 50.0 {
            continue;
        }
        let Some(quartiles) = Quartiles::of(&samples) else { continue };
        progress(Phase::Timing { samples: samples.len(), median_ms: quartiles.median });
        let steady = quartiles.relative_iqr() < effort.spread;
        if samples.len() >= effort.least_samples && (steady || spent >= effort.budget_ms) {
            return Ok(quartiles);
        }
    }
}

fn measurement(
    device: &str,
    request: &Measure,
    ms: Quartiles,
    c: &[f32],
    verdict: Verdict,
) -> Measurement {
    let Measure { subject, size, .. } = request;
    let little_endian: Vec<u8> = c.iter().flat_map(|value| value.to_le_bytes()).collect();
    Measurement {
        device: device.to_owned(),
        kernel: subject.name().to_owned(),
        ptx_sha256: match subject {
            Subject::Kernel { call, .. } => Some(sha256(call.ptx.as_bytes())),
            Subject::Cublas => None,
        },
        size: *size,
        tile: subject.tile(),
        ms,
        gflops: size.flops() / ms.median / 1e6,
        relative_error: verdict.error,
        tolerance: matrix::tolerance(size.k),
        reference: verdict.reference,
        c_sha256: sha256(&little_endian),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::kernel::Call;

    /// A GPU whose launches take the times it is told, and which computes nothing.
    struct Metronome {
        launch_ms: Vec<f64>,
        launches: usize,
    }

    impl Device for Metronome {
        fn name(&self) -> &'static str {
            "metronome"
        }
        fn free_memory(&mut self) -> Result<u64, GpuError> {
            Ok(1000)
        }
        fn load(&mut self, _: &Subject) -> Result<(), GpuError> {
            Ok(())
        }
        fn has_cublas(&mut self) -> bool {
            false
        }
        fn fill(&mut self, _: Size, _: &[f32], _: &[f32]) -> Result<(), GpuError> {
            Ok(())
        }
        fn blank(&mut self, _: f32) -> Result<(), GpuError> {
            Ok(())
        }
        fn give(&mut self, _: &[f32]) -> Result<(), GpuError> {
            Ok(())
        }
        fn run(&mut self, times: u32) -> Result<f64, GpuError> {
            let ms = self.launch_ms[self.launches % self.launch_ms.len()];
            self.launches += 1;
            Ok(ms * f64::from(times))
        }
        fn read(&mut self) -> Result<Vec<f32>, GpuError> {
            Ok(Vec::new())
        }
        fn execute(&mut self, _: &Call, _: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
            Ok(Vec::new())
        }
    }

    fn timed(launch_ms: &[f64]) -> Quartiles {
        let mut device = Metronome { launch_ms: launch_ms.to_vec(), launches: 0 };
        time(&mut device, &Effort::default(), launch_ms[0], &mut |_| ()).expect("it always answers")
    }

    #[test]
    fn steady_times_need_only_the_fewest_samples() {
        assert_eq!(timed(&[0.01]), Quartiles { median: 0.01, q1: 0.01, q3: 0.01, samples: 10 });
    }

    #[test]
    fn restless_times_are_sampled_until_the_budget_is_spent() {
        let restless = timed(&[1.0, 1.0, 2.0, 2.0]);
        assert!((1300..1400).contains(&restless.samples), "{restless:?}");
        assert!(timed(&[300.0, 400.0]).samples == 10, "slow launches stop at the fewest samples");
    }

    #[test]
    fn the_warm_up_lasts_as_long_as_it_should() {
        let mut device = Metronome { launch_ms: vec![0.5], launches: 0 };
        assert_eq!(warm_up(&mut device, &Effort::default()), Ok(0.5));
        assert_eq!(device.launches, 8, "1 + 2 + ... + 128 launches of 0.5 ms are 127 ms");
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_made() {
        let mut device = Metronome { launch_ms: vec![1.0], launches: 0 };
        let error = fill(&mut device, Size::square(64), 1).expect_err("49 kB do not fit in 1 kB");
        assert_eq!(error, GpuError::OutOfMemory { needed: 49152, free: 1000 });
    }

    #[test]
    fn filling_on_all_cores_gives_the_same_values() {
        let size = Size { m: 7, n: 5, k: 11 };
        for operand in Operand::ALL {
            let values = operand_on_all_cores(3, operand, size);
            assert_eq!(values, matrix::fill(3, operand, size));
        }
    }
}
