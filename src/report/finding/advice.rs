//! What to do about a finding, and what hardware makes of a barrier that is used wrongly.

use super::{Did, Finding, Loop, Missing, Names, Side, What};
use crate::ptx::{AtomicOp, ControlOp, MemoryOp, MemoryScope, Op, Space, Type};
use crate::sim::{Deadlock, FaultKind, Inst};

/// What a person needs besides what happened.
pub(super) struct Advice {
    pub(super) since_volta: Option<String>,
    pub(super) before_volta: Option<String>,
    /// In a sentence or two.
    pub(super) text: String,
}

/// The two meanings of a barrier.
///
/// Since Volta: `__syncthreads()` and `bar.sync` "are enforced per thread and thus will not succeed
/// until reached by all non-exited threads in the block" (CUDA Programming Guide, "Compute
/// Capability 7.x"). Before: "if any thread in a warp executes a bar instruction, it is as if all
/// the threads in the warp have executed" it (PTX ISA 5.0, `bar`).
pub(super) fn of(names: &Names<'_>, finding: &Finding) -> Advice {
    let text = advice(names, finding);
    let (since_volta, before_volta) = match meanings(finding) {
        Some((since, before)) => (Some(since.to_owned()), Some(before.to_owned())),
        None => (None, None),
    };
    Advice { since_volta, before_volta, text }
}

fn meanings(finding: &Finding) -> Option<(&'static str, &'static str)> {
    let one_warp = |sides: &[Side]| sides.windows(2).any(|pair| pair[0].warp == pair[1].warp);
    Some(match &finding.what {
        What::DifferentBarriers if one_warp(&finding.sides) => (
            // Of eight such kernels five hung and three passed, whatever their number of warps.
            "undefined: every lane of a warp must come to the same bar.sync; an H200 hangs on some \
             such kernels and lets others pass, as this run does",
            "the parts of the warp arrive one after the other and count as a whole warp each: the \
             block is out of step, or hangs",
        ),
        What::DifferentBarriers => (
            "passes: arrivals are counted, wherever they are",
            "passes as well: arrivals of warps are counted, wherever they are",
        ),
        What::Ended { .. } => (
            "passes without them: it waits for the threads that have not exited",
            "a warp of which a part has ended arrives as a whole; for a warp that has ended as a \
             whole the manual promises nothing, and the block may hang",
        ),
        What::Deadlock(deadlock) if of_members(deadlock) => (
            "hangs: the instruction waits for every lane that its mask names and that has not ended",
            "undefined: the lanes that a mask names must come together",
        ),
        What::Deadlock(deadlock) => {
            let parted = deadlock.standing.windows(2).any(|pair| pair[0].warp == pair[1].warp);
            let before = if parted {
                "one part of a warp arrives for all of it: the barrier may pass, out of step"
            } else {
                "hangs as well"
            };
            ("hangs: no barrier is ever complete", before)
        }
        What::FirstCome(_) => (
            "passes, with whichever warps come first: arrivals are counted, whoever they are",
            "passes in the same way",
        ),
        What::DifferentCounts(..) => (
            "undefined: the first arrival's number or the last one's may hold",
            "undefined in the same way",
        ),
        _ => return None,
    })
}

fn of_members(deadlock: &Deadlock) -> bool {
    deadlock.standing.iter().any(|at| at.members.is_some())
}

fn advice(names: &Names<'_>, finding: &Finding) -> String {
    match &finding.what {
        What::Race => race(names, finding),
        What::InFlight => {
            "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior) and then at a barrier, \
             before anybody touches what it writes."
                .to_owned()
        }
        What::StillRead if finding.sides.iter().any(|side| side.did == Did::Copy) => {
            "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior), and then at a barrier, \
             before anybody writes where it reads."
                .to_owned()
        }
        What::StillRead => "Wait for the product (wgmma.wait_group), and then at a barrier, before \
                            anybody writes where it reads."
            .to_owned(),
        What::Unseen => "Let each thread that writes execute fence.proxy.async behind its writes \
                         (of cp.async: behind the wait), before the barrier."
            .to_owned(),
        // ptxas 12.9 says so (C7517, C7520).
        What::Busy => "Commit the product to a group and wait for that (wgmma.commit_group, \
                       wgmma.wait_group) before its registers are touched. ptxas may put a wait \
                       there, and then no product goes on beside another."
            .to_owned(),
        What::Unordered => "Put a wgmma.fence before the first product, and before each whose \
                            registers have been touched since."
            .to_owned(),
        What::DifferentBarriers => {
            "Let all threads of the block come to one and the same __syncthreads(), outside the \
             branch."
                .to_owned()
        }
        What::FirstCome(_) => {
            "Give each group of threads a barrier of its own, and let nobody come to it again before \
             the others are through."
                .to_owned()
        }
        What::DifferentCounts(..) => {
            "Give the barrier the same number of threads everywhere.".to_owned()
        }
        What::Ended { .. } => "Let these threads stay until the last barrier: guard what they load \
                               and store instead of returning early."
            .to_owned(),
        What::Deadlock(deadlock) if of_members(deadlock) => {
            "Let every lane that the mask names come to the instruction, or name only those that do."
                .to_owned()
        }
        What::Deadlock(_) => "Let every thread that a barrier counts come to it: no barrier in a \
                              branch that not all take, and the right number for a part of the block."
            .to_owned(),
        What::Absent => "Let the lane that is read execute the shuffle as well, outside the branch, \
                         and name it in the mask; the branch may then use the value or not."
            .to_owned(),
        What::Unwritten => unwritten(finding),
        What::Fault(FaultKind::OutOfBounds { .. }) if is_of_doubles(names, finding) => {
            "A, B and C hold float32 here, always, and this access is of float64, twice as wide: try \
             the kernel with float."
                .to_owned()
        }
        What::Fault(FaultKind::OutOfBounds { .. }) if lacks_dynamic(names, finding) => {
            "The kernel has dynamic shared memory (extern __shared__), and the launch gives it none: \
             --shared BYTES."
                .to_owned()
        }
        What::Fault(kind) => fault(kind),
        What::NoEnd(Loop { reads_global: true, .. }) => {
            "If it waits for another block: here blocks come one after the other, each to its end, so \
             none can wait for a later one. Else see that what the loop's condition compares comes \
             to an end; --budget allows more instructions."
                .to_owned()
        }
        What::NoEnd(_) => "See that what the loop's condition compares comes to an end; --budget \
                           allows more instructions."
            .to_owned(),
    }
}

fn race(names: &Names<'_>, finding: &Finding) -> String {
    let [first, second] = &finding.sides[..] else { return String::new() };
    let within = |side: &Side| {
        let op = &names.program.inst(side.pc).op;
        matches!(op, Op::Memory(MemoryOp::Atom { strength, .. }) if strength.scope() == Some(MemoryScope::Cta))
    };
    if finding.interval.is_none() && (within(first) || within(second)) {
        return "What is atomic for the threads of one block is not for others: atomicAdd, not \
                atomicAdd_block."
            .to_owned();
    }
    let fence =
        if finding.interval.is_none() { "__threadfence()" } else { "__threadfence_block()" };
    if finding.missing == Some(Missing::Acquire) {
        return format!(
            "Put a {fence} before {}, behind the access that sees that the other is done.",
            names.line(second)
        );
    }
    if takes_lock(names) && (first.warp, first.block) != (second.warp, second.block) {
        return format!(
            "If a lock is to keep them apart: a {fence} behind the atomicCAS that takes it, and \
             another before it is given back. {}",
            apart(names, finding)
        );
    }
    apart(names, finding)
}

/// Whether global memory is taken for an array of float64.
fn is_of_doubles(names: &Names<'_>, finding: &Finding) -> bool {
    finding.sides.first().is_some_and(|side| match names.program.inst(side.pc).op {
        Op::Memory(MemoryOp::Ld { space, ty, .. } | MemoryOp::St { space, ty, .. }) => {
            space != Space::Shared && ty == Type::F64
        }
        _ => false,
    })
}

/// Whether the kernel has what locks are made of.
fn takes_lock(names: &Names<'_>) -> bool {
    let mut ops = names.program.insts.iter().map(|inst| &inst.op);
    ops.any(|op| matches!(op, Op::Memory(MemoryOp::Atom { op: AtomicOp::CompareAndSwap, .. })))
}

/// What keeps two accesses apart that no lock guards.
fn apart(names: &Names<'_>, finding: &Finding) -> String {
    let [first, second] = &finding.sides[..] else { return String::new() };
    let shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    let hands_over = [first, second].iter().any(|side| side.did == Did::Load);
    if finding.interval.is_none() && hands_over {
        return "Blocks never wait for each other. Let each read only what it has written itself, or \
                hand it over: a __threadfence() behind the writes, then an atomic that tells of \
                them; and behind the atomic that sees it, a __threadfence() before the reads."
            .to_owned();
    }
    if finding.interval.is_none() {
        return "Blocks never wait for each other: add with atomicAdd, or let each block write a \
                part of its own."
            .to_owned();
    }
    if first.warp == second.warp && first.pc == second.pc {
        return "Let one lane write, or give each lane a place of its own.".to_owned();
    }
    let stores = first.did != Did::Load && second.did != Did::Load;
    if stores && first.pc == second.pc {
        return "Let one thread write each place, or add with atomicAdd.".to_owned();
    }
    if adds_up(names, first, second) {
        return "Each thread reads it, adds and writes it back, and what others add meanwhile is lost: \
                add with atomicAdd."
            .to_owned();
    }
    let place = between(names, first, second);
    let lanes = shared && first.warp == second.warp;
    let less = if lanes { "; for lanes of one warp a __syncwarp() will do" } else { "" };
    format!("Put a __syncthreads() {place}{less}.")
}

/// Whether a load and a store are those of one `x += ..`: at one address, in one line.
fn adds_up(names: &Names<'_>, first: &Side, second: &Side) -> bool {
    let ops = [first, second].map(|side| &names.program.inst(side.pc).op);
    first.line.is_some()
        && first.line == second.line
        && matches!(ops, [Op::Memory(MemoryOp::Ld { addr: a, .. }), Op::Memory(MemoryOp::St { addr: b, .. })]
            | [Op::Memory(MemoryOp::St { addr: a, .. }), Op::Memory(MemoryOp::Ld { addr: b, .. })] if a == b)
}

/// Where a barrier is missing: where one stands between the two in the program's order already, it
/// is in the next round of their loop that they meet.
fn between(names: &Names<'_>, first: &Side, second: &Side) -> String {
    let ordered = first.pc <= second.pc;
    let [early, late] = if ordered { [first, second] } else { [second, first] };
    let insts = &names.program.insts[early.pc.0 as usize..late.pc.0 as usize];
    let parted = insts.iter().any(|inst| matches!(inst.op, Op::Control(ControlOp::Bar { .. })));
    let [one, two] = [early, late].map(|side| names.line(side));
    let comes_back = |(at, inst): (u32, &Inst)| {
        at >= late.pc.0 && inst.op.targets().iter().any(|target| *target <= early.pc)
    };
    let loops = || (0..).zip(&names.program.insts).any(comes_back);
    let reads_after = first.did == Did::Store && second.did == Did::Load;
    let reads_after = reads_after && (early.did == Did::Store || loops());
    match (one == two, early.line > late.line) {
        (true, _) if reads_after => {
            format!("behind the writing in {one}, before the next round reads there")
        }
        (true, _) => format!("between reading and writing in {one}"),
        // The same loop, unrolled.
        (false, true) => format!("behind {one}, before the next round comes to {two}"),
        (false, false) if parted => format!("behind {two}, before the next round comes to {one}"),
        (false, false) => format!("between {one} and {two}"),
    }
}

fn unwritten(finding: &Finding) -> String {
    let shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    if shared {
        "Write it first, at the edges of the matrices too: a thread without an element stores 0."
            .to_owned()
    } else {
        "C holds nothing yet: write it before it is read.".to_owned()
    }
}

/// Whether the access is to shared memory that the launch was to size, and did not.
fn lacks_dynamic(names: &Names<'_>, finding: &Finding) -> bool {
    let shared = |side: &Side| names.program.inst(side.pc).touches() == Some(true);
    finding.sides.first().is_some_and(shared)
        && names.program.shared.iter().any(|array| array.bytes == 0)
}

fn fault(kind: &FaultKind) -> String {
    match kind {
        FaultKind::OutOfBounds { .. } => {
            "Guard the access: compare row and column with the sizes of the matrix.".to_owned()
        }
        FaultKind::NullPointer { .. } => {
            "Give the kernel a buffer for this pointer: its argument is \
                                          0, or nobody has set it."
                .to_owned()
        }
        FaultKind::Misaligned { bytes, .. } => format!(
            "An access of {bytes} bytes needs an address that is a multiple of {bytes}: load \
             smaller pieces, or pad the rows."
        ),
        FaultKind::NoSuchBarrier(_) | FaultKind::BarrierThreads(_) | FaultKind::TwoBarriers(..) => {
            "Give bar.sync a barrier from 0 to 15 and a multiple of 32 threads.".to_owned()
        }
        FaultKind::PartOfWarpgroup(_) | FaultKind::WarpgroupApart(_) => {
            "Launch blocks of a multiple of 128 threads, and let all four warps of each warpgroup \
             come to every wgmma."
                .to_owned()
        }
        FaultKind::Assertion { .. } => {
            "The kernel's own text says so: look at what its lanes compute before that line."
                .to_owned()
        }
        FaultKind::TooManyProducts(_) => {
            "Wait for products now and then: wgmma.commit_group, wgmma.wait_group.".to_owned()
        }
        _ => "See the manual.".to_owned(),
    }
}
