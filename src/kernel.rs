//! The catalogue: one row per kernel of `kernels/`; and kernels from anywhere else.

mod args;
mod call;
mod declared;
mod entry;
mod foreign;
mod owned;
mod problem;
mod simulate;
mod staged;
mod tile;
mod variant;

pub use args::{Misplaced, Parameter};
pub use call::{Arg, Call};
pub use entry::source_name;
pub use foreign::{Foreign, Misfit, ROW, Source, Wanted};
pub use owned::Owned;
pub use problem::{FOREIGN_ROUND, Problem, Which, sha256, sha256_of};
pub use staged::Staged;
pub use tile::{NoTile, Tile};
pub use variant::Variant;

use crate::launch::Dim3;
use crate::matrix::{Operand, Precision, Size};

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

/// The tiles of A and B as they lie in the matrices.
const PLAIN: &[Staged] = &[Staged::plain("sA", Operand::A), Staged::plain("sB", Operand::B)];

/// The tile of A column by column, with so many columns of padding, and that of B plain.
const fn transposed(pad: u32) -> [Staged; 2] {
    [Staged::transposed("sA", Operand::A, pad), Staged::plain("sB", Operand::B)]
}

/// Two sets of both, which take turns; that of A has four columns of padding.
const DOUBLE: &[Staged] = {
    const fn a(name: &'static str, number: u32) -> Staged {
        let plain = Staged::plain(name, Operand::A);
        Staged { array: "sA", pad: 4, turn: (number, 2), ..plain }
    }
    const fn b(name: &'static str, number: u32) -> Staged {
        Staged { array: "sB", turn: (number, 2), ..Staged::plain(name, Operand::B) }
    }
    &[a("sA[0]", 0), b("sB[0]", 0), a("sA[1]", 1), b("sB[1]", 1)]
};

macro_rules! squares {
    ($name:literal) => {
        &[squares!($name, 4), squares!($name, 8), squares!($name, 16), squares!($name, 32)]
    };
    ($name:literal, $side:literal) => {
        Variant {
            // Without a wish it is the course's own.
            pace: if $side == 16 { 1000 } else { 0 },
            ptx: Some(include_str!(concat!("../kernels/ptx/", $name, ".t", $side, ".ptx"))),
            rolled: Some(include_str!(concat!("../kernels/ptx/", $name, ".t", $side, ".u1.ptx"))),
            ..Variant::square($side)
        }
    };
}

/// Two pairs of tiles, one behind the other: A's transposed and padded, of B's the two of each pair
/// of neighbours exchanged. At the edges of C they are moved back inside.
const IN_TURN: &[Staged] = {
    const fn pair(a: &'static str, b: &'static str, number: u32) -> [Staged; 2] {
        let (transposed, plain) =
            (Staged::transposed(a, Operand::A, 4), Staged::plain(b, Operand::B));
        let turn = (number, 2);
        let a = Staged { array: "shared", turn, moved: 4, ..transposed };
        [a, Staged { array: "shared", turn, exchanged: true, moved: 4, ..plain }]
    }
    let ([a0, b0], [a1, b1]) = (pair("sA[0]", "sB[0]", 0), pair("sA[1]", "sB[1]", 1));
    &[a0, b0, a1, b1]
};

/// A block of so many threads for `$m` x `$n` elements of C.
macro_rules! blocked {
    ($name:literal, ($m:literal, $n:literal, $k:literal), $threads:literal, $pace:literal, $macros:expr) => {
        Variant {
            tile: Tile { m: $m, n: $n, k: $k },
            block: Dim3::flat($threads, 1),
            macros: $macros,
            band: 0,
            tensor: 0,
            dynamic_shared: 0,
            pace: $pace,
            ptx: Some(include_str!(concat!(
                "../kernels/ptx/",
                $name,
                ".t",
                $m,
                "x",
                $n,
                "x",
                $k,
                ".ptx"
            ))),
            rolled: None,
        }
    };
}

/// Small tiles, to look at; and large ones, for matrices of which they make enough blocks: with a
/// square of C for each thread, and with a rectangle for each warp.
const SMALL_THREAD: &[&str] = &["BM=32", "BN=32", "BK=8", "TM=4", "TN=4"];
const LARGE_THREAD: &[&str] = &["BM=128", "BN=128", "BK=16", "TM=8", "TN=8"];
const SMALL_WARP: &[&str] = &["BM=32", "BN=32", "BK=8", "WM=32", "WN=16"];
const LARGE_WARP: &[&str] = &["BM=128", "BN=128", "BK=16", "WM=64", "WN=32"];

/// A block that multiplies with tensor cores, in bands of eight rows of tiles.
macro_rules! tensor {
    (($m:literal, $n:literal, $k:literal), $threads:literal, $pace:literal, $shared:literal, $macros:expr) => {
        Variant {
            band: 8,
            tensor: variant::MMA,
            dynamic_shared: $shared,
            ..blocked!("half_tensor", ($m, $n, $k), $threads, $pace, $macros)
        }
    };
}

macro_rules! kernel {
    ($folder:literal, $name:literal, $beside:literal, $shared:expr, $pads:literal, $summary:literal) => {
        Kernel {
            name: $name,
            summary: $summary,
            source: include_str!(concat!("../kernels/", $folder, $name, ".cu")),
            arch: "compute_52",
            variants: squares!($name),
            square: true,
            shared: $shared,
            pads: $pads,
            precision: Precision::Single,
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
        "the same, the tile of A padded by a column: no bank conflicts at tile 32, few at 16"
    ),
    Kernel {
        name: "blocked_1d",
        summary: "each thread computes a column of elements of C: fewer reads of shared memory",
        source: include_str!("../kernels/blocked_1d.cu"),
        arch: "compute_52",
        variants: &[
            blocked!("blocked_1d", (32, 32, 8), 256, 1450, &["BM=32", "BN=32", "BK=8", "TM=4"]),
            blocked!("blocked_1d", (64, 64, 16), 512, 1000, &["BM=64", "BN=64", "BK=16", "TM=8"]),
        ],
        square: false,
        shared: PLAIN,
        pads: true,
        precision: Precision::Single,
        beside: "tiled",
    },
    Kernel {
        name: "blocked_2d",
        summary: "each thread computes a square of elements of C",
        source: include_str!("../kernels/blocked_2d.cu"),
        arch: "compute_52",
        variants: &[
            blocked!("blocked_2d", (32, 32, 8), 64, 1450, SMALL_THREAD),
            blocked!("blocked_2d", (128, 128, 16), 256, 1000, LARGE_THREAD),
        ],
        square: false,
        shared: PLAIN,
        pads: true,
        precision: Precision::Single,
        beside: "blocked_1d",
    },
    Kernel {
        name: "vectorised",
        summary: "four floats to each access, from global memory and from shared memory",
        source: include_str!("../kernels/vectorised.cu"),
        arch: "compute_52",
        variants: &[
            blocked!("vectorised", (32, 32, 8), 64, 1450, SMALL_THREAD),
            blocked!("vectorised", (128, 128, 16), 256, 1000, LARGE_THREAD),
        ],
        square: false,
        shared: &transposed(0),
        pads: true,
        precision: Precision::Single,
        beside: "blocked_2d",
    },
    Kernel {
        name: "warp_tiled",
        summary: "the lanes of a warp arranged so that they share what they read",
        source: include_str!("../kernels/warp_tiled.cu"),
        arch: "compute_52",
        variants: &[
            blocked!("warp_tiled", (32, 32, 8), 64, 1450, SMALL_WARP),
            blocked!("warp_tiled", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        square: false,
        shared: &transposed(4),
        pads: true,
        precision: Precision::Single,
        beside: "vectorised",
    },
    Kernel {
        name: "double_buffered",
        summary: "cp.async brings the next tiles while these are used",
        source: include_str!("../kernels/double_buffered.cu"),
        arch: "compute_80",
        variants: &[
            blocked!("double_buffered", (32, 32, 8), 64, 1285, SMALL_WARP),
            blocked!("double_buffered", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        square: false,
        shared: DOUBLE,
        pads: true,
        precision: Precision::Single,
        beside: "warp_tiled",
    },
    Kernel {
        name: "sgemm",
        summary: "the best here in float32: registers by banks, the next tiles between the FMAs",
        source: include_str!("../kernels/sgemm.cu"),
        arch: "compute_52",
        variants: &[
            Variant {
                dynamic_shared: 3_328,
                ..blocked!(
                    "sgemm",
                    (32, 16, 8),
                    32,
                    2000,
                    &["BM=32", "BN=16", "BK=8", "WM=32", "WN=16", "SLICES=1", "PUTS=1"]
                )
            },
            Variant {
                dynamic_shared: 50_176,
                ..blocked!(
                    "sgemm",
                    (64, 128, 32),
                    256,
                    1070,
                    &["BM=64", "BN=128", "BK=32", "WM=64", "WN=64", "SLICES=4", "PUTS=2"]
                )
            },
            Variant {
                dynamic_shared: 41_472,
                ..blocked!(
                    "sgemm",
                    (192, 128, 16),
                    256,
                    975,
                    &["BM=192", "BN=128", "BK=16", "WM=96", "WN=32", "SLICES=1", "PUTS=1"]
                )
            },
            Variant {
                dynamic_shared: 49_664,
                ..blocked!(
                    "sgemm",
                    (128, 256, 16),
                    256,
                    1000,
                    &["BM=128", "BN=256", "BK=16", "WM=64", "WN=64", "SLICES=1", "PUTS=3"]
                )
            },
        ],
        square: false,
        shared: IN_TURN,
        pads: true,
        precision: Precision::Single,
        beside: "double_buffered",
    },
    Kernel {
        name: "half_plain",
        summary: "A and B in half precision, sums in float32: half the bytes, as many FMAs",
        source: include_str!("../kernels/half_plain.cu"),
        arch: "compute_53",
        variants: &[
            blocked!("half_plain", (32, 32, 8), 64, 1450, SMALL_WARP),
            blocked!("half_plain", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        square: false,
        shared: &transposed(4),
        pads: true,
        precision: Precision::Half,
        beside: "warp_tiled",
    },
    Kernel {
        name: "half_tensor",
        summary: "tensor cores: 2,048 multiply-adds an instruction; swizzled tiles, no conflicts",
        source: include_str!("../kernels/half_tensor.cu"),
        arch: "compute_80",
        variants: &[
            tensor!(
                (64, 64, 64),
                128,
                1400,
                32_768,
                &["BM=64", "BN=64", "BK=64", "WM=32", "WN=32", "STAGES=2", "BAND=8"]
            ),
            tensor!(
                (128, 128, 64),
                128,
                1150,
                98_304,
                &["BM=128", "BN=128", "BK=64", "WM=64", "WN=64", "STAGES=3", "BAND=8"]
            ),
            tensor!(
                (128, 256, 64),
                256,
                1000,
                196_608,
                &["BM=128", "BN=256", "BK=64", "WM=64", "WN=64", "STAGES=4", "BAND=8"]
            ),
        ],
        square: false,
        // Halves in an order of their own: the words are shown as they lie.
        shared: &[],
        pads: true,
        precision: Precision::Half,
        beside: "half_plain",
    },
    Kernel {
        name: "half_wgmma",
        summary: "the same on Hopper: wgmma, started by four warps, reads shared memory itself",
        source: include_str!("../kernels/half_wgmma.cu"),
        arch: "compute_90a",
        variants: &[Variant {
            band: 8,
            tensor: variant::WGMMA,
            // Four stages of both tiles, and 1,024 bytes to align them.
            dynamic_shared: 197_632,
            ..blocked!("half_wgmma", (128, 256, 64), 256, 1000, &["STAGES=4", "BAND=8"])
        }],
        square: false,
        shared: &[],
        pads: true,
        precision: Precision::Half,
        beside: "half_tensor",
    },
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
