//! What is in flight in a block, as the checker follows it.

use super::cluster::{CheckedClusterBarrier, RemoteAccesses};
use super::copies::CheckedCopies;
use super::mbarriers::CheckedMbarriers;
use super::proxy::ProxyFences;
use super::transfers::OutgoingTransfers;
use super::wgmma::CheckedWgmma;
use crate::analysis::check::epoch::{Epoch, ThreadId};
use crate::analysis::check::sync_points;
use crate::sim::{Machine, Pc};
use std::collections::BTreeSet;

/// What is in flight in the running block, and what is known of it.
#[derive(Debug)]
pub(in crate::analysis::check) struct CheckedInFlight {
    pub(super) copies: CheckedCopies,
    /// `None` if the program has no `wgmma`.
    pub(super) wgmma: Option<CheckedWgmma>,
    pub(super) mbarriers: CheckedMbarriers,
    /// The waits at mbarriers whose result decides on nothing.
    pub(super) untested: BTreeSet<Pc>,
    pub(super) stores: OutgoingTransfers,
    pub(super) cluster_barrier: CheckedClusterBarrier,
    pub(super) remote: RemoteAccesses,
    pub(super) proxy: ProxyFences,
    /// Fences of the initialisation of mbarriers alone.
    pub(super) init_fences: ProxyFences,
}

impl CheckedInFlight {
    /// For blocks like `machine`.
    pub(in crate::analysis::check) fn new(machine: &Machine) -> Self {
        Self {
            copies: CheckedCopies::default(),
            wgmma: CheckedWgmma::new(machine),
            mbarriers: CheckedMbarriers::default(),
            untested: sync_points::untested_waits(machine.program()),
            stores: OutgoingTransfers::default(),
            cluster_barrier: CheckedClusterBarrier::default(),
            remote: RemoteAccesses::default(),
            proxy: ProxyFences::default(),
            init_fences: ProxyFences::default(),
        }
    }

    /// Begins a block of so many warps.
    pub(in crate::analysis::check) fn start(&mut self, warps: usize) {
        self.copies.start();
        self.mbarriers.start();
        self.stores.start();
        self.proxy.start(warps);
        self.init_fences.start(warps);
        self.wgmma.iter_mut().for_each(|products| products.start(warps));
        self.cluster_barrier.start();
        self.remote.start();
    }

    /// Whether the program has `wgmma` instructions.
    pub(in crate::analysis::check) const fn has_products(&self) -> bool {
        self.wgmma.is_some()
    }

    /// The thread that started what `thread` does, if that is an engine; or else itself.
    pub(in crate::analysis::check) fn starter(&self, thread: ThreadId) -> ThreadId {
        self.mbarriers.copier(thread).unwrap_or(thread)
    }

    /// The wait that would have made an access known to `thread`, if its result were tested.
    pub(in crate::analysis::check) fn untested_wait(
        &self,
        thread: ThreadId,
        past: (ThreadId, Epoch),
    ) -> Option<Pc> {
        self.mbarriers.untested_wait(thread, past)
    }
}
