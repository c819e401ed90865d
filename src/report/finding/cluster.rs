//! Messages for the blocks of a cluster.

use super::names::{Names, Pair, verb};
use super::words::Words;
use crate::analysis::check::Finding;

/// A block may have exited when another one accesses its shared memory.
pub(super) fn exited(names: &Names<'_>, finding: &Finding) -> Option<Words> {
    let Pair { first, who, other, here, there, .. } = names.pair(finding)?;
    let message = format!(
        "{who} {} {} at {here}, and nothing keeps that block from exiting before: {other} ends at \
         {there}",
        verb(first.did),
        names.element_of(finding)
    );
    let advice = "Let all blocks of the cluster meet after the last access to each other's shared \
                  memory (barrier.cluster.arrive and .wait, cluster.sync()), before they exit.";
    Some(Words::new(message, advice))
}
