//! Calls of device functions: what goes in, what comes back, and where the lanes meet again.

use crate::sim::alu::extend;
use crate::sim::exec_context::ExecContext;
use crate::sim::local::Local;
use crate::sim::mask::LaneMask;
use crate::sim::program::Transfer;
use crate::sim::regs::Regs;
use crate::sim::step::Pc;

/// `lanes` go to the function at `target`; they meet the others behind the call, where all wait
/// until the last one is back.
pub(super) fn enter(place: &mut ExecContext<'_>, lanes: LaneMask, target: Pc, pc: Pc) {
    if lanes.is_empty() {
        return place.warp.stack.advance(Pc(pc.0 + 1));
    }
    if let Some(site) = place.program.calls.get(&pc) {
        let warp = &mut *place.warp;
        site.args.iter().for_each(|of| pass(of, &warp.regs, &mut warp.local, lanes));
    }
    place.warp.stack.call(lanes, target, pc);
}

/// `lanes` go back to where they were called from; the rest of their way, if any, to `next`.
pub(super) fn leave(place: &mut ExecContext<'_>, lanes: LaneMask, next: Pc) {
    let warp = &mut *place.warp;
    let site = warp.stack.caller().and_then(|pc| place.program.calls.get(&pc));
    if let Some(site) = site {
        site.results.iter().for_each(|of| bring(of, &mut warp.regs, &mut warp.local, lanes));
    }
    let (_, running) = warp.next();
    warp.stack.return_from(lanes);
    if !running.without(lanes).is_empty() {
        warp.stack.advance(next);
    }
}

/// An argument, to the function's local memory.
fn pass(transfer: &Transfer, regs: &Regs, local: &mut Local, lanes: LaneMask) {
    match *transfer {
        Transfer::Bytes { outside, inside, bytes } => copy(local, lanes, (outside, inside), bytes),
        Transfer::Row { outside, inside, ty } => {
            let values = regs.wide(outside);
            for lane in lanes.lanes() {
                let value = extend(values[lane], ty);
                *local.word_mut(lane, inside.into()) = value as u32;
                if ty.bits() == 64 {
                    *local.word_mut(lane, u64::from(inside) + 4) = (value >> 32) as u32;
                }
            }
        }
    }
}

/// A result, from the function's local memory.
fn bring(transfer: &Transfer, regs: &mut Regs, local: &mut Local, lanes: LaneMask) {
    match *transfer {
        Transfer::Bytes { outside, inside, bytes } => copy(local, lanes, (inside, outside), bytes),
        Transfer::Row { outside, inside, ty } => regs.set_each(outside, lanes, |lane| {
            let word = |addr: u32| u64::from(local.load(lane, addr.into()));
            let high = if ty.bits() == 64 { word(inside + 4) << 32 } else { 0 };
            extend(word(inside) | high, ty)
        }),
    }
}

/// Whole words: parameters lie at multiples of 4, with room behind them.
fn copy(local: &mut Local, lanes: LaneMask, (from, to): (u32, u32), bytes: u32) {
    for lane in lanes.lanes() {
        for at in (0..bytes).step_by(4) {
            let word = local.load(lane, (from + at).into());
            *local.word_mut(lane, (to + at).into()) = word;
        }
    }
}
