//! The checker's part in bulk copies: what they read must be visible, and stay as it is.

use super::{act, sources, words};
use crate::analysis::check::epoch::Thread;
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress};
use crate::analysis::check::touch::{Act, Past, Touch};
use crate::analysis::check::{Checker, touches};
use crate::sim::{BulkOther, BulkStarted, Direction, Machine};
use ptx::{CopyGroup, Space};
use std::sync::Arc;

impl Checker {
    /// Lanes of a warp have started bulk copies.
    pub(in crate::analysis::check) fn bulk(
        &mut self,
        machine: &Machine,
        copies: &[Arc<BulkStarted>],
    ) {
        for copy in copies {
            match copy.mbarrier {
                Some(addr) => {
                    for access in words(copy, Direction::Load) {
                        if touches(&self.watched, &access) {
                            self.access(machine, &access, Touch::Load, None);
                        }
                    }
                    if copy.other == BulkOther::Shared {
                        self.begin_to_read(machine, copy);
                    }
                    self.begin_bulk_load(machine, copy, addr);
                }
                None => self.begin_bulk_store(machine, copy),
            }
        }
    }

    /// A bulk copy to global memory begins.
    fn begin_bulk_store(&mut self, machine: &Machine, copy: &Arc<BulkStarted>) {
        self.begin_to_read(machine, copy);
        let (direction, touch) = match copy.reduces {
            Some(_) => (Direction::Atomic, Touch::Atomic),
            None => (Direction::Store, Touch::Store),
        };
        for access in words(copy, direction) {
            self.access(machine, &access, touch, None);
        }
    }

    /// A bulk copy from shared memory begins: it reads through the async proxy.
    fn begin_to_read(&mut self, machine: &Machine, copy: &Arc<BulkStarted>) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let reader = Thread::new(warp, copy.lane.into());
        let (mut hits, mut unseen) = (Vec::new(), Vec::new());
        let (clock, proxy) = (&self.clock, &self.proxy);
        let shown = |past: Past| {
            past.thread.is_engine() || proxy.show(clock, reader, (past.thread, past.epoch))
        };
        for access in sources(copy) {
            let act = act(warp, pc, Touch::Load, &access);
            self.shared.product(clock, &act, shown, (&mut hits, &mut unseen));
        }
        for hit in hits {
            self.report(Space::Shared, step, Touch::Load, hit);
        }
        for (addr, past) in unseen {
            let place = Some(MemoryAddress { space: Space::Shared, addr });
            let copies = Past { thread: reader, epoch: 0, pc, touch: Touch::Copy };
            let sides = vec![self.side(past), self.side(copies)];
            self.add_found(FindingKind::MissingProxyFence, place, sides);
        }
        self.stores.begin(warp, pc, Arc::clone(copy));
    }

    /// A group instruction of bulk copies: copies that are waited for have read until now.
    pub(in crate::analysis::check) fn bulk_group(&mut self, machine: &Machine, command: CopyGroup) {
        let step = machine.last();
        for lane in step.active.lanes() {
            let thread = (usize::from(step.warp), lane as u8);
            for store in self.stores.command(thread, command) {
                for access in sources(&store.copy) {
                    let act = act(store.warp, store.pc, Touch::Load, &access);
                    self.shared.has_read(&self.clock, &act);
                }
            }
        }
    }

    /// Shared memory is written: reports a bulk copy that still reads it.
    pub(in crate::analysis::check) fn overwrites_bulk_source(&mut self, act: &Act<'_>) {
        let Some((addr, lane, (warp, by, pc))) = self.stores.met(act.access) else { return };
        let thread = Thread::new(warp, by.into());
        let copy = self.side(Past { thread, epoch: 0, pc, touch: Touch::Copy });
        let (thread, epoch) = (Thread::new(act.warp, lane), self.clock.now());
        let mine = self.side(Past { thread, epoch, pc: act.pc, touch: act.touch });
        let mine = crate::analysis::check::Participant { did: AccessKind::Store, ..mine };
        let place = Some(MemoryAddress { space: Space::Shared, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, mine]);
    }
}
