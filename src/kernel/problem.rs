//! A kernel with a size, a tile and its PTX: what the simulator and the GPU both run.

use super::Kernel;
use crate::launch::{Dim3, Launch};
use crate::matrix::{Operand, Size};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;

/// One run of one kernel, not yet judged.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which kernel.
    pub kernel: &'static Kernel,
    /// The sizes of A, B and C.
    pub size: Size,
    /// Threads of a block in x and in y, and the side of the tiles.
    pub tile: u32,
    /// What A and B are filled from.
    pub seed: u64,
    /// The module that both judges load.
    pub ptx: Cow<'static, str>,
}

/// One argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A pointer to a matrix.
    Matrix(Operand),
    /// A 32-bit integer.
    Int(i32),
}

impl Problem {
    /// One thread per element of C, in square blocks, edges rounded up.
    pub fn launch(&self) -> Launch {
        let (m, n) = (self.size.m.div_ceil(self.tile), self.size.n.div_ceil(self.tile));
        Launch { grid: Dim3::flat(n, m), block: Dim3::flat(self.tile, self.tile) }
    }

    /// The arguments, in the order of the kernels' parameters: A, B, C, M, N, K.
    pub fn args(&self) -> [Arg; 6] {
        let Size { m, n, k } = self.size;
        let [a, b, c] = Operand::ALL.map(Arg::Matrix);
        [a, b, c, Arg::Int(m as i32), Arg::Int(n as i32), Arg::Int(k as i32)]
    }

    /// Multiply-adds by which the threads of `block` bring one tile's worth of k.
    pub fn fma_per_tile(&self, block: Dim3) -> u32 {
        let inside = |size: u32, at: u32| size.saturating_sub(at * self.tile).min(self.tile);
        let threads = if self.kernel.pads {
            self.tile * self.tile
        } else {
            inside(self.size.m, block.y) * inside(self.size.n, block.x)
        };
        threads * self.tile
    }

    /// Tiles along k.
    pub fn k_tiles(&self) -> u32 {
        self.size.k.div_ceil(self.tile)
    }

    /// SHA-256 of the PTX, in hexadecimal: the proof that both judges saw the same text.
    pub fn ptx_sha256(&self) -> String {
        sha256(self.ptx.as_bytes())
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
