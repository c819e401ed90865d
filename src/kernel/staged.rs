//! What a kernel of the catalogue keeps in shared memory: copies of tiles of A and B.

use super::tile::Tile;
use crate::matrix::Operand;

/// A `__shared__` array that holds the block's tile of A or of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staged {
    /// What the source calls it.
    pub name: &'static str,
    /// Of which matrix the tile is.
    pub of: Operand,
    /// Whether the tile's columns are the array's rows.
    pub transposed: bool,
    /// Columns behind those that hold the tile; nobody uses them.
    pub pad: u32,
}

impl Staged {
    /// The tile of `of` as it lies in the matrix.
    pub const fn plain(name: &'static str, of: Operand) -> Self {
        Self { name, of, transposed: false, pad: 0 }
    }

    /// (rows, columns) of the array, its padding included.
    pub const fn shape(&self, tile: Tile) -> (u32, u32) {
        let (rows, columns) = match self.of {
            Operand::A => (tile.m, tile.k),
            Operand::B => (tile.k, tile.n),
            Operand::C => (tile.m, tile.n),
        };
        if self.transposed { (columns, rows + self.pad) } else { (rows, columns + self.pad) }
    }

    /// Row and column within the tile of what lies at a row and a column of the array; none in its
    /// padding.
    pub fn within(&self, tile: Tile, (row, column): (u32, u32)) -> Option<(u32, u32)> {
        let (rows, pitch) = self.shape(tile);
        let inside = row < rows && column < pitch - self.pad;
        inside.then_some(if self.transposed { (column, row) } else { (row, column) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_and_padded_tile_finds_its_elements() {
        let tile = Tile { m: 128, n: 64, k: 8 };
        let plain = Staged::plain("sB", Operand::B);
        assert_eq!(plain.shape(tile), (8, 64));
        assert_eq!(plain.within(tile, (7, 63)), Some((7, 63)));
        let array = Staged { name: "sA", of: Operand::A, transposed: true, pad: 4 };
        assert_eq!(array.shape(tile), (8, 132));
        assert_eq!(array.within(tile, (7, 127)), Some((127, 7)));
        assert_eq!(array.within(tile, (7, 128)), None);
        assert_eq!(array.within(tile, (8, 0)), None);
    }
}
