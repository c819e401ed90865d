//! Memory that asynchronous copies still read: the source of a `cp.async`, until its thread has
//! waited for it.

use crate::analysis::check::epoch::{Epoch, ThreadId};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::touch::{PastAccess, Touch};
use crate::sim::{Access, Pc};

/// The copies of a block that are in flight and read memory that the kernel also writes.
#[derive(Debug, Default)]
pub(super) struct CheckedCopies {
    pub(super) flying: Vec<CopyInFlight>,
}

/// One copy instruction of a warp, with those of its lanes that have not landed.
#[derive(Debug)]
pub(super) struct CopyInFlight {
    pub(super) warp: usize,
    pub(super) pc: Pc,
    pub(super) epoch: Epoch,
    pub(super) from: Access,
    pub(super) into: Access,
}

impl CheckedCopies {
    pub(super) fn start(&mut self) {
        self.flying.clear();
    }

    /// Removes the lanes of `store`, which the warp has waited for, from the copies in flight.
    /// Returns the copy instruction and the landed part of its source access.
    pub(super) fn land(&mut self, warp: usize, store: &Access) -> Option<(Pc, Access)> {
        let is_of = |copy: &&mut CopyInFlight| {
            let lanes = copy.into.active.and(store.active);
            copy.warp == warp && copy.into.addrs == store.addrs && lanes == store.active
        };
        let copy = self.flying.iter_mut().find(is_of)?;
        let active = copy.from.active.and(store.active);
        let landed = (copy.pc, Access { active, ..copy.from.clone() });
        copy.into.active = copy.into.active.without(store.active);
        copy.from.active = copy.from.active.without(store.active);
        self.flying.retain(|copy| !copy.into.active.is_empty());
        Some(landed)
    }

    /// Finds a copy that was issued before `access` and still reads what a lane of it writes: the
    /// address, that lane, and the copying thread's access.
    pub(super) fn met(
        &self,
        clock: &HappensBefore,
        warp: usize,
        access: &Access,
    ) -> Option<(u64, usize, PastAccess)> {
        access.touched().find_map(|(lane, addr)| {
            let writer = ThreadId::new(warp, lane);
            self.flying.iter().find_map(|copy| {
                let before =
                    |of: usize| clock.ordered(writer, ThreadId::new(copy.warp, of), copy.epoch);
                let meets = |from: u64| {
                    addr < from + u64::from(copy.from.bytes)
                        && from < addr + u64::from(access.bytes)
                };
                let mut reads = copy.from.touched();
                let (of, from) = reads.find(|(of, from)| meets(*from) && before(*of))?;
                let thread = ThreadId::new(copy.warp, of);
                let past =
                    PastAccess { thread, epoch: copy.epoch, pc: copy.pc, touch: Touch::Copy };
                Some((addr.max(from), lane, past))
            })
        })
    }
}
