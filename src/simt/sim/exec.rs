//! Executes one instruction of one warp; it is already decoded, so this only dispatches it.

mod arith;
mod atomic;
mod bits;
mod call;
mod control;
mod convert;
mod directed;
mod eight_by_eight;
mod fragment;
mod half;
mod in_flight;
mod local;
mod matrix;
mod memory;
mod missing;
mod tensor;
mod warp;
mod words;

pub(super) use in_flight::blocked_on;
pub(super) use missing::ASSERTION;

use super::access::Pc;
use super::exec_context::ExecContext;
use super::failed::Failed;
use super::mask::LaneMask;
use super::program::{Inst, Reg};
use super::step::{Effect, Step};
use ptx::{BitsOp, LaneOp, MatrixOp, MemoryOp, Op, TernaryOp, Type};
use std::sync::PoisonError;

/// Executes `inst` in the lanes `step.active` and records the result in `step.effect`.
///
/// The instructions of inner loops come first and are inlined into the machine's step; the others
/// are behind a call, because of their large stack frame.
#[inline]
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    inst: &Inst,
    step: &mut Step,
) -> Result<(), Failed> {
    let mask = step.active;
    match &inst.op {
        Op::Lane(LaneOp::Ternary { op: TernaryOp::Fma, ty: Type::F32, float, dst, abc }) => {
            step.effect = Effect::Fma;
            arith::fma(&mut place.warp.regs, Type::F32, *float, *dst, *abc, mask);
        }
        Op::Memory(MemoryOp::Ld { space, ty, dst, addr, .. }) if !place.program.atomic_pairs => {
            memory::load(place, step, *space, *ty, dst, addr)?;
        }
        Op::Lane(op @ (LaneOp::Binary { .. } | LaneOp::Setp { .. } | LaneOp::Mov { .. })) => {
            step.effect = Effect::Compute;
            arith::execute(&mut place.warp.regs, op, mask);
        }
        _ => return execute_other(place, inst, step),
    }
    place.warp.stack.advance(Pc(step.pc.0 + 1));
    Ok(())
}

/// Executes any instruction. Control and warp instructions set the next pc themselves; the others
/// fall through to the next instruction.
#[inline(never)]
fn execute_other(place: &mut ExecContext<'_>, inst: &Inst, step: &mut Step) -> Result<(), Failed> {
    step.effect = Effect::Compute;
    match &inst.op {
        // Which shared memory is its own depends on the block.
        Op::Lane(LaneOp::Bits { op: BitsOp::InSpace(space), dst, args, .. })
            if !place.blocks.is_single() =>
        {
            in_flight::in_space(place, step.active, (*space, *dst, args[0]));
        }
        Op::Lane(op) => {
            step.effect = arith::effect(op);
            arith::execute(&mut place.warp.regs, op, step.active);
        }
        Op::Memory(op) => access(place, step, op)?,
        Op::Matrix(op) => matrix::execute(place, step, op)?,
        Op::Warp(op) => return warp::execute(place, op, step),
        Op::Async(op) => in_flight::execute(place, step, op)?,
        Op::Control(op) => return control::execute(place, op, step),
    }
    place.warp.stack.advance(Pc(step.pc.0 + 1));
    Ok(())
}

/// Executes an instruction that accesses memory.
fn access(place: &mut ExecContext<'_>, step: &mut Step, op: &MemoryOp<Reg>) -> Result<(), Failed> {
    let pairs = moves_pairs(place, op).then(|| place.memory.pairs());
    let _alone = pairs.as_ref().map(|pairs| pairs.lock().unwrap_or_else(PoisonError::into_inner));
    match op {
        MemoryOp::Ld { space, ty, dst, addr, .. } => {
            memory::load(place, step, *space, *ty, dst, addr)
        }
        MemoryOp::St { space, ty, addr, src, .. } => {
            memory::store(place, step, *space, *ty, addr, src)
        }
        MemoryOp::Atom { op, space, ty, dst, addr, args, .. } => {
            let (op, space, ty) = (*op, *space, *ty);
            atomic::execute(place, step, &atomic::AtomicOperands { op, space, ty, dst, addr, args })
        }
        MemoryOp::Fence(_) => Ok(()),
    }
}

/// Whether a load or store could observe half of a 64-bit atomic update, and so must take the lock.
fn moves_pairs(place: &ExecContext<'_>, op: &MemoryOp<Reg>) -> bool {
    let wide = matches!(op, MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. } if ty.bits() == 64);
    wide && place.program.atomic_pairs
}

/// The effect of an instruction in these lanes if it only writes registers and cannot fault, or
/// `None`.
pub(super) fn on_registers(op: &Op<Reg, Pc>, mask: LaneMask) -> Option<Effect> {
    match op {
        Op::Lane(op) => Some(arith::effect(op)),
        Op::Matrix(MatrixOp::Mma(products)) if mask == LaneMask::ALL => {
            Some(tensor::effect(products))
        }
        _ => None,
    }
}
