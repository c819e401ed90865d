//! Whether a block at one step goes on as it did from another.

use super::Machine;
use crate::sim::program::Decides;
use crate::sim::warp::Warp;

impl Machine {
    /// Whether the block will do from here on what `other`, the same block at another step, did
    /// from there on, as long as it loads the same from global memory: all other state that decides
    /// is equal. `decides` is what decides in the instructions that were executed from there to here,
    /// which are then executed again. Always false for a program that reads the clock, and for a
    /// random order.
    pub(in crate::sim) fn goes_on_as(&self, other: &Self, decides: &Decides) -> bool {
        // Without `..`: whoever adds to the state decides here what becomes of it.
        let Self {
            program: _,
            launch: _,
            cluster,
            warps,
            warpgroups,
            ready,
            released_past,
            live,
            barriers,
            cluster_barrier,
            mbarriers,
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
            && scheduler.goes_on_as(&other.scheduler)
            && *cluster == other.cluster
            && *barriers == other.barriers
            && *cluster_barrier == other.cluster_barrier
            && *mbarriers == other.mbarriers
            && *suspended == other.suspended
            && *warpgroups == other.warpgroups
            && warps.iter().zip(&other.warps).all(|(one, other)| same_warp(one, other, decides))
            && (!decides.reads || *shared == other.shared)
    }
}

fn same_warp(one: &Warp, other: &Warp, decides: &Decides) -> bool {
    let Warp { rank: _, state, stack, regs, local, live, copies, pending_wgmma } = one;
    (state, live) == (&other.state, &other.live)
        && *stack == other.stack
        && decides.rows(&stack.places()).all(|row| regs.is_row(row, &other.regs))
        && (!decides.reads || *local == other.local)
        && *copies == other.copies
        && *pending_wgmma == other.pending_wgmma
}
