//! Branches, barriers and the end of lanes.

use super::{Failed, Place};
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::step::{Effect, Pc};
use crate::sim::warp::{Warp, WarpState};

/// Barriers of a block (PTX ISA, `bar`).
const BARRIERS: u64 = 16;

/// `taken` jump, the warp's other running lanes fall through.
///
/// Lanes whose way leads straight to the end are ended at once rather than parked at the meeting
/// point: hardware exits them first, and `if (outside) return;` before a loop with barriers
/// would otherwise look like a barrier that only a part of the warp reaches.
pub(super) fn branch(place: &mut Place<'_>, taken: LaneMask, target: Pc, pc: Pc) {
    let (_, lanes) = place.warp.next();
    let (rest, next) = (lanes.without(taken), Pc(pc.0 + 1));
    let ends = |pc: Pc| place.program.ends[pc.0 as usize];
    match (taken.is_empty(), rest.is_empty()) {
        (true, _) => place.warp.stack.advance(next),
        (false, true) => place.warp.stack.advance(target),
        (false, false) if ends(target) => end(place.warp, taken, next),
        (false, false) if ends(next) => end(place.warp, rest, target),
        (false, false) => {
            let meet = place.program.meet[pc.0 as usize];
            place.warp.stack.part(taken, target, next, meet);
        }
    }
}

/// Ends `lanes`; if others of their way are left, those go on at `next`.
pub(super) fn end(warp: &mut Warp, lanes: LaneMask, next: Pc) {
    let (_, running) = warp.next();
    warp.live = warp.live.without(lanes);
    warp.stack.end(lanes);
    if warp.live.is_empty() {
        warp.state = WarpState::Exited;
    } else if !running.without(lanes).is_empty() {
        warp.stack.advance(next);
    } else {
        // The lanes that ended were all that ran: another way of the stack goes on where it is,
        // or gives way in turn if that is its meeting point.
        warp.stack.merge();
    }
}

/// `lanes` arrive at barrier `id`, and the warp waits; a guard may keep all of them away.
pub(super) fn arrive(warp: &mut Warp, id: Reg, lanes: LaneMask) -> Result<Effect, Failed> {
    if lanes.is_empty() {
        return Ok(Effect::Compute);
    }
    if lanes != warp.live {
        let (arrived, live) = (lanes.count(), warp.live.count());
        return Err((FaultKind::DivergentBarrier { arrived, live }, None));
    }
    let lane = lanes.0.trailing_zeros() as usize;
    let id = warp.regs.wide(id)[lane];
    if id >= BARRIERS {
        return Err((FaultKind::NoSuchBarrier(id), Some(lane)));
    }
    warp.state = WarpState::Waiting;
    warp.barrier = id as u8;
    Ok(Effect::Barrier { id: id as u8, released: false })
}
