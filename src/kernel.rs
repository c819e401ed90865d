//! The catalogue: one row per kernel of `kernels/`; and kernels from anywhere else.

mod args;
mod assumed;
mod call;
mod catalogue;
mod declared;
mod definition;
mod entry;
mod foreign;
mod hash;
mod misfit;
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
pub use definition::Kernel;
pub use entry::source_name;
pub use foreign::{Foreign, ROW, Source, Wanted};
pub use hash::{sha256, sha256_of};
pub use misfit::Misfit;
pub use owned::Owned;
pub use problem::{FOREIGN_ROUND, Problem, Which};
pub use staged::Staged;
pub use tile::{EMBEDDED_TILES, MAX_TILE, NoTile, Tile};
pub use variant::Variant;

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
