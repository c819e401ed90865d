//! The blocks of a cluster: addresses in each other's shared memory (`mapa`, `getctarank`), and their
//! barrier.

use crate::sim::exec::bits;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::in_flight::{AsyncEffect, AsyncFault};
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::reach::SharedView;
use crate::sim::step::{Effect, Step};
use ptx::Space;

/// `mapa`: each lane's address in the shared memory of the block of this rank.
pub(super) fn map(
    place: &mut ExecContext<'_>,
    step: &Step,
    [dst, addr, rank]: [&Reg; 3],
) -> Result<(), Failed> {
    let (addrs, ranks) = (place.warp.regs.wide(*addr), place.warp.regs.wide(*rank));
    each(place, step.active, *dst, |seen, lane| seen.map(addrs[lane], ranks[lane] as u32))
}

/// `getctarank`: the rank of the block in whose shared memory each lane's address lies.
pub(super) fn rank(
    place: &mut ExecContext<'_>,
    step: &Step,
    [dst, addr]: [&Reg; 2],
) -> Result<(), Failed> {
    let addrs = place.warp.regs.wide(*addr);
    each(place, step.active, *dst, |seen, lane| seen.rank_of(addrs[lane]))
}

/// `isspacep`: whether each lane's generic address lies in the space: `.shared` is the block's own
/// memory, `.shared::cluster` that of all blocks of the cluster.
pub(in crate::sim::exec) fn in_space(
    place: &mut ExecContext<'_>,
    lanes: LaneMask,
    (space, dst, addr): (Space, Reg, Reg),
) {
    let (seen, addrs) = (place.seen(), place.warp.regs.wide(addr));
    let is_in = |addr: u64| match (bits::in_space(Space::Shared, addr), space) {
        (true, Space::Shared) => seen.rank_of(addr) == Ok(seen.rank.into()),
        (true, Space::Distributed) => seen.rank_of(addr).is_ok(),
        _ => bits::in_space(space, addr),
    };
    let found = lanes.lanes().filter(|lane| is_in(addrs[*lane])).collect();
    place.warp.regs.set_pred(dst, found, lanes);
}

/// Writes what `value` makes for each lane.
fn each(
    place: &mut ExecContext<'_>,
    lanes: LaneMask,
    dst: Reg,
    value: impl Fn(SharedView<'_>, usize) -> Result<u64, AsyncFault>,
) -> Result<(), Failed> {
    let mut values = [0; 32];
    for lane in lanes.lanes() {
        values[lane] = value(place.seen(), lane).map_err(|kind| (kind.into(), Some(lane)))?;
    }
    place.warp.regs.set_wide(dst, &values, lanes);
    Ok(())
}

/// `barrier.cluster`: lanes of a warp arrive, or go on after their wait.
pub(super) fn barrier(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    (waits, aligned): (bool, bool),
) -> Result<(), Failed> {
    let (lanes, warp) = (step.active, usize::from(step.warp));
    if aligned && lanes != place.warp.live && !lanes.is_empty() {
        return Err((FaultKind::PartOfWarp(lanes.count()), None));
    }
    let barrier = &mut place.in_flight.cluster_barrier;
    let phase = if waits { barrier.pass(warp, lanes) } else { barrier.arrive(warp, lanes) };
    let phase = phase.map_err(|kind| (kind.into(), lanes.lanes().next()))?;
    step.effect = Effect::Async(AsyncEffect::ClusterBarrier { waits, phase });
    Ok(())
}
