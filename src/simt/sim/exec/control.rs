//! Control flow: instructions that set the next pc of their lanes themselves.

use super::call;
use super::missing;
use crate::launch::WARP_SIZE;
use crate::sim::access::Pc;
use crate::sim::barrier::{BARRIERS, Wait};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::step::{Effect, Step};
use crate::sim::warp::Warp;
use ptx::{BarrierAction, ControlOp};

/// Executes a branch, a call, a barrier, an exit or a hint, and sets where the lanes continue.
#[inline]
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    op: &ControlOp<Reg, Pc>,
    step: &mut Step,
) -> Result<(), Failed> {
    let (mask, pc) = (step.active, step.pc);
    let next = Pc(pc.0 + 1);
    step.effect = match op {
        ControlOp::Bra { target } => {
            branch(place, mask, *target, pc);
            Effect::Branch { taken: mask }
        }
        ControlOp::Switch { index, targets } => switch(place, mask, *index, targets, pc)?,
        ControlOp::Call { target, .. } => {
            call::enter(place, mask, *target, pc);
            Effect::Branch { taken: mask }
        }
        ControlOp::Ret => {
            call::leave(place, mask, next);
            Effect::Branch { taken: mask }
        }
        ControlOp::Exit => {
            end(place.warp, mask, next);
            Effect::Exit
        }
        ControlOp::Bar { how, id, threads } => {
            arrive(place.warp, mask, (*how, *id, *threads), next)?
        }
        ControlOp::CallMissing { name, args } => {
            missing::execute(place, (name, args), mask)?;
            go_on(place.warp, next)
        }
        ControlOp::Trap { breakpoint } => {
            stop(mask, if *breakpoint { FaultKind::Breakpoint } else { FaultKind::Trap })?;
            go_on(place.warp, next)
        }
        ControlOp::Clock { upper, dst, .. } => {
            let time = if *upper { place.issued >> 32 } else { place.issued };
            place.warp.regs.set_wide(*dst, &[time; 32], mask);
            go_on(place.warp, next)
        }
        ControlOp::Hint => go_on(place.warp, next),
    };
    Ok(())
}

/// Continues at the next instruction without any other effect.
fn go_on(warp: &mut Warp, next: Pc) -> Effect {
    warp.stack.advance(next);
    Effect::Compute
}

/// Faults in the first of `lanes`; if the guard disables all of them, nothing happens.
fn stop(lanes: LaneMask, kind: FaultKind) -> Result<(), Failed> {
    first(lanes).map_or(Ok(()), |lane| Err((kind, Some(lane))))
}

/// The lanes `taken` jump, the warp's other running lanes fall through.
///
/// Lanes whose path leads straight to the exit end at once instead of waiting at the reconvergence
/// point. Hardware exits them first, and otherwise `if (outside) return;` before a loop with
/// barriers would look like a barrier that only part of the warp reaches.
fn branch(place: &mut ExecContext<'_>, taken: LaneMask, target: Pc, pc: Pc) {
    jump(place, taken, target, (pc, Pc(pc.0 + 1)));
}

/// From the branch at `pc`, `taken` continue at `target` and the rest at `next`.
fn jump(place: &mut ExecContext<'_>, taken: LaneMask, target: Pc, (pc, next): (Pc, Pc)) {
    let (_, lanes) = place.warp.next();
    let rest = lanes.without(taken);
    let ends = |pc: Pc| place.program.ends[pc.0 as usize];
    let turns = target <= pc && !taken.is_empty();
    match (taken.is_empty(), rest.is_empty()) {
        (true, _) => place.warp.stack.advance(next),
        (false, true) => place.warp.stack.advance(target),
        (false, false) if ends(target) => end(place.warp, taken, next),
        (false, false) if ends(next) => end(place.warp, rest, target),
        (false, false) => {
            let meet = place.program.reconverge_at[pc.0 as usize];
            place.warp.stack.diverge(taken, target, next, meet);
        }
    }
    if turns {
        place.warp.stack.jump_back();
    }
}

/// The lanes with the same index as the first lane jump; the others execute the instruction again.
fn switch(
    place: &mut ExecContext<'_>,
    lanes: LaneMask,
    index: Reg,
    targets: &[Pc],
    pc: Pc,
) -> Result<Effect, Failed> {
    let numbers = place.warp.regs.wide(index);
    let Some(first) = lanes.lanes().next() else {
        place.warp.stack.advance(Pc(pc.0 + 1));
        return Ok(Effect::Branch { taken: lanes });
    };
    let number = numbers[first];
    let Some(target) = targets.get(number as usize) else {
        let (index, places) = (number, targets.len());
        return Err((FaultKind::NoSuchPlace { index, places }, Some(first)));
    };
    let taken: LaneMask = lanes.lanes().filter(|lane| numbers[*lane] == number).collect();
    let next = if taken == lanes { Pc(pc.0 + 1) } else { pc };
    jump(place, taken, *target, (pc, next));
    Ok(Effect::Branch { taken })
}

/// Ends `lanes`; if other lanes of their path remain, those continue at `next`.
fn end(warp: &mut Warp, lanes: LaneMask, next: Pc) {
    let (_, running) = warp.next();
    warp.live = warp.live.without(lanes);
    warp.stack.end(lanes);
    if !running.without(lanes).is_empty() {
        warp.stack.advance(next);
    }
}

/// `lanes` arrive at a barrier and wait; the guard may disable all of them.
fn arrive(
    warp: &mut Warp,
    lanes: LaneMask,
    (how, id, threads): (BarrierAction<Reg>, Reg, Option<Reg>),
    next: Pc,
) -> Result<Effect, Failed> {
    if lanes.is_empty() {
        warp.stack.advance(next);
        return Ok(Effect::Compute);
    }
    let id = agreed(warp, lanes, id)?;
    if id >= BARRIERS as u64 {
        return Err((FaultKind::NoSuchBarrier(id), first(lanes)));
    }
    let threads = threads.map(|threads| agreed(warp, lanes, threads)).transpose()?;
    if let Some(threads) = threads
        && (threads == 0 || !threads.is_multiple_of(u64::from(WARP_SIZE)))
    {
        return Err((FaultKind::BarrierThreads(threads), first(lanes)));
    }
    let vote = match how {
        BarrierAction::Reduce { reduction, dst, vote: (negated, vote) } => {
            let votes = warp.regs.pred(vote);
            let ayes = if negated { lanes.without(votes) } else { lanes.and(votes) };
            Some((reduction, dst, ayes))
        }
        BarrierAction::Sync | BarrierAction::Arrive => None,
    };
    let (id, threads) = (id as u8, threads.map(|threads| threads as u32));
    let passing = how == BarrierAction::Arrive;
    warp.stack.wait(lanes, Wait { id, threads, passing, counted: false, vote });
    Ok(Effect::Barrier { id, waits: !passing, threads })
}

/// A value that must be equal in all `lanes`.
fn agreed(warp: &Warp, lanes: LaneMask, reg: Reg) -> Result<u64, Failed> {
    let values = warp.regs.wide(reg);
    let value = values[lanes.0.trailing_zeros() as usize];
    match lanes.lanes().find(|lane| values[*lane] != value) {
        Some(lane) => Err((FaultKind::BarrierOperandsDiffer(value, values[lane]), Some(lane))),
        None => Ok(value),
    }
}

fn first(lanes: LaneMask) -> Option<usize> {
    lanes.lanes().next()
}
