//! The shape of a launch: how many threads, in how many warps and blocks.

use serde::{Deserialize, Serialize};

/// Lanes of one warp, on every NVIDIA GPU so far.
pub const WARP_SIZE: u32 = 32;

/// Most threads of one block (CUDA Programming Guide, "Compute Capabilities").
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;

/// Most blocks of a grid (CUDA Programming Guide, "Compute Capabilities": the same for every GPU
/// since 3.0).
pub const MAX_GRID: Dim3 = Dim3::new(i32::MAX as u32, 65_535, 65_535);

/// Most threads of a block along each side (as above).
pub const MAX_BLOCK: Dim3 = Dim3::new(1024, 1024, 64);

/// A size or a place in up to three dimensions, x innermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dim3 {
    /// Innermost: neighbouring lanes differ here first.
    pub x: u32,
    /// Middle.
    pub y: u32,
    /// Outermost.
    pub z: u32,
}

impl Dim3 {
    /// A place or size in all three dimensions.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// A flat size: one in z.
    pub const fn flat(x: u32, y: u32) -> Self {
        Self { x, y, z: 1 }
    }

    /// A place in a flat size: zero in z.
    pub const fn at(x: u32, y: u32) -> Self {
        Self { x, y, z: 0 }
    }

    /// Number of places in a box of this size; at most 2^64 - 1.
    pub const fn volume(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The place of number `index` in a box of this size, x running fastest.
    #[must_use]
    pub const fn place(self, index: u64) -> Self {
        let (x, y) = (self.x as u64, self.y as u64);
        Self::new((index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32)
    }

    /// Whether `place` lies in a box of this size.
    pub const fn contains(self, place: Self) -> bool {
        place.x < self.x && place.y < self.y && place.z < self.z
    }

    /// Whether a box of this size is not empty and no larger than `most` along any side.
    pub fn fits(self, most: Self) -> bool {
        let sides = [(self.x, most.x), (self.y, most.y), (self.z, most.z)];
        sides.into_iter().all(|(side, most)| (1..=most).contains(&side))
    }

    /// This place in words: `1,2`, and `1,2,0` in a grid that is more than one block deep.
    pub fn place_in(self, grid: Self) -> String {
        let Self { x, y, z } = self;
        if grid.z > 1 { format!("{x},{y},{z}") } else { format!("{x},{y}") }
    }
}

/// A grid of blocks of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
}

impl Launch {
    /// The grid of blocks that has a thread for each element of `columns` x `rows`, edges rounded
    /// up; columns lie along x.
    pub const fn grid_over(columns: u32, rows: u32, block: Dim3) -> Dim3 {
        Dim3::flat(columns.div_ceil(block.x), rows.div_ceil(block.y))
    }

    /// Threads of one block.
    pub const fn threads(self) -> u32 {
        self.block.volume() as u32
    }

    /// Warps of one block; the last may be partly empty.
    pub const fn warps(self) -> u32 {
        self.threads().div_ceil(WARP_SIZE)
    }

    /// Blocks of the grid.
    pub const fn blocks(self) -> u64 {
        self.grid.volume()
    }
}
