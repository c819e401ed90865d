//! The shape of a launch: its threads, warps and blocks.

pub mod shape;

use serde::{Deserialize, Serialize};

/// Lanes in a warp, on every NVIDIA GPU so far.
pub const WARP_SIZE: u32 = 32;

/// Maximum number of threads in a block (CUDA Programming Guide, "Compute Capabilities").
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;

/// Maximum number of blocks in a grid along each dimension (CUDA Programming Guide, "Compute
/// Capabilities": the same for every GPU since 3.0).
pub const MAX_GRID: Dim3 = Dim3::new(i32::MAX as u32, 65_535, 65_535);

/// Maximum number of threads in a block along each dimension (same source).
pub const MAX_BLOCK: Dim3 = Dim3::new(1024, 1024, 64);

/// A size or a position in up to three dimensions, x innermost.
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
    /// A size or position in three dimensions.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// A two-dimensional size: z is 1.
    pub const fn flat(x: u32, y: u32) -> Self {
        Self { x, y, z: 1 }
    }

    /// A position in a two-dimensional size: z is 0.
    pub const fn at(x: u32, y: u32) -> Self {
        Self { x, y, z: 0 }
    }

    /// The position in the middle of a grid of this size.
    #[must_use]
    pub const fn middle(self) -> Self {
        Self::new(self.x / 2, self.y / 2, self.z / 2)
    }

    /// Number of positions in a box of this size, saturating at 2^64 - 1.
    pub const fn volume(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The position with linear index `index` in a box of this size, x varying fastest.
    #[must_use]
    pub const fn place(self, index: u64) -> Self {
        let (x, y) = (self.x as u64, self.y as u64);
        Self::new((index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32)
    }

    /// The linear index of a position in a box of this size, x varying fastest.
    pub const fn number(self, place: Self) -> u64 {
        let row = place.z as u64 * self.y as u64 + place.y as u64;
        row * self.x as u64 + place.x as u64
    }

    /// Whether `place` lies inside a box of this size.
    pub const fn contains(self, place: Self) -> bool {
        place.x < self.x && place.y < self.y && place.z < self.z
    }

    /// Whether every side of this size is at least 1 and no larger than that of `most`.
    pub fn fits(self, most: Self) -> bool {
        let sides = [(self.x, most.x), (self.y, most.y), (self.z, most.z)];
        sides.into_iter().all(|(side, most)| (1..=most).contains(&side))
    }

    /// `16x16` or `256x1`, as a launch has a shape.
    pub fn spelt(self) -> String {
        self.place_in(self).replace(',', "x")
    }

    /// This position as text: `1,2`, or `1,2,0` in a grid that is more than one block deep.
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
    /// The grid with one thread per element of a `columns` x `rows` matrix, rounded up at the
    /// edges; columns run along x.
    pub const fn grid_over(columns: u32, rows: u32, block: Dim3) -> Dim3 {
        Dim3::flat(columns.div_ceil(block.x), rows.div_ceil(block.y))
    }

    /// Threads in a block.
    pub const fn threads(self) -> u32 {
        self.block.volume() as u32
    }

    /// Warps in a block; the last may be partly empty.
    pub const fn warps(self) -> u32 {
        self.threads().div_ceil(WARP_SIZE)
    }

    /// Blocks in the grid.
    pub const fn blocks(self) -> u64 {
        self.grid.volume()
    }
}
