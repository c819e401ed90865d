//! Messages for asynchronous copies and wgmma that are not waited for.

use super::names::{Names, Pair, verb};
use super::words::Words;
use crate::analysis::check::{AccessKind, Finding};
use ptx::{MbarrierOp, MemoryOp, Op};

pub(super) fn still_read(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, second, who, other, here, there } = names.pair(finding)?;
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
    Some(Words::new(message, advice))
}

pub(super) fn unseen(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, second, who, other, here, there } = names.pair(finding)?;
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
    Some(Words::new(message, advice))
}

/// A bulk copy does not see what a thread has written, or the mbarrier that it has initialised.
fn unseen_by_copy(names: &Names<'_>, finding: &Finding) -> Words {
    let Some(Pair { first, who, other, here, there, .. }) = names.pair(finding) else {
        return Words::default();
    };
    let init = matches!(&names.program.inst(first.pc).op,
        Op::Memory(MemoryOp::Mbarrier(of)) if of.op == MbarrierOp::Init);
    let element = names.element_of(finding);
    if init {
        let message = format!(
            "{who} initialises the mbarrier {element} at {here}, and the bulk copy of {other} at \
             {there} signals it, with no fence.proxy.async on the way"
        );
        let advice = "After mbarrier.init, execute fence.mbarrier_init.release.cluster or \
                      fence.proxy.async in the same thread, and then a barrier.";
        return Words::new(message, advice);
    }
    let message = format!(
        "{who} {} {element} at {here}, and the bulk copy of {other} at {there} reads it, with no \
         fence.proxy.async on the way",
        verb(first.did)
    );
    let advice = "Execute fence.proxy.async in every writing thread after its writes and before the \
                  barrier that precedes the copy.";
    Words::new(message, advice)
}

pub(super) fn busy(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{other} touches at {there} registers of its wgmma of {here}, for which it has not waited"
    );
    // ptxas 12.9 warns of this (C7517, C7520).
    let advice = "Commit the wgmma to a group and wait for that (wgmma.commit_group, \
                  wgmma.wait_group) before its registers are touched. ptxas may put a wait there, \
                  and then wgmmas no longer overlap.";
    Some(Words::new(message, advice))
}

pub(super) fn unordered(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, second, other, here, there, .. } = names.pair(finding)?;
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
    Some(Words::new(message, advice))
}
