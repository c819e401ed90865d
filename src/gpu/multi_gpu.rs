//! One matrix product on several GPUs: each has some rows of A and of C, and all of B.
//!
//! Each GPU has a thread; NCCL broadcasts B from the first GPU to the others. The threads
//! synchronise before and after everything that is timed, and if one of them fails, all stop at the
//! next synchronisation.

use super::bench::{MOST_LAUNCHES, room, warm_up};
use super::check::{self, ReferenceInputs, ReferenceVerdict};
use super::cores::words;
use super::device::Device;
use super::driver::Driver;
use super::nccl::{self, Rank};
use super::once::{InitialC, run_once};
use crate::matrix::{Operand, Precision, Size};
use crate::stats::Quartiles;
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{DeviceRows, MultiGpuRequest, MultiGpuResult, Share};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Instant;

/// The number of samples of the time of all GPUs.
const SAMPLES: usize = 11;

/// The minimum time of a sample in milliseconds: the threads do not wake at the same moment, but up
/// to some tenths of a millisecond apart.
const SAMPLE_MS: f64 = 20.0;

const BROADCASTS: usize = 3;

/// Runs `request` on the GPUs that it names, reporting each phase as it begins.
///
/// # Errors
/// The error of the first GPU that failed; [`GpuError::NoNccl`] for several GPUs without NCCL.
pub(super) fn spread(
    driver: Driver,
    request: &MultiGpuRequest,
    progress: &mut dyn FnMut(Phase),
) -> Result<MultiGpuResult, GpuError> {
    let MultiGpuRequest { size, seed, shares, .. } = request;
    progress(Phase::Filling);
    let of = precision(request).element_type();
    let b = words(*seed, Operand::B, of, &(0..size.elements(Operand::B)));
    let meeting = Rendezvous::of(shares.len());
    let id = (shares.len() > 1).then(|| driver.circle()).transpose()?;
    let (say, said) = mpsc::channel();
    let members: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..shares.len())
            .map(|number| {
                let seat = id.map(|id| seat(id, shares.len(), number));
                let a = words(*seed, Operand::A, of, &rows_of_a(&shares[number], *size));
                let job = DeviceJob { request, number, seat, a, b: &b, meeting: &meeting };
                let say = (number == 0).then(|| say.clone());
                scope.spawn(move || job.done(driver, &|phase| tell(say.as_ref(), phase)))
            })
            .collect();
        drop(say);
        said.iter().for_each(progress);
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Err(GpuError::Cancelled)))
            .collect()
    });
    let parts = first_failure(members)?;
    Ok(spreading(request, &parts))
}

/// Precision of A and B, which is the same on all GPUs.
fn precision(request: &MultiGpuRequest) -> Precision {
    let first = request.shares.first();
    first.map_or(Precision::Single, |share| share.subject.precision())
}

/// The elements of A in a share's rows.
fn rows_of_a(share: &Share, size: Size) -> Range<u64> {
    let [first, rows, k] = [share.first_row, share.rows, size.k].map(u64::from);
    first * k..(first + rows) * k
}

fn tell(say: Option<&mpsc::Sender<Phase>>, phase: Phase) {
    if let Some(say) = say {
        // The receiver is gone only when everything has ended.
        let _ = say.send(phase);
    }
}

fn seat(id: nccl::NcclId, of: usize, number: usize) -> Rank {
    Rank { id, of: of as u32, number: number as u32 }
}

/// All results, or the error that made the others stop.
fn first_failure(members: Vec<Result<Done, GpuError>>) -> Result<Vec<Done>, GpuError> {
    let stopped = |error: &&GpuError| **error == GpuError::Cancelled;
    let cause = members.iter().filter_map(|member| member.as_ref().err()).min_by_key(stopped);
    match cause.cloned() {
        Some(error) => Err(error),
        None => members.into_iter().collect(),
    }
}

fn spreading(request: &MultiGpuRequest, members: &[Done]) -> MultiGpuResult {
    let MultiGpuRequest { size, shares, .. } = request;
    let device = members.first().map_or(String::new(), |first| first.device.clone());
    // All threads synchronise before and after, so their times differ by no more than their
    // wake-ups.
    let slowest = |of: fn(&Done) -> Option<Quartiles>| {
        members.iter().filter_map(of).max_by(|x, y| x.median.total_cmp(&y.median))
    };
    let ms = slowest(|member| Some(member.ms));
    let broadcast_ms = slowest(|member| member.broadcast_ms);
    let part = |(share, member): (&Share, &Done)| DeviceRows {
        device: share.device,
        first_row: share.first_row,
        rows: share.rows,
        relative_error: member.verdict.error,
        reference: member.verdict.reference,
    };
    MultiGpuResult {
        device,
        kernel: shares.first().map_or("", |share| share.subject.name()).to_owned(),
        size: *size,
        parts: shares.iter().zip(members).map(part).collect(),
        broadcast_ms,
        gflops: ms.map_or(0.0, |ms| size.flops() / ms.median / 1e6),
        ms: ms.unwrap_or(Quartiles { median: 0.0, q1: 0.0, q3: 0.0, samples: 0 }),
        tolerance: precision(request).tolerance(size.k),
    }
}

/// The barrier at which the threads wait for each other.
struct Rendezvous {
    barrier: Barrier,
    failed: AtomicBool,
    /// The number of launches per sample, from the first GPU's warm-up.
    launches: AtomicU32,
}

impl Rendezvous {
    fn of(members: usize) -> Self {
        let (failed, launches) = (AtomicBool::new(false), AtomicU32::new(1));
        Self { barrier: Barrier::new(members), failed, launches }
    }

    /// Waits for all threads; an error of any of them makes all of them fail.
    fn all<T>(&self, result: Result<T, GpuError>) -> Result<T, GpuError> {
        if result.is_err() {
            self.failed.store(true, Ordering::SeqCst);
        }
        self.barrier.wait();
        let failed = self.failed.load(Ordering::SeqCst);
        // No thread may set the flag again before all have read it.
        self.barrier.wait();
        if failed { Err(result.err().unwrap_or(GpuError::Cancelled)) } else { result }
    }
}

/// The work of one thread.
struct DeviceJob<'a> {
    request: &'a MultiGpuRequest,
    number: usize,
    seat: Option<Rank>,
    /// The words of its own rows of A.
    a: Vec<f32>,
    b: &'a [f32],
    meeting: &'a Rendezvous,
}

/// The result of one thread.
struct Done {
    device: String,
    broadcast_ms: Option<Quartiles>,
    ms: Quartiles,
    verdict: ReferenceVerdict,
}

impl DeviceJob<'_> {
    fn share(&self) -> &Share {
        &self.request.shares[self.number]
    }

    /// The size of this GPU's part of the product.
    fn size(&self) -> Size {
        Size { m: self.share().rows, ..self.request.size }
    }

    fn done(&self, driver: Driver, tell: &dyn Fn(Phase)) -> Result<Done, GpuError> {
        tell(Phase::Loading);
        let opened = self.meeting.all(driver.open(self.share().device));
        let mut opened = opened?;
        let device = &mut *opened;
        self.meeting.all(self.prepare(device))?;
        let broadcast_ms = self.share_b(device)?;
        tell(Phase::Warming);
        let blank = InitialC::Blank(self.share().subject.blank());
        let (c, _) = self.meeting.all(run_once(device, &blank))?;
        let ms = self.time(device, tell)?;
        tell(Phase::Checking);
        let gemm = self.share().subject.gemm();
        let (ab, layouts) = ([&*self.a, self.b], self.share().subject.layouts());
        let expected = ReferenceInputs { size: self.size(), gemm, layouts, ab, before: &[] };
        let verdict = self.meeting.all(check::check(device, &expected, &c))?;
        Ok(Done { device: device.name().to_owned(), broadcast_ms, ms, verdict })
    }

    /// Loads the kernel and the matrices; only the first GPU receives B here.
    fn prepare(&self, device: &mut dyn Device) -> Result<(), GpuError> {
        let (subject, size) = (&self.share().subject, self.size());
        device.load(subject)?;
        room(device, subject, size)?;
        let c = subject.words(Operand::C, size);
        if self.number == 0 {
            device.fill(size, [&self.a, self.b], c)
        } else {
            device.fill(size, [&self.a, &vec![0.0; self.b.len()]], c)
        }
    }

    /// Broadcasts B: once to set up the connections, then timed.
    fn share_b(&self, device: &mut dyn Device) -> Result<Option<Quartiles>, GpuError> {
        let Some(seat) = self.seat else { return Ok(None) };
        self.meeting.all(device.join(seat))?;
        self.meeting.all(device.share_b())?;
        let mut samples = Vec::new();
        for _ in 0..BROADCASTS {
            samples.push(self.timed(|| device.share_b())?);
        }
        Ok(Quartiles::of(&samples))
    }

    fn time(&self, device: &mut dyn Device, tell: &dyn Fn(Phase)) -> Result<Quartiles, GpuError> {
        let effort = &self.request.effort;
        let launch_ms = self.meeting.all(warm_up(device, effort))?;
        if self.number == 0 {
            let launches =
                (effort.sample_ms.max(SAMPLE_MS) / launch_ms).ceil().clamp(1.0, MOST_LAUNCHES);
            self.meeting.launches.store(launches as u32, Ordering::SeqCst);
        }
        self.meeting.all(Ok(()))?;
        let launches = self.meeting.launches.load(Ordering::SeqCst);
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            let ms = self.timed(|| device.run(launches).map(|_| ()))?;
            samples.push(ms / f64::from(launches));
            if let Some(quartiles) = Quartiles::of(&samples) {
                tell(Phase::Timing { samples: samples.len(), median_ms: quartiles.median });
            }
        }
        Quartiles::of(&samples).ok_or(GpuError::Cancelled)
    }

    /// Time from when all are ready until all have finished, in milliseconds of wall-clock time.
    fn timed(&self, work: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        self.meeting.all(Ok(()))?;
        let start = Instant::now();
        let done = work();
        self.meeting.all(done)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}
