//! The changed source of a kernel of the catalogue.

use super::shared_tile::SharedTile;
use super::user_kernel::Source;

/// The changed source of a kernel of the catalogue, which is launched as the catalogue launches it.
#[derive(Clone, Debug)]
pub struct Changed {
    pub source: Source,
    /// The tiles in shared memory, laid out as a run has shown them; those that hold something else
    /// are left out.
    pub(super) shared: Vec<SharedTile>,
}
