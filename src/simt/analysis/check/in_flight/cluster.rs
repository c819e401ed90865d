//! The blocks of a cluster: the order that their barrier establishes (PTX ISA, `barrier.cluster`), and
//! accesses to the shared memory of blocks that may have exited.

use crate::analysis::check::Checker;
use crate::analysis::check::epoch::{Epoch, IN_FLIGHT, Thread};
use crate::analysis::check::finding::{
    AccessKind, Finding, FindingKind, MemoryAddress, Participant,
};
use crate::analysis::check::thread_clock::ThreadClock;
use crate::analysis::check::touch::{Act, Past, Touch};
use crate::sim::{LaneMask, Machine, Pc};
use ptx::asynchronous::MbarrierOp;
use ptx::{AsyncOp, Op, Space};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(in crate::analysis::check) struct ClusterBarrier {
    /// By the number of a phase.
    phases: BTreeMap<u32, Phase>,
    /// For each warp: what had been done before the arrivals that it has waited for, released or
    /// not.
    came: BTreeMap<usize, ThreadClock>,
}

#[derive(Debug, Default)]
struct Phase {
    /// What the arrivals have released.
    released: ThreadClock,
    /// What was done before them, `.relaxed` ones included.
    came: ThreadClock,
}

impl ClusterBarrier {
    pub(in crate::analysis::check) fn start(&mut self) {
        self.phases.clear();
        self.came.clear();
    }

    /// Whether what `thread` did at `epoch` came before an arrival for which a warp has waited.
    fn has_come(&self, warp: usize, thread: Thread, epoch: Epoch) -> bool {
        self.came.get(&warp).is_some_and(|came| came.holds(thread, epoch))
    }
}

/// Accesses to the shared memory of other blocks: by the rank of the block and the thread, the last
/// one. A thread's earlier ones come before it.
#[derive(Debug, Default)]
pub(in crate::analysis::check) struct RemoteAccesses {
    last: BTreeMap<(u32, Thread), Remote>,
    /// For each block that has live threads: the last ones to exit, and where.
    left: BTreeMap<u32, (u16, LaneMask, Pc)>,
}

/// An access to the shared memory of another block.
#[derive(Clone, Copy, Debug)]
struct Remote {
    past: Past,
    /// The thread that makes it; of a bulk copy, the one that has started it.
    by: Thread,
    addr: u64,
}

impl RemoteAccesses {
    pub(in crate::analysis::check) fn start(&mut self) {
        self.last.clear();
        self.left.clear();
    }

    /// Removes the accesses to a block that are ordered before what a thread of it does now.
    fn settle(&mut self, rank: u32, is_before: impl Fn(Thread, Epoch) -> bool) {
        self.last.retain(|(of, _), Remote { past, .. }| {
            *of != rank || !is_before(past.thread, past.epoch)
        });
    }
}

impl Checker {
    /// Lanes of a warp arrive at the barrier of the cluster, or go on after their wait.
    pub(in crate::analysis::check) fn cluster_barrier(
        &mut self,
        machine: &Machine,
        waits: bool,
        phase: u32,
    ) {
        let step = machine.last();
        let (warp, lanes) = (usize::from(step.warp), step.active);
        let op = &self.program.inst(step.pc).op;
        let orders = matches!(op, Op::Async(AsyncOp::ClusterBarrier { orders: true, .. }));
        let ClusterBarrier { phases, came } = &mut self.in_flight.cluster_barrier;
        if waits {
            let Some(of) = phases.get(&phase) else { return };
            came.entry(warp).or_default().join(&of.came);
            if !orders {
                return;
            }
            if lanes == machine.live(warp) {
                self.clock.learn_as_warp(warp, &of.released);
            } else {
                let threads = lanes.lanes().map(|lane| Thread::new(warp, lane));
                threads.for_each(|thread| self.clock.learn(thread, &of.released));
            }
            return;
        }
        self.clock.tick();
        phases.retain(|of, _| phase.wrapping_sub(*of) <= 1);
        let of = phases.entry(phase).or_default();
        let mut view = ThreadClock::default();
        if lanes == self.began[warp] {
            view = self.clock.view_of_warp(warp);
        } else {
            let threads = lanes.lanes().map(|lane| Thread::new(warp, lane));
            threads.for_each(|thread| view.join(&self.clock.view(thread)));
        }
        of.came.join(&view);
        if orders {
            of.released.join(&view);
        }
    }

    /// Whether a fence of its own has released the initialisation of an mbarrier to what `thread`
    /// does now: `fence.mbarrier_init.release.cluster`, an arrival, and a wait for that (PTX ISA,
    /// `fence.mbarrier_init`).
    pub(in crate::analysis::check) fn sees_init_of(&self, init: Past, thread: Thread) -> bool {
        let Op::Async(AsyncOp::Mbarrier(of)) = &self.program.inst(init.pc).op else {
            return false;
        };
        let mut fences =
            self.in_flight.init_fences.of(init.thread).filter(|fence| init.epoch <= *fence);
        of.op == MbarrierOp::Init
            && fences.any(|fence| {
                self.in_flight.cluster_barrier.has_come(thread.warp(), init.thread, fence)
            })
    }

    /// Lanes access the shared memory of the cluster.
    pub(in crate::analysis::check) fn reach(&mut self, act: &Act<'_>) {
        let own = self.blocks.rank_of(act.warp as u16);
        for (lane, addr) in act.access.touched() {
            let (rank, _) = self.blocks.of_shared(addr);
            if rank != own {
                let thread = Thread::new(act.warp, lane);
                let past = Past { thread, epoch: self.clock.now(), pc: act.pc, touch: act.touch };
                self.in_flight
                    .remote
                    .last
                    .insert((rank, thread), Remote { past, by: thread, addr });
            }
        }
    }

    /// A bulk copy begins to write the shared memory of another block.
    pub(in crate::analysis::check) fn reach_by_copy(
        &mut self,
        (by, engine): (Thread, Thread),
        pc: Pc,
        addr: u32,
    ) {
        let (rank, _) = self.blocks.of_shared(addr.into());
        if rank != self.blocks.rank_of(by.warp() as u16) {
            let past = Past { thread: engine, epoch: IN_FLIGHT, pc, touch: Touch::Copy };
            self.in_flight
                .remote
                .last
                .insert((rank, engine), Remote { past, by, addr: addr.into() });
        }
    }

    /// The bulk copies of an engine to the block of this mbarrier have landed.
    pub(in crate::analysis::check) fn copy_has_come(&mut self, engine: Thread, addr: u32) {
        let (rank, _) = self.blocks.of_shared(addr.into());
        if let Some(remote) = self.in_flight.remote.last.get_mut(&(rank, engine)) {
            remote.past.epoch = self.clock.now();
        }
    }

    /// Threads exit. A block must stay until the accesses of others to its shared memory are done:
    /// each must be ordered before the exit of one of its threads (CUDA Programming Guide,
    /// "Distributed Shared Memory").
    pub(in crate::analysis::check) fn leave(
        &mut self,
        machine: &Machine,
        (warp, lanes, pc): (u16, LaneMask, Pc),
    ) {
        let rank = self.blocks.rank_of(warp);
        if self.blocks.is_single() {
            return;
        }
        let clock = &self.clock;
        self.in_flight.remote.settle(rank, |thread, epoch| {
            lanes.lanes().any(|lane| clock.ordered(Thread::new(warp.into(), lane), thread, epoch))
        });
        self.in_flight.remote.left.insert(rank, (warp, lanes, pc));
        let warps = self.blocks.warps_per_block();
        let own = rank as usize * warps..(rank as usize + 1) * warps;
        if own.into_iter().all(|warp| machine.live(warp).is_empty()) {
            self.exited(rank);
        }
    }

    /// A block has exited: what is left of the accesses to its memory may come too late.
    fn exited(&mut self, rank: u32) {
        let Some((warp, lanes, pc)) = self.in_flight.remote.left.remove(&rank) else { return };
        let late: Vec<_> =
            self.in_flight.remote.last.iter().filter(|((of, _), _)| *of == rank).collect();
        let late: Vec<_> = late.into_iter().map(|(_, late)| *late).collect();
        for Remote { past, by, addr } in late {
            let access = self.side(Past { thread: by, ..past });
            let thread = Thread::new(warp.into(), lanes.lanes().next().unwrap_or(0));
            let exit = Past { thread, epoch: self.clock.now(), pc, touch: Touch::Load };
            let exit = Participant { lanes, did: AccessKind::End, ..self.side(exit) };
            let finding = Finding {
                kind: FindingKind::ExitedBeforeAccess,
                block: exit.block,
                interval: None,
                place: Some(MemoryAddress { space: Space::Shared, addr }),
                sides: vec![access, exit],
                missing: None,
                words: 0,
                blocks: 0,
            };
            self.findings.add(self.number, finding);
        }
    }
}
