//! The checker's part in mbarriers: their operations are accesses of their memory, and order others.

use crate::analysis::check::epoch::Thread;
use crate::analysis::check::finding::{FindingKind, MemoryAddress};
use crate::analysis::check::touch::{Past, Touch};
use crate::analysis::check::{Checker, bulk};
use crate::sim::{Access, BulkStarted, Direction, Landed, LaneMask, Machine, MbarrierStep, Route};
use ptx::{MbarrierOp, MemoryOp, Op, Space};

/// Size of an mbarrier in bytes.
const BYTES: u8 = 8;

impl Checker {
    /// Lanes of a warp have operated on mbarriers.
    pub(in crate::analysis::check) fn mbarrier(&mut self, machine: &Machine, done: &MbarrierStep) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let Op::Memory(MemoryOp::Mbarrier(operation)) = &self.program.inst(pc).op else { return };
        let op = operation.op;
        self.landed(machine, &done.copied);
        done.landed.iter().for_each(|landed| self.bulk_landed(landed));
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
                    let (thread, epoch) = (Thread::new(warp, lane), self.clock.now());
                    let past = Past { thread, epoch, pc, touch };
                    self.mbarriers.object(addr as u32).init = Some(past);
                    self.mbarriers.object(addr as u32).phases.clear();
                }
            }
            MbarrierOp::Arrive { releases: true, .. } | MbarrierOp::CopiesArrive { .. } => {
                let began = self.began[warp];
                for (at, lanes) in together(done, active) {
                    let by = (warp, lanes, lanes == began);
                    self.mbarriers.release(&mut self.clock, at, by);
                }
            }
            MbarrierOp::Test { acquires: true, .. } => {
                let live = machine.live(warp);
                for (at, lanes) in together(done, done.complete) {
                    if self.untested.contains(&pc) {
                        self.mbarriers.leave_untested(at, (warp, lanes), pc);
                        continue;
                    }
                    let by = (warp, lanes, lanes == live);
                    self.mbarriers.acquire(&mut self.clock, at, by);
                }
            }
            _ => {}
        }
    }

    /// A bulk copy has landed, and its bytes are counted.
    fn bulk_landed(&mut self, Landed { copy, phase }: &Landed) {
        let Some(addr) = copy.mbarrier else { return };
        self.stores.land(copy);
        // An atomic update counted as one from the start.
        if copy.reduces.is_none() {
            for access in bulk::accesses(copy) {
                self.shared.land(&self.clock, &access);
            }
        }
        let engine = self.mbarriers.engine(addr);
        self.copy_has_come(engine, addr);
        self.mbarriers.landed(&mut self.clock, (addr, *phase));
    }

    /// A bulk copy to shared memory begins, which will signal the mbarrier at `addr`.
    pub(in crate::analysis::check) fn begin_bulk_load(
        &mut self,
        machine: &Machine,
        copy: &BulkStarted,
        addr: u32,
    ) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let copier = Thread::new(warp, copy.lane.into());
        let engine = self.mbarriers.engine(addr);
        self.mbarriers.object(addr).copier = copier;
        self.reach_by_copy((copier, engine), pc, addr);
        self.sees_init(addr, Past { thread: copier, epoch: 0, pc, touch: Touch::Copy });
        let mut hits = Vec::new();
        for access in bulk::pieces(copy) {
            let touch = if copy.reduces.is_some() { Touch::Atomic } else { Touch::Copy };
            let act = bulk::act(warp, pc, touch, &access);
            self.shared.write_as(&self.clock, &act, engine, &mut hits);
        }
        for hit in hits {
            self.report(Space::Shared, step, Touch::Copy, hit);
        }
        for access in bulk::accesses(copy) {
            self.overwrites_factor(step, &access);
        }
    }

    /// The async proxy must see the initialisation of the mbarrier that it signals.
    fn sees_init(&mut self, addr: u32, copy: Past) {
        let Some(init) = self.mbarriers.object(addr).init.take() else { return };
        let (clock, write) = (&self.clock, (init.thread, init.epoch));
        let shown = self.proxy.show(clock, copy.thread, write)
            || self.init_fences.show(clock, copy.thread, write)
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
