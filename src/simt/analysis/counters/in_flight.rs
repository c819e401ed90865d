//! Counts of what is in flight, and of what reaches the shared memory of other blocks.

use super::{CopyCounts, Counters, Distributed, TransferCounts};
use crate::analysis::async_copy;
use crate::analysis::vectorise::Replacement;
use crate::sim::{Access, AsyncEffect, AsyncTransfer, Direction, LaneMask, OtherEnd, Route};
use ptx::Space;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Counters {
    pub(super) fn add_async(&mut self, effect: &AsyncEffect) {
        match effect {
            AsyncEffect::Wgmma { multiply_adds, reads, of_a, leads } => {
                self.ptx.tensor.instructions += 1;
                self.ptx.tensor.multiply_adds += u64::from(*multiply_adds);
                self.add_product(*leads, reads.split_at((*of_a).into()));
            }
            AsyncEffect::Copy(copy) => self.add_copy(copy),
            AsyncEffect::Transfers(started) => self.add_transfers(started),
            AsyncEffect::ClusterBarrier { waits, .. } => self.ptx.barriers += u64::from(*waits),
            AsyncEffect::Landed(_)
            | AsyncEffect::Mbarrier(_)
            | AsyncEffect::WgmmaCompleted { .. } => {}
        }
    }

    /// An asynchronous copy counts as a global load when it begins, as hardware counts it (on an
    /// H200 in `l1tex__t_requests_pipe_lsu_mem_global_op_ld`), and neither as a shared load nor as
    /// a shared store; its passes are counted at the same time.
    fn add_copy(&mut self, copy: &[Access; 2]) {
        let [from, into] = copy;
        if into.active.is_empty() {
            return;
        }
        let cost = async_copy::cost(copy);
        for global in [&mut self.ptx.global, &mut self.sass_global] {
            global.loads.requests += u64::from(!from.active.is_empty());
            global.loads.sectors += u64::from(cost.sectors);
        }
        for shared in self.both() {
            shared.copies.add(1, cost.wavefronts, cost.ideal);
            shared.copies_uncertain += u64::from(cost.uncertain);
        }
    }

    /// Adds the tensor cores' reads of shared memory for a `wgmma`: each warp's rows of a, and b
    /// once for the four warps of a warpgroup, counted with the first of them. A pass brings eight
    /// pieces, however they lie: measured on an H200 with 17 layouts, one instruction per launch
    /// (`sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma`).
    fn add_product(&mut self, leads: bool, (a, b): (&[Access], &[Access])) {
        let pieces = |reads: &[Access]| reads.iter().map(|read| read.active.count()).sum::<u32>();
        let of_b = if leads { pieces(b) } else { 0 };
        let passes = (pieces(a) + of_b) / 8;
        self.both().into_iter().for_each(|shared| shared.wgmma.add(1, passes, passes));
    }

    /// Adds an access that reaches the shared memory of other blocks. Its lanes in their own block's
    /// are an access of their own there, which hardware counts beside it.
    #[cold]
    pub(super) fn add_distributed(&mut self, access: &Access) {
        if !matches!(access.route, Route::Distributed { single: true, .. }) {
            self.both().into_iter().for_each(|shared| shared.distributed.uncounted += 1);
            return;
        }
        let [near, far] = access.near_and_far();
        self.add_access(&near, Replacement::default());
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
    fn add_transfers(&mut self, started: &[Arc<AsyncTransfer>]) {
        let (sent, copied): (Vec<_>, Vec<_>) =
            started.iter().partition(|copy| copy.other == OtherEnd::Registers);
        for copy in copied {
            self.ptx.transfers.add(copy);
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

impl TransferCounts {
    fn add(&mut self, copy: &AsyncTransfer) {
        let CopyCounts { copies, sectors } = match (copy.other, copy.mbarrier) {
            (OtherEnd::Global, Some(_)) => &mut self.loads,
            (OtherEnd::Global, None) => &mut self.stores,
            (OtherEnd::Shared | OtherEnd::Registers, _) => &mut self.across,
        };
        *copies += 1;
        *sectors += u64::from(copy.sectors());
    }
}

impl Distributed {
    /// All accesses, counted or not.
    pub const fn all(&self) -> u64 {
        let Self { loads, stores, atomics, reductions, uncounted } = self;
        loads.requests + stores.requests + atomics.requests + reductions.requests + *uncounted
    }
}
