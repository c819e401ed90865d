//! The cost of an access, in the unit of its space.

use super::{banks, coalesce};
use crate::ptx::Space;
use crate::sim::Access;

/// What an access costs in the unit of its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// 32-byte sectors of global memory.
    Sectors(u32),
    /// Passes through the banks of shared memory, and how few would do.
    Wavefronts {
        /// Passes.
        wavefronts: u32,
        /// How few would do: see [`banks::Wavefronts::ideal`].
        ideal: u32,
        /// Bank conflicts.
        conflicts: u32,
    },
    /// Local memory, constants and parameters have no cost here.
    None,
}

impl Cost {
    /// Counts anew.
    pub fn of(access: &Access) -> Self {
        match access.space {
            Space::Global => Self::Sectors(coalesce::sectors(access).sectors),
            Space::Shared => {
                let banks::Wavefronts { wavefronts, ideal, conflicts, .. } =
                    banks::wavefronts(access);
                Self::Wavefronts { wavefronts, ideal, conflicts }
            }
            Space::Local | Space::Param | Space::Const | Space::Generic => Self::None,
        }
    }
}
