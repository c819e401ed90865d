//! float32 and float64 arithmetic, rounded to nearest.

use crate::sim::alu::{self, Real};
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::{LaneValue, Regs};
use ptx::{BinaryOp, Float, UnaryOp};

pub(super) fn unary<T: Real + LaneValue>(
    regs: &mut Regs,
    op: UnaryOp,
    float: Float,
    (dst, a): (Reg, Reg),
    mask: LaneMask,
) {
    let f = match op {
        UnaryOp::Abs => T::abs,
        UnaryOp::Neg => T::neg,
        UnaryOp::Sqrt => T::sqrt,
        UnaryOp::Rcp => T::recip,
        _ => {
            return regs.map1(dst, a, mask, |a: T| a.operand(float).elementary(op).result(float));
        }
    };
    regs.map1(dst, a, mask, |a: T| f(a.operand(float)).result(float));
}

/// `.approx.ftz.f64`: only the upper 32 bits of the operand and the result are significant (PTX
/// ISA, `rcp.approx.ftz.f64`).
pub(super) fn upper_unary(regs: &mut Regs, op: UnaryOp, (dst, a): (Reg, Reg), mask: LaneMask) {
    let upper = |value: f64| f64::from_bits(value.to_bits() >> 32 << 32);
    let flush = |value: f64| if value.is_subnormal() { 0.0_f64.copysign(value) } else { value };
    regs.map1(dst, a, mask, |a: f64| upper(flush(alu::elementary(op, flush(upper(a))))));
}

pub(super) fn binary<T: Real + LaneValue>(
    regs: &mut Regs,
    op: BinaryOp,
    float: Float,
    (dst, a, b): (Reg, Reg, Reg),
    mask: LaneMask,
) {
    let mut with = |f: fn(T, T) -> T| {
        regs.map2(dst, (a, b), mask, |a: T, b: T| {
            f(a.operand(float), b.operand(float)).result(float)
        });
    };
    match op {
        BinaryOp::Add => with(T::add),
        BinaryOp::Sub => with(T::sub),
        BinaryOp::Mul(_) => with(T::mul),
        BinaryOp::Div => with(T::div),
        BinaryOp::Min => with(T::min),
        BinaryOp::Max => with(T::max),
        BinaryOp::MinNan => with(T::min_nan),
        BinaryOp::MaxNan => with(T::max_nan),
        BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => unreachable!("the parser takes these for integers and bits alone"),
    }
}
