//! The checker's part in what is in flight: the order that waiting for it establishes, and memory and
//! registers that it still uses.
//!
//! ```text
//! copies      memory that `cp.async` still reads
//! wgmma       registers and memory that the tensor cores use meanwhile
//! mbarriers   the order that mbarriers establish, also for transfers
//! bulk        memory that transfers still read
//! cluster     the order that the barrier of a cluster establishes, and blocks that exit while others
//!             access their memory
//! proxy       writes that are visible to tensor cores and transfers
//! ```

mod bulk;
mod cluster;
mod copies;
mod mbarriers;
mod proxy;
mod wgmma;

use super::epoch::{Epoch, Thread};
use super::{Checker, sync_points};
use crate::sim::{AsyncEffect, Machine, Pc};
use bulk::BulkStores;
use cluster::{ClusterBarrier, RemoteAccesses};
use copies::Copies;
use mbarriers::Mbarriers;
use proxy::ProxyFences;
use ptx::{AsyncOp, Op};
use std::collections::BTreeSet;
use wgmma::WgmmaInFlight;

/// What is in flight in the running block, and what is known of it.
#[derive(Debug)]
pub(super) struct InFlight {
    copies: Copies,
    /// `None` if the program has no `wgmma`.
    wgmma: Option<WgmmaInFlight>,
    mbarriers: Mbarriers,
    /// The waits at mbarriers whose result decides on nothing.
    untested: BTreeSet<Pc>,
    stores: BulkStores,
    cluster_barrier: ClusterBarrier,
    remote: RemoteAccesses,
    proxy: ProxyFences,
    /// Fences of the initialisation of mbarriers alone.
    init_fences: ProxyFences,
}

impl InFlight {
    /// For blocks like `machine`.
    pub(super) fn new(machine: &Machine) -> Self {
        Self {
            copies: Copies::default(),
            wgmma: WgmmaInFlight::new(machine),
            mbarriers: Mbarriers::default(),
            untested: sync_points::untested_waits(machine.program()),
            stores: BulkStores::default(),
            cluster_barrier: ClusterBarrier::default(),
            remote: RemoteAccesses::default(),
            proxy: ProxyFences::default(),
            init_fences: ProxyFences::default(),
        }
    }

    /// Begins a block of so many warps.
    pub(super) fn start(&mut self, warps: usize) {
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
    pub(super) const fn has_products(&self) -> bool {
        self.wgmma.is_some()
    }

    /// The thread that started what `thread` does, if that is an engine; or else itself.
    pub(super) fn starter(&self, thread: Thread) -> Thread {
        self.mbarriers.copier(thread).unwrap_or(thread)
    }

    /// The wait that would have made an access known to `thread`, if its result were tested.
    pub(super) fn untested_wait(&self, thread: Thread, past: (Thread, Epoch)) -> Option<Pc> {
        self.mbarriers.untested_wait(thread, past)
    }
}

impl Checker {
    /// Handles an effect of what is in flight.
    pub(super) fn asynchronous(&mut self, machine: &Machine, effect: &AsyncEffect) {
        match effect {
            AsyncEffect::Copy(both) => self.copy(machine, both),
            AsyncEffect::Landed(stores) => self.landed(machine, stores),
            AsyncEffect::Mbarrier(done) => self.mbarrier(machine, done),
            AsyncEffect::Transfers(started) => self.transfers(machine, started),
            AsyncEffect::ClusterBarrier { waits, phase } => {
                self.cluster_barrier(machine, *waits, *phase);
            }
            AsyncEffect::Wgmma { .. } | AsyncEffect::WgmmaCompleted { .. } => {}
        }
    }

    /// Handles an instruction that has no effect but to order what is in flight.
    pub(super) fn order_in_flight(&mut self, machine: &Machine) {
        let step = machine.last();
        let (warp, lanes) = (usize::from(step.warp), step.active);
        match self.program.inst(step.pc).op {
            Op::Async(AsyncOp::ProxyFence) => {
                self.in_flight.proxy.fence(&mut self.clock, warp, lanes);
            }
            Op::Async(AsyncOp::MbarrierFence) => {
                self.in_flight.init_fences.fence(&mut self.clock, warp, lanes);
            }
            Op::Async(AsyncOp::BulkGroup { group, .. }) => self.transfer_group(machine, group),
            _ => {}
        }
    }
}
