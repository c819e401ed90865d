//! The ways in which one kernel is compiled and launched.

use super::tile::Tile;
use crate::launch::{Dim3, Launch};
use crate::matrix::Size;

/// Multiprocessors of the H200, for which the tiles were chosen.
const MULTIPROCESSORS: u64 = 132;

/// A kernel, compiled for a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What a block computes, and its step along k.
    pub tile: Tile,
    /// Threads of a block.
    pub block: Dim3,
    /// The macros with which it is compiled; none: `TILE` is the side of the tile.
    pub macros: &'static [&'static str],
    /// Bytes of dynamic shared memory that a block is given.
    pub dynamic_shared: u32,
    /// Time for an element of C, in thousandths of that in the kernel's usual variant, where
    /// all multiprocessors are busy; 0: it is never chosen by itself.
    pub pace: u32,
    /// Its PTX, if that is embedded.
    pub ptx: Option<&'static str>,
    /// The same, the loops over k not unrolled.
    pub rolled: Option<&'static str>,
}

impl Variant {
    /// A thread for each element of a square tile.
    pub const fn square(side: u32) -> Self {
        Self {
            tile: Tile::square(side),
            block: Dim3::flat(side, side),
            macros: &[],
            dynamic_shared: 0,
            pace: 0,
            ptx: None,
            rolled: None,
        }
    }

    /// What it is compiled with: `NAME=VALUE`.
    pub fn defines(&self) -> Vec<String> {
        match self.macros {
            [] => vec![format!("TILE={}", self.tile.m)],
            macros => macros.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    /// A block for each tile of C, columns along x, edges rounded up.
    pub fn launch(&self, size: Size) -> Launch {
        let blocks = Dim3::flat(self.tile.n, self.tile.m);
        Launch { grid: Launch::grid_over(size.n, size.m, blocks), block: self.block }
    }

    /// For how long a GPU computes a C of this size, in thousandths of the time for an element: the
    /// blocks come in whole turns.
    pub fn duration(&self, size: Size) -> Option<u64> {
        let turns = self.launch(size).blocks().div_ceil(MULTIPROCESSORS);
        let elements = u64::from(self.tile.m * self.tile.n);
        (self.pace > 0).then(|| turns * elements * u64::from(self.pace))
    }

    /// Elements of C for each thread.
    pub const fn elements(&self) -> u32 {
        let threads = self.block.volume() as u32;
        if self.tile.m * self.tile.n < threads { 1 } else { self.tile.m * self.tile.n / threads }
    }

    /// Multiply-adds of one thread for one step along k.
    pub const fn fma_per_thread(&self) -> u32 {
        self.elements() * self.tile.k
    }
}

impl From<u32> for Variant {
    fn from(side: u32) -> Self {
        Self::square(side)
    }
}
