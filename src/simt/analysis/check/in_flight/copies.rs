//! Memory that asynchronous copies still read: the source of a `cp.async`, until its thread has
//! waited for it.

use crate::analysis::check::epoch::{Epoch, Thread};
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress, Participant};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::touch::{Act, Past, Touch};
use crate::analysis::check::{Checker, touches};
use crate::sim::{Access, Machine, Pc};
use ptx::Space;

/// The copies of a block that are in flight and read memory that the kernel also writes.
#[derive(Debug, Default)]
pub(in crate::analysis::check) struct Copies {
    flying: Vec<Copy>,
}

/// One copy instruction of a warp, with those of its lanes that have not landed.
#[derive(Debug)]
struct Copy {
    warp: usize,
    pc: Pc,
    epoch: Epoch,
    from: Access,
    into: Access,
}

impl Copies {
    pub(in crate::analysis::check) fn start(&mut self) {
        self.flying.clear();
    }

    /// Removes the lanes of `store`, which the warp has waited for, from the copies in flight.
    /// Returns the copy instruction and the landed part of its source access.
    fn land(&mut self, warp: usize, store: &Access) -> Option<(Pc, Access)> {
        let is_of = |copy: &&mut Copy| {
            let lanes = copy.into.active.and(store.active);
            copy.warp == warp && copy.into.addrs == store.addrs && lanes == store.active
        };
        let copy = self.flying.iter_mut().find(is_of)?;
        let active = copy.from.active.and(store.active);
        let landed = (copy.pc, Access { active, ..copy.from.clone() });
        copy.into.active = copy.into.active.without(store.active);
        copy.from.active = copy.from.active.without(store.active);
        self.flying.retain(|copy| !copy.into.active.is_empty());
        Some(landed)
    }

    /// Finds a copy that was issued before `access` and still reads what a lane of it writes: the
    /// address, that lane, and the copying thread's access.
    fn met(
        &self,
        clock: &HappensBefore,
        warp: usize,
        access: &Access,
    ) -> Option<(u64, usize, Past)> {
        access.touched().find_map(|(lane, addr)| {
            let writer = Thread::new(warp, lane);
            self.flying.iter().find_map(|copy| {
                let before =
                    |of: usize| clock.ordered(writer, Thread::new(copy.warp, of), copy.epoch);
                let meets = |from: u64| {
                    addr < from + u64::from(copy.from.bytes)
                        && from < addr + u64::from(access.bytes)
                };
                let mut reads = copy.from.touched();
                let (of, from) = reads.find(|(of, from)| meets(*from) && before(*of))?;
                let thread = Thread::new(copy.warp, of);
                let past = Past { thread, epoch: copy.epoch, pc: copy.pc, touch: Touch::Copy };
                Some((addr.max(from), lane, past))
            })
        })
    }
}

impl Checker {
    /// A copy begins. Only sources that the kernel also writes are followed.
    pub(in crate::analysis::check) fn copy(
        &mut self,
        machine: &Machine,
        [from, into]: &[Access; 2],
    ) {
        self.access(machine, from, Touch::Load, None);
        self.access(machine, into, Touch::Copy, None);
        if touches(&self.watched, from) {
            let step = machine.last();
            let (warp, pc, epoch) = (step.warp.into(), step.pc, self.clock.now());
            let (from, into) = (from.clone(), into.clone());
            self.in_flight.copies.flying.push(Copy { warp, pc, epoch, from, into });
        }
    }

    /// A warp has waited for copies: their reads and writes last until now.
    pub(in crate::analysis::check) fn landed(&mut self, machine: &Machine, stores: &[Access]) {
        let warp = usize::from(machine.last().warp);
        for store in stores {
            self.shared.land(&self.clock, store);
            if let Some((pc, access)) = self.in_flight.copies.land(warp, store) {
                let (touch, access) = (Touch::Load, &access);
                let act =
                    Act { warp, pc, touch, access, within: false, filled: false, values: None };
                self.global.has_read(&self.clock, &act);
            }
        }
    }

    /// Global memory is written: reports a copy that still reads it.
    pub(in crate::analysis::check) fn overwrites_source(&mut self, act: &Act<'_>) {
        let Some((addr, lane, past)) = self.in_flight.copies.met(&self.clock, act.warp, act.access)
        else {
            return;
        };
        let (thread, epoch) = (Thread::new(act.warp, lane), self.clock.now());
        let mine = Past { thread, epoch, pc: act.pc, touch: act.touch };
        let copy = Participant { did: AccessKind::Copy, ..self.side(past) };
        let place = Some(MemoryAddress { space: Space::Global, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, self.side(mine)]);
    }
}
