//! The scene of a page with its variant chosen: which run of which kernel is shown.

use crate::kernel::Tile;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::sim::Order;

/// Everything that decides a run: two equal settings have the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub kernel: KernelFrom,
    /// The tile, or `None` for the kernel's default; for a file, the macro `TILE`.
    pub tile: Option<Tile>,
    /// The sizes of A, B and C.
    pub size: Size,
    /// The blocks of the grid, or `None` for one thread per element of C.
    pub grid: Option<Dim3>,
    /// The threads of a block; only for a kernel from a file, or with changes.
    pub threads: Option<Dim3>,
    /// The arguments, as `--launch` has them; only for a kernel from a file.
    pub args: Option<String>,
    /// The order of the warps, or `None` for the one in which runs are watched.
    pub order: Option<Order>,
    /// Whether loops are left rolled, as they are written: PTX of `--no-unroll`.
    pub rolled: bool,
    /// Macros for a kernel that matviz compiles, as `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The changes of `lessons/changes.toml` that are made to the source, in this order.
    pub changes: Vec<String>,
    /// The block that is watched.
    pub block: BlockChoice,
    /// The warp that is watched, or `None` for the one that executed the last step.
    pub warp: Option<u32>,
    /// Whether A and B hold whole numbers from 0 to 9.
    pub digits: bool,
}

/// The setting before the first scene: `tiled` on matrices of 64, and the command line's defaults.
impl Default for Setting {
    fn default() -> Self {
        Self {
            kernel: KernelFrom::Catalogue("tiled".to_owned()),
            tile: None,
            size: Size::square(64),
            grid: None,
            threads: None,
            args: None,
            order: None,
            rolled: false,
            defines: Vec::new(),
            changes: Vec::new(),
            block: BlockChoice::default(),
            warp: None,
            digits: false,
        }
    }
}

/// Where a lesson's kernel comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelFrom {
    /// The catalogue, by its name.
    Catalogue(String),
    /// A file of the lesson's folder, read when the lesson was: its name and its text, CUDA C, or
    /// PTX if the name ends so.
    File { name: String, text: String },
}

/// The block that is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockChoice {
    /// The one in the middle of the grid.
    #[default]
    Middle,
    /// The last of the grid, at the lower right edge of C.
    Corner,
    First,
    At(Dim3),
}

impl BlockChoice {
    /// Those that have a name, as lessons and queries write it.
    pub const NAMED: [(&str, Self); 3] =
        [("middle", Self::Middle), ("corner", Self::Corner), ("first", Self::First)];

    pub fn of(self, grid: Dim3) -> Dim3 {
        let last = |count: u32| count.saturating_sub(1);
        match self {
            Self::Middle => grid.middle(),
            Self::Corner => Dim3::new(last(grid.x), last(grid.y), last(grid.z)),
            Self::First => Dim3::at(0, 0),
            Self::At(block) => block,
        }
    }
}
