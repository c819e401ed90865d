//! Variants: the ways in which a kernel is compiled and launched.

use super::tile::Tile;
use crate::launch::{Dim3, Launch, WARP_SIZE};
use crate::matrix::Size;

/// Multiprocessors of the H200, for which the default tiles are chosen.
const MULTIPROCESSORS: u32 = 132;

/// Multiply-adds of `mma.sync.m16n8k16`.
pub(super) const MMA: u32 = 16 * 8 * 16;

/// Multiply-adds of a warp's part of `wgmma.m64nNk16`, where N is the width of the tile.
pub(super) const fn wgmma(n: u32) -> u32 {
    16 * n * 16
}

/// Blocks of a cluster, if the blocks come in clusters.
const PAIR: u32 = 2;

/// Which block computes which tile of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileOrder {
    /// A block for each, along the rows of C.
    Rows,
    /// A block for each, down C in bands of this many rows of tiles.
    Bands(u32),
    /// Clusters of two blocks take pairs of tiles, one below the other. There are only as many
    /// clusters as an H200 runs at once, and each takes one pair after the other; pairs are counted
    /// down C in bands of this many rows of pairs.
    PairsInTurns(u32),
}

/// A kernel compiled for a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The part of C that a block computes, and its step along k.
    pub tile: Tile,
    /// The threads of a block.
    pub block: Dim3,
    /// The macros with which it is compiled; if empty, `TILE` is the side of the tile.
    pub macros: &'static [&'static str],
    /// Which of them computes which tile of C.
    pub order: TileOrder,
    /// Threads of a block that have no sums: they only bring tiles.
    pub producers: u32,
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
            order: TileOrder::Rows,
            producers: 0,
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

    /// Returns its launch: with a block for each tile of C, columns along x, rounded up at the edges,
    /// or with as many as run at once.
    pub fn launch(&self, size: Size) -> Launch {
        let tiles = self.tiles(size);
        let grid = match self.order {
            TileOrder::Rows | TileOrder::Bands(_) => tiles,
            TileOrder::PairsInTurns(_) => Dim3::flat(PAIR * clusters(tiles), 1),
        };
        Launch { grid, block: self.block }
    }

    /// The tiles of C, columns along x, rounded up at the edges.
    fn tiles(&self, size: Size) -> Dim3 {
        Launch::grid_over(size.n, size.m, Dim3::flat(self.tile.n, self.tile.m))
    }

    /// The tile of C that a block computes, as (row, column) of tiles; of several, the first.
    pub fn tile_of(&self, block: Dim3, size: Size) -> (u32, u32) {
        let tiles = self.tiles(size);
        match self.order {
            TileOrder::Rows => (block.y, block.x),
            TileOrder::Bands(rows) => in_bands(rows, block.y * tiles.x + block.x, tiles),
            TileOrder::PairsInTurns(rows) => {
                let (pair, column) = in_bands(rows, block.x / PAIR, pairs(tiles));
                (pair * PAIR + block.x % PAIR, column)
            }
        }
    }

    /// The block that computes a tile of C.
    pub fn block_of(&self, (row, column): (u32, u32), size: Size) -> Dim3 {
        let tiles = self.tiles(size);
        match self.order {
            TileOrder::Rows => Dim3::at(column, row),
            TileOrder::Bands(rows) => {
                let number = number_in_bands(rows, (row, column), tiles);
                Dim3::at(number % tiles.x, number / tiles.x)
            }
            TileOrder::PairsInTurns(rows) => {
                let number = number_in_bands(rows, (row / PAIR, column), pairs(tiles));
                Dim3::at(number % clusters(tiles) * PAIR + row % PAIR, 0)
            }
        }
    }

    /// Whether all blocks have the same number of whole tiles.
    pub fn is_even(&self, size: Size) -> bool {
        let Tile { m, n, k } = self.tile;
        let whole =
            size.m.is_multiple_of(m) && size.n.is_multiple_of(n) && size.k.is_multiple_of(k);
        let tiles = self.tiles(size);
        whole
            && match self.order {
                TileOrder::Rows | TileOrder::Bands(_) => true,
                TileOrder::PairsInTurns(_) => {
                    let in_turn = u64::from(clusters(tiles));
                    tiles.y.is_multiple_of(PAIR) && pairs(tiles).volume().is_multiple_of(in_turn)
                }
            }
    }

    /// Where clusters take whole tiles in turns, some take one pair more than the others, and else all
    /// do the same: a block of each kind, and how many clusters are of that kind.
    pub fn kinds_of_clusters(&self, size: Size) -> Option<Vec<(Dim3, u64)>> {
        let Tile { m, n, k } = self.tile;
        let whole =
            size.m.is_multiple_of(PAIR * m) && size.n.is_multiple_of(n) && size.k.is_multiple_of(k);
        let TileOrder::PairsInTurns(_) = self.order else { return None };
        let tiles = self.tiles(size);
        let clusters = clusters(tiles);
        let longer = pairs(tiles).volume() as u32 % clusters;
        let kinds =
            [(0, longer), (longer, clusters - longer)].into_iter().filter(|kind| kind.1 > 0);
        let kinds = kinds.map(|(first, count)| (Dim3::at(first * PAIR, 0), count.into()));
        whole.then(|| kinds.collect())
    }

    /// Estimates how long a GPU computes a C of this size, in thousandths of the time for an
    /// element, or `None` if the variant is never chosen by default. The blocks run in whole waves.
    pub fn duration(&self, size: Size) -> Option<u64> {
        let tiles = match self.order {
            TileOrder::Rows | TileOrder::Bands(_) => self.tiles(size).volume(),
            TileOrder::PairsInTurns(_) => u64::from(PAIR) * pairs(self.tiles(size)).volume(),
        };
        let turns = tiles.div_ceil(MULTIPROCESSORS.into());
        let elements = u64::from(self.tile.m * self.tile.n);
        (self.relative_time > 0).then(|| turns * elements * u64::from(self.relative_time))
    }

    /// The number of groups of threads that each cover all of C's tile, for a part of its terms.
    pub fn slices(&self) -> u32 {
        let slices = self.macros.iter().find_map(|text| text.strip_prefix("SLICES="));
        slices.and_then(|slices| slices.parse().ok()).unwrap_or(1)
    }

    /// The number of elements of C for which each thread has sums, if it has any.
    pub fn elements(&self) -> u32 {
        let threads = self.block.volume() as u32 - self.producers;
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

/// The pairs of tiles that lie one below the other in C.
fn pairs(tiles: Dim3) -> Dim3 {
    Dim3::flat(tiles.x, tiles.y.div_ceil(PAIR))
}

/// The clusters that take the pairs in turns.
fn clusters(tiles: Dim3) -> u32 {
    (pairs(tiles).volume() as u32).min(MULTIPROCESSORS / PAIR)
}

/// Where number `number` lies, as (row, column), if all are counted down bands of this many rows.
fn in_bands(rows: u32, number: u32, all: Dim3) -> (u32, u32) {
    let band = number / (rows * all.x) * rows;
    let (height, place) = (rows.min(all.y - band), number - band * all.x);
    (band + place % height, place / height)
}

/// The number of the one at (row, column), see [`in_bands`].
fn number_in_bands(rows: u32, (row, column): (u32, u32), all: Dim3) -> u32 {
    let band = row / rows * rows;
    let height = rows.min(all.y.saturating_sub(band)).max(1);
    band * all.x + column * height + row - band
}

impl From<u32> for Variant {
    fn from(side: u32) -> Self {
        Self::square(side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: u32 = 16;

    fn ordered(order: TileOrder) -> Variant {
        Variant { order, ..Variant::square(SIDE) }
    }

    /// A C of this many tiles.
    fn size(columns: u32, rows: u32) -> Size {
        Size { m: rows * SIDE, n: columns * SIDE, k: 1 }
    }

    fn all(columns: u32, rows: u32) -> Vec<(u32, u32)> {
        (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect()
    }

    #[test]
    fn bands_of_blocks_cover_every_tile_of_c_once() {
        let banded = ordered(TileOrder::Bands(8));
        for (x, y) in [(1, 1), (5, 19), (3, 16), (7, 8), (4, 3)] {
            let (size, grid) = (size(x, y), Dim3::flat(x, y));
            let places = (0..grid.volume()).map(|index| {
                let block = grid.place(index);
                let place = banded.tile_of(block, size);
                assert_eq!(banded.block_of(place, size), block, "{x} x {y}");
                place
            });
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            assert_eq!(places, all(x, y), "{x} x {y}");
        }
        // Down the first eight rows, then the second column.
        assert_eq!(banded.tile_of(Dim3::at(1, 0), size(5, 19)), (1, 0));
    }

    #[test]
    fn clusters_take_pairs_of_tiles_in_turns() {
        let turns = ordered(TileOrder::PairsInTurns(2));
        // Seven rows are four pairs, the last with a tile outside of C.
        for (x, y, blocks) in [(1, 1, 2), (3, 7, 24), (11, 12, 132), (12, 11, 132), (40, 41, 132)] {
            let size = size(x, y);
            assert_eq!(turns.launch(size).grid, Dim3::flat(blocks, 1), "{x} x {y}");
            let mut of_block = vec![0; blocks as usize];
            for (row, column) in all(x, y) {
                let block = turns.block_of((row, column), size);
                of_block[block.x as usize] += 1;
                assert_eq!(block.x % 2, row % 2, "{row}, {column} of {x} x {y}");
            }
            for block in 0..blocks {
                let first = turns.tile_of(Dim3::at(block, 0), size);
                let is_inside = first.0 < y;
                assert!(is_inside || y % 2 == 1 && first.0 == y, "{first:?} of {x} x {y}");
                if is_inside {
                    assert_eq!(turns.block_of(first, size), Dim3::at(block, 0), "{x} x {y}");
                }
            }
            let even = of_block.iter().all(|tiles| *tiles == of_block[0]);
            assert_eq!(turns.is_even(Size { k: SIDE, ..size }), even, "{x} x {y}");
        }
        // The second pair of the first column, then the first of the second.
        let first: Vec<_> = (0..6).map(|x| turns.tile_of(Dim3::at(x, 0), size(4, 8))).collect();
        assert_eq!(first, [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]);
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
            ("half_tma", "1024", "128x64x64"),
            ("half_tma", "1536", "128x160x64"),
            ("half_tma", "2048", "128x256x64"),
            ("half_tma", "3072", "128x192x64"),
            ("half_tma", "4096", "128x256x64"),
            ("half_tma", "5120", "128x224x64"),
            ("half_tma", "8192", "128x224x64"),
            ("half_tma", "12288", "128x256x64"),
        ] {
            assert_eq!(chosen(kernel, size), tile, "{kernel} at {size}");
        }
    }
}
