//! One instruction of one warp: decode is done, so this is a table of who does what.

mod arith;
mod atomic;
mod bits;
mod call;
mod control;
mod convert;
mod copy;
mod directed;
mod failed;
mod half;
mod local;
mod matrix;
mod memory;
mod missing;
mod tensor;
mod warp;
mod wgmma;
mod words;

pub(super) use missing::ASSERTION;

use super::fault::FaultKind;
use super::mask::LaneMask;
use super::place::Place;
use super::program::{Inst, Reg};
use super::step::{Effect, Pc, Step};
use crate::ptx::{Mma, Op, TernaryOp, Type};
use failed::Failed;
use std::sync::PoisonError;

/// A plain load or store.
#[inline]
fn access(place: &mut Place<'_>, op: &Op<Reg, Pc>, step: &mut Step) -> Result<(), Failed> {
    match op {
        Op::Ld { space, ty, dst, addr, .. } => memory::load(place, step, *space, *ty, dst, addr),
        Op::St { space, ty, addr, src, .. } => memory::store(place, step, *space, *ty, addr, src),
        _ => Ok(()),
    }
}

/// Executes `inst` in the lanes `step.active` and writes what happened into `step.effect`.
///
/// What inner loops are made of comes first and is inlined into the machine's step; the rest is a
/// call away, with its large frame.
#[inline]
pub(super) fn execute(place: &mut Place<'_>, inst: &Inst, step: &mut Step) -> Result<(), Failed> {
    let mask = step.active;
    match &inst.op {
        Op::Ternary { op: TernaryOp::Fma, ty: Type::F32, float, dst, abc } => {
            step.effect = Effect::Fma;
            arith::fma(&mut place.warp.regs, Type::F32, *float, *dst, *abc, mask);
        }
        Op::Ld { space, ty, dst, addr, .. } if !place.program.atomic_pairs => {
            memory::load(place, step, *space, *ty, dst, addr)?;
        }
        op @ (Op::Binary { .. } | Op::Setp { .. } | Op::Mov { .. }) => {
            step.effect = Effect::Compute;
            arith::execute(&mut place.warp.regs, op, mask);
        }
        _ => return execute_other(place, inst, step),
    }
    place.warp.stack.advance(Pc(step.pc.0 + 1));
    Ok(())
}

/// Any instruction.
///
/// Behind what does not say itself where its lanes go on comes the next instruction.
#[inline(never)]
fn execute_other(place: &mut Place<'_>, inst: &Inst, step: &mut Step) -> Result<(), Failed> {
    let mask = step.active;
    let next = Pc(step.pc.0 + 1);
    step.effect = Effect::Compute;
    if control::execute(place, &inst.op, step)? {
        return Ok(());
    }
    match &inst.op {
        Op::Ld { ty, .. } | Op::St { ty, .. } if place.program.atomic_pairs && ty.bits() == 64 => {
            let pairs = place.memory.pairs();
            let _alone = pairs.lock().unwrap_or_else(PoisonError::into_inner);
            access(place, &inst.op, step)?;
        }
        op @ (Op::Ld { .. } | Op::St { .. }) => access(place, op, step)?,
        Op::CopyAsync { bytes, past_l1, dst, src, size } => {
            copy::begin(place, step, (*bytes, *past_l1), [dst, src], *size)?;
        }
        Op::CopyGroup(group) => copy::group(place, step, *group),
        Op::LdMatrix { .. }
        | Op::StMatrix { .. }
        | Op::MovMatrix { .. }
        | Op::Mma(_)
        | Op::Wgmma(_)
        | Op::WgmmaGroup(_)
        | Op::LdFragment(_)
        | Op::StFragment(_) => {
            if matrix::is_whole(mask)? {
                matrices(place, step, &inst.op)?;
            }
        }
        Op::Ternary { op: TernaryOp::Fma, ty, float, dst, abc } => {
            step.effect = fma(*ty);
            arith::fma(&mut place.warp.regs, *ty, *float, *dst, *abc, mask);
        }
        Op::Atom { op, space, ty, dst, addr, args, .. } => {
            let (op, space, ty, dst) = (*op, *space, *ty, *dst);
            let operands = atomic::Operands { op, space, ty, dst, addr, args };
            atomic::execute(place, step, &operands)?;
        }
        Op::Bits { op, ty, dst, args } => {
            bits::execute(&mut place.warp.regs, (*op, *ty), *dst, args, mask);
        }
        Op::Carry { op, ty, dst, args, from, to } => {
            bits::carry(&mut place.warp.regs, (*op, *ty), *dst, args, (*from, *to), mask);
        }
        Op::Warp { op, ty, dst, pred, negated, args, members } => {
            let (op, ty, dst, pred, members) = (*op, *ty, *dst, *pred, *members);
            let operands = warp::Operands { op, ty, dst, pred, negated: *negated, args, members };
            return warp::execute(place, &operands, step, next);
        }
        Op::Clock { upper, dst, .. } => {
            let time = if *upper { place.issued >> 32 } else { place.issued };
            place.warp.regs.set_wide(*dst, &[time; 32], mask);
        }
        Op::CallMissing { name, args } => missing::execute(place, (name, args), mask)?,
        Op::Trap { breakpoint: false } => stop(mask, || FaultKind::Trap)?,
        Op::Trap { breakpoint: true } => stop(mask, || FaultKind::Breakpoint)?,
        Op::Fence(_) | Op::ProxyFence | Op::WgmmaFence | Op::Hint => {}
        op => arith::execute(&mut place.warp.regs, op, mask),
    }
    place.warp.stack.advance(next);
    Ok(())
}

/// The first of `lanes` cannot go on; where a guard keeps all of them away, nothing happens.
fn stop(lanes: LaneMask, kind: impl FnOnce() -> FaultKind) -> Result<(), Failed> {
    lanes.lanes().next().map_or(Ok(()), |lane| Err((kind(), Some(lane))))
}

/// The effect of an instruction in these lanes, if it writes registers, does nothing else and goes
/// wrong for no values.
pub(super) fn on_registers(op: &Op<Reg, Pc>, mask: LaneMask) -> Option<Effect> {
    match op {
        Op::Ternary { op: TernaryOp::Fma, ty, .. } => Some(fma(*ty)),
        Op::Mma(products) => (mask == LaneMask::ALL).then(|| mma(products)),
        op => op.is_lane_wise().then_some(Effect::Compute),
    }
}

fn fma(ty: Type) -> Effect {
    if ty.is_half() { Effect::HalfFma } else { Effect::Fma }
}

fn mma(products: &[Mma<Reg>]) -> Effect {
    let multiply_adds = |product: &Mma<Reg>| product.shape.map(u32::from).iter().product::<u32>();
    Effect::Mma {
        instructions: products.len() as u8,
        multiply_adds: products.iter().map(multiply_adds).sum(),
    }
}

/// What a whole warp does with matrices.
fn matrices(place: &mut Place<'_>, step: &mut Step, op: &Op<Reg, Pc>) -> Result<(), Failed> {
    match op {
        Op::LdMatrix { transposed, dst, addr, .. } => {
            matrix::load(place, step, *transposed, dst, addr)
        }
        Op::StMatrix { transposed, addr, src, .. } => {
            matrix::store(place, step, *transposed, addr, src)
        }
        Op::LdFragment(fragment) => matrix::load_fragment(place, step, fragment),
        Op::StFragment(fragment) => matrix::store_fragment(place, step, fragment),
        Op::Wgmma(product) => wgmma::begin(place, step, product),
        Op::WgmmaGroup(command) => {
            wgmma::group(place, step, *command);
            Ok(())
        }
        Op::MovMatrix { dst, src } => {
            matrix::mov(place, *dst, *src);
            Ok(())
        }
        Op::Mma(products) => {
            tensor::multiply(&mut place.warp.regs, products);
            step.effect = mma(products);
            Ok(())
        }
        _ => unreachable!("no instruction for matrices"),
    }
}
