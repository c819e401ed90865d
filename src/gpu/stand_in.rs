//! A stand-in for the driver, for testing everything around it on machines without a GPU.
//!
//! It computes the real product on the CPU, so that checks and hashes are real, and leaves the buffers
//! of any other launch as they are; its times are the CPU's. Every measurement of it carries [`NAME`], so that none can pass for a GPU's.

use super::ceilings::made_up;
use super::device::{Device, DeviceMemory, Profiler, SingleLaunch};
use super::isa;
use super::nccl::{NcclId, Rank};
use crate::kernel::Call;
use crate::matrix::{Layout, Operand, Size};
use crate::timing::GpuError;
use crate::timing::excess::Excess;
use crate::timing::pack::NoSuchGpu;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Gpu, Gpus, Resources, Sensors, Subject};
use std::env;
use std::hint::black_box;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// The device name in its measurements.
pub(super) const NAME: &str = "stand-in (no GPU)";

/// The environment variable that makes a worker use it instead of the driver.
const VARIABLE: &str = "MATVIZ_STAND_IN";

/// The behaviour to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// No failure.
    Well,
    /// The first launch never ends.
    Hang,
    /// The first launch crashes the process.
    Crash,
    /// One element of C is off by one.
    Wrong,
    /// One element of C is never written.
    Unwritten,
    /// A launch fails with an error from which no CUDA context recovers.
    Fault,
    /// There is hardly any memory.
    OutOfMemory,
    /// The driver does not support the module's PTX version.
    OldDriver,
    /// The kernel wants more shared memory than a block can have.
    TooMuchShared,
    Four,
    /// Its compute capability is 7.5.
    Turing,
}

impl Behaviour {
    fn count(self) -> usize {
        if self == Self::Four { 4 } else { 1 }
    }

    /// The behaviour that the environment asks for; `None` if it does not ask for the stand-in.
    pub(super) fn asked_for() -> Option<Self> {
        Some(match env::var(VARIABLE).ok().filter(|mood| !mood.is_empty())?.as_str() {
            "hang" => Self::Hang,
            "crash" => Self::Crash,
            "wrong" => Self::Wrong,
            "unwritten" => Self::Unwritten,
            "fault" => Self::Fault,
            "oom" => Self::OutOfMemory,
            "old-driver" => Self::OldDriver,
            "shared" => Self::TooMuchShared,
            "four" => Self::Four,
            "turing" => Self::Turing,
            _ => Self::Well,
        })
    }
}

/// What a time is multiplied by before it is told: nobody reads it, and a sampling plan that is made
/// for a GPU ends so much sooner.
const SLOWDOWN: f64 = 20.0;

/// A matrix product on the CPU.
pub(super) struct StandIn {
    mood: Behaviour,
    /// Its number among the pretended GPUs.
    index: u32,
    resources: Option<Resources>,
    layouts: [Layout; 3],
    size: Size,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
    /// The buffers of a launch that is no product.
    buffers: Vec<Vec<u32>>,
    seat: Option<Rank>,
    /// The number of broadcasts of B received.
    heard: u64,
}

/// The number of broadcasts so far, and the B of the last one.
static ROUND: (Mutex<(u64, Vec<f32>)>, Condvar) = (Mutex::new((0, Vec::new())), Condvar::new());

/// The pretended GPUs.
pub(super) fn gpus(mood: Behaviour) -> Gpus {
    let gpu = Gpu {
        name: NAME.to_owned(),
        compute_capability: "0.0".to_owned(),
        memory: 0,
        limits: None,
    };
    Gpus { driver: None, cuda: "0.0".to_owned(), gpus: vec![gpu; mood.count()] }
}

/// The identifier of a communicator of the pretended GPUs.
pub(super) fn circle(mood: Behaviour) -> Result<NcclId, GpuError> {
    if mood == Behaviour::Four { Ok(NcclId::default()) } else { Err(GpuError::NoNccl) }
}

impl StandIn {
    pub(super) fn open(mood: Behaviour, index: u32) -> Result<Self, GpuError> {
        let found = mood.count() as u32;
        if index >= found {
            return Err(GpuError::NoSuchGpu(NoSuchGpu { asked: index, found }));
        }
        let (size, [a, b, c]) = (Size::square(0), [const { Vec::new() }; 3]);
        let layouts = [Layout::default(); 3];
        let (resources, buffers, seat) = (None, Vec::new(), None);
        Ok(Self { mood, index, resources, layouts, size, a, b, c, buffers, seat, heard: 0 })
    }
}

impl StandIn {
    /// The elements of a matrix in these words, row by row.
    fn values(&self, operand: Operand, words: &[f32]) -> Vec<f32> {
        let (layout, shape) = (self.layouts[operand as usize], self.size.shape(operand));
        let word = |at: u64| words.get(at as usize).map_or(0, |word| word.to_bits());
        let value = |index| layout.of.read(layout.place_of(shape, index), word) as f32;
        (0..self.size.elements(operand)).map(value).collect()
    }

    /// The words of C in memory.
    fn words_of_c(&self) -> Vec<f32> {
        let (layout, shape) = (self.layouts[Operand::C as usize], self.size.shape(Operand::C));
        let element = |place| {
            let (row, column) = layout.at(shape, place)?;
            self.c.get((row * shape.1 + column) as usize).copied()
        };
        let of = |place| element(place).map_or(0.0, f64::from);
        let words = layout.bytes(shape).div_ceil(4);
        (0..words).map(|index| f32::from_bits(layout.of.packed(index, of))).collect()
    }
}

impl Device for StandIn {
    fn name(&self) -> &str {
        NAME
    }

    fn memory(&mut self) -> Result<DeviceMemory, GpuError> {
        let free = if self.mood == Behaviour::OutOfMemory { 1000 } else { u64::MAX };
        Ok(DeviceMemory { free, total: u64::MAX })
    }

    fn load(&mut self, subject: &Subject) -> Result<(), GpuError> {
        self.layouts = subject.layouts();
        self.resources = match subject {
            Subject::Kernel { call, .. } => Some(resources(call)),
            Subject::Cublas { .. } | Subject::Cpu { .. } => None,
        };
        match (subject, self.mood) {
            (Subject::Kernel { call, .. }, Behaviour::Turing) => isa::runs_on(&call.ptx, (7, 5)),
            (Subject::Cublas { .. }, _) => Err(GpuError::NoCublas),
            (Subject::Kernel { .. }, Behaviour::OldDriver) => Err(GpuError::DriverTooOld {
                ptx: "8.8".to_owned(),
                driver: "CUDA 11.4".to_owned(),
            }),
            (Subject::Kernel { call, .. }, Behaviour::TooMuchShared) => {
                let (fixed, dynamic, most) = (1024, call.shared.max(232_448), 232_448);
                Err(GpuError::Excess(Excess::Shared { fixed, dynamic, most }))
            }
            (Subject::Kernel { .. } | Subject::Cpu { .. }, _) => Ok(()),
        }
    }

    fn has_cublas(&mut self) -> bool {
        false
    }

    fn fill(&mut self, size: Size, [a, b]: [&[f32]; 2], _: usize) -> Result<(), GpuError> {
        self.size = size;
        (self.a, self.b) = (self.values(Operand::A, a), self.values(Operand::B, b));
        self.c = vec![0.0; size.elements(Operand::C) as usize];
        Ok(())
    }

    fn blank(&mut self, value: f32) -> Result<(), GpuError> {
        self.c.fill(value);
        Ok(())
    }

    fn give(&mut self, c: &[f32]) -> Result<(), GpuError> {
        self.c = self.values(Operand::C, c);
        Ok(())
    }

    fn run(&mut self, times: u32) -> Result<f64, GpuError> {
        let start = Instant::now();
        for _ in 0..times {
            if self.size.n == 0 {
                // A launch that is no product takes the time of a copy.
                _ = black_box(self.buffers.clone());
            } else {
                multiply(&self.a, &self.b, &mut self.c, self.size);
            }
        }
        match self.mood {
            Behaviour::Well
            | Behaviour::Four
            | Behaviour::OutOfMemory
            | Behaviour::OldDriver
            | Behaviour::TooMuchShared
            | Behaviour::Turing => {}
            Behaviour::Hang => loop {
                std::thread::park();
            },
            Behaviour::Crash => std::process::abort(),
            Behaviour::Wrong => self.c[0] += 1.0,
            Behaviour::Unwritten => self.c[0] = f32::NAN,
            Behaviour::Fault => {
                return Err(GpuError::Driver {
                    doing: "running the kernel".to_owned(),
                    reason: "CUDA_ERROR_ILLEGAL_ADDRESS (stand-in)".to_owned(),
                });
            }
        }
        Ok(start.elapsed().as_secs_f64() * 1e3 * SLOWDOWN)
    }

    fn run_cold(&mut self) -> Result<Option<SingleLaunch>, GpuError> {
        // A CPU's caches are not emptied that easily: all its launches are warm.
        self.run(1).map(|ms| Some(SingleLaunch { ms, submit_us: 0.0 }))
    }

    fn copy(&mut self, a: &[f32], b: &[f32]) -> Result<Option<[f64; 2]>, GpuError> {
        let start = Instant::now();
        (self.a, self.b) = (self.values(Operand::A, a), self.values(Operand::B, b));
        let there = start.elapsed().as_secs_f64();
        let back = Instant::now();
        drop(self.c.clone());
        Ok(Some([there, back.elapsed().as_secs_f64()].map(|seconds| seconds * 1e3)))
    }

    fn counting(&mut self, _: &[String]) -> Result<(Box<dyn Profiler>, Vec<String>), GpuError> {
        // It has nothing to count and makes nothing up: this is the error that most users get.
        Err(GpuError::CountersRefused)
    }

    fn resources(&self) -> Option<Resources> {
        self.resources
    }

    fn ceilings(&mut self, _: &mut dyn FnMut(Phase)) -> Result<Ceilings, GpuError> {
        Ok(made_up())
    }

    fn sensors(&mut self) -> Option<Sensors> {
        // Each of several is as warm as no other.
        let temperature_c = Some(20 + self.index);
        Some(Sensors { sm_mhz: Some(1), temperature_c, ..Sensors::default() })
    }

    fn join(&mut self, seat: Rank) -> Result<(), GpuError> {
        self.heard = ROUND.0.lock().unwrap_or_else(PoisonError::into_inner).0;
        self.seat = Some(seat);
        Ok(())
    }

    fn share_b(&mut self) -> Result<(), GpuError> {
        let mut round = ROUND.0.lock().unwrap_or_else(PoisonError::into_inner);
        if self.seat.is_some_and(|seat| seat.number == 0) {
            *round = (round.0 + 1, self.b.clone());
            ROUND.1.notify_all();
        }
        while round.0 == self.heard {
            round = ROUND.1.wait(round).unwrap_or_else(PoisonError::into_inner);
        }
        self.heard = round.0;
        self.b.clone_from(&round.1);
        Ok(())
    }

    fn read(&mut self) -> Result<Vec<f32>, GpuError> {
        Ok(self.words_of_c())
    }

    fn load_call(&mut self, call: &Call) -> Result<(), GpuError> {
        (self.size, self.resources) = (Size::square(0), Some(resources(call)));
        Ok(())
    }

    fn place(&mut self, buffers: &[Vec<u32>]) -> Result<(), GpuError> {
        buffers.clone_into(&mut self.buffers);
        Ok(())
    }

    /// The buffers as they were: no launch has changed anything in them.
    fn fetch(&mut self) -> Result<Vec<Vec<u32>>, GpuError> {
        Ok(self.buffers.clone())
    }

    fn execute(&mut self, _: &Call, _: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
        // It multiplies matrices and does not execute PTX.
        Err(GpuError::NoDriver)
    }
}

/// A block that takes its declared resources and leaves room for no other.
fn resources(call: &Call) -> Resources {
    let (threads, dynamic_shared) = (call.launch.threads(), call.shared);
    Resources {
        threads,
        registers: 1,
        static_shared: 0,
        dynamic_shared,
        local: 0,
        blocks_per_sm: 1,
    }
}

/// Computes each element as a chain of fused multiply-adds in the order of k, as the kernels do, so
/// that C is bit-identical to a GPU's.
#[multiversion::multiversion(targets("x86_64+avx2+fma"))]
fn multiply(a: &[f32], b: &[f32], c: &mut [f32], size: Size) {
    let (n, k) = (size.n as usize, size.k as usize);
    for (c, a) in c.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
        c.fill(0.0);
        for (a, b) in a.iter().zip(b.chunks_exact(n)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c = a.mul_add(*b, *c);
            }
        }
    }
}
