//! The order that mbarriers and the barrier of a cluster establish, and blocks that exit while others
//! access their memory.

use super::cluster::{CheckedClusterBarrier, Remote};
use super::transfers;
use crate::analysis::check::Checker;
use crate::analysis::check::epoch::{IN_FLIGHT, ThreadId};
use crate::analysis::check::finding::{
    AccessKind, Finding, FindingKind, MemoryAddress, Participant,
};
use crate::analysis::check::thread_clock::ThreadClock;
use crate::analysis::check::touch::{PastAccess, Touch, WarpAccess};
use crate::sim::in_flight::{AsyncTransfer, LandedTransfer, MbarrierStep};
use crate::sim::{Access, Direction, LaneMask, Machine, Pc, Route};
use ptx::{AsyncOp, MbarrierOp, Op, Space};

/// Size of an mbarrier in bytes.
const BYTES: u8 = 8;

impl Checker {
    /// Lanes of a warp have operated on mbarriers.
    pub(in crate::analysis::check) fn mbarrier(&mut self, machine: &Machine, done: &MbarrierStep) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let Op::Async(AsyncOp::Mbarrier(operation)) = &self.program.inst(pc).op else { return };
        let op = operation.op;
        self.landed(machine, &done.copied);
        done.landed.iter().for_each(|landed| self.transfer_landed(landed));
        let touch = match op {
            MbarrierOp::Init | MbarrierOp::Invalidate => Touch::Store,
            _ => Touch::Atomic,
        };
        let (active, addrs) = (step.active, done.addrs.map(u64::from));
        let among = Route::Distributed { far: active, single: false };
        let route = if self.blocks.is_single() { Route::Lanes } else { among };
        let (space, direction) = (Space::Shared, Direction::Atomic);
        let access = Access { space, direction, bytes: BYTES, route, active, addrs };
        self.access(machine, &access, touch, None);
        match op {
            MbarrierOp::Init => {
                for (lane, addr) in access.touched() {
                    let (thread, epoch) = (ThreadId::new(warp, lane), self.clock.now());
                    let past = PastAccess { thread, epoch, pc, touch };
                    self.in_flight.mbarriers.object(addr as u32).init = Some(past);
                    self.in_flight.mbarriers.object(addr as u32).phases.clear();
                }
            }
            MbarrierOp::Arrive { releases: true, .. } | MbarrierOp::CopiesArrive { .. } => {
                let began = self.began[warp];
                for (at, lanes) in together(done, active) {
                    let by = (warp, lanes, lanes == began);
                    self.in_flight.mbarriers.release(&mut self.clock, at, by);
                }
            }
            MbarrierOp::Test { acquires: true, .. } => {
                let live = machine.live(warp);
                for (at, lanes) in together(done, done.complete) {
                    if self.in_flight.untested.contains(&pc) {
                        self.in_flight.mbarriers.leave_untested(at, (warp, lanes), pc);
                        continue;
                    }
                    let by = (warp, lanes, lanes == live);
                    self.in_flight.mbarriers.acquire(&mut self.clock, at, by);
                }
            }
            _ => {}
        }
    }

    /// A transfer has landed, and its bytes are counted.
    fn transfer_landed(&mut self, LandedTransfer { copy, phase }: &LandedTransfer) {
        let Some(addr) = copy.mbarrier else { return };
        self.in_flight.stores.land(copy);
        // An atomic update counted as one from the start.
        if copy.reduces.is_none() {
            for access in transfers::accesses(copy) {
                self.shared.land(&self.clock, &access);
            }
        }
        let engine = self.in_flight.mbarriers.engine(addr);
        self.copy_has_come(engine, addr);
        self.in_flight.mbarriers.landed(&mut self.clock, (addr, *phase));
    }

    /// A transfer to shared memory begins, which will signal the mbarrier at `addr`.
    pub(in crate::analysis::check) fn begin_incoming(
        &mut self,
        machine: &Machine,
        copy: &AsyncTransfer,
        addr: u32,
    ) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let copier = ThreadId::new(warp, copy.lane.into());
        let engine = self.in_flight.mbarriers.engine(addr);
        self.in_flight.mbarriers.object(addr).copier = copier;
        self.reach_by_copy((copier, engine), pc, addr);
        self.sees_init(addr, PastAccess { thread: copier, epoch: 0, pc, touch: Touch::Copy });
        let mut hits = Vec::new();
        for access in transfers::pieces(copy) {
            let touch = if copy.reduces.is_some() { Touch::Atomic } else { Touch::Copy };
            let act = transfers::act(warp, pc, touch, &access);
            self.shared.write_as(&self.clock, &act, engine, &mut hits);
        }
        for hit in hits {
            self.report(Space::Shared, step, Touch::Copy, hit);
        }
        for access in transfers::accesses(copy) {
            self.overwrites_factor(step, &access);
        }
    }

    /// The async proxy must see the initialisation of the mbarrier that it signals.
    fn sees_init(&mut self, addr: u32, copy: PastAccess) {
        let Some(init) = self.in_flight.mbarriers.object(addr).init.take() else { return };
        let (clock, write) = (&self.clock, (init.thread, init.epoch));
        let shown = self.in_flight.proxy.show(clock, copy.thread, write)
            || self.in_flight.init_fences.show(clock, copy.thread, write)
            || self.sees_init_of(init, copy.thread);
        if !shown {
            let place = Some(MemoryAddress { space: Space::Shared, addr: addr.into() });
            let sides = vec![self.side(init), self.side(copy)];
            self.add_found(FindingKind::MissingProxyFence, place, sides);
        }
    }
}

/// The lanes of a set, by mbarrier and phase.
fn together(done: &MbarrierStep, lanes: LaneMask) -> Vec<((u32, u32), LaneMask)> {
    let mut groups: Vec<((u32, u32), LaneMask)> = Vec::new();
    for lane in lanes.lanes() {
        let (at, one) = ((done.addrs[lane], done.phases[lane]), LaneMask(1 << lane));
        match groups.iter_mut().find(|(of, _)| *of == at) {
            Some((_, lanes)) => *lanes = lanes.or(one),
            None => groups.push((at, one)),
        }
    }
    groups
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
        let CheckedClusterBarrier { phases, came } = &mut self.in_flight.cluster_barrier;
        if waits {
            let Some(of) = phases.get(&phase) else { return };
            came.entry(warp).or_default().join(&of.came);
            if !orders {
                return;
            }
            if lanes == machine.live(warp) {
                self.clock.learn_as_warp(warp, &of.released);
            } else {
                let threads = lanes.lanes().map(|lane| ThreadId::new(warp, lane));
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
            let threads = lanes.lanes().map(|lane| ThreadId::new(warp, lane));
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
    pub(in crate::analysis::check) fn sees_init_of(
        &self,
        init: PastAccess,
        thread: ThreadId,
    ) -> bool {
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
    pub(in crate::analysis::check) fn reach(&mut self, act: &WarpAccess<'_>) {
        let own = self.blocks.rank_of(act.warp as u16);
        for (lane, addr) in act.access.touched() {
            let (rank, _) = self.blocks.of_shared(addr);
            if rank != own {
                let thread = ThreadId::new(act.warp, lane);
                let past =
                    PastAccess { thread, epoch: self.clock.now(), pc: act.pc, touch: act.touch };
                self.in_flight
                    .remote
                    .last
                    .insert((rank, thread), Remote { past, by: thread, addr });
            }
        }
    }

    /// A transfer begins to write the shared memory of another block.
    pub(in crate::analysis::check) fn reach_by_copy(
        &mut self,
        (by, engine): (ThreadId, ThreadId),
        pc: Pc,
        addr: u32,
    ) {
        let (rank, _) = self.blocks.of_shared(addr.into());
        if rank != self.blocks.rank_of(by.warp() as u16) {
            let past = PastAccess { thread: engine, epoch: IN_FLIGHT, pc, touch: Touch::Copy };
            self.in_flight
                .remote
                .last
                .insert((rank, engine), Remote { past, by, addr: addr.into() });
        }
    }

    /// The transfers of an engine to the block of this mbarrier have landed.
    pub(in crate::analysis::check) fn copy_has_come(&mut self, engine: ThreadId, addr: u32) {
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
            lanes.lanes().any(|lane| clock.ordered(ThreadId::new(warp.into(), lane), thread, epoch))
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
            let access = self.side(PastAccess { thread: by, ..past });
            let thread = ThreadId::new(warp.into(), lanes.lanes().next().unwrap_or(0));
            let exit = PastAccess { thread, epoch: self.clock.now(), pc, touch: Touch::Load };
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
