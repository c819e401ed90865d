//! The order that mbarriers establish: a wait for a phase is ordered after the arrivals and the
//! copies that completed it (PTX ISA, `mbarrier.arrive`, `mbarrier.test_wait`).

use crate::analysis::check::epoch::{Epoch, ThreadId};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::thread_clock::ThreadClock;
use crate::analysis::check::touch::PastAccess;
use crate::sim::{LaneMask, Pc};
use std::collections::BTreeMap;

/// The mbarriers of a block.
#[derive(Debug, Default)]
pub(super) struct CheckedMbarriers {
    /// In the order of their first use.
    pub(super) objects: Vec<Object>,
    /// What waits whose result nothing tests would have made known: the last one of each warp at each
    /// instruction, and its lanes.
    pub(super) untested: BTreeMap<(usize, Pc), (LaneMask, ThreadClock)>,
}

#[derive(Debug)]
pub(super) struct Object {
    /// Its address in shared memory.
    pub(super) addr: u32,
    /// Its initialisation, as long as no copy is known to see it.
    pub(super) init: Option<PastAccess>,
    /// The thread that last started a copy that signals it.
    pub(super) copier: ThreadId,
    /// By the number of a phase: what its arrivals and its copies have released.
    pub(super) phases: BTreeMap<u32, ThreadClock>,
}

impl CheckedMbarriers {
    pub(super) fn start(&mut self) {
        self.objects.clear();
        self.untested.clear();
    }

    /// The thread as which the copies appear that signal an mbarrier.
    pub(super) fn engine(&mut self, addr: u32) -> ThreadId {
        ThreadId::engine(self.index(addr))
    }

    /// The thread that started the last copy of an engine.
    pub(super) fn copier(&self, engine: ThreadId) -> Option<ThreadId> {
        self.objects.get(engine.engine_number()?).map(|object| object.copier)
    }

    pub(super) fn index(&mut self, addr: u32) -> usize {
        let known = self.objects.iter().position(|object| object.addr == addr);
        known.unwrap_or_else(|| {
            let (init, copier, phases) = (None, ThreadId::new(0, 0), BTreeMap::new());
            self.objects.push(Object { addr, init, copier, phases });
            self.objects.len() - 1
        })
    }

    pub(super) fn object(&mut self, addr: u32) -> &mut Object {
        let index = self.index(addr);
        &mut self.objects[index]
    }

    /// `lanes` of a warp arrive in a phase and release what they did; `whole` if they are all lanes
    /// that the warp began with.
    pub(super) fn release(
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
            lanes.lanes().for_each(|lane| released.join(&clock.view(ThreadId::new(warp, lane))));
        }
    }

    /// The copies of an engine have landed in a phase.
    pub(super) fn landed(&mut self, clock: &mut HappensBefore, (addr, phase): (u32, u32)) {
        clock.tick();
        let (engine, now) = (self.engine(addr), clock.now());
        self.object(addr).phases.entry(phase).or_default().threads.insert(engine, now);
    }

    /// `lanes` of a warp go on after a wait as if a phase were complete.
    pub(super) fn leave_untested(
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
    pub(super) fn untested_wait(
        &self,
        thread: ThreadId,
        (by, epoch): (ThreadId, Epoch),
    ) -> Option<Pc> {
        let thread = self.copier(thread).unwrap_or(thread);
        let mine = |((warp, _), (lanes, _)): &(&(usize, Pc), &(LaneMask, ThreadClock))| {
            *warp == thread.warp() && lanes.has(thread.lane())
        };
        let mut waits = self.untested.iter().filter(mine);
        waits.find(|(_, (_, released))| released.holds(by, epoch)).map(|((_, pc), _)| *pc)
    }

    /// `lanes` of a warp know that a phase is complete; `whole` if they are all its live lanes.
    pub(super) fn acquire(
        &mut self,
        clock: &mut HappensBefore,
        (addr, phase): (u32, u32),
        (warp, lanes, whole): (usize, LaneMask, bool),
    ) {
        let Some(released) = self.object(addr).phases.get(&phase) else { return };
        if whole {
            clock.learn_as_warp(warp, released);
        } else {
            lanes.lanes().for_each(|lane| clock.learn(ThreadId::new(warp, lane), released));
        }
    }
}
