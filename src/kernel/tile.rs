//! The work of a block at a time: a part of C, and a step along k.

use crate::matrix::Operand;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::str::FromStr;

/// Sides of the square tiles whose PTX is embedded.
pub const EMBEDDED_TILES: [u32; 4] = [4, 8, 16, 32];

/// The largest side of a square tile: a thread for each element must fit into a block of 1024.
pub const MAX_TILE: u32 = 32;

/// `m` x `n` elements of C, and `k` terms of their sums at a time, written `128x128x16`, or `16`
/// for a cube with a side of at most 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Tile {
    /// Rows of A and C.
    pub m: u32,
    /// Columns of B and C.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// A text that is not a tile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tile: give N or MxNxK, for example 16 or 128x128x16")]
pub struct ParseTileError(pub String);

impl Tile {
    /// Makes a tile with equal sides.
    pub const fn square(side: u32) -> Self {
        Self { m: side, n: side, k: side }
    }

    /// Returns its side, if all are equal and a block can have a thread for each element.
    pub fn side(self) -> Option<u32> {
        (self == Self::square(self.m) && self.m <= MAX_TILE).then_some(self.m)
    }

    /// Returns (rows, columns) of the part of a matrix that a block needs at a time.
    pub const fn shape(self, operand: Operand) -> (u32, u32) {
        match operand {
            Operand::A => (self.m, self.k),
            Operand::B => (self.k, self.n),
            Operand::C => (self.m, self.n),
        }
    }

    /// Orders tiles by the part of C that they cover, then by their step along k.
    pub const fn order(self) -> (u32, u32) {
        (self.m * self.n, self.k)
    }

    /// The number of multiply-adds for one step along k.
    pub const fn multiply_adds(self) -> u32 {
        self.m * self.n * self.k
    }
}

impl From<u32> for Tile {
    fn from(side: u32) -> Self {
        Self::square(side)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.side() {
            Some(side) => write!(f, "{side}"),
            None => write!(f, "{}x{}x{}", self.m, self.n, self.k),
        }
    }
}

impl FromStr for Tile {
    type Err = ParseTileError;

    fn from_str(text: &str) -> Result<Self, ParseTileError> {
        let side = |part: &str| part.parse().ok().filter(|side| (1..=1024).contains(side));
        let sides: Option<Vec<u32>> = text.split('x').map(side).collect();
        match sides.as_deref() {
            Some([side]) => Ok(Self::square(*side)),
            Some([m, n, k]) => Ok(Self { m: *m, n: *n, k: *k }),
            _ => Err(ParseTileError(text.to_owned())),
        }
    }
}

/// Three sides, or as it is typed: a cube as a number, as earlier versions wrote it.
impl<'de> Deserialize<'de> for Tile {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Spelt {
            Side(u32),
            Sides(String),
            Each { m: u32, n: u32, k: u32 },
        }
        let tile: Result<Self, _> = match Spelt::deserialize(from)? {
            Spelt::Side(side) => side.to_string().parse(),
            Spelt::Sides(text) => text.parse(),
            Spelt::Each { m, n, k } => format!("{m}x{n}x{k}").parse(),
        };
        tile.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_spelt_as_it_is_typed_and_recorded() {
        let flat = Tile { m: 128, n: 64, k: 8 };
        for (tile, text, earlier) in [
            (Tile::square(16), "16", "16"),
            (flat, "128x64x8", "\"128x64x8\""),
            (Tile::square(64), "64x64x64", "\"64x64x64\""),
        ] {
            assert_eq!(text.parse(), Ok(tile));
            assert_eq!(tile.to_string(), text);
            let Tile { m, n, k } = tile;
            let json = format!("{{\"m\":{m},\"n\":{n},\"k\":{k}}}");
            assert_eq!(serde_json::to_string(&tile).expect("JSON"), json);
            for json in [&*json, earlier] {
                assert_eq!(serde_json::from_str::<Tile>(json).expect("a tile"), tile);
            }
        }
        for text in ["", "0", "16x16", "16x16x0", "1025", "a", "-1", "8x8x8x8"] {
            assert!(text.parse::<Tile>().is_err(), "{text}");
        }
    }
}
