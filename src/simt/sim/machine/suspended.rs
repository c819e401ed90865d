//! Warps that are suspended at an mbarrier until its phase is complete.

use super::Machine;
use crate::ptx::{MemoryOp, Op};
use crate::sim::exec;
use crate::sim::fault::{Awaited, Fault};
use crate::sim::mask::LaneMask;
use crate::sim::step::{Pc, Step};
use crate::sim::warp::{Warp, WarpState};

impl Machine {
    /// After a step of a warp: suspends it if it would wait in vain now, and resumes those for
    /// which the step has completed a phase.
    #[inline]
    pub(super) fn suspend_and_resume(&mut self, number: u32) {
        let op = &self.program.insts[self.step.pc.0 as usize].op;
        if matches!(op, Op::Memory(MemoryOp::Mbarrier(_) | MemoryOp::BulkCopy(_))) {
            for other in LaneMask(self.suspended).lanes() {
                self.look_for_wait(other as u32);
            }
        }
        if self.ready >> number & 1 == 1 {
            self.look_for_wait(number);
        }
    }

    /// Suspends a warp whose next instruction would wait in vain, or resumes it.
    pub(super) fn look_for_wait(&mut self, number: u32) {
        let warp = &self.warps[number as usize];
        let Some((pc, lanes)) = warp.stack.top() else { return };
        let (waits, bit) = (self.awaited(warp, pc, lanes).is_some(), 1 << number);
        let warp = &mut self.warps[number as usize];
        if waits {
            warp.state = WarpState::Waiting;
            (self.ready, self.suspended) = (self.ready & !bit, self.suspended | bit);
        } else {
            warp.state = WarpState::Ready;
            (self.ready, self.suspended) = (self.ready | bit, self.suspended & !bit);
        }
    }

    /// What these lanes of a warp, about to execute the instruction at `pc`, wait for in vain.
    pub(super) fn awaited(&self, warp: &Warp, pc: Pc, lanes: LaneMask) -> Option<Awaited> {
        let inst = &self.program.code[pc.0 as usize];
        let operation = inst.may_wait()?;
        exec::in_vain(warp, &self.mbarriers, operation, warp.active(inst, lanes))
    }

    /// No warp can issue. If one is suspended while other lanes of it could go on, these go on: the
    /// wait of the first lanes is for a limited time only.
    #[cold]
    pub(super) fn step_aside(&mut self) -> Result<Option<&Step>, Fault> {
        for number in LaneMask(self.suspended).lanes() {
            for _ in 1..self.warps[number].stack.len() {
                self.warps[number].stack.yield_to_others();
                self.look_for_wait(number as u32);
                if self.ready != 0 {
                    return self.step();
                }
            }
        }
        self.idle()
    }
}
