//! The order that mbarriers establish: a wait for a phase is ordered after the arrivals and the
//! copies that completed it (PTX ISA, `mbarrier.arrive`, `mbarrier.test_wait`).

use super::bulk;
use crate::analysis::check::Checker;
use crate::analysis::check::epoch::{Epoch, Thread};
use crate::analysis::check::finding::{FindingKind, MemoryAddress};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::thread_clock::ThreadClock;
use crate::analysis::check::touch::{Past, Touch};
use crate::sim::in_flight::{AsyncTransfer, Landed, MbarrierStep};
use crate::sim::{Access, Direction, LaneMask, Machine, Pc, Route};
use ptx::asynchronous::MbarrierOp;
use ptx::{AsyncOp, Op, Space};
use std::collections::BTreeMap;

/// The mbarriers of a block.
#[derive(Debug, Default)]
pub(in crate::analysis::check) struct Mbarriers {
    /// In the order of their first use.
    objects: Vec<Object>,
    /// What waits whose result nothing tests would have made known: the last one of each warp at each
    /// instruction, and its lanes.
    untested: BTreeMap<(usize, Pc), (LaneMask, ThreadClock)>,
}

#[derive(Debug)]
struct Object {
    /// Its address in shared memory.
    addr: u32,
    /// Its initialisation, as long as no copy is known to see it.
    init: Option<Past>,
    /// The thread that last started a copy that signals it.
    copier: Thread,
    /// By the number of a phase: what its arrivals and its copies have released.
    phases: BTreeMap<u32, ThreadClock>,
}

impl Mbarriers {
    pub(in crate::analysis::check) fn start(&mut self) {
        self.objects.clear();
        self.untested.clear();
    }

    /// The thread as which the copies appear that signal an mbarrier.
    fn engine(&mut self, addr: u32) -> Thread {
        Thread::engine(self.index(addr))
    }

    /// The thread that started the last copy of an engine.
    pub(in crate::analysis::check) fn copier(&self, engine: Thread) -> Option<Thread> {
        self.objects.get(engine.engine_number()?).map(|object| object.copier)
    }

    fn index(&mut self, addr: u32) -> usize {
        let known = self.objects.iter().position(|object| object.addr == addr);
        known.unwrap_or_else(|| {
            let (init, copier, phases) = (None, Thread::new(0, 0), BTreeMap::new());
            self.objects.push(Object { addr, init, copier, phases });
            self.objects.len() - 1
        })
    }

    fn object(&mut self, addr: u32) -> &mut Object {
        let index = self.index(addr);
        &mut self.objects[index]
    }

    /// `lanes` of a warp arrive in a phase and release what they did; `whole` if they are all lanes
    /// that the warp began with.
    fn release(
        &mut self,
        clock: &mut HappensBefore,
        (addr, phase): (u32, u32),
        (warp, lanes, whole): (usize, LaneMask, bool),
    ) {
        clock.tick();
        let released = &mut self.object(addr).phases;
        released.retain(|of, _| phase.wrapping_sub(*of) <= 1);
        let released = released.entry(phase).or_default();
        if whole {
            released.join(&clock.view_of_warp(warp));
        } else {
            lanes.lanes().for_each(|lane| released.join(&clock.view(Thread::new(warp, lane))));
        }
    }

    /// The copies of an engine have landed in a phase.
    fn landed(&mut self, clock: &mut HappensBefore, (addr, phase): (u32, u32)) {
        clock.tick();
        let (engine, now) = (self.engine(addr), clock.now());
        self.object(addr).phases.entry(phase).or_default().threads.insert(engine, now);
    }

    /// `lanes` of a warp go on after a wait as if a phase were complete.
    fn leave_untested(
        &mut self,
        (addr, phase): (u32, u32),
        (warp, lanes): (usize, LaneMask),
        pc: Pc,
    ) {
        if let Some(released) = self.object(addr).phases.get(&phase).cloned() {
            self.untested.insert((warp, pc), (lanes, released));
        }
    }

    /// The wait that would have made an access known to `thread`, if its result were tested.
    pub(in crate::analysis::check) fn untested_wait(
        &self,
        thread: Thread,
        (by, epoch): (Thread, Epoch),
    ) -> Option<Pc> {
        let thread = self.copier(thread).unwrap_or(thread);
        let mine = |((warp, _), (lanes, _)): &(&(usize, Pc), &(LaneMask, ThreadClock))| {
            *warp == thread.warp() && lanes.has(thread.lane())
        };
        let mut waits = self.untested.iter().filter(mine);
        waits.find(|(_, (_, released))| released.holds(by, epoch)).map(|((_, pc), _)| *pc)
    }

    /// `lanes` of a warp know that a phase is complete; `whole` if they are all its live lanes.
    fn acquire(
        &mut self,
        clock: &mut HappensBefore,
        (addr, phase): (u32, u32),
        (warp, lanes, whole): (usize, LaneMask, bool),
    ) {
        let Some(released) = self.object(addr).phases.get(&phase) else { return };
        if whole {
            clock.learn_as_warp(warp, released);
        } else {
            lanes.lanes().for_each(|lane| clock.learn(Thread::new(warp, lane), released));
        }
    }
}

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

    /// A bulk copy has landed, and its bytes are counted.
    fn bulk_landed(&mut self, Landed { copy, phase }: &Landed) {
        let Some(addr) = copy.mbarrier else { return };
        self.in_flight.stores.land(copy);
        // An atomic update counted as one from the start.
        if copy.reduces.is_none() {
            for access in bulk::accesses(copy) {
                self.shared.land(&self.clock, &access);
            }
        }
        let engine = self.in_flight.mbarriers.engine(addr);
        self.copy_has_come(engine, addr);
        self.in_flight.mbarriers.landed(&mut self.clock, (addr, *phase));
    }

    /// A bulk copy to shared memory begins, which will signal the mbarrier at `addr`.
    pub(in crate::analysis::check) fn begin_bulk_load(
        &mut self,
        machine: &Machine,
        copy: &AsyncTransfer,
        addr: u32,
    ) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let copier = Thread::new(warp, copy.lane.into());
        let engine = self.in_flight.mbarriers.engine(addr);
        self.in_flight.mbarriers.object(addr).copier = copier;
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
