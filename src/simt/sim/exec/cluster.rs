//! `mapa`: addresses in the shared memory of the blocks of a cluster, of which there is one.

use super::failed::Failed;
use crate::sim::exec_context::ExecContext;
use crate::sim::fault::FaultKind;
use crate::sim::program::Reg;
use crate::sim::step::Step;

/// Copies each lane's address, after a check of the rank.
pub(super) fn map(
    place: &mut ExecContext<'_>,
    step: &Step,
    [dst, addr, rank]: [&Reg; 3],
) -> Result<(), Failed> {
    let regs = &mut place.warp.regs;
    let ranks = regs.wide(*rank);
    if let Some(lane) = step.active.lanes().find(|lane| ranks[*lane] != 0) {
        return Err((FaultKind::ClusterRank(ranks[lane] as u32), Some(lane)));
    }
    let addrs = regs.wide(*addr);
    regs.set_wide(*dst, &addrs, step.active);
    Ok(())
}
