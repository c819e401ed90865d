//! The tiles of A and B that a kernel of the catalogue keeps in shared memory.

use super::tile::Tile;
use crate::matrix::{Operand, Size};

/// A part of shared memory that holds the block's tile of A or of B, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTile {
    /// Its name: `sA`, or `sA[1]` if there are several for successive tiles.
    pub name: &'static str,
    /// The `__shared__` array that contains it, after the tiles listed before it for the same
    /// array.
    pub array: &'static str,
    /// The matrix from which the tile is copied.
    pub of: Operand,
    /// Whether the tile is stored transposed.
    pub transposed: bool,
    /// Unused columns after those that hold the tile.
    pub pad: u32,
    /// Whether neighbouring elements of a row are exchanged pairwise.
    pub exchanged: bool,
    /// (first, n): it holds every n-th tile along k, from `first` on.
    pub turn: (u32, u32),
    /// If not 0: at an edge of C the tile is moved back inside, overlapping its neighbour, provided
    /// that the rows of A and B have multiples of this number of elements. 0 if it is never moved.
    pub moved: u32,
}

impl SharedTile {
    /// The tile of `of` in the order of the matrix.
    pub const fn plain(name: &'static str, of: Operand) -> Self {
        Self {
            name,
            array: name,
            of,
            transposed: false,
            pad: 0,
            exchanged: false,
            turn: (0, 1),
            moved: 0,
        }
    }

    /// The tile stored column by column.
    pub const fn transposed(name: &'static str, of: Operand, pad: u32) -> Self {
        Self { transposed: true, pad, ..Self::plain(name, of) }
    }

    /// (rows, columns), including the padding.
    pub const fn shape(&self, tile: Tile) -> (u32, u32) {
        let (rows, columns) = tile.shape(self.of);
        if self.transposed { (columns, rows + self.pad) } else { (rows, columns + self.pad) }
    }

    /// The number of elements, including the padding.
    pub const fn elements(&self, tile: Tile) -> u32 {
        let (rows, columns) = self.shape(tile);
        rows * columns
    }

    /// Returns the row and column within the tile of the element stored at a row and column here,
    /// or `None` in the padding.
    pub fn within(&self, tile: Tile, (row, column): (u32, u32)) -> Option<(u32, u32)> {
        let (rows, pitch) = self.shape(tile);
        let column = column ^ u32::from(self.exchanged);
        let inside = row < rows && column < pitch - self.pad;
        inside.then_some(if self.transposed { (column, row) } else { (row, column) })
    }

    /// Returns where its tile begins in the matrix, along m (for B: along n), if the block's own
    /// part of C begins at `own`.
    pub fn first(&self, tile: Tile, size: Size, own: u32) -> u32 {
        let (side, end) = match self.of {
            Operand::A | Operand::C => (tile.m, size.m),
            Operand::B => (tile.n, size.n),
        };
        let whole = |side: u32| side.is_multiple_of(self.moved);
        let moves = self.moved > 0 && whole(size.k) && whole(size.n);
        let last = end.saturating_sub(side);
        if moves && own > last { last } else { own }
    }

    /// Returns the tile along k that it holds, or will hold next, while the block works on number
    /// `now`.
    pub const fn k_tile(&self, now: u32) -> u32 {
        let (first, of) = self.turn;
        now + (first + of - now % of) % of
    }
}

/// Returns where `arrays` begin in their `__shared__` arrays, in elements.
pub(super) fn starts(
    arrays: &[SharedTile],
    tile: Tile,
) -> impl Iterator<Item = (&SharedTile, u32)> {
    arrays.iter().enumerate().map(move |(index, staged)| {
        let before = arrays[..index].iter().filter(|other| other.array == staged.array);
        (staged, before.map(|other| other.elements(tile)).sum())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: Tile = Tile { m: 128, n: 64, k: 8 };

    #[test]
    fn a_transposed_and_padded_tile_finds_its_elements() {
        let plain = SharedTile::plain("sB", Operand::B);
        assert_eq!(plain.shape(TILE), (8, 64));
        assert_eq!(plain.within(TILE, (7, 63)), Some((7, 63)));
        let array = SharedTile::transposed("sA", Operand::A, 4);
        assert_eq!(array.shape(TILE), (8, 132));
        assert_eq!(array.within(TILE, (7, 127)), Some((127, 7)));
        assert_eq!(array.within(TILE, (7, 128)), None);
        assert_eq!(array.within(TILE, (8, 0)), None);
        let pairs = SharedTile { exchanged: true, ..plain };
        assert_eq!(
            [0, 1, 6].map(|at| pairs.within(TILE, (2, at))),
            [1, 0, 7].map(|at| Some((2, at)))
        );
    }

    #[test]
    fn a_tile_at_an_edge_is_moved_back_inside_where_rows_are_whole() {
        let array = SharedTile { moved: 4, ..SharedTile::plain("A", Operand::A) };
        let first = |size: &str, own| array.first(TILE, size.parse().expect("a size"), own);
        assert_eq!(first("300x100x36", 128), 128);
        assert_eq!(first("300x100x36", 256), 172);
        assert_eq!([first("300x101x36", 256), first("300x100x37", 256)], [256, 256]);
        assert_eq!(first("100x100x36", 0), 0);
        let plain = SharedTile::plain("sA", Operand::A);
        assert_eq!(plain.first(TILE, Size::square(300), 256), 256);
    }

    #[test]
    fn buffers_take_turns_and_lie_one_after_the_other() {
        let buffer = |name, number| {
            let plain = SharedTile::plain(name, Operand::A);
            SharedTile { array: "sA", turn: (number, 2), ..plain }
        };
        let arrays = [buffer("sA[0]", 0), buffer("sA[1]", 1), SharedTile::plain("sB", Operand::B)];
        assert_eq!(starts(&arrays, TILE).map(|(_, at)| at).collect::<Vec<_>>(), [0, 1024, 0]);
        assert_eq!([0, 1, 2, 3].map(|now| arrays[0].k_tile(now)), [0, 2, 2, 4]);
        assert_eq!([0, 1, 2, 3].map(|now| arrays[1].k_tile(now)), [1, 1, 3, 3]);
        assert_eq!(arrays[2].k_tile(5), 5);
    }
}
