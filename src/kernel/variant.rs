//! Variants: the ways in which a kernel is compiled and launched.

use super::tile::Tile;
use crate::launch::{Dim3, Launch, WARP_SIZE};
use crate::matrix::Size;

/// Multiprocessors of the H200, for which the default tiles are chosen.
const MULTIPROCESSORS: u64 = 132;

/// Multiply-adds of `mma.sync.m16n8k16`.
pub(super) const MMA: u32 = 16 * 8 * 16;

/// Multiply-adds of a warp's part of `wgmma.m64n256k16`.
pub(super) const WGMMA: u32 = 16 * 256 * 16;

/// A kernel compiled for a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The part of C that a block computes, and its step along k.
    pub tile: Tile,
    /// The threads of a block.
    pub block: Dim3,
    /// The macros with which it is compiled; if empty, `TILE` is the side of the tile.
    pub macros: &'static [&'static str],
    /// The number of rows of tiles in a band, if the blocks go down C in bands; 0 if they go along
    /// its rows.
    pub swizzle_width: u32,
    /// Multiply-adds of one tensor core instruction of a warp; 0 if tensor cores are not used.
    pub tensor: u32,
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Time per element of C, in thousandths of that in the kernel's usual variant, while all
    /// multiprocessors are busy. The values are such that the sizes at which every variant was
    /// timed get the fastest one (see `kernels/NOTES.md`). 0 if it is never chosen by default.
    pub relative_time: u32,
    /// Its embedded PTX, if any.
    pub ptx: Option<&'static str>,
    /// Its embedded PTX with the loops over k not unrolled, if any.
    pub rolled: Option<&'static str>,
}

impl Variant {
    /// A thread for each element of a square tile.
    pub const fn square(side: u32) -> Self {
        Self {
            tile: Tile::square(side),
            block: Dim3::flat(side, side),
            macros: &[],
            swizzle_width: 0,
            tensor: 0,
            dynamic_shared: 0,
            relative_time: 0,
            ptx: None,
            rolled: None,
        }
    }

    /// The macros with which it is compiled, as `NAME=VALUE`.
    pub fn defines(&self) -> Vec<String> {
        match self.macros {
            [] => vec![format!("TILE={}", self.tile.m)],
            macros => macros.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    /// Returns a launch with a block for each tile of C, columns along x, rounded up at the edges.
    pub fn launch(&self, size: Size) -> Launch {
        let blocks = Dim3::flat(self.tile.n, self.tile.m);
        Launch { grid: Launch::grid_over(size.n, size.m, blocks), block: self.block }
    }

    /// Returns the tile of C that a block of this grid computes, as (row, column) of tiles.
    pub fn tile_of(&self, block: Dim3, grid: Dim3) -> (u32, u32) {
        if self.swizzle_width == 0 {
            return (block.y, block.x);
        }
        let number = block.y * grid.x + block.x;
        let band = number / (self.swizzle_width * grid.x) * self.swizzle_width;
        let (height, place) = (self.swizzle_width.min(grid.y - band), number - band * grid.x);
        (band + place % height, place / height)
    }

    /// Returns the block of this grid that computes a tile of C.
    pub fn block_of(&self, (row, column): (u32, u32), grid: Dim3) -> Dim3 {
        if self.swizzle_width == 0 {
            return Dim3::at(column, row);
        }
        let band = row / self.swizzle_width * self.swizzle_width;
        let height = self.swizzle_width.min(grid.y.saturating_sub(band)).max(1);
        let number = band * grid.x + column * height + row - band;
        Dim3::at(number % grid.x, number / grid.x)
    }

    /// Estimates how long a GPU computes a C of this size, in thousandths of the time for an
    /// element, or `None` if the variant is never chosen by default. The blocks run in whole waves.
    pub fn duration(&self, size: Size) -> Option<u64> {
        let turns = self.launch(size).blocks().div_ceil(MULTIPROCESSORS);
        let elements = u64::from(self.tile.m * self.tile.n);
        (self.relative_time > 0).then(|| turns * elements * u64::from(self.relative_time))
    }

    /// The number of groups of threads that each cover all of C's tile, for a part of its terms.
    pub fn slices(&self) -> u32 {
        let slices = self.macros.iter().find_map(|text| text.strip_prefix("SLICES="));
        slices.and_then(|slices| slices.parse().ok()).unwrap_or(1)
    }

    /// The number of elements of C for which each thread has sums.
    pub fn elements(&self) -> u32 {
        let threads = self.block.volume() as u32;
        (self.tile.m * self.tile.n * self.slices() / threads).max(1)
    }

    /// Returns where along k a warp's tensor core instruction number `number` begins, if each
    /// covers `k` terms of all sums.
    pub fn along(&self, number: u32, k: u32) -> u32 {
        let each = self.fma_per_thread();
        number / each * self.tile.k + number % each * k
    }

    /// The number of multiply-add instructions of one thread for one step along k.
    pub fn fma_per_thread(&self) -> u32 {
        let each = self.elements() * self.tile.k / self.slices();
        (each * WARP_SIZE).checked_div(self.tensor).unwrap_or(each)
    }
}

impl From<u32> for Variant {
    fn from(side: u32) -> Self {
        Self::square(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_of_blocks_cover_every_tile_of_c_once() {
        let banded = Variant { swizzle_width: 8, ..Variant::square(16) };
        for (x, y) in [(1, 1), (5, 19), (3, 16), (7, 8), (4, 3)] {
            let grid = Dim3::flat(x, y);
            let places = (0..grid.volume()).map(|index| {
                let block = grid.place(index);
                let place = banded.tile_of(block, grid);
                assert_eq!(banded.block_of(place, grid), block, "{x} x {y}");
                place
            });
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            let all: Vec<_> =
                (0..y).flat_map(|row| (0..x).map(move |column| (row, column))).collect();
            assert_eq!(places, all, "{x} x {y}");
        }
        // Down the first eight rows, then the second column.
        assert_eq!(banded.tile_of(Dim3::at(1, 0), Dim3::flat(5, 19)), (1, 0));
    }

    #[test]
    fn threads_of_every_slice_have_the_whole_tile_and_a_part_of_its_terms() {
        let sgemm = super::super::find("sgemm").expect("a kernel");
        let of =
            |tile: &str| sgemm.variant(tile.parse::<Tile>().expect("a tile")).expect("it has it");
        let sliced = of("64x128x32");
        assert_eq!((sliced.slices(), sliced.elements(), sliced.fma_per_thread()), (4, 128, 1024));
        let whole = of("128x256x16");
        assert_eq!((whole.slices(), whole.elements(), whole.fma_per_thread()), (1, 128, 2048));
    }

    #[test]
    fn the_size_chooses_the_tiles_that_are_done_first() {
        let chosen = |kernel: &str, size: &str| {
            let kernel = super::super::find(kernel).expect("a kernel");
            kernel.variant_for(size.parse().expect("a size")).tile.to_string()
        };
        let tiles = ["512", "1024", "2048", "3072", "4096", "6144", "8192"];
        let tiles = tiles.map(|size| chosen("sgemm", size));
        let expected = "32x16x8 64x128x32 128x256x16 192x128x16 128x256x16 192x128x16 192x128x16";
        assert_eq!(tiles.join(" "), expected);
        // As measured: the sizes from which fewer waves of large tiles pay differ.
        for (kernel, size, tile) in [
            ("double_buffered", "500x300x700", "32x32x8"),
            ("double_buffered", "1024", "32x32x8"),
            ("double_buffered", "1280", "128x128x16"),
            ("double_buffered", "1536", "32x32x8"),
            ("double_buffered", "2048", "128x128x16"),
            ("warp_tiled", "1536", "32x32x8"),
            ("warp_tiled", "1792", "128x128x16"),
            ("half_tensor", "1024", "64x64x64"),
            ("half_tensor", "1280", "128x128x64"),
            ("half_tensor", "2048", "128x256x64"),
        ] {
            assert_eq!(chosen(kernel, size), tile, "{kernel} at {size}");
        }
    }
}
