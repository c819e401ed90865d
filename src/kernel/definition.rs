//! A kernel of `kernels/`: its source, and the ways in which it is compiled and launched.

use super::shared_tile::SharedTile;
use super::tile::{MAX_TILE, Tile};
use super::variant::Variant;
use crate::matrix::{Precision, Size};

/// A kernel of `kernels/`.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: the file's stem and the entry point's name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The CUDA C++ source, with its lessons.
    pub source: &'static str,
    /// The oldest virtual architecture that has its instructions.
    pub arch: &'static str,
    /// How it is compiled and launched: all ways, or of a square kernel those that are embedded.
    pub variants: &'static [Variant],
    /// Whether it has a thread for each element of a square tile, of any side up to [`MAX_TILE`].
    pub square: bool,
    /// The `__shared__` arrays, in order of declaration.
    pub shared: &'static [SharedTile],
    /// Whether threads outside C, and terms beyond K, are computed along on zeros.
    pub pads: bool,
    /// What the elements of A and B are.
    pub precision: Precision,
    /// The kernel that shows best what is new in it: the two are compared.
    pub beside: &'static str,
}

impl Kernel {
    /// How it is compiled and launched for a tile, if it can be.
    pub fn variant(&self, tile: impl Into<Tile>) -> Option<Variant> {
        let tile = tile.into();
        let known = self.variants.iter().find(|variant| variant.tile == tile).copied();
        let side = tile.side().filter(|side| self.square && (1..=MAX_TILE).contains(side));
        known.or_else(|| side.map(Variant::square))
    }

    /// How it is launched for matrices of this size, unless something else is asked for: in the
    /// variant that should be done first.
    pub fn variant_for(&self, size: Size) -> Variant {
        let timed = self.variants.iter().filter_map(|v| Some((v.duration(size)?, v)));
        let best = timed.min_by_key(|(duration, _)| *duration).map(|(_, variant)| *variant);
        best.unwrap_or(Variant::square(16))
    }

    /// The embedded PTX for `tile`, if there is one.
    pub fn embedded(&self, tile: impl Into<Tile>) -> Option<&'static str> {
        self.variant(tile)?.ptx
    }

    /// The tiles that it can be launched with, to read.
    pub fn tiles(&self) -> String {
        if self.square {
            return format!("1 to {MAX_TILE}");
        }
        let tiles: Vec<_> = self.variants.iter().map(|variant| variant.tile.to_string()).collect();
        tiles.join(", ")
    }

    /// The source's file name.
    pub fn file(&self) -> String {
        format!("{}.cu", self.name)
    }
}
