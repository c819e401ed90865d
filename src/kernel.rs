//! The catalogue: one row per kernel of `kernels/`; and kernels from anywhere else.

mod args;
mod call;
mod entry;
mod foreign;
mod owned;
mod problem;
mod simulate;
mod staged;
mod tile;

pub use args::{Misplaced, Parameter};
pub use call::{Arg, Call};
pub use entry::source_name;
pub use foreign::{Foreign, Misfit, ROW, Source, Wanted};
pub use owned::Owned;
pub use problem::{FOREIGN_ROUND, Problem, Which, sha256};
pub use staged::Staged;
pub use tile::Tile;

use crate::matrix::Operand;

/// Tile sizes whose PTX is embedded.
pub const EMBEDDED_TILES: [u32; 4] = [4, 8, 16, 32];

/// A kernel of `kernels/`.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: the file's stem and the entry point's name.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The CUDA C++ source, with its lessons.
    pub source: &'static str,
    /// (tile, PTX) for each embedded tile size, its loops unrolled as the compiler sees fit.
    pub ptx: [(u32, &'static str); 4],
    /// The same, the loops over k not unrolled.
    pub rolled: [(u32, &'static str); 4],
    /// The `__shared__` arrays, in order of declaration.
    pub shared: &'static [Staged],
    /// Whether threads outside C, and terms beyond K, are computed along on zeros.
    pub pads: bool,
    /// The kernel that shows best what is new in it: the two are compared.
    pub beside: &'static str,
}

/// The tiles of A and B as they lie in the matrices.
const PLAIN: &[Staged] = &[Staged::plain("sA", Operand::A), Staged::plain("sB", Operand::B)];

/// The tile of A column by column, with so many columns of padding, and that of B plain.
const fn transposed(pad: u32) -> [Staged; 2] {
    let a = Staged { name: "sA", of: Operand::A, transposed: true, pad };
    [a, Staged::plain("sB", Operand::B)]
}

macro_rules! embedded {
    ($name:literal, $end:literal) => {
        [
            (4, include_str!(concat!("../kernels/ptx/", $name, ".t4", $end))),
            (8, include_str!(concat!("../kernels/ptx/", $name, ".t8", $end))),
            (16, include_str!(concat!("../kernels/ptx/", $name, ".t16", $end))),
            (32, include_str!(concat!("../kernels/ptx/", $name, ".t32", $end))),
        ]
    };
}

macro_rules! kernel {
    ($folder:literal, $name:literal, $beside:literal, $shared:expr, $pads:literal, $summary:literal) => {
        Kernel {
            name: $name,
            summary: $summary,
            source: include_str!(concat!("../kernels/", $folder, $name, ".cu")),
            ptx: embedded!($name, ".ptx"),
            rolled: embedded!($name, ".u1.ptx"),
            shared: $shared,
            pads: $pads,
            beside: $beside,
        }
    };
}

/// Every kernel, in the order of the story.
pub const KERNELS: &[Kernel] = &[
    kernel!(
        "",
        "naive_rows",
        "naive",
        &[],
        false,
        "naive, but neighbouring threads take neighbouring rows: nothing is coalesced"
    ),
    kernel!(
        "",
        "naive",
        "tiled",
        &[],
        false,
        "one thread per element of C, straight from global memory"
    ),
    kernel!("", "tiled", "naive", PLAIN, true, "tiles of A and B shared by the block"),
    kernel!(
        "",
        "tiled_transposed",
        "tiled_padded",
        &transposed(0),
        true,
        "tiled, with the tile of A stored transposed: bank conflicts"
    ),
    kernel!(
        "",
        "tiled_padded",
        "tiled_transposed",
        &transposed(1),
        true,
        "the same, with a column of padding in the tile of A: no bank conflicts"
    ),
];

/// Kernels with an error to be found, of `kernels/broken/`: simulated and checked like others, but
/// neither measured nor compared unless they are named.
pub const BROKEN: &[Kernel] = &[
    kernel!(
        "broken/",
        "tiled_no_load_barrier",
        "tiled",
        PLAIN,
        true,
        "tiled, without the barrier between loading the tiles and using them"
    ),
    kernel!(
        "broken/",
        "tiled_no_compute_barrier",
        "tiled",
        PLAIN,
        true,
        "tiled, without the barrier between using the tiles and loading the next"
    ),
];

/// Every kernel, sound or broken.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().chain(BROKEN)
}

/// The kernel called `name`.
pub fn find(name: &str) -> Option<&'static Kernel> {
    all().find(|kernel| kernel.name == name)
}

impl Kernel {
    /// The embedded PTX for `tile`, if there is one.
    pub fn embedded(&self, tile: u32) -> Option<&'static str> {
        self.ptx.iter().find(|(t, _)| *t == tile).map(|(_, ptx)| *ptx)
    }

    /// The same with rolled loops.
    pub fn embedded_rolled(&self, tile: u32) -> Option<&'static str> {
        self.rolled.iter().find(|(t, _)| *t == tile).map(|(_, ptx)| *ptx)
    }

    /// The source's file name.
    pub fn file(&self) -> String {
        format!("{}.cu", self.name)
    }
}
