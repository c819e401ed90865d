//! The blocks of a cluster: the order that their barrier establishes (PTX ISA, `barrier.cluster`), and
//! accesses to the shared memory of blocks that may have exited.

use crate::analysis::check::epoch::{Epoch, ThreadId};
use crate::analysis::check::thread_clock::ThreadClock;
use crate::analysis::check::touch::PastAccess;
use crate::sim::{LaneMask, Pc};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct CheckedClusterBarrier {
    /// By the number of a phase.
    pub(super) phases: BTreeMap<u32, ClusterPhase>,
    /// For each warp: what had been done before the arrivals that it has waited for, released or
    /// not.
    pub(super) came: BTreeMap<usize, ThreadClock>,
}

#[derive(Debug, Default)]
pub(super) struct ClusterPhase {
    /// What the arrivals have released.
    pub(super) released: ThreadClock,
    /// What was done before them, `.relaxed` ones included.
    pub(super) came: ThreadClock,
}

impl CheckedClusterBarrier {
    pub(super) fn start(&mut self) {
        self.phases.clear();
        self.came.clear();
    }

    /// Whether what `thread` did at `epoch` came before an arrival for which a warp has waited.
    pub(super) fn has_come(&self, warp: usize, thread: ThreadId, epoch: Epoch) -> bool {
        self.came.get(&warp).is_some_and(|came| came.holds(thread, epoch))
    }
}

/// Accesses to the shared memory of other blocks: by the rank of the block and the thread, the last
/// one. A thread's earlier ones come before it.
#[derive(Debug, Default)]
pub(super) struct RemoteAccesses {
    pub(super) last: BTreeMap<(u32, ThreadId), Remote>,
    /// For each block that has live threads: the last ones to exit, and where.
    pub(super) left: BTreeMap<u32, (u16, LaneMask, Pc)>,
}

/// An access to the shared memory of another block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    pub(super) past: PastAccess,
    /// The thread that makes it; of a transfer, the one that has started it.
    pub(super) by: ThreadId,
    pub(super) addr: u64,
}

impl RemoteAccesses {
    pub(super) fn start(&mut self) {
        self.last.clear();
        self.left.clear();
    }

    /// Removes the accesses to a block that are ordered before what a thread of it does now.
    pub(super) fn settle(&mut self, rank: u32, is_before: impl Fn(ThreadId, Epoch) -> bool) {
        self.last.retain(|(of, _), Remote { past, .. }| {
            *of != rank || !is_before(past.thread, past.epoch)
        });
    }
}
