//! The catalogue: one row per kernel of `kernels/`; and kernels from anywhere else.

mod args;
mod assumed;
mod call;
mod catalogue;
mod declared;
mod entry;
mod foreign;
mod hash;
mod owned;
mod problem;
mod roles;
mod signature;
mod simulate;
mod staged;
mod tile;
mod variant;

pub use args::{Misplaced, Parameter};
pub use call::{Arg, Call};
pub use catalogue::{BROKEN, KERNELS};
pub use entry::source_name;
pub use foreign::{Foreign, Misfit, ROW, Source, Wanted};
pub use hash::{sha256, sha256_of};
pub use owned::Owned;
pub use problem::{FOREIGN_ROUND, Problem, Which};
pub use staged::Staged;
pub use tile::{NoTile, Tile};
pub use variant::Variant;

use crate::matrix::{Precision, Size};

/// Sides of the square tiles whose PTX is embedded.
pub const EMBEDDED_TILES: [u32; 4] = [4, 8, 16, 32];

/// Largest side of a square tile: a thread for each element must fit into a block of 1024.
pub const MAX_TILE: u32 = 32;

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
    pub shared: &'static [Staged],
    /// Whether threads outside C, and terms beyond K, are computed along on zeros.
    pub pads: bool,
    /// What the elements of A and B are.
    pub precision: Precision,
    /// The kernel that shows best what is new in it: the two are compared.
    pub beside: &'static str,
}

/// Every kernel, sound or broken.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().chain(BROKEN)
}

/// The tiles that the kernel called `name` can be launched with, to read.
pub fn tiles_of(name: &str) -> String {
    find(name).map_or_else(|| "none".to_owned(), Kernel::tiles)
}

/// The kernel called `name`.
pub fn find(name: &str) -> Option<&'static Kernel> {
    all().find(|kernel| kernel.name == name)
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

    /// It with matrices of this size, in the variant that is chosen for them.
    pub fn problem_for(&'static self, size: Size) -> Problem {
        let variant = self.variant_for(size);
        Problem::of(self, variant, size, variant.ptx.unwrap_or_default().into())
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
