//! Copies and products of the tensor cores that go on while the warps do, and are not waited for.

use super::names::{Names, Pair, verb};
use super::words::Words;
use crate::analysis::check::{AccessKind, Finding};

pub(super) fn still_read(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, second, who, other, here, there } = names.pair(finding)?;
    let (does, element) = (verb(second.did), names.element_of(finding));
    let message = if first.did == AccessKind::Copy {
        format!(
            "{other} {does} {element} at {there}, which the copy of {who} at {here} still reads: \
             nobody has waited for it"
        )
    } else {
        format!(
            "{other} {does} {element} at {there}, which the tensor cores still read: nobody has \
             waited for the product of {who} at {here}"
        )
    };
    let advice = if finding.sides.iter().any(|side| side.did == AccessKind::Copy) {
        "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior), and then at a barrier, \
         before anybody writes where it reads."
    } else {
        "Wait for the product (wgmma.wait_group), and then at a barrier, before anybody writes \
         where it reads."
    };
    Some(Words::new(message, advice))
}

pub(super) fn unseen(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, who, other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{who} {} {} at {here}, and the tensor cores read it for the product of {other} at \
         {there}, with no fence.proxy.async on the way",
        verb(first.did),
        names.element_of(finding)
    );
    let advice = "Let each thread that writes execute fence.proxy.async behind its writes (of \
                  cp.async: behind the wait), before the barrier.";
    Some(Words::new(message, advice))
}

pub(super) fn busy(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{other} touches at {there} registers of its product of {here}, for which it has not waited"
    );
    // ptxas 12.9 says so (C7517, C7520).
    let advice = "Commit the product to a group and wait for that (wgmma.commit_group, \
                  wgmma.wait_group) before its registers are touched. ptxas may put a wait there, \
                  and then no product goes on beside another.";
    Some(Words::new(message, advice))
}

pub(super) fn unordered(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, second, other, here, there, .. } = names.pair(finding)?;
    let message = if first.pc == second.pc {
        format!("{other} starts a product at {there} with no wgmma.fence before")
    } else {
        format!(
            "{other} starts a product at {there} whose registers it has touched at {here}, with no \
             wgmma.fence since"
        )
    };
    let advice = "Put a wgmma.fence before the first product, and before each whose registers have \
                  been touched since.";
    Some(Words::new(message, advice))
}
