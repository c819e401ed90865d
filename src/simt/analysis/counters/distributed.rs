//! Counts of what reaches the shared memory of other blocks of a cluster.

use super::{Counters, Distributed};
use crate::analysis::vectorise::Instead;
use crate::sim::{Access, BulkOther, BulkStarted, Direction, LaneMask, Route};
use ptx::Space;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Counters {
    /// Adds an access that reaches the shared memory of other blocks. Its lanes in their own block's
    /// are an access of their own there, which hardware counts beside it.
    #[cold]
    pub(super) fn add_distributed(&mut self, access: &Access) {
        if !matches!(access.route, Route::Distributed { single: true, .. }) {
            self.both().into_iter().for_each(|shared| shared.distributed.uncounted += 1);
            return;
        }
        let [near, far] = access.near_and_far();
        self.add_access(&near, Instead::default());
        for shared in self.both() {
            let Distributed { loads, stores, atomics, .. } = &mut shared.distributed;
            match far.direction {
                Direction::Load => loads.add(&far),
                Direction::Store => stores.add(&far),
                Direction::Atomic => atomics.add(&far),
            }
        }
    }

    /// Adds bulk copies, and the asynchronous stores of a warp's lanes, which are a request, whichever
    /// block's shared memory each reaches (on an H100 also the thread's own).
    pub(super) fn add_bulk(&mut self, started: &[Arc<BulkStarted>]) {
        let (sent, copied): (Vec<_>, Vec<_>) =
            started.iter().partition(|copy| copy.other == BulkOther::Registers);
        for copy in copied {
            self.ptx.bulk.add(copy);
        }
        let Some(first) = sent.first() else { return };
        let mut all = Access {
            space: Space::Shared,
            direction: Direction::Store,
            bytes: first.each,
            route: Route::Lanes,
            active: LaneMask::NONE,
            addrs: [0; 32],
        };
        for copy in &sent {
            let lane = usize::from(copy.lane);
            all.active.0 |= 1 << lane;
            all.addrs[lane] = copy.pieces.first().map_or(0, |piece| piece.shared.into());
        }
        let words: BTreeSet<_> = all.touched().map(|(_, addr)| addr).collect();
        for shared in self.both() {
            let Distributed { stores, reductions, uncounted, .. } = &mut shared.distributed;
            match first.reduces {
                // Lanes that meet in a word are served one after the other.
                _ if words.len() < sent.len() => *uncounted += 1,
                None => stores.add(&all),
                Some(_) => reductions.add(&all),
            }
        }
    }
}

impl Distributed {
    /// All accesses, counted or not.
    pub const fn all(&self) -> u64 {
        let Self { loads, stores, atomics, reductions, uncounted } = self;
        loads.requests + stores.requests + atomics.requests + reductions.requests + *uncounted
    }
}
