//! Calls of device functions: passing arguments and results, and reconvergence after the call.

use crate::sim::access::Pc;
use crate::sim::alu::extend;
use crate::sim::exec_context::ExecContext;
use crate::sim::local::Local;
use crate::sim::mask::LaneMask;
use crate::sim::program::Transfer;
use crate::sim::regs::Regs;

/// Calls the function at `target` in `lanes`. They reconverge with the other lanes after the call,
/// when the last of them has returned.
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

/// Returns `lanes` to their call site; the path's other lanes, if any, continue at `next`.
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

/// Copies an argument to the function's local memory.
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

/// Copies a result from the function's local memory.
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

/// Copies whole words: parameters are aligned to 4 bytes and padded.
fn copy(local: &mut Local, lanes: LaneMask, (from, to): (u32, u32), bytes: u32) {
    for lane in lanes.lanes() {
        for at in (0..bytes).step_by(4) {
            let word = local.load(lane, (from + at).into());
            *local.word_mut(lane, (to + at).into()) = word;
        }
    }
}
