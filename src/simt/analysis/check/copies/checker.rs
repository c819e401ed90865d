//! The checker's part in copies: follows them, and finds stores that overwrite their sources.

use super::Copy;
use crate::analysis::check::epoch::Thread;
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress, Participant};
use crate::analysis::check::touch::{Act, Past, Touch};
use crate::analysis::check::{Checker, touches};
use crate::sim::{Access, Machine};
use ptx::Space;

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
            self.copies.flying.push(Copy { warp, pc, epoch, from, into });
        }
    }

    /// A warp has waited for copies: their reads and writes last until now.
    pub(in crate::analysis::check) fn landed(&mut self, machine: &Machine, stores: &[Access]) {
        let warp = usize::from(machine.last().warp);
        for store in stores {
            self.shared.land(&self.clock, store);
            if let Some((pc, access)) = self.copies.land(warp, store) {
                let (touch, access) = (Touch::Load, &access);
                let act =
                    Act { warp, pc, touch, access, within: false, filled: false, values: None };
                self.global.has_read(&self.clock, &act);
            }
        }
    }

    /// Global memory is written: reports a copy that still reads it.
    pub(in crate::analysis::check) fn overwrites_source(&mut self, act: &Act<'_>) {
        let Some((addr, lane, past)) = self.copies.met(&self.clock, act.warp, act.access) else {
            return;
        };
        let (thread, epoch) = (Thread::new(act.warp, lane), self.clock.now());
        let mine = Past { thread, epoch, pc: act.pc, touch: act.touch };
        let copy = Participant { did: AccessKind::Copy, ..self.side(past) };
        let place = Some(MemoryAddress { space: Space::Global, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, self.side(mine)]);
    }
}
