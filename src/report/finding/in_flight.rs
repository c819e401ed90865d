//! Messages for what is in flight: what is not waited for, what is not seen, misuse; and for the blocks
//! that run together.

use super::names::{Names, ParticipantPair, verb};
use super::words::FindingText;
use crate::analysis::check::{AccessKind, Finding, Missing, Participant};
use crate::launch::Dim3;
use crate::sim::{AsyncFault, Awaited, BlockGroup, Deadlock, UnfitBlocks};
use ptx::MbarrierOp;
use ptx::{AsyncOp, Op};

/// Why accesses of two blocks that run together are unordered, and what orders them.
pub(super) const NO_BARRIER_OF_BLOCKS: &str = "with no barrier of the cluster between them";
pub(super) const BETWEEN_BLOCKS: &str = "Let the blocks meet between them (barrier.cluster.arrive \
    and .wait, cluster.sync()), or hand over by an mbarrier: an arrival after the one, a wait before \
    the other.";

/// What keeps a block until others have accessed its memory.
const MEET_BEFORE_EXIT: &str = "Let all blocks of the cluster meet after the last access to each \
    other's shared memory (barrier.cluster.arrive and .wait, cluster.sync()), before they exit.";

/// The advice for a copy that is not waited for.
pub(super) fn wait_for(names: &Names<'_>, copy: &Participant) -> &'static str {
    if matches!(names.program.inst(copy.pc).op, Op::Async(AsyncOp::Bulk(_))) {
        "Wait at the mbarrier that the copy signals (mbarrier.try_wait, for the right phase) in \
         every thread that touches what it writes."
    } else {
        "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior) and then at a barrier, \
         before anybody touches what it writes."
    }
}

pub(super) fn still_read(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let ParticipantPair { first, second, who, other, here, there } = names.pair(finding)?;
    let (does, element) = (verb(second.did), names.element_of(finding));
    let message = if first.did == AccessKind::Copy {
        format!(
            "{other} {does} {element} at {there}, which the copy of {who} at {here} still reads: \
             no wait has completed it"
        )
    } else {
        format!(
            "{other} {does} {element} at {there}, which the tensor cores still read: no wait \
             has completed the wgmma of {who} at {here}"
        )
    };
    let advice = if finding.sides.iter().any(|side| side.did == AccessKind::Copy) {
        "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior; for a bulk copy \
         cp.async.bulk.wait_group.read), and then at a barrier, before any thread writes where it \
         reads."
    } else {
        "Wait for the wgmma (wgmma.wait_group), and then at a barrier, before any thread writes \
         where it reads."
    };
    Some(FindingText::new(message, advice))
}

pub(super) fn unseen(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let ParticipantPair { first, second, who, other, here, there } = names.pair(finding)?;
    if second.did == AccessKind::Copy {
        return Some(unseen_by_copy(names, finding));
    }
    let message = format!(
        "{who} {} {} at {here}, and the tensor cores read it for the wgmma of {other} at \
         {there}, with no fence.proxy.async on the way",
        verb(first.did),
        names.element_of(finding)
    );
    let advice = "Execute fence.proxy.async in every writing thread after its writes (after the \
                  wait for cp.async) and before the barrier.";
    Some(FindingText::new(message, advice))
}

/// A bulk copy does not see what a thread has written, or the mbarrier that it has initialised.
fn unseen_by_copy(names: &Names<'_>, finding: &Finding) -> FindingText {
    let Some(ParticipantPair { first, who, other, here, there, .. }) = names.pair(finding) else {
        return FindingText::default();
    };
    let init = matches!(&names.program.inst(first.pc).op,
        Op::Async(AsyncOp::Mbarrier(of)) if of.op == MbarrierOp::Init);
    let element = names.element_of(finding);
    if init {
        let message = format!(
            "{who} initialises the mbarrier {element} at {here}, and the bulk copy of {other} at \
             {there} signals it, with no fence.proxy.async on the way"
        );
        let advice = "After mbarrier.init, execute fence.mbarrier_init.release.cluster or \
                      fence.proxy.async in the same thread, and then a barrier.";
        return FindingText::new(message, advice);
    }
    let message = format!(
        "{who} {} {element} at {here}, and the bulk copy of {other} at {there} reads it, with no \
         fence.proxy.async on the way",
        verb(first.did)
    );
    let advice = "Execute fence.proxy.async in every writing thread after its writes and before the \
                  barrier that precedes the copy.";
    FindingText::new(message, advice)
}

pub(super) fn busy(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let ParticipantPair { other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{other} touches at {there} registers of its wgmma of {here}, for which it has not waited"
    );
    // ptxas 12.9 warns of this (C7517, C7520).
    let advice = "Commit the wgmma to a group and wait for that (wgmma.commit_group, \
                  wgmma.wait_group) before its registers are touched. ptxas may put a wait there, \
                  and then wgmmas no longer overlap.";
    Some(FindingText::new(message, advice))
}

pub(super) fn unordered(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let ParticipantPair { first, second, other, here, there, .. } = names.pair(finding)?;
    let message = if first.pc == second.pc {
        format!("{other} starts a wgmma at {there} with no wgmma.fence before")
    } else {
        format!(
            "{other} starts a wgmma at {there} whose registers it has touched at {here}, with no \
             wgmma.fence since"
        )
    };
    let advice = "Put a wgmma.fence before the first wgmma, and before each whose registers have \
                  been touched since.";
    Some(FindingText::new(message, advice))
}

/// The wait for an mbarrier's phase that would order two accesses, if its result were tested.
pub(super) fn untested(names: &Names<'_>, finding: &Finding) -> Option<String> {
    let Some(Missing::Retry(pc)) = finding.missing else { return None };
    let inst = names.program.inst(pc);
    let wait = Participant { pc, line: inst.line, ..*finding.sides.last()? };
    let waits = matches!(&inst.op, Op::Async(AsyncOp::Mbarrier(operation)) if operation.may_wait());
    let name = if waits { "mbarrier.try_wait" } else { "mbarrier.test_wait" };
    Some(format!("the {name} at {}", names.line(&wait)))
}

/// The advice that orders two accesses of which one is in flight, or a wait is not tested.
pub(super) fn order(names: &Names<'_>, finding: &Finding) -> Option<&'static str> {
    let [first, second] = &finding.sides[..] else { return None };
    if untested(names, finding).is_some() {
        return Some(
            "It waits for a limited time, and its result says whether the phase is complete: repeat \
                it until that is true.",
        );
    }
    let is_transfer = |side: &Participant| {
        side.did == AccessKind::Copy && names.program.inst(side.pc).op.is_async_transfer()
    };
    if is_transfer(second) {
        return Some(
            "Before the copy is started, wait for all that still use the memory: each arrives at \
                an mbarrier (or at a barrier) after its last access.",
        );
    }
    is_transfer(first).then_some(
        "Wait at the mbarrier that the copy signals (mbarrier.try_wait, for the right phase) \
                in every thread that touches what it writes, or let one wait before a barrier of all.",
    )
}

/// The phase for which all waiting threads of a deadlock wait, and the advice that completes it.
pub(super) fn phase(deadlock: &Deadlock) -> Option<(Awaited, &'static str)> {
    let awaited = deadlock.standing.first()?.awaited?;
    let is_phase = |awaited: Option<Awaited>| matches!(awaited, Some(Awaited::Phase { .. }));
    let Awaited::Phase { arrivals, .. } = awaited else { return None };
    let advice = if arrivals == 0 {
        "Expect (mbarrier.arrive.expect_tx) exactly the bytes that the copies of the phase bring, \
         and wait for the right parity."
    } else {
        "Let as many threads arrive in every phase as mbarrier.init told, and wait for the right \
         parity: the first phase has parity 0."
    };
    deadlock.standing.iter().all(|at| is_phase(at.awaited)).then_some((awaited, advice))
}

/// The advice for a misuse.
pub(super) fn misuse(fault: &AsyncFault) -> Option<String> {
    Some(match fault {
        AsyncFault::PartOfWarpgroup(_) | AsyncFault::WarpgroupDiverged(_) => {
            "Launch blocks of a multiple of 128 threads, and let all four warps of each warpgroup \
             come to every wgmma."
                .to_owned()
        }
        AsyncFault::SharedOfEnded { .. } => {
            MEET_BEFORE_EXIT.to_owned()
        }
        AsyncFault::Unfit(UnfitBlocks::Grid { shape, grid }) => {
            let Dim3 { x, y, z } = BlockGroup::next_grid(*grid, *shape);
            format!(
                "Launch a multiple of the cluster: a grid of {x}x{y}x{z} is the next, and its blocks past \
                 the data have to do nothing but meet the others at the barrier of the cluster."
            )
        }
        AsyncFault::Unfit(UnfitBlocks::Size(_) | UnfitBlocks::Warps(_)) => {
            "Make the cluster smaller: 8 blocks are what every GPU with clusters supports.".to_owned()
        }
        AsyncFault::ClusterArrival | AsyncFault::ClusterWait => {
            "Let each thread arrive at the barrier of the cluster (barrier.cluster.arrive), and then \
             wait (barrier.cluster.wait), in turn."
                .to_owned()
        }
        AsyncFault::NoSuchRank { .. } | AsyncFault::NotShared(_) | AsyncFault::ClusterBlocks { .. } => {
            "Compare the rank with the number of blocks of the cluster (%cluster_nctarank).".to_owned()
        }
        AsyncFault::NoMbarrier(_) | AsyncFault::MbarrierOverwritten(_) | AsyncFault::MbarrierAgain(_) => {
            "Let one thread initialise each mbarrier once (mbarrier.init), then a barrier, and keep \
             other stores off its 8 bytes."
                .to_owned()
        }
        AsyncFault::MbarrierArrivals { .. } | AsyncFault::MbarrierBytes { .. } => {
            "Wait until a phase is complete (mbarrier.try_wait) before anybody arrives in the next, \
             and let mbarrier.init tell how many arrive."
                .to_owned()
        }
        AsyncFault::BulkSize(_) | AsyncFault::BulkAlignment { .. } => {
            "A bulk copy moves a multiple of 16 bytes between addresses that are multiples of 16; a \
             box of a tensor lies at a multiple of 128 bytes of shared memory."
                .to_owned()
        }
        AsyncFault::TooManyWgmma(_) => {
            "Wait for the wgmma operations now and then: wgmma.commit_group, wgmma.wait_group."
                .to_owned()
        }
        _ => return None,
    })
}

/// A block may have exited when another one accesses its shared memory.
pub(super) fn exited(names: &Names<'_>, finding: &Finding) -> Option<FindingText> {
    let ParticipantPair { first, who, other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{who} {} {} at {here}, and nothing keeps that block from exiting before: {other} ends at \
         {there}",
        verb(first.did),
        names.element_of(finding)
    );
    Some(FindingText::new(message, MEET_BEFORE_EXIT))
}
