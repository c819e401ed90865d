//! Sentences about mbarriers and bulk copies.

use crate::report::number::Count;
use crate::sim::{BulkStarted, Machine, MbarrierStep, Step};
use ptx::{MbarrierOp, MemoryOp, Op};
use std::sync::Arc;

/// What lanes of a warp did to mbarriers.
pub(super) fn operated(machine: &Machine, step: &Step, warp: &str, done: &MbarrierStep) -> String {
    let lanes = Count(step.active.count().into(), "lane");
    let first = step.active.lanes().next().unwrap_or(0);
    let (byte, phase) = (byte(machine, done.addrs[first]), done.phases[first]);
    let Op::Memory(MemoryOp::Mbarrier(operation)) = &machine.program().inst(step.pc).op else {
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
pub(super) fn started(
    machine: &Machine,
    step: &Step,
    warp: &str,
    copies: &[Arc<BulkStarted>],
) -> String {
    let stores = matches!(&machine.program().inst(step.pc).op, Op::Memory(MemoryOp::StoreAsync(_)));
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
