//! Sentences about what is in flight.

use crate::report::number::Count;
use crate::sim::in_flight::MbarrierStep;
use crate::sim::{AsyncEffect, AsyncTransfer, Machine, Step};
use ptx::MbarrierOp;
use ptx::{AsyncOp, Op};
use std::sync::Arc;

/// What a warp started, or waited for.
pub(super) fn sentence(
    (machine, step): (&Machine, &Step),
    (warp, who): (&str, &str),
    effect: &AsyncEffect,
) -> String {
    match effect {
        AsyncEffect::WgmmaCompleted { instructions } => {
            let results = Count((*instructions).into(), "wgmma result");
            format!("{who}: wgmma.wait_group returns with {results} in registers.")
        }
        AsyncEffect::Landed(_) if machine.landed().is_empty() => {
            format!(
                "Warp {warp}'s wait for its copies returns: in this order they completed early."
            )
        }
        AsyncEffect::Landed(stores) => {
            let copies = Count(stores.len() as u64, "asynchronous copy instruction");
            format!("Warp {warp}'s wait returns: {copies} reached shared memory.")
        }
        AsyncEffect::Mbarrier(done) => operated(machine, step, warp, done),
        AsyncEffect::Transfers(copies) => started(machine, step, warp, copies),
        AsyncEffect::ClusterBarrier { waits: false, .. } => {
            format!("Warp {warp} arrives at the barrier of the cluster, and goes on.")
        }
        AsyncEffect::ClusterBarrier { waits: true, .. } => {
            format!("Warp {warp} goes on: all threads of the cluster have arrived.")
        }
        AsyncEffect::Copy(_) | AsyncEffect::Wgmma { .. } => String::new(),
    }
}

/// The number of the phase that counts as complete when an mbarrier is new.
const BEFORE_THE_FIRST: u32 = u32::MAX;

/// What lanes of a warp did to mbarriers.
fn operated(machine: &Machine, step: &Step, warp: &str, done: &MbarrierStep) -> String {
    let lanes = Count(step.active.count().into(), "lane");
    let first = step.active.lanes().next().unwrap_or(0);
    let (byte, phase) = (byte(machine, done.addrs[first]), done.phases[first]);
    let Op::Async(AsyncOp::Mbarrier(operation)) = &machine.program().inst(step.pc).op else {
        return String::new();
    };
    match operation.op {
        MbarrierOp::Init => format!("Warp {warp} initialises the mbarrier at byte {byte}."),
        MbarrierOp::Invalidate => format!("Warp {warp} invalidates the mbarrier at byte {byte}."),
        MbarrierOp::Arrive { .. } | MbarrierOp::CopiesArrive { .. } => {
            format!("Warp {warp}: {lanes} at the mbarrier at byte {byte}, phase {phase}: arrived.")
        }
        MbarrierOp::ExpectBytes | MbarrierOp::CompleteBytes => {
            format!("Warp {warp} changes the bytes that the mbarrier at byte {byte} waits for.")
        }
        MbarrierOp::Test { .. } if done.complete.is_empty() => {
            format!("Warp {warp} finds phase {phase} of the mbarrier at byte {byte} incomplete.")
        }
        MbarrierOp::Test { .. } if phase == BEFORE_THE_FIRST => format!(
            "Warp {warp} need not wait at the mbarrier at byte {byte}: its first phase has just begun."
        ),
        MbarrierOp::Test { .. } => {
            let copies = match done.landed.len() {
                0 => String::new(),
                1 => "; a bulk copy has landed".to_owned(),
                copies => format!("; {copies} bulk copies have landed"),
            };
            format!(
                "Warp {warp} finds phase {phase} of the mbarrier at byte {byte} complete{copies}."
            )
        }
    }
}

/// A byte of shared memory, in a cluster with the rank of its block.
fn byte(machine: &Machine, addr: u32) -> String {
    let (rank, byte) = machine.blocks().of_shared(addr.into());
    if machine.blocks().is_single() { byte.to_string() } else { format!("{byte} of rank {rank}") }
}

/// The start of bulk copies, or of stores that arrive at an mbarrier.
fn started(machine: &Machine, step: &Step, warp: &str, copies: &[Arc<AsyncTransfer>]) -> String {
    let stores = matches!(&machine.program().inst(step.pc).op, Op::Async(AsyncOp::Store(_)));
    let bytes: u64 = copies.iter().map(|copy| u64::from(copy.bytes())).sum();
    let bytes = Count(bytes, "byte");
    match copies.first().map(|copy| copy.mbarrier) {
        None => format!("Warp {warp} skips this copy: no lane takes part."),
        Some(None) => format!("Warp {warp} starts a bulk copy of {bytes} to global memory."),
        Some(Some(byte)) => {
            let byte = self::byte(machine, byte);
            if stores {
                return format!(
                    "Warp {warp} stores {bytes} asynchronously, for the mbarrier at byte {byte}."
                );
            }
            format!("Warp {warp} starts a bulk copy of {bytes} for the mbarrier at byte {byte}.")
        }
    }
}

/// The start of a cluster's blocks, the first of which is at `place`, with this many warps each.
pub(super) fn blocks_start(blocks: u32, place: &str, warps: u32) -> String {
    format!(
        "Cluster of {blocks} blocks from ({place}): warps 0-{} are of rank 0, and so on.",
        warps - 1
    )
    .replace("warps 0-0 are", "warp 0 is")
}

/// The end of the blocks of a cluster.
pub(super) const BLOCKS_DONE: &str = "The cluster is done.";
