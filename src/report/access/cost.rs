//! The cost of accesses to one space.

use crate::analysis::banks::{self, Wavefronts};
use crate::analysis::coalesce::{self, Sectors};
use crate::sim::Access;
use ptx::Space;

/// The cost of accesses to one space.
pub(super) enum AccessCost {
    Global(Sectors),
    Shared(Wavefronts),
}

impl AccessCost {
    pub(super) fn of<'a>(space: Space, accesses: impl IntoIterator<Item = &'a Access>) -> Self {
        let accesses = accesses.into_iter();
        match space {
            Space::Shared | Space::Distributed => {
                Self::Shared(accesses.map(banks::wavefronts).sum())
            }
            Space::Global | Space::Local | Space::Generic | Space::Param | Space::Const => {
                Self::Global(accesses.map(coalesce::sectors).sum())
            }
        }
    }
}
