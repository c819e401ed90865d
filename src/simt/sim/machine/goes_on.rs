//! Whether a block at one step goes on as it did from another.

use super::Machine;
use crate::sim::access::Pc;
use crate::sim::program::{ControlState, Inst, Reg};
use crate::sim::warp::Warp;

impl Machine {
    /// Whether the block will repeat what `other`, the same block at another step, did from there on,
    /// provided that it loads the same from global memory: all other control state is equal. `decides` is
    /// the control state of the instructions executed in between. Always false for a program that reads
    /// the clock, and for a random order.
    pub(in crate::sim) fn has_same_state_as(&self, other: &Self, decides: &ControlState) -> bool {
        // Without `..`: whoever adds to the state decides here what becomes of it.
        let Self {
            program: _,
            launch: _,
            blocks,
            warps,
            ready,
            released_past,
            live,
            barriers,
            in_flight,
            suspended,
            suspends: _,
            scheduler,
            shared,
            memory: _,
            shapes: _,
            interval: _,
            issued: _,
            junk: _,
            step,
        } = self;
        let mine = usize::from(step.warp);
        // In most runs the warp that has just run is where it was, but further in its sum.
        same_warp(&warps[mine], &other.warps[mine], decides)
            && !decides.clock
            && (ready, released_past, live) == (&other.ready, &other.released_past, &other.live)
            && scheduler.has_same_state_as(&other.scheduler)
            && *blocks == other.blocks
            && *barriers == other.barriers
            && *in_flight == other.in_flight
            && *suspended == other.suspended
            && warps.iter().zip(&other.warps).all(|(one, other)| same_warp(one, other, decides))
            && (!decides.reads || *shared == other.shared)
    }
}

impl Machine {
    /// Whether a warp stands, with all its lanes, where it stands in another machine.
    pub(in crate::sim) fn stands_as(&self, other: &Self, warp: usize) -> bool {
        let (one, other) = (&self.warps[warp], &other.warps[warp]);
        (one.state, one.live) == (other.state, other.live) && one.stack == other.stack
    }

    /// The instructions at which the lanes of a warp stand.
    pub(in crate::sim) fn places(&self, warp: usize) -> Vec<Pc> {
        self.warps[warp].stack.places()
    }

    /// The values of a row of a warp.
    pub(in crate::sim) fn row(&self, warp: usize, row: Reg) -> [u64; 32] {
        self.warps[warp].regs.wide(row)
    }

    /// The block with a memory of its own, which it may change.
    pub(in crate::sim) fn with_own_memory(&self) -> Self {
        Self { memory: self.memory.layered(|_| None), ..self.clone() }
    }

    /// An instruction, with rows in place of registers.
    pub(in crate::sim) fn code(&self, pc: Pc) -> &Inst {
        &self.program.code[pc.0 as usize]
    }
}

fn same_warp(one: &Warp, other: &Warp, decides: &ControlState) -> bool {
    let Warp { rank: _, state, stack, regs, local, live } = one;
    (state, live) == (&other.state, &other.live)
        && *stack == other.stack
        && decides.rows(&stack.places()).all(|row| regs.is_row(row, &other.regs))
        && (!decides.reads || *local == other.local)
}
