//! Messages for uninitialised reads, and for accesses and instructions that fault.

use super::names::{Names, lanes};
use super::words::Words;
use crate::analysis::check::{Finding, Participant};
use crate::ptx::{MemoryOp, Op, Space, Type};
use crate::sim::FaultKind;

pub(super) fn unwritten(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let side = finding.sides.first()?;
    let (line, element) = (names.line(side), names.element_of(finding));
    let message = format!("{} loads {element} at {line}, which was never stored", lanes(side));
    let shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    let edges = if names.problem.is_product() { "the matrices" } else { "the buffers" };
    let advice = if shared {
        format!(
            "Store there first, at the edges of {edges} too: a thread without an element stores 0."
        )
    } else {
        let buffer = element.split('[').next().unwrap_or("It");
        format!("{buffer} holds nothing yet: store there before you load from it.")
    };
    Some(Words::new(message, advice))
}

pub(super) fn fault(names: &Names<'_>, finding: &Finding, kind: &FaultKind) -> Option<Words> {
    let side = finding.sides.first()?;
    let message = format!("{} at {}: {kind}", lanes(side), names.line(side));
    let outside = matches!(kind, FaultKind::OutOfBounds { .. });
    let is_product = names.problem.is_product();
    let advice = if outside && is_product && is_of_doubles(names, finding) {
        "A, B and C hold float32 here, always, and this access is of float64, twice as wide: try \
         the kernel with float."
            .to_owned()
    } else if outside && lacks_dynamic(names, finding) {
        "The kernel has dynamic shared memory (extern __shared__), and the launch gives it none: \
         --shared BYTES."
            .to_owned()
    } else {
        guard(kind, is_product)
    };
    Some(Words::new(message, advice))
}

/// Whether the kernel takes global memory for an array of float64.
fn is_of_doubles(names: &Names<'_>, finding: &Finding) -> bool {
    finding.sides.first().is_some_and(|side| match names.program.inst(side.pc).op {
        Op::Memory(MemoryOp::Ld { space, ty, .. } | MemoryOp::St { space, ty, .. }) => {
            space != Space::Shared && ty == Type::F64
        }
        _ => false,
    })
}

/// Whether the access is to dynamic shared memory, for which the launch gave no size.
fn lacks_dynamic(names: &Names<'_>, finding: &Finding) -> bool {
    let shared = |side: &Participant| names.program.inst(side.pc).touches() == Some(true);
    finding.sides.first().is_some_and(shared)
        && names.program.shared.iter().any(|array| array.bytes == 0)
}

fn guard(kind: &FaultKind, is_product: bool) -> String {
    match kind {
        FaultKind::OutOfBounds { .. } if !is_product => {
            "Guard the access: compare the index with the number of elements.".to_owned()
        }
        FaultKind::OutOfBounds { .. } => {
            "Guard the access: compare row and column with the sizes of the matrix.".to_owned()
        }
        FaultKind::NullPointer { .. } => {
            "Give the kernel a buffer for this pointer: its argument is \
                                          0, or was never set."
                .to_owned()
        }
        FaultKind::Misaligned { bytes, .. } => format!(
            "An access of {bytes} bytes needs an address that is a multiple of {bytes}: load \
             smaller pieces, or pad the rows."
        ),
        FaultKind::NoSuchBarrier(_)
        | FaultKind::BarrierThreads(_)
        | FaultKind::BarrierOperandsDiffer(..) => {
            "Give bar.sync a barrier from 0 to 15 and a multiple of 32 threads.".to_owned()
        }
        FaultKind::PartOfWarpgroup(_) | FaultKind::WarpgroupDiverged(_) => {
            "Launch blocks of a multiple of 128 threads, and let all four warps of each warpgroup \
             come to every wgmma."
                .to_owned()
        }
        FaultKind::Assertion { .. } => {
            "The kernel's own text says so: look at what its lanes compute before that line."
                .to_owned()
        }
        FaultKind::TooManyWgmma(_) => {
            "Wait for the wgmma operations now and then: wgmma.commit_group, wgmma.wait_group."
                .to_owned()
        }
        _ => "See the instruction in the PTX ISA manual.".to_owned(),
    }
}
