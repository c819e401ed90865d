//! The checker's part in what is in flight: the order that waiting for it establishes, and memory and
//! registers that it still uses.
//!
//! ```text
//! state       all that follows, as one value
//! copies      memory that `cp.async` still reads
//! wgmma       registers and memory that the tensor cores use meanwhile
//! mbarriers   the order that mbarriers establish, also for transfers
//! transfers   memory that these still read
//! cluster     the order that the barrier of a cluster establishes, and blocks that exit while others
//!             access their memory
//! proxy       writes that are visible to tensor cores and transfers
//! order, overlap   what the checker makes of these
//! ```

mod cluster;
mod copies;
mod mbarriers;
mod order;
mod overlap;
mod proxy;
mod state;
mod transfers;
mod wgmma;

pub(super) use state::CheckedInFlight;

use super::Checker;
use crate::sim::{AsyncEffect, Machine};
use ptx::{AsyncOp, Op};

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
