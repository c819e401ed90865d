//! The table: one row per kernel of `kernels/`, with what is particular to it.

use super::definition::Kernel;
use super::shared_tile::SharedTile;
use super::tile::Tile;
use super::variant::{MMA, TileOrder, Variant, wgmma};
use crate::launch::Dim3;
use crate::matrix::{Operand, Precision};

/// The common fields of most rows: float32, and both tiles in shared memory in the order of the
/// matrices.
const BLOCKED: Kernel = Kernel {
    name: "",
    summary: "",
    source: "",
    arch: "compute_52",
    variants: &[],
    square: false,
    shared: PLAIN,
    pads: true,
    precision: Precision::Single,
    arguments: "A,B,C,M,N,K",
    beside: "",
};

/// [`BLOCKED`] with a thread for each element of a square tile.
const SQUARE: Kernel = Kernel { square: true, ..BLOCKED };

/// The tiles of A and B, in the order of the matrices.
const PLAIN: &[SharedTile] =
    &[SharedTile::plain("sA", Operand::A), SharedTile::plain("sB", Operand::B)];

/// The tile of A stored column by column with `pad` columns of padding, and that of B in the
/// matrix's order.
const fn transposed(pad: u32) -> [SharedTile; 2] {
    [SharedTile::transposed("sA", Operand::A, pad), SharedTile::plain("sB", Operand::B)]
}

/// Two sets of both tiles, used alternately; that of A has four columns of padding.
const DOUBLE: &[SharedTile] = {
    const fn a(name: &'static str, number: u32) -> SharedTile {
        let plain = SharedTile::plain(name, Operand::A);
        SharedTile { array: "sA", pad: 4, turn: (number, 2), ..plain }
    }
    const fn b(name: &'static str, number: u32) -> SharedTile {
        SharedTile { array: "sB", turn: (number, 2), ..SharedTile::plain(name, Operand::B) }
    }
    &[a("sA[0]", 0), b("sB[0]", 0), a("sA[1]", 1), b("sB[1]", 1)]
};

/// Two pairs of tiles, one after the other in memory: A's transposed and padded, B's with
/// neighbouring elements exchanged pairwise. At the edges of C they are moved back inside.
const DOUBLE_BUFFERED_COMBINED: &[SharedTile] = {
    const fn pair(a: &'static str, b: &'static str, number: u32) -> [SharedTile; 2] {
        let (transposed, plain) =
            (SharedTile::transposed(a, Operand::A, 4), SharedTile::plain(b, Operand::B));
        let turn = (number, 2);
        let a = SharedTile { array: "shared", turn, moved: 4, ..transposed };
        [a, SharedTile { array: "shared", turn, exchanged: true, moved: 4, ..plain }]
    }
    let ([a0, b0], [a1, b1]) = (pair("sA[0]", "sB[0]", 0), pair("sA[1]", "sB[1]", 1));
    &[a0, b0, a1, b1]
};

/// Small tiles, to look at, and large ones, for matrices large enough to give many blocks of them:
/// with a square of C per thread, and with a rectangle per warp.
const SMALL_THREAD: &[&str] = &["BM=32", "BN=32", "BK=8", "TM=4", "TN=4"];
const LARGE_THREAD: &[&str] = &["BM=128", "BN=128", "BK=16", "TM=8", "TN=8"];
const SMALL_WARP: &[&str] = &["BM=32", "BN=32", "BK=8", "WM=32", "WN=16"];
const LARGE_WARP: &[&str] = &["BM=128", "BN=128", "BK=16", "WM=64", "WN=32"];

/// The committed PTX with that name.
macro_rules! ptx {
    ($($part:literal),*) => {
        Some(include_str!(concat!("../../kernels/ptx/", $($part,)* ".ptx")))
    };
}

/// The square tiles whose PTX is committed.
macro_rules! squares {
    ($name:literal) => {
        &[squares!($name, 4), squares!($name, 8), squares!($name, 16), squares!($name, 32)]
    };
    ($name:literal, $side:literal) => {
        Variant {
            // The default tile is that of the course.
            relative_time: if $side == 16 { 1000 } else { 0 },
            ptx: ptx!($name, ".t", $side),
            rolled: ptx!($name, ".t", $side, ".u1"),
            ..Variant::square($side)
        }
    };
}

/// A block of `$threads` threads for `$m` x `$n` elements of C.
macro_rules! blocked {
    ($name:literal, ($m:literal, $n:literal, $k:literal), $threads:literal, $relative_time:literal, $macros:expr) => {
        Variant {
            tile: Tile { m: $m, n: $n, k: $k },
            block: Dim3::flat($threads, 1),
            macros: $macros,
            order: TileOrder::Rows,
            producers: 0,
            tensor: 0,
            dynamic_shared: 0,
            relative_time: $relative_time,
            ptx: ptx!($name, ".t", $m, "x", $n, "x", $k),
            rolled: None,
        }
    };
}

/// A block that multiplies with tensor cores; blocks go down C in bands of eight rows of tiles.
macro_rules! tensor {
    (($m:literal, $n:literal, $k:literal), $threads:literal, $relative_time:literal, $shared:literal, $macros:expr) => {
        Variant {
            order: TileOrder::Bands(8),
            tensor: MMA,
            dynamic_shared: $shared,
            ..blocked!("half_tensor", ($m, $n, $k), $threads, $relative_time, $macros)
        }
    };
}

/// A block of three warpgroups, one of which only brings tiles, that takes tiles of C in turns.
macro_rules! copied {
    (($m:literal, $n:literal, $k:literal), $relative_time:literal, $shared:literal, $macros:expr) => {
        Variant {
            order: TileOrder::PairsInTurns(8),
            producers: 128,
            tensor: wgmma($n),
            dynamic_shared: $shared,
            ..blocked!("half_tma", ($m, $n, $k), 384, $relative_time, $macros)
        }
    };
}

/// Every kernel, in the order in which the lessons present them.
pub static KERNELS: &[Kernel] = &[
    Kernel {
        name: "naive_rows",
        summary: "naive, but neighbouring threads take neighbouring rows: nothing is coalesced",
        source: include_str!("../../kernels/naive_rows.cu"),
        variants: squares!("naive_rows"),
        shared: &[],
        pads: false,
        beside: "naive",
        ..SQUARE
    },
    Kernel {
        name: "naive",
        summary: "one thread per element of C, straight from global memory",
        source: include_str!("../../kernels/naive.cu"),
        variants: squares!("naive"),
        shared: &[],
        pads: false,
        beside: "tiled",
        ..SQUARE
    },
    Kernel {
        name: "tiled",
        summary: "tiles of A and B shared by the block",
        source: include_str!("../../kernels/tiled.cu"),
        variants: squares!("tiled"),
        beside: "naive",
        ..SQUARE
    },
    Kernel {
        name: "tiled_transposed",
        summary: "tiled, with the tile of A stored transposed: bank conflicts",
        source: include_str!("../../kernels/tiled_transposed.cu"),
        variants: squares!("tiled_transposed"),
        shared: &transposed(0),
        beside: "tiled_padded",
        ..SQUARE
    },
    Kernel {
        name: "tiled_padded",
        summary: "the same, the tile of A padded by a column: no bank conflicts at tile 32, few at 16",
        source: include_str!("../../kernels/tiled_padded.cu"),
        variants: squares!("tiled_padded"),
        shared: &transposed(1),
        beside: "tiled_transposed",
        ..SQUARE
    },
    Kernel {
        name: "blocked_1d",
        summary: "each thread computes a column of elements of C: fewer loads from shared memory",
        source: include_str!("../../kernels/blocked_1d.cu"),
        variants: &[
            blocked!("blocked_1d", (32, 32, 8), 256, 1450, &["BM=32", "BN=32", "BK=8", "TM=4"]),
            blocked!("blocked_1d", (64, 64, 16), 512, 1000, &["BM=64", "BN=64", "BK=16", "TM=8"]),
        ],
        beside: "tiled",
        ..BLOCKED
    },
    Kernel {
        name: "blocked_2d",
        summary: "each thread computes a square of elements of C",
        source: include_str!("../../kernels/blocked_2d.cu"),
        variants: &[
            blocked!("blocked_2d", (32, 32, 8), 64, 1450, SMALL_THREAD),
            blocked!("blocked_2d", (128, 128, 16), 256, 1000, LARGE_THREAD),
        ],
        beside: "blocked_1d",
        ..BLOCKED
    },
    Kernel {
        name: "vectorised",
        summary: "four floats to each access, from global memory and from shared memory",
        source: include_str!("../../kernels/vectorised.cu"),
        variants: &[
            blocked!("vectorised", (32, 32, 8), 64, 1450, SMALL_THREAD),
            blocked!("vectorised", (128, 128, 16), 256, 1000, LARGE_THREAD),
        ],
        shared: &transposed(0),
        beside: "blocked_2d",
        ..BLOCKED
    },
    Kernel {
        name: "warp_tiled",
        summary: "the lanes of a warp arranged so that they share what they load",
        source: include_str!("../../kernels/warp_tiled.cu"),
        variants: &[
            blocked!("warp_tiled", (32, 32, 8), 64, 1450, SMALL_WARP),
            blocked!("warp_tiled", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        shared: &transposed(4),
        beside: "vectorised",
        ..BLOCKED
    },
    Kernel {
        name: "double_buffered",
        summary: "cp.async brings the next tiles while these are used",
        source: include_str!("../../kernels/double_buffered.cu"),
        arch: "compute_80",
        variants: &[
            blocked!("double_buffered", (32, 32, 8), 64, 1285, SMALL_WARP),
            blocked!("double_buffered", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        shared: DOUBLE,
        beside: "warp_tiled",
        ..BLOCKED
    },
    Kernel {
        name: "sgemm",
        summary: "the best here in float32: registers by banks, the next tiles between the FMAs",
        source: include_str!("../../kernels/sgemm.cu"),
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
        shared: DOUBLE_BUFFERED_COMBINED,
        beside: "double_buffered",
        ..BLOCKED
    },
    Kernel {
        name: "half_plain",
        summary: "A and B in half precision, sums in float32: half the bytes, as many FMAs",
        source: include_str!("../../kernels/half_plain.cu"),
        arch: "compute_53",
        variants: &[
            blocked!("half_plain", (32, 32, 8), 64, 1450, SMALL_WARP),
            blocked!("half_plain", (128, 128, 16), 256, 1000, LARGE_WARP),
        ],
        shared: &transposed(4),
        precision: Precision::Half,
        beside: "warp_tiled",
        ..BLOCKED
    },
    Kernel {
        name: "half_tensor",
        summary: "tensor cores: 2,048 FMAs an instruction; swizzled tiles, no conflicts",
        source: include_str!("../../kernels/half_tensor.cu"),
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
        // The halves have an order of their own, so the words are shown as they lie in memory.
        shared: &[],
        precision: Precision::Half,
        beside: "half_plain",
        ..BLOCKED
    },
    Kernel {
        name: "half_wgmma",
        summary: "the same on Hopper: wgmma, started by four warps, loads from shared memory itself",
        source: include_str!("../../kernels/half_wgmma.cu"),
        arch: "compute_90a",
        variants: &[Variant {
            order: TileOrder::Bands(8),
            tensor: wgmma(256),
            // Four stages of both tiles, and 1,024 bytes for alignment.
            dynamic_shared: 197_632,
            ..blocked!("half_wgmma", (128, 256, 64), 256, 1000, &["STAGES=4", "BAND=8"])
        }],
        shared: &[],
        precision: Precision::Half,
        beside: "half_tensor",
        ..BLOCKED
    },
    Kernel {
        name: "half_tma",
        summary: "the copy engine brings the tiles: one thread asks, the others only multiply",
        source: include_str!("../../kernels/half_tma.cu"),
        arch: "compute_90a",
        variants: &[
            copied!((128, 64, 64), 1600, 230_400, &["BN=64", "STAGES=8", "BAND=8"]),
            copied!((128, 160, 64), 1080, 197_632, &["BN=160", "STAGES=4", "BAND=8"]),
            copied!((128, 192, 64), 1013, 197_632, &["BN=192", "STAGES=4", "BAND=8"]),
            copied!((128, 224, 64), 1005, 230_400, &["BN=224", "STAGES=4", "BAND=8"]),
            copied!((128, 256, 64), 1000, 230_400, &["BN=256", "STAGES=4", "BAND=8"]),
        ],
        shared: &[],
        precision: Precision::Half,
        arguments: "tensormap:A:128x64:swizzle128:f16,tensormap:B:32x64:swizzle128:f16,\
                    tensormap:C:16x32:swizzle128,M,N,K",
        beside: "half_wgmma",
        ..BLOCKED
    },
];

/// Kernels with an error to find, from `kernels/broken/`: simulated and checked like the others,
/// but measured and compared only if named.
pub static BROKEN: &[Kernel] = &[
    Kernel {
        name: "tiled_no_load_barrier",
        summary: "tiled, without the barrier between loading the tiles and using them",
        source: include_str!("../../kernels/broken/tiled_no_load_barrier.cu"),
        variants: squares!("tiled_no_load_barrier"),
        beside: "tiled",
        ..SQUARE
    },
    Kernel {
        name: "tiled_no_compute_barrier",
        summary: "tiled, without the barrier between using the tiles and loading the next",
        source: include_str!("../../kernels/broken/tiled_no_compute_barrier.cu"),
        variants: squares!("tiled_no_compute_barrier"),
        beside: "tiled",
        ..SQUARE
    },
];
