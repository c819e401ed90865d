//! The same matrix product on the CPU, measured like a kernel, to compare the GPU's times with.

use super::cores::cores;
use super::device::{Device, DeviceMemory, SingleLaunch};
use super::nccl::Rank;
use crate::kernel::Call;
use crate::matrix::{Size, loops};
use crate::timing::GpuError;
use crate::timing::protocol::Phase;
use crate::timing::{Ceilings, Loops, Resources, Sensors, Subject};
use std::fs;
use std::ops::Range;
use std::thread;
use std::time::Instant;

/// The longest time of one product, in milliseconds, for which a loop is run.
const LONGEST_MS: f64 = 10_000.0;

/// One product on the CPU.
pub(super) struct Cpu {
    name: String,
    loops: Loops,
    size: Size,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Cpu {
    pub(super) fn open() -> Self {
        let (size, [a, b, c]) = (Size::square(0), [const { Vec::new() }; 3]);
        Self { name: name(), loops: Loops::Plain, size, a, b, c }
    }

    /// Computes rows of C, counted from the first; returns the time in milliseconds.
    fn rows(&mut self, rows: Range<usize>) -> f64 {
        let Size { n, k, .. } = self.size;
        let (a, c) = (&self.a[rows.start * k as usize..], &mut self.c[rows.start * n as usize..]);
        let size = Size { m: rows.len() as u32, n, k };
        let start = Instant::now();
        match self.loops {
            Loops::Plain => loops::plain(a, &self.b, c, size),
            Loops::Blocked => loops::blocked(a, &self.b, c, size),
            Loops::Gemm => all_cores(a, &self.b, c, size),
        }
        start.elapsed().as_secs_f64() * 1e3
    }

    /// # Errors
    /// By the time of some of its rows, one product would take too long.
    fn in_time(&mut self) -> Result<(), GpuError> {
        let (m, some) = (self.size.m as usize, loops::BLOCK.min(self.size.m as usize));
        if self.size.flops() < 1e9 || self.loops == Loops::Gemm {
            return Ok(());
        }
        // One row of the plain loop is long enough to time; the blocked loop needs a whole block.
        let rows = if self.loops == Loops::Plain { 1 } else { some };
        let ms = self.rows(0..rows) / rows as f64 * m as f64;
        if ms <= LONGEST_MS {
            return Ok(());
        }
        let name = self.loops.name().to_owned();
        Err(GpuError::TooSlow { name, size: self.size.to_string(), seconds: (ms / 1e3) as u64 })
    }
}

impl Device for Cpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn memory(&mut self) -> Result<DeviceMemory, GpuError> {
        (self.a, self.b, self.c) = (Vec::new(), Vec::new(), Vec::new());
        let [free, total] = ["MemAvailable:", "MemTotal:"].map(meminfo);
        Ok(DeviceMemory { free, total })
    }

    fn load(&mut self, subject: &Subject) -> Result<(), GpuError> {
        match subject {
            Subject::Cpu { loops } => self.loops = *loops,
            Subject::Cublas { .. } => return Err(GpuError::NoCublas),
            Subject::Kernel { .. } => return Err(GpuError::NoDriver),
        }
        Ok(())
    }

    fn has_cublas(&mut self) -> bool {
        false
    }

    fn fill(&mut self, size: Size, [a, b]: [&[f32]; 2], c: usize) -> Result<(), GpuError> {
        (self.size, self.a, self.b) = (size, a.to_vec(), b.to_vec());
        self.c = vec![0.0; c];
        self.in_time()
    }

    fn blank(&mut self, value: f32) -> Result<(), GpuError> {
        self.c.fill(value);
        Ok(())
    }

    fn give(&mut self, c: &[f32]) -> Result<(), GpuError> {
        self.c.copy_from_slice(c);
        Ok(())
    }

    fn run(&mut self, times: u32) -> Result<f64, GpuError> {
        let m = self.size.m as usize;
        Ok((0..times).map(|_| self.rows(0..m)).sum())
    }

    fn run_cold(&mut self) -> Result<Option<SingleLaunch>, GpuError> {
        Ok(None)
    }

    fn copy(&mut self, _: &[f32], _: &[f32]) -> Result<Option<[f64; 2]>, GpuError> {
        Ok(None)
    }

    fn resources(&self) -> Option<Resources> {
        None
    }

    fn cores(&self) -> Option<u32> {
        Some(if self.loops == Loops::Gemm { cores() as u32 } else { 1 })
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
        Ok(self.c.clone())
    }

    fn execute(&mut self, _: &Call, _: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, GpuError> {
        Err(GpuError::NoDriver)
    }
}

/// The `matrixmultiply` crate's product; the rows of C are divided evenly among the cores.
fn all_cores(a: &[f32], b: &[f32], c: &mut [f32], size: Size) {
    let (n, k) = (size.n as usize, size.k as usize);
    let rows = (size.m as usize).div_ceil(cores());
    thread::scope(|scope| {
        for (a, c) in a.chunks(rows * k).zip(c.chunks_mut(rows * n)) {
            scope.spawn(move || sgemm(a, b, c, Size { m: (c.len() / n) as u32, ..size }));
        }
    });
}

fn sgemm(a: &[f32], b: &[f32], c: &mut [f32], size: Size) {
    let [m, n, k] = [size.m, size.n, size.k].map(|side| side as usize);
    assert!(a.len() >= m * k && b.len() >= k * n && c.len() >= m * n, "matrices of this size");
    let (row_of_a, row_of_b, row_of_c) = (k as isize, n as isize, n as isize);
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: A, B and C hold M x K, K x N and M x N elements, row-major, as asserted above.
    unsafe {
        matrixmultiply::sgemm(m, k, n, 1.0, a, row_of_a, 1, b, row_of_b, 1, 0.0, c, row_of_c, 1);
    }
}

/// The processor's name, if the system reports it.
fn name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    model(&info).unwrap_or_else(|| format!("CPU ({})", std::env::consts::ARCH))
}

/// The model in `model name : AMD EPYC 9654 96-Core Processor`.
fn model(info: &str) -> Option<String> {
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The bytes of memory that programs can still take; `u64::MAX` if the system does not report it.
pub fn available_memory() -> u64 {
    meminfo("MemAvailable:")
}

/// A memory size in bytes, by the system's name for it; `u64::MAX` if the system does not report
/// it.
fn meminfo(name: &str) -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.map_or(u64::MAX, |kibibytes| kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{self, Operand};

    fn filled(loops: Loops, size: Size) -> Cpu {
        let mut cpu = Cpu::open();
        cpu.load(&Subject::Cpu { loops }).expect("its own subject");
        let [a, b] = [Operand::A, Operand::B].map(|operand| matrix::fill(1, operand, size));
        cpu.fill(size, [&a, &b], size.elements(Operand::C) as usize).expect("small");
        cpu
    }

    #[test]
    fn all_three_make_the_product_at_any_size() {
        for size in [Size { m: 65, n: 130, k: 67 }, Size { m: 1, n: 3, k: 200 }, Size::square(64)] {
            for loops in Loops::ALL {
                let mut cpu = filled(loops, size);
                cpu.blank(f32::NAN).expect("filled");
                cpu.run(2).expect("run");
                let reference = matrix::product(&cpu.a, &cpu.b, size, 0..size.m);
                let error = matrix::relative_error(&cpu.read().expect("read"), &reference);
                assert!(error <= matrix::tolerance(size.k), "{loops:?} at {size}: {error}");
            }
        }
    }

    #[test]
    fn a_part_of_the_rows_is_a_part_of_the_product() {
        let size = Size { m: 70, n: 5, k: 6 };
        let mut cpu = filled(Loops::Blocked, size);
        cpu.blank(-1.0).expect("filled");
        cpu.rows(3..67);
        let c = cpu.read().expect("read");
        let of_rows: Vec<_> = matrix::product(&cpu.a, &cpu.b, size, 3..67);
        assert!(matrix::relative_error(&c[15..67 * 5], &of_rows) <= matrix::tolerance(size.k));
        assert!(
            c[..15].iter().chain(&c[67 * 5..]).all(|value| value.to_bits() == (-1.0_f32).to_bits())
        );
    }

    #[test]
    fn the_processors_name_is_tidied() {
        let info = "processor\t: 0\nmodel name\t: AMD  EPYC 9654 \nmodel name\t: other\n";
        assert_eq!(model(info).as_deref(), Some("AMD EPYC 9654"));
        assert_eq!(model("Processor : ARMv8"), None);
    }
}
