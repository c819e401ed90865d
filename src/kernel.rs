//! The catalogue, one row per kernel of `kernels/`, and kernels from users.

mod args;
mod args_error;
mod assumption;
mod buffer;
mod call;
mod called;
mod catalogue;
mod compiled_by;
mod confirm;
mod declared;
mod definition;
mod dynamic_shared;
mod elements;
mod entry;
mod extent;
mod filled;
mod hash;
mod inferred;
mod launch_error;
mod launch_spec;
mod numba;
mod owned;
mod pointer;
mod problem;
mod relaunched;
mod roles;
mod rounding;
mod shared_tile;
mod signature;
mod simulate;
mod structure;
mod tensor_map;
mod tile;
mod union_find;
mod variant;

pub use args_error::{ArgsError, NumberedParameter, filled_words};
pub use assumption::{Assumption, Assumptions, Chosen};
pub use buffer::{Buffer, BufferError, Contents, LeftWords};
pub use call::{Arg, Call};
pub use called::Called;
pub use catalogue::{BROKEN, KERNELS};
pub use compiled_by::compiled_by;
pub use definition::Kernel;
pub use dynamic_shared::{has_dynamic_shared, ignores_dynamic_shared};
pub use entry::{find as find_entry, instance_name, is_instance, source_name};
pub use extent::SizeName;
pub use filled::{Filled, Filling};
pub use hash::{sha256, sha256_of};
pub use inferred::{element_type, names_product, operand_of};
pub use launch_error::LaunchError;
pub use launch_spec::{HostArguments, LaunchSpec};
pub use owned::Owned;
pub use problem::{Batch, CatalogueEntry, Goal, Problem, Source, UNTILED_ROUND};
pub use shared_tile::SharedTile;
pub use signature::elements_named;
pub use simulate::ROW;
pub use tensor_map::{TensorMapArg, TensorMapError};
pub use tile::{EMBEDDED_TILES, MAX_TILE, ParseTileError, Tile};
pub use variant::Variant;

/// Every kernel, sound or broken.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().chain(BROKEN)
}

/// Lists the tiles with which the kernel called `name` can be launched, as text.
pub fn tiles_of(name: &str) -> String {
    find(name).map_or_else(|| "none".to_owned(), Kernel::tiles)
}

/// The kernel called `name`.
pub fn find(name: &str) -> Option<&'static Kernel> {
    all().find(|kernel| kernel.name == name)
}
