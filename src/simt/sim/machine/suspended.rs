//! Warps that are suspended until what they wait for is complete.

use super::Machine;
use crate::sim::access::Pc;
use crate::sim::exec;
use crate::sim::fault::Fault;
use crate::sim::in_flight::Awaited;
use crate::sim::mask::LaneMask;
use crate::sim::reach::SharedView;
use crate::sim::step::Step;
use crate::sim::warp::WarpState;
use crate::sim::warp_set::WarpSet;
use ptx::Op;

impl Machine {
    /// After a step of a warp: suspends it if it is now blocked, and resumes warps whose phase the step
    /// has completed.
    #[inline]
    pub(super) fn suspend_and_resume(&mut self, number: u32) {
        let op = &self.program.insts[self.step.pc.0 as usize].op;
        // At a barrier of the grid a block that has ended is missed.
        let is_missed = |rank| self.program.is_of_grid() && self.blocks.has_ended(rank);
        let live = self.warps.iter();
        let live = live.map(|warp| if is_missed(warp.rank) { LaneMask::ALL } else { warp.live });
        let met = self.in_flight.complete_barrier(live);
        let signals = matches!(op, Op::Async(op) if op.signals());
        if met || signals {
            for other in self.suspended.warps() {
                self.look_for_wait(other as u32);
            }
        }
        if self.ready.has(number) {
            self.look_for_wait(number);
        }
    }

    /// Suspends a warp whose next instruction is blocked, or resumes it.
    pub(super) fn look_for_wait(&mut self, number: u32) {
        let warp = &self.warps[number as usize];
        let Some((pc, lanes)) = warp.stack.top() else { return };
        let waits = self.blocked_on(number as usize, pc, lanes).is_some();
        let (warp, of) = (&mut self.warps[number as usize], WarpSet::of(number));
        if waits {
            warp.state = WarpState::Waiting;
            (self.ready, self.suspended) = (self.ready.without(of), self.suspended.or(of));
        } else {
            warp.state = WarpState::Ready;
            (self.ready, self.suspended) = (self.ready.or(of), self.suspended.without(of));
        }
    }

    /// What these lanes of a warp, about to execute the instruction at `pc`, are blocked on.
    pub(super) fn blocked_on(&self, number: usize, pc: Pc, lanes: LaneMask) -> Option<Awaited> {
        let (warp, inst) = (&self.warps[number], &self.program.code[pc.0 as usize]);
        let seen = SharedView { blocks: &self.blocks, rank: warp.rank };
        exec::blocked_on((warp, number), (&self.in_flight, seen), inst, lanes)
    }

    /// No warp can issue. If one is suspended while other lanes of it could go on, these go on: the
    /// wait of the first lanes is for a limited time only.
    #[cold]
    pub(super) fn step_aside(&mut self) -> Result<Option<&Step>, Fault> {
        for number in self.suspended.warps() {
            for _ in 1..self.warps[number].stack.len() {
                self.warps[number].stack.yield_to_others();
                self.look_for_wait(number as u32);
                if !self.ready.is_empty() {
                    return self.step();
                }
            }
        }
        self.idle()
    }
}
