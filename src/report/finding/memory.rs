//! Messages for uninitialised reads of memory, and for accesses and instructions that fault.

use super::arrays::OwnArray;
use super::in_flight;
use super::names::{Names, lanes};
use super::words::FindingText;
use crate::analysis::check::{Finding, LeftPart, Participant};
use crate::matrix::{ElementType, Major, Operand};
use crate::report::number::{grouped, sides};
use crate::sim::{FaultKind, NearestBuffer};
use ptx::{MemoryOp, Op, PartOfArray, Space, Type};

pub(super) fn unwritten(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let side = finding.sides.first()?;
    let (line, element) = (names.line(side), names.element_of(finding));
    let message = format!("{} loads {element} at {line}, which was never stored", lanes(side));
    let shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    let edges = if names.problem.is_product() { "the matrices" } else { "the buffers" };
    let advice = if shared {
        format!(
            "Store there first, at the edges of {edges} too: a thread without an element stores 0."
        )
    } else if adds_to_c(names, &element) {
        "Is the kernel to add to C? Then the host zeroes it before each launch, which C=0 among the \
         arguments says, or every launch adds to what the last one left. If not, sum up in a register and store \
         with =, not with +=."
            .to_owned()
    } else {
        let buffer = element.split('[').next().unwrap_or("It");
        format!("{buffer} holds nothing yet: store there before you load from it.")
    };
    Some(FindingText::new(message, advice))
}

/// Whether the kernel reads a C that the host does not fill, where it should only store to it.
fn adds_to_c(names: &Names<'_>, element: &str) -> bool {
    let problem = names.problem;
    problem.is_product() && problem.known.is_none() && element.starts_with("C[")
}

pub(super) fn fault(names: &Names<'_>, finding: &Finding, kind: &FaultKind) -> Option<FindingText> {
    let side = finding.sides.first()?;
    let near = match kind {
        FaultKind::OutOfBounds { near, .. } => near.as_ref(),
        _ => None,
    };
    let array = names.own_array(side, near);
    let of_array = array.as_ref().zip(near).map(|(array, near)| array.would_be(array.offset(near)));
    let of_array = of_array.map(|element| format!(", where {element}"));
    let meant = of_array.or_else(|| meant(names, near?)).unwrap_or_default();
    let message = format!("{} at {}: {kind}{meant}", lanes(side), names.line(side));
    let outside = matches!(kind, FaultKind::OutOfBounds { .. });
    let is_product = names.problem.is_product();
    let advice = if outside && is_product && takes_for_doubles(names, finding) {
        "This access is of float64, twice as wide as what the matrices hold here: where they are \
         meant to hold float64, A:f64,B:f64,C:f64 among the arguments says so."
            .to_owned()
    } else if outside && lacks_dynamic(names, finding) {
        "The kernel has dynamic shared memory (extern __shared__), and the launch gives it none: \
         --launch '<<<,,BYTES>>>'."
            .to_owned()
    } else if outside && is_shared(names, finding) {
        overrun(names)
    } else if let Some(array) = array.as_ref().filter(|_| outside) {
        let (name, count) = (&array.name, array.elements());
        format!("Compare the index with the extents of `{name}`: it has {count}.")
    } else if outside && names.program.inst(side.pc).op.space() == Some(Space::Local) {
        "Compare the index with the extents of the array: a thread's own arrays are in local memory."
            .to_owned()
    } else if let Some(aligned) = misplaced(array.as_ref(), kind) {
        aligned
    } else if let Some(rows) = uneven_rows(names, finding, kind) {
        rows
    } else {
        guard(kind, is_product)
    };
    Some(FindingText::new(message, advice))
}

/// An index that leaves its part of an array for another one.
pub(super) fn left_part(
    names: &Names<'_>,
    finding: &Finding,
    left: &LeftPart,
) -> Option<FindingText> {
    let side = finding.sides.first()?;
    let LeftPart { part: PartOfArray { is_member, name, elements }, index } = left;
    let (of, beside) = if *is_member {
        (format!("the member `{name}`, which has {elements}"), "beside it in the structure")
    } else {
        (format!("its row of `{name}`, which has {elements}"), "in another row")
    };
    let message = format!(
        "{} at {}: index {index} is outside {of}, and takes what lies {beside}",
        lanes(side),
        names.line(side)
    );
    let instead = if *is_member {
        format!("give `{name}` as many elements as it is asked for")
    } else {
        format!("declare `{name}` with one extent if it is meant as one row")
    };
    let advice =
        format!("C leaves that undefined: compare the index with {elements}, or {instead}.");
    Some(FindingText::new(message, advice))
}

/// The element that an access outside every buffer would be, if that is near one.
fn meant(names: &Names<'_>, near: &NearestBuffer) -> Option<String> {
    let NearestBuffer { buffer: name, offset } = near;
    let problem = names.problem;
    let own = problem.buffers.iter().find(|buffer| buffer.name == *name);
    if let Some(own) = own {
        let index = offset.div_euclid(own.of.bytes().into());
        let count = grouped(own.count);
        return (index.unsigned_abs() <= FAR * own.count)
            .then(|| format!(", where {name}[{index}] would be ({count} elements)"));
    }
    let operand = *problem.operands.iter().find(|operand| operand.name() == name)?;
    let (layout, (rows, columns)) = (problem.layout(operand), problem.size.shape(operand));
    let (index, row) = (offset.div_euclid(layout.of.bytes().into()), i64::from(columns));
    let is_plain = layout.major == Major::Row && layout.lead.is_none();
    let is_near = index.unsigned_abs() <= FAR * u64::from(rows) * u64::from(columns);
    let (down, across) = (index.div_euclid(row), index.rem_euclid(row));
    (is_plain && is_near)
        .then(|| format!(", where {name}[{down}][{across}] would be ({rows} rows of {columns})"))
}

/// How to align the array of a misaligned access, if that is the cause.
fn misplaced(array: Option<&OwnArray>, kind: &FaultKind) -> Option<String> {
    let FaultKind::Misaligned { bytes, .. } = kind else { return None };
    array?.aligned(*bytes)
}

/// Why a vector of a matrix is not aligned, if the rows of that matrix do not begin at multiples of
/// its size.
fn uneven_rows(names: &Names<'_>, finding: &Finding, kind: &FaultKind) -> Option<String> {
    let FaultKind::Misaligned { bytes, place, .. } = kind else { return None };
    let problem = names.problem;
    let is_of = |operand: &&Operand| place.contains(&format!("`{}`", operand.name()));
    let operand = *problem.operands.iter().find(is_of)?;
    let (layout, (_, columns)) = (problem.layout(operand), problem.size.shape(operand));
    let element = layout.of.bytes() as u32;
    let row = layout.lead.unwrap_or(columns).checked_mul(element)?;
    let is_uneven = layout.major == Major::Row && !is_shared(names, finding) && row % bytes != 0;
    is_uneven.then(|| {
        format!(
            "A row of {} has {columns} elements, {row} bytes, which is no multiple of {bytes}: most \
             rows do not begin where {bytes} bytes can be accessed at once. Access single elements \
             at this size, or let the rows have a multiple of {} elements.",
            operand.name(),
            bytes / element
        )
    })
}

/// How many times its length an index may be past a buffer's end to be taken for one of it.
const FAR: u64 = 1024;

/// Whether the kernel takes global memory for an array of float64, which no matrix here is.
fn takes_for_doubles(names: &Names<'_>, finding: &Finding) -> bool {
    let problem = names.problem;
    let holds_doubles = |&operand| problem.layout(operand).of == ElementType::F64;
    if problem.operands.iter().any(holds_doubles) {
        return false;
    }
    finding.sides.first().is_some_and(|side| match names.program.inst(side.pc).op {
        Op::Memory(MemoryOp::Ld { space, ty, .. } | MemoryOp::St { space, ty, .. }) => {
            space != Space::Shared && ty == Type::F64
        }
        _ => false,
    })
}

/// Whether the access is to dynamic shared memory, for which the launch gave no size.
fn lacks_dynamic(names: &Names<'_>, finding: &Finding) -> bool {
    is_shared(names, finding) && names.program.shared.iter().any(|array| array.bytes == 0)
}

/// Whether an access goes past the end of shared memory.
pub(super) fn is_overrun(names: &Names<'_>, finding: &Finding, kind: &FaultKind) -> bool {
    matches!(kind, FaultKind::OutOfBounds { .. }) && is_shared(names, finding)
}

fn is_shared(names: &Names<'_>, finding: &Finding) -> bool {
    let shared = |side: &Participant| names.program.inst(side.pc).touches() == Some(true);
    finding.sides.first().is_some_and(shared)
}

/// What may be wrong where an access is past the end of shared memory.
fn overrun(names: &Names<'_>) -> String {
    let problem = names.problem;
    let (block, dynamic) = (sides(problem.launch.block), problem.shared);
    if problem.known.is_some() {
        return "Compare the index with the extents of the __shared__ arrays.".to_owned();
    }
    if dynamic > 0 {
        let bytes = grouped(dynamic.into());
        return format!(
            "The launch gives a block {bytes} bytes of dynamic shared memory and {block} \
             threads: one of them is not what the kernel is written for, or the index goes \
             too far."
        );
    }
    format!(
        "A block has {block} threads: is that the tile for which the kernel's __shared__ \
         arrays are made? If so, compare the index with their extents."
    )
}

/// The advice for a misuse of which no more is known.
const SEE_MANUAL: &str = "See the instruction in the PTX ISA manual.";

fn guard(kind: &FaultKind, is_product: bool) -> String {
    match kind {
        FaultKind::OutOfBounds { .. } if !is_product => {
            "Guard the access: compare the index with the number of elements; or give the buffer more \
             of them in the launch."
                .to_owned()
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
        FaultKind::Async(fault) => {
            in_flight::misuse(fault).unwrap_or_else(|| SEE_MANUAL.to_owned())
        }
        FaultKind::Trap => {
            "The kernel ends itself there: by __trap(), or by a copy of a size that there is none of \
             (__pipeline_memcpy_async copies 4, 8 or 16 bytes)."
                .to_owned()
        }
        FaultKind::Assertion { .. } => {
            "The kernel's own text says so: look at what its lanes compute before that line."
                .to_owned()
        }
        FaultKind::NoMember { .. } => {
            "Name every lane that comes to this in its mask: __syncwarp() without a mask names all 32, \
             as 0xffffffff does."
                .to_owned()
        }
        FaultKind::MembersApart { .. } => {
            "Let all lanes that the mask names come to one and the same instruction, outside the \
             branch."
                .to_owned()
        }
        _ => SEE_MANUAL.to_owned(),
    }
}
