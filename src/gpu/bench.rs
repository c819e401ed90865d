//! Measures a row: fill A and B, warm up, time until the median is steady, check C.

use super::check::{self, ReferenceInputs, ReferenceVerdict};
use super::cores::words;
use super::device::{Device, DeviceMemory};
use super::once::{before, run_once};
use super::sample::{StopRule, sample};
use crate::kernel::{compiled_by, sha256, sha256_of};
use crate::matrix::{Operand, Size};
use crate::stats::Quartiles;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{HostCopies, Measure, Measurement, SamplingPlan, Subject, Telemetry};
use std::thread;

/// The maximum number of launches per sample: a launch too short to measure must not make it
/// endless.
pub(super) const MOST_LAUNCHES: f64 = 10_000.0;

/// A launch that takes at least this many milliseconds needs no others to warm up, and is itself a
/// sample.
const LONG_MS: f64 = 500.0;

/// The maximum number of cold launches and of copies: each is a single one, with much work around
/// it that does not count as its own time.
const MOST_BESIDE: usize = 100;

/// Measures one row on `device`, reporting each phase as it begins.
///
/// # Errors
/// Any error of the device, and [`GpuError::OutOfMemory`] before anything is allocated.
pub(super) fn measure(
    device: &mut dyn Device,
    request: &Measure,
    progress: &mut dyn FnMut(Phase),
) -> Result<Measurement, GpuError> {
    let Measure { subject, size, effort, .. } = request;
    progress(Phase::Loading);
    device.load(subject)?;
    progress(Phase::Filling);
    let [a, b] = operands(device, subject, *size, request.seed)?;
    let sent = [&*a, &*b];
    device.fill(*size, sent, subject.words(Operand::C, *size))?;
    let c_before = before(subject, *size, request.seed);
    progress(Phase::Warming);
    // The launch whose C is checked comes first: a user's kernel may add to C, or overwrite A and
    // B.
    let (c, first_ms) = run_once(device, &c_before)?;
    let long = Some(first_ms).filter(|ms| *ms >= LONG_MS);
    let launch_ms = long.map_or_else(|| warm_up(device, effort), Ok)?;
    let before = device.sensors();
    let ms = time(device, effort, launch_ms, long, progress)?;
    let after = device.sensors();
    progress(Phase::Beside);
    let beside = Telemetry { before, after, ..beside(device, subject, *size, effort, sent)? };
    progress(Phase::Checking);
    let (gemm, before) = (subject.gemm(), c_before.elements());
    let layouts = subject.layouts();
    let expected = ReferenceInputs { size: *size, gemm, layouts, ab: sent, before };
    let (verdict, c_sha256) = thread::scope(|scope| {
        let (layout, shape) = (layouts[Operand::C as usize], size.shape(Operand::C));
        let elements = layout.without_gaps(shape, c.iter().copied());
        let hash = scope.spawn(|| sha256_of(elements));
        (check::check(device, &expected, &c), hash.join().unwrap_or_default())
    });
    let row = measurement(device.name(), request, ms, verdict?);
    Ok(Measurement { c_sha256, beside, ..row })
}

/// # Errors
/// A product of this size needs more memory than the device has.
pub(super) fn room(device: &mut dyn Device, subject: &Subject, size: Size) -> Result<(), GpuError> {
    let needed = Operand::ALL.into_iter().map(|operand| subject.bytes(operand, size)).sum();
    let DeviceMemory { free, total } = device.memory()?;
    if needed > free { Err(GpuError::OutOfMemory { needed, free, total }) } else { Ok(()) }
}

/// The words of A and B, for a device that has memory for them.
pub(super) fn operands(
    device: &mut dyn Device,
    subject: &Subject,
    size: Size,
    seed: u64,
) -> Result<[Vec<f32>; 2], GpuError> {
    room(device, subject, size)?;
    Ok([Operand::A, Operand::B].map(|which| {
        let layout = subject.layouts()[which as usize];
        words(seed, which, layout.of, &(0..layout.places(size.shape(which))))
    }))
}

/// Runs until the clocks have had time to rise, and returns the time of one launch then, in
/// milliseconds.
pub(super) fn warm_up(device: &mut dyn Device, effort: &SamplingPlan) -> Result<f64, GpuError> {
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

/// Samples the time of a launch; `first` is a sample taken before.
pub(super) fn time(
    device: &mut dyn Device,
    effort: &SamplingPlan,
    launch_ms: f64,
    mut first: Option<f64>,
    progress: &mut dyn FnMut(Phase),
) -> Result<Quartiles, GpuError> {
    let times = (effort.sample_ms / launch_ms).ceil().clamp(1.0, MOST_LAUNCHES) as u32;
    let SamplingPlan { least_samples: least, spread, budget_ms, .. } = *effort;
    sample(
        StopRule { least, spread, budget_ms, most: usize::MAX, insists: true },
        || match first.take() {
            Some(ms) => Ok((ms, ms)),
            None => device.run(times).map(|ms| (ms / f64::from(times), ms)),
        },
        |so_far| {
            let Quartiles { samples, median: median_ms, .. } = *so_far;
            progress(Phase::Timing { samples, median_ms });
        },
    )
}

/// Measures launches on an empty cache and copies, and reads the kernel's resources.
fn beside(
    device: &mut dyn Device,
    subject: &Subject,
    size: Size,
    effort: &SamplingPlan,
    ab: [&[f32]; 2],
) -> Result<Telemetry, GpuError> {
    let (resources, cores) = (device.resources(), device.cores());
    if effort.beside_ms <= 0.0 {
        return Ok(Telemetry { resources, cores, ..Telemetry::default() });
    }
    let SamplingPlan { least_samples: least, spread, beside_ms: budget_ms, .. } = *effort;
    let enough = StopRule { least, spread, budget_ms, most: MOST_BESIDE, insists: false };
    let [cold_ms, submit_us] = cold(device, enough)?;
    let copies = copies(device, subject, size, enough, ab)?;
    Ok(Telemetry { cold_ms, submit_us, copies, resources, cores, ..Telemetry::default() })
}

/// Times single launches on an empty cache, in milliseconds, and their submission by the CPU, in
/// microseconds.
pub(super) fn cold(
    device: &mut dyn Device,
    enough: StopRule,
) -> Result<[Option<Quartiles>; 2], GpuError> {
    let mut submits = Vec::new();
    let Some(first) = device.run_cold()? else { return Ok([None; 2]) };
    let mut next = Some(first);
    let times = || {
        let alone = match next.take() {
            Some(alone) => alone,
            None => device.run_cold()?.unwrap_or(first),
        };
        submits.push(alone.submit_us);
        Ok((alone.ms, alone.ms))
    };
    let cold = sample(enough, times, |_| ())?;
    Ok([Some(cold), Quartiles::of(&submits)])
}

fn copies(
    device: &mut dyn Device,
    subject: &Subject,
    size: Size,
    enough: StopRule,
    [a, b]: [&[f32]; 2],
) -> Result<Option<HostCopies>, GpuError> {
    let mut back = Vec::new();
    // The first copy is discarded: it is the first to touch the memory at both ends.
    let Some(first) = device.copy(a, b)? else { return Ok(None) };
    let there = || {
        let [there, and_back] = device.copy(a, b)?.unwrap_or(first);
        back.push(and_back);
        Ok((there, there + and_back))
    };
    let to_gpu_ms = sample(enough, there, |_| ())?;
    let from_gpu_ms = Quartiles::of(&back).unwrap_or(to_gpu_ms);
    let bytes = |operand| 4 * subject.words(operand, size) as u64;
    let to_gpu_bytes = bytes(Operand::A) + bytes(Operand::B);
    let from_gpu_bytes = bytes(Operand::C);
    Ok(Some(HostCopies { to_gpu_ms, to_gpu_bytes, from_gpu_ms, from_gpu_bytes }))
}

fn measurement(
    device: &str,
    request: &Measure,
    ms: Quartiles,
    verdict: ReferenceVerdict,
) -> Measurement {
    let Measure { subject, size, .. } = request;
    Measurement {
        device: device.to_owned(),
        kernel: subject.name().to_owned(),
        ptx_sha256: match subject {
            Subject::Kernel { call, .. } => Some(sha256(call.ptx.as_bytes())),
            Subject::Cublas { .. } | Subject::Cpu { .. } => None,
        },
        compiled_by: match subject {
            Subject::Kernel { tile: None, call, .. } => compiled_by(&call.ptx),
            Subject::Kernel { .. } | Subject::Cublas { .. } | Subject::Cpu { .. } => None,
        },
        size: *size,
        tile: subject.tile(),
        ms,
        gflops: size.flops() / ms.median / 1e6,
        relative_error: verdict.error,
        tolerance: subject.tolerance(size.k),
        reference: verdict.reference,
        c_sha256: String::new(),
        beside: Telemetry::default(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    use crate::gpu::device::{Profiler, SingleLaunch};
    use crate::gpu::nccl::Rank;
    use crate::kernel::Call;
    use crate::matrix::Precision;
    use crate::timing::{Ceilings, Resources, Sensors};
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    /// A GPU whose launches take given times and compute nothing.
    #[derive(Default)]
    pub(in crate::gpu) struct Metronome {
        pub(in crate::gpu) launch_ms: Vec<f64>,
        pub(in crate::gpu) launches: usize,
        /// The number of passes in which it profiles.
        pub(in crate::gpu) passes: usize,
        /// The calls that matter to the counters.
        pub(in crate::gpu) log: Rc<RefCell<Vec<&'static str>>>,
    }

    /// Its profiler, which counts passes.
    struct Passes {
        left: usize,
        log: Rc<RefCell<Vec<&'static str>>>,
    }

    impl Profiler for Passes {
        fn begin(&mut self) -> Result<(), GpuError> {
            self.log.borrow_mut().push("begin");
            Ok(())
        }
        fn end(&mut self) -> Result<bool, GpuError> {
            self.log.borrow_mut().push("end");
            self.left -= 1;
            Ok(self.left == 0)
        }
        fn values(&mut self) -> Result<BTreeMap<String, f64>, GpuError> {
            let ended = self.log.borrow().iter().filter(|what| **what == "end").count();
            Ok([("passes".to_owned(), ended as f64)].into())
        }
    }

    impl Device for Metronome {
        fn name(&self) -> &'static str {
            "metronome"
        }
        fn memory(&mut self) -> Result<DeviceMemory, GpuError> {
            Ok(DeviceMemory { free: 1000, total: 2000 })
        }
        fn load(&mut self, _: &Subject) -> Result<(), GpuError> {
            Ok(())
        }
        fn has_cublas(&mut self) -> bool {
            false
        }
        fn fill(&mut self, _: Size, _: [&[f32]; 2], _: usize) -> Result<(), GpuError> {
            Ok(())
        }
        fn blank(&mut self, _: f32) -> Result<(), GpuError> {
            self.log.borrow_mut().push("blank");
            Ok(())
        }
        fn counting(
            &mut self,
            metrics: &[String],
        ) -> Result<(Box<dyn Profiler>, Vec<String>), GpuError> {
            let (left, log) = (self.passes, Rc::clone(&self.log));
            Ok((Box::new(Passes { left, log }), metrics.to_vec()))
        }
        fn clear_cache(&mut self) -> Result<(), GpuError> {
            self.log.borrow_mut().push("clear");
            Ok(())
        }
        fn give(&mut self, _: &[f32]) -> Result<(), GpuError> {
            Ok(())
        }
        fn run(&mut self, times: u32) -> Result<f64, GpuError> {
            let ms = self.launch_ms[self.launches % self.launch_ms.len()];
            self.launches += 1;
            self.log.borrow_mut().push("run");
            Ok(ms * f64::from(times))
        }
        fn run_cold(&mut self) -> Result<Option<SingleLaunch>, GpuError> {
            self.run(1).map(|ms| Some(SingleLaunch { ms: ms + 1.0, submit_us: 7.0 }))
        }
        fn copy(&mut self, a: &[f32], b: &[f32]) -> Result<Option<[f64; 2]>, GpuError> {
            self.log.borrow_mut().push("send");
            Ok(Some([(a.len() + b.len()) as f64, 0.5]))
        }
        fn resources(&self) -> Option<Resources> {
            None
        }
        fn ceilings(&mut self, _: &mut dyn FnMut(Phase)) -> Result<Ceilings, GpuError> {
            Err(GpuError::NoDriver)
        }
        fn sensors(&mut self) -> Option<Sensors> {
            None
        }
        fn join(&mut self, _: Rank) -> Result<(), GpuError> {
            Err(GpuError::NoNccl)
        }
        fn share_b(&mut self) -> Result<(), GpuError> {
            Err(GpuError::NoNccl)
        }
        fn read(&mut self) -> Result<Vec<f32>, GpuError> {
            Ok(Vec::new())
        }
        fn execute(&mut self, _: &Call, _: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
            Ok(Vec::new())
        }
    }

    fn timed(launch_ms: &[f64]) -> Quartiles {
        let mut device = Metronome { launch_ms: launch_ms.to_vec(), ..Metronome::default() };
        time(&mut device, &SamplingPlan::default(), launch_ms[0], None, &mut |_| ())
            .expect("it always answers")
    }

    #[test]
    fn steady_times_need_only_the_fewest_samples() {
        assert_eq!(timed(&[0.01]), Quartiles { median: 0.01, q1: 0.01, q3: 0.01, samples: 10 });
    }

    #[test]
    fn restless_times_are_sampled_until_the_budget_is_spent() {
        let restless = timed(&[1.0, 1.0, 2.0, 2.0]);
        assert!((1300..1400).contains(&restless.samples), "{restless:?}");
        assert!(timed(&[300.0, 400.0]).samples == 6, "slow launches stop with the time");
        assert!(timed(&[3000.0, 4000.0]).samples == 3, "but not with fewer than three");
    }

    #[test]
    fn a_long_launch_is_its_own_warm_up_and_a_sample() {
        let mut device = Metronome { launch_ms: vec![600.0], ..Metronome::default() };
        let request = Measure {
            subject: Subject::Cublas { precision: Precision::Single },
            size: Size::square(1),
            seed: 1,
            device: 0,
            effort: SamplingPlan { beside_ms: 0.0, ..SamplingPlan::default() },
        };
        let row = measure(&mut device, &request, &mut |_| ()).expect("it always answers");
        assert_eq!((row.ms.samples, device.launches), (4, 4), "four take longer than two seconds");
    }

    #[test]
    fn the_warm_up_lasts_as_long_as_it_should() {
        let mut device = Metronome { launch_ms: vec![0.5], ..Metronome::default() };
        assert_eq!(warm_up(&mut device, &SamplingPlan::default()), Ok(0.5));
        assert_eq!(device.launches, 8, "1 + 2 + ... + 128 launches of 0.5 ms are 127 ms");
    }

    #[test]
    fn cold_launches_and_copies_stand_beside_the_time_and_cost_no_more_than_they_may() {
        let size = Size { m: 2, n: 3, k: 4 };
        let [a, b] = [vec![0.0; 8], vec![0.0; 12]];
        let subject = Subject::Cublas { precision: Precision::Single };
        let seen = |launch_ms: f64, beside_ms| {
            let mut device = Metronome { launch_ms: vec![launch_ms], ..Metronome::default() };
            let effort = SamplingPlan { beside_ms, ..SamplingPlan::default() };
            beside(&mut device, &subject, size, &effort, [&a, &b]).expect("it always answers")
        };
        let quick = seen(2.0, 1e3);
        assert_eq!(quick.cold_ms.map(|ms| (ms.median, ms.samples)), Some((3.0, 10)));
        assert_eq!(quick.submit_us.map(|us| us.median), Some(7.0));
        let copies = quick.copies.expect("copied");
        assert_eq!((copies.to_gpu_ms.median, copies.to_gpu_bytes), (20.0, 80));
        assert_eq!((copies.from_gpu_ms.median, copies.from_gpu_bytes), (0.5, 24));
        assert_eq!(seen(500.0, 100.0).cold_ms.map(|ms| ms.samples), Some(1));
        assert_eq!(seen(2.0, 0.0), Telemetry::default());
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_made() {
        let mut device = Metronome { launch_ms: vec![1.0], ..Metronome::default() };
        let mut needed = |precision| {
            let made = operands(&mut device, &Subject::Cublas { precision }, Size::square(64), 1);
            made.expect_err("it does not fit in 1 kB")
        };
        let error = needed(Precision::Single);
        assert_eq!(error, GpuError::OutOfMemory { needed: 49152, free: 1000, total: 2000 });
        let error = needed(Precision::Half);
        assert_eq!(error, GpuError::OutOfMemory { needed: 32768, free: 1000, total: 2000 });
    }
}
