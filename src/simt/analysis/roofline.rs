//! The roofline: how fast a kernel can be, given how much it computes for each byte that it moves.
//!
//! Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM
//! 52(4), 2009: attainable = min(peak, intensity x bandwidth). The roofs are measured on the GPU,
//! not taken from a datasheet.

/// The measured roofs of one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Roofs {
    /// Floating-point operations, in 10^9 per second.
    pub gflops: f64,
    /// Bytes to and from memory, in 10^9 per second.
    pub gigabytes: f64,
}

/// A kernel's point under the roofs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Floating-point operations per byte moved.
    pub intensity: f64,
    /// 10^9 floating-point operations per second.
    pub gflops: f64,
}

/// The roof that limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The slope: the kernel could be faster only by moving fewer bytes.
    Memory,
    /// The flat roof: the kernel computes as much per byte as the GPU can use.
    Compute,
}

impl Roofs {
    /// The intensity at which the two roofs meet, in operations per byte.
    pub fn ridge(&self) -> f64 {
        self.gflops / self.gigabytes
    }

    /// The highest rate that a kernel of this intensity can reach, in 10^9 operations per second.
    pub fn attainable(&self, intensity: f64) -> f64 {
        self.gflops.min(intensity * self.gigabytes)
    }

    /// Returns the roof above `intensity`.
    pub fn bound(&self, intensity: f64) -> Bound {
        if intensity < self.ridge() { Bound::Memory } else { Bound::Compute }
    }
}

impl Point {
    /// Returns the point of a run of `flops` operations in `ms` milliseconds that moved `bytes`, or
    /// `None` where no byte was moved or no time passed.
    pub fn of(flops: f64, bytes: f64, ms: f64) -> Option<Self> {
        let sensible = bytes > 0.0 && ms > 0.0;
        sensible.then(|| Self { intensity: flops / bytes, gflops: flops / ms / 1e6 })
    }

    /// The fraction of the attainable rate that it reaches.
    pub fn reached(&self, roofs: &Roofs) -> f64 {
        self.gflops / roofs.attainable(self.intensity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// About the size of an H200's roofs.
    const ROOFS: Roofs = Roofs { gflops: 60_000.0, gigabytes: 4_000.0 };

    #[test]
    fn below_the_ridge_memory_bounds_and_above_it_arithmetic() {
        assert!((ROOFS.ridge() - 15.0).abs() < 1e-9);
        assert!((ROOFS.attainable(1.5) - 6_000.0).abs() < 1e-9);
        assert!((ROOFS.attainable(150.0) - 60_000.0).abs() < 1e-9);
        assert_eq!([ROOFS.bound(14.9), ROOFS.bound(15.1)], [Bound::Memory, Bound::Compute]);
    }

    #[test]
    fn a_point_is_what_was_done_for_each_byte_and_each_second() {
        let point = Point::of(2e9, 1e9, 1.0).expect("it moved bytes");
        assert!((point.intensity - 2.0).abs() < 1e-9);
        assert!((point.gflops - 2_000.0).abs() < 1e-9);
        assert!((point.reached(&ROOFS) - 0.25).abs() < 1e-9);
        assert_eq!(Point::of(2e9, 0.0, 1.0), None);
    }
}
