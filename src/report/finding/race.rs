//! Messages for data races: what happened, and how to order the accesses.

use super::flow::ended;
use super::gap;
use super::in_flight;
use super::names::{Names, ParticipantPair, lane, lanes, verb};
use super::sources::RegisterWriters;
use super::words::FindingText;
use crate::analysis::check::{AccessKind, Finding, FindingKind, Missing, Participant};
use crate::sim::Inst;
use ptx::{AtomicOp, MemoryOp, MemoryScope, Op, Strength};

pub(super) fn race(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    Some(FindingText::new(met(names, finding)?, order(names, finding)))
}

pub(super) fn unwaited(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let [copy, _] = &finding.sides[..] else { return None };
    Some(FindingText::new(met(names, finding)?, in_flight::wait_for(names, copy)))
}

/// The message for two unordered accesses.
fn met(names: &Names<'_>, finding: &Finding) -> Option<String> {
    let ParticipantPair { first, second, here, there, .. } = names.pair(finding)?;
    let element = names.element_of(finding);
    let [one, two] = [first, second].map(|side| {
        let of = match finding.interval {
            None => format!(" of block ({})", side.block.place_in(names.problem.launch.grid)),
            Some(_) => String::new(),
        };
        format!("{}{of} {} ", lanes(side), verb(side.did))
    });
    if first.pc == second.pc
        && first.lanes != second.lanes
        && finding.is_within_a_warp()
        && finding.interval.is_some()
    {
        return Some(format!(
            "lanes {} and {} of warp {} store different values to {element} at {here}",
            lane(first),
            lane(second),
            first.warp
        ));
    }
    let untested = in_flight::untested(names, finding)
        .map(|wait| format!("and {wait} may end before that: nothing tests its result"));
    let why = match &finding.kind {
        _ if untested.is_some() => untested.unwrap_or_default(),
        FindingKind::UnwaitedCopy => "and the copy has not been waited for".to_owned(),
        _ if finding.missing == Some(Missing::Acquire) => {
            "and no fence follows the access that saw it released".to_owned()
        }
        _ if finding.interval.is_none() => "and blocks do not wait for each other".to_owned(),
        _ if finding.is_within_a_warp() => "with no __syncwarp() between them".to_owned(),
        _ if first.block != second.block => in_flight::NO_BARRIER_OF_BLOCKS.to_owned(),
        _ => match ended(names.program, [first, second]) {
            Some((side, true)) => {
                format!("and warp {} ends without reaching the barrier", side.warp)
            }
            _ => "with no barrier between them".to_owned(),
        },
    };
    Some(format!("{one}{element} at {here} and {two}it at {there}, {why}"))
}

/// That two stores race with other data: in this run they are of one value.
pub(super) fn same(names: &Names<'_>, finding: &Finding) -> Option<String> {
    let ParticipantPair { first, second, here, there, .. } = names.pair(finding)?;
    let element = names.element_of(finding);
    let of = |side: &Participant| match finding.interval {
        None => format!(" of block ({})", side.block.place_in(names.problem.launch.grid)),
        Some(_) => String::new(),
    };
    let [one, two] = [first, second].map(|side| format!("{}{}", lanes(side), of(side)));
    Some(format!(
        "{one} and {two} store the same value to {element} ({here} and {there}) by this data alone: \
         with other contents of the buffers it is a race, as nothing puts them in order"
    ))
}

/// The advice that orders two accesses.
fn order(names: &Names<'_>, finding: &Finding) -> String {
    let [first, second] = &finding.sides[..] else { return String::new() };
    let advice = without_barrier(names, finding);
    advice.unwrap_or_else(|| gap::between(names, finding, [first, second]))
}

/// The advice for two accesses of which a barrier of the block alone is not what is missing.
pub(super) fn without_barrier(names: &Names<'_>, finding: &Finding) -> Option<String> {
    let [first, second] = &finding.sides[..] else { return None };
    if let Some(advice) = in_flight::order(names, finding) {
        return Some(advice.to_owned());
    }
    let within = |side: &Participant| {
        let op = &names.program.inst(side.pc).op;
        matches!(op, Op::Memory(MemoryOp::Atom { strength, .. })
            if strength.scope() == Some(MemoryScope::Cta))
    };
    if finding.interval.is_none() && (within(first) || within(second)) {
        return Some(
            "What is atomic for the threads of one block is not for others: atomicAdd, not \
                atomicAdd_block."
                .to_owned(),
        );
    }
    let copies = |side: &Participant| names.program.inst(side.pc).op.is_async_copy();
    if finding.interval.is_some() && copies(first) && !finding.is_within_a_warp() {
        return Some(format!(
            "Each thread waits for its own copies only: put a __syncthreads() behind that wait \
             (cp.async.wait_group, __pipeline_wait_prior), before {}.",
            names.line(second)
        ));
    }
    let fence =
        if finding.interval.is_none() { "__threadfence()" } else { "__threadfence_block()" };
    if finding.missing == Some(Missing::Acquire) {
        return Some(format!(
            "Put a {fence} before {}, after the access that sees that the other is done.",
            names.line(second)
        ));
    }
    if takes_lock(names) && (first.warp, first.block) != (second.warp, second.block) {
        let otherwise = apart(names, finding);
        let otherwise = otherwise.unwrap_or_else(|| gap::between(names, finding, [first, second]));
        return Some(format!(
            "If a lock is to keep them apart: a {fence} after the atomicCAS that takes it, and \
             another before it is given back. {otherwise}"
        ));
    }
    apart(names, finding)
}

/// Whether the kernel has the instruction that locks are built from.
fn takes_lock(names: &Names<'_>) -> bool {
    let mut ops = names.program.insts.iter().map(|inst| &inst.op);
    ops.any(|op| matches!(op, Op::Memory(MemoryOp::Atom { op: AtomicOp::CompareAndSwap, .. })))
}

/// Whether a thread of the kernel may tell others of something: by an atomic, or by an access that is
/// made to be seen.
fn signals(names: &Names<'_>) -> bool {
    names.program.insts.iter().any(|inst| match &inst.op {
        Op::Memory(MemoryOp::Atom { .. }) => true,
        Op::Memory(MemoryOp::Ld { strength, .. } | MemoryOp::St { strength, .. }) => {
            *strength != Strength::Weak
        }
        _ => false,
    })
}

/// The advice for two accesses that no lock guards.
fn apart(names: &Names<'_>, finding: &Finding) -> Option<String> {
    let [first, second] = &finding.sides[..] else { return None };
    let is_between_blocks = finding.interval.is_none();
    let load = [first, second].into_iter().find(|side| side.did == AccessKind::Load);
    if let Some(load) = load.filter(|_| is_between_blocks && !adds_up(names, first, second)) {
        let other = if std::ptr::eq(load, first) { second } else { first };
        // A value that a thread loads unsynchronised before it stores there predates the launch.
        let is_in_place = other.did == AccessKind::Store && load.pc < other.pc && !signals(names);
        let advice = if is_in_place {
            "Store to another buffer than the one that other blocks load from, and exchange the two \
             between launches: blocks never wait for each other, and no barrier holds them all."
        } else {
            "Blocks never wait for each other. Let each load only what it has stored itself, or \
                hand it over: a __threadfence() after the stores, then an atomic that tells of \
                them; and after the atomic that sees it, a __threadfence() before the loads."
        };
        return Some(advice.to_owned());
    }
    if is_between_blocks {
        return Some(
            "Blocks never wait for each other: add with atomicAdd, or let each block store a \
                part of its own."
                .to_owned(),
        );
    }
    if finding.is_within_a_warp() && first.pc == second.pc {
        return Some("Let one lane store, or give each lane a place of its own.".to_owned());
    }
    let stores = first.did != AccessKind::Load && second.did != AccessKind::Load;
    if stores && first.pc == second.pc {
        return Some("Let one thread store to each place, or add with atomicAdd.".to_owned());
    }
    if adds_up(names, first, second) {
        return Some(
            "Each thread loads it, adds and stores it, and what others add meanwhile is lost: \
                add with atomicAdd."
                .to_owned(),
        );
    }
    if first.block != second.block {
        return Some(in_flight::BETWEEN_BLOCKS.to_owned());
    }
    None
}

/// Whether a load and a store belong to one `x += ..`: at the same address, and what is stored is made of
/// what was loaded; on one line, if that loads nothing else of the array, as `x[i] += x[j]` does.
fn adds_up(names: &Names<'_>, first: &Participant, second: &Participant) -> bool {
    let (early, late) = if first.pc <= second.pc { (first, second) } else { (second, first) };
    let insts = &names.program.insts;
    let [
        Op::Memory(MemoryOp::Ld { addr: from, space, .. }),
        Op::Memory(MemoryOp::St { addr: to, src, .. }),
    ] = [early, late].map(|side| &insts[side.pc.0 as usize].op)
    else {
        return false;
    };
    let sources = RegisterWriters::new(names.program);
    let is_other = |inst: &Inst| match &inst.op {
        Op::Memory(MemoryOp::Ld { addr, space: of, .. }) => {
            of == space && addr != from && sources.begins(addr.base) == sources.begins(from.base)
        }
        _ => false,
    };
    let mut here = insts.iter().filter(|inst| (inst.file, inst.line) == (first.file, first.line));
    let is_one_line = first.line.is_some() && first.line == second.line;
    if is_one_line {
        return from == to && !here.any(is_other);
    }
    let load = &insts[early.pc.0 as usize];
    from == to && src.iter().any(|value| sources.is_made_of(*value, load))
}
