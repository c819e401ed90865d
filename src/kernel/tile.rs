//! What a block works on at a time: a part of C, and a step along k.

/// `m` x `n` elements of C, and `k` terms of their sums at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

impl Tile {
    /// As many rows as columns as terms.
    pub const fn square(side: u32) -> Self {
        Self { m: side, n: side, k: side }
    }
}
