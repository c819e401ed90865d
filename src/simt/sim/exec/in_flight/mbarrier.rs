//! `mbarrier`: each lane's operation in turn, and whether the phases that lanes wait for are
//! complete.

use crate::sim::access::{Access, Direction, Route};
use crate::sim::exec::memory::{Located, address, check_addresses};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::in_flight::{
    AsyncEffect, AsyncFault, Awaited, AwaitedPhase, InFlight, MBARRIER_BYTES, MbarrierStep,
};
use crate::sim::mask::LaneMask;
use crate::sim::memory::SHARED_WINDOW;
use crate::sim::program::Reg;
use crate::sim::reach::SharedView;
use crate::sim::step::{Effect, Step};
use crate::sim::warp::Warp;
use ptx::Space;
use ptx::{CopyGroup, Mbarrier, MbarrierOp};

/// Executes an operation in the active lanes, in ascending order.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    operation: &Mbarrier<Reg>,
) -> Result<(), Failed> {
    if step.active.is_empty() {
        return Ok(());
    }
    let addrs = objects(place, step.active, operation)?;
    let mut done = MbarrierStep { addrs, ..MbarrierStep::default() };
    if matches!(operation.op, MbarrierOp::CopiesArrive { .. }) {
        let (copies, group) =
            (&mut place.in_flight.warps[usize::from(step.warp)].copies, CopyGroup::WaitAll);
        done.copied = copies.command(group, step.active, place.shared);
    }
    if matches!(operation.op, MbarrierOp::Test { .. }) {
        land(place, step.active, &mut done)?;
    }
    let args = operation.args.first().map_or([0; 32], |arg| place.warp.regs.wide(*arg));
    let mut results = [0; 32];
    for lane in step.active.lanes() {
        let result = each(place, operation.op, (addrs[lane], args[lane]), &mut done.phases[lane]);
        results[lane] = result.map_err(|kind| (kind.into(), Some(lane)))?;
    }
    if let MbarrierOp::Test { .. } = operation.op {
        done.complete = step.active.lanes().filter(|lane| results[*lane] == 1).collect();
    }
    if let Some(dst) = operation.dst {
        place.warp.regs.set_wide(dst, &results, step.active);
    }
    step.effect = Effect::Async(AsyncEffect::Mbarrier(Box::new(done)));
    Ok(())
}

/// One lane's operation: returns its result, and sets `phase` to the phase that it is part of.
fn each(
    place: &mut ExecContext<'_>,
    op: MbarrierOp,
    (addr, arg): (u32, u64),
    phase: &mut u32,
) -> Result<u64, AsyncFault> {
    let ExecContext { shared, in_flight: InFlight { mbarriers, .. }, .. } = place;
    if op == MbarrierOp::Init {
        return mbarriers.init(shared, addr, arg as u32).map(|()| 0);
    }
    let (now, state) = mbarriers.state(shared, addr)?;
    *phase = now;
    match op {
        MbarrierOp::Init | MbarrierOp::CopiesArrive { counted: false } => {}
        MbarrierOp::Invalidate => mbarriers.invalidate(shared, addr)?,
        MbarrierOp::Arrive { expects: true, drops, .. } => {
            mbarriers.expect(shared, addr, arg as u32 as i64)?;
            mbarriers.arrive(shared, addr, (1, drops))?;
        }
        MbarrierOp::Arrive { drops, .. } => mbarriers.arrive(shared, addr, (arg as u32, drops))?,
        MbarrierOp::CopiesArrive { .. } => mbarriers.arrive(shared, addr, (1, false))?,
        MbarrierOp::ExpectBytes => mbarriers.expect(shared, addr, arg as u32 as i64)?,
        MbarrierOp::CompleteBytes => mbarriers.expect(shared, addr, -(arg as u32 as i64))?,
        MbarrierOp::Test { parity, .. } => {
            let complete = mbarriers.is_complete(addr, waited_for(parity, arg));
            *phase = if complete { now.wrapping_sub(1) } else { now };
            return Ok(complete.into());
        }
    }
    Ok(state)
}

const fn waited_for(parity: bool, arg: u64) -> AwaitedPhase {
    if parity {
        AwaitedPhase::Parity(arg & 1 == 1)
    } else {
        AwaitedPhase::Number((arg >> 32) as u32)
    }
}

/// Lands the bulk copies that signal the mbarriers that lanes wait at.
fn land(
    place: &mut ExecContext<'_>,
    lanes: LaneMask,
    done: &mut MbarrierStep,
) -> Result<(), Failed> {
    for lane in lanes.lanes() {
        let landed = place.in_flight.mbarriers.land(place.shared, done.addrs[lane]);
        done.landed.extend(landed.map_err(|kind| (kind.into(), Some(lane)))?);
    }
    Ok(())
}

/// Returns each lane's object, by its address in shared memory.
fn objects(
    place: &ExecContext<'_>,
    active: LaneMask,
    operation: &Mbarrier<Reg>,
) -> Result<[u32; 32], Failed> {
    let (space, direction) = (operation.space, Direction::Atomic);
    let route = Route::Lanes;
    let mut access =
        Access { space, direction, bytes: MBARRIER_BYTES, route, active, addrs: [0; 32] };
    let (regs, seen) = (&place.warp.regs, place.seen());
    let Located::Shared = check_addresses(regs, place.memory, seen, &operation.addr, &mut access)?
    else {
        return Err((AsyncFault::MbarrierSpace.into(), active.lanes().next()));
    };
    let far = |addr: &u64| place.blocks.of_shared(*addr).0 != place.warp.rank;
    match active.lanes().find(|lane| !operation.may_be_far() && far(&access.addrs[*lane])) {
        Some(lane) => Err((AsyncFault::MbarrierFar.into(), Some(lane))),
        None => Ok(access.addrs.map(|addr| addr as u32)),
    }
}

/// The incomplete phase that blocks this wait.
pub(super) fn blocked_on(
    warp: &Warp,
    (in_flight, seen): (&InFlight, SharedView<'_>),
    operation: &Mbarrier<Reg>,
    active: LaneMask,
) -> Option<Awaited> {
    let mbarriers = &in_flight.mbarriers;
    let mut addrs = [0; 32];
    address(&warp.regs, &operation.addr, &mut addrs);
    let arg = warp.regs.wide(*operation.args.first()?);
    let MbarrierOp::Test { parity, .. } = operation.op else { return None };
    let in_shared = |addr: u64| match operation.space {
        Space::Generic => seen.own(addr.wrapping_sub(SHARED_WINDOW)) as u32,
        _ => seen.own(addr) as u32,
    };
    let waits =
        |lane: usize| !mbarriers.is_complete(in_shared(addrs[lane]), waited_for(parity, arg[lane]));
    let first = active.lanes().next()?;
    active.lanes().all(waits).then(|| mbarriers.awaited(in_shared(addrs[first]))).flatten()
}
