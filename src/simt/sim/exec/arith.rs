//! Register arithmetic: applies the pure functions of `alu` to register rows.

mod compare;
mod integer;
mod real;

use super::bits;
use super::convert;
use super::directed::DirectedRounding;
use super::half::Half;
use crate::sim::alu::{self, Real};
use crate::sim::local::LOCAL_WINDOW;
use crate::sim::mask::LaneMask;
use crate::sim::memory::SHARED_WINDOW;
use crate::sim::program::{Reg, RegFile};
use crate::sim::regs::Regs;
use crate::sim::step::Effect;
use ptx::{BinaryOp, Contraction, Float, LaneOp, Rounding, Space, TernaryOp, Type, UnaryOp, Width};

/// Executes any instruction that accesses registers only.
pub(super) fn execute(regs: &mut Regs, op: &LaneOp<Reg>, mask: LaneMask) {
    match op {
        LaneOp::Mov { dst, src, .. } => mov(regs, *dst, *src, mask),
        LaneOp::Pack { ty, dst, parts } => pack(regs, *ty, *dst, parts, mask),
        LaneOp::Unpack { ty, parts, src } => unpack(regs, *ty, parts, *src, mask),
        LaneOp::Unary { op, ty, float, dst, a } => unary(regs, *op, *ty, *float, (*dst, *a), mask),
        LaneOp::Binary { op, ty, float, dst, a, b } => {
            binary(regs, *op, *ty, *float, (*dst, *a, *b), mask);
        }
        LaneOp::Ternary { op, ty, float, dst, abc } => match op {
            TernaryOp::Mad(width) => integer::mad(regs, *width, *ty, *dst, *abc, mask),
            TernaryOp::Fma => fma(regs, *ty, *float, *dst, *abc, mask),
            TernaryOp::Contracted(how) => contracted(regs, (*ty, *float, *how), *dst, *abc, mask),
            TernaryOp::Bfe => integer::bfe(regs, *ty, *dst, *abc, mask),
        },
        LaneOp::Factors { ty, float, dst, a, b, kept } => {
            for [to, from] in kept {
                mov(regs, *to, *from, mask);
            }
            binary(regs, BinaryOp::Mul(Width::Lo), *ty, *float, (*dst, *a, *b), mask);
        }
        LaneOp::Insert { ty, dst, a, b, position, length } => {
            integer::insert(regs, *ty, *dst, [*a, *b, *position, *length], mask);
        }
        LaneOp::Bits { op, ty, dst, args } => bits::execute(regs, (*op, *ty), *dst, args, mask),
        LaneOp::Carry { op, ty, dst, args, from, to } => {
            bits::carry(regs, (*op, *ty), *dst, args, (*from, *to), mask);
        }
        LaneOp::Setp { cmp, ty, ftz, dst, negated, a, b, with } => {
            let [holds, upper] = compare::test(regs, *cmp, (*ty, *ftz), (*a, *b));
            let second = if ty.is_packed() { upper } else { LaneMask::ALL.without(holds) };
            compare::setp(regs, [holds, second], (*dst, *negated), *with, mask);
        }
        LaneOp::Set { cmp, to, ty, ftz, dst, a, b, with } => {
            let holds = compare::test(regs, *cmp, (*ty, *ftz), (*a, *b));
            compare::set(regs, holds, (*to, *ty), *dst, *with, mask);
        }
        LaneOp::Selp { dst, a, b, pred, .. } => selp(regs, *dst, (*a, *b, *pred), mask),
        LaneOp::Cvt { to, from, rounding, float, dst, src } => {
            let convert =
                convert::Conversion { to: *to, from: *from, rounding: *rounding, float: *float };
            let value = regs.wide(*src).map(|bits| convert.apply(bits));
            regs.set_wide(*dst, &value, mask);
        }
        LaneOp::CvtPair { to, rounding, float, dst, a, b } => {
            let rounding = Some(*rounding);
            let (to, from) = (to.alone(), Type::F32);
            let convert = convert::Conversion { to, from, rounding, float: *float };
            regs.map2(*dst, (*a, *b), mask, |a: u32, b: u32| {
                let [a, b] = [a, b].map(|bits| convert.apply(bits.into()) as u32);
                a << to.bits() | b
            });
        }
        LaneOp::Cvta { space, to_space, dst, src, .. } => {
            let window = match space {
                Space::Shared => SHARED_WINDOW,
                Space::Local => LOCAL_WINDOW,
                Space::Distributed
                | Space::Generic
                | Space::Global
                | Space::Const
                | Space::Param => 0,
            };
            let shift = if *to_space { window.wrapping_neg() } else { window };
            let value = regs.wide(*src).map(|addr| addr.wrapping_add(shift));
            regs.set_wide(*dst, &value, mask);
        }
    }
}

/// The category under which a register instruction is counted.
pub(super) fn effect(op: &LaneOp<Reg>) -> Effect {
    match op {
        LaneOp::Ternary { op: TernaryOp::Fma, ty, .. } if ty.is_half() => Effect::HalfFma,
        LaneOp::Ternary { op: TernaryOp::Fma, .. } => Effect::Fma,
        LaneOp::Ternary { op: TernaryOp::Contracted(how), ty, .. } => {
            Effect::Contracted { of_halves: ty.is_half(), fused: how.fused, certain: how.certain }
        }
        _ => Effect::Compute,
    }
}

fn mov(regs: &mut Regs, dst: Reg, src: Reg, mask: LaneMask) {
    match dst.file {
        RegFile::Pred => regs.set_pred(dst, regs.pred(src), mask),
        RegFile::Word => regs.map1(dst, src, mask, |value: u32| value),
        RegFile::Double => regs.map1(dst, src, mask, |value: u64| value),
    }
}

fn pack(regs: &mut Regs, ty: Type, dst: Reg, parts: &[Reg], mask: LaneMask) {
    let bits = ty.bits() / parts.len() as u32;
    // A narrow register may hold a sign-extended value, so mask it to its own bits.
    let ones = u64::MAX >> (64 - bits);
    let rows: Vec<_> = parts.iter().map(|part| regs.wide(*part)).collect();
    let value = std::array::from_fn(|lane| {
        rows.iter().rev().fold(0, |value, row| value << bits | row[lane] & ones)
    });
    regs.set_wide(dst, &value, mask);
}

fn unpack(regs: &mut Regs, ty: Type, parts: &[Reg], src: Reg, mask: LaneMask) {
    let bits = ty.bits() / parts.len() as u32;
    let value = regs.wide(src);
    for (index, part) in parts.iter().enumerate() {
        let ones = u64::MAX >> (64 - bits);
        regs.set_wide(*part, &value.map(|value| value >> (bits * index as u32) & ones), mask);
    }
}

fn unary(
    regs: &mut Regs,
    op: UnaryOp,
    ty: Type,
    float: Float,
    (dst, a): (Reg, Reg),
    mask: LaneMask,
) {
    if is_directed(ty, float) {
        return DirectedRounding::new(ty, float).unary(regs, op, (dst, a), mask);
    }
    match ty {
        Type::F32 => real::unary::<f32>(regs, op, float, (dst, a), mask),
        Type::F64 if float.ftz => real::upper_unary(regs, op, (dst, a), mask),
        Type::F64 => real::unary::<f64>(regs, op, float, (dst, a), mask),
        _ if ty.is_half() => Half::new(ty, float).unary(regs, op, (dst, a), mask),
        Type::S16 => integer::signed_unary::<i16>(regs, op, (dst, a), mask),
        Type::S32 => integer::signed_unary::<i32>(regs, op, (dst, a), mask),
        Type::S64 => integer::signed_unary::<i64>(regs, op, (dst, a), mask),
        Type::Pred => regs.set_pred(dst, LaneMask::ALL.without(regs.pred(a)), mask),
        _ => integer::bits_unary(regs, op, ty, (dst, a), mask),
    }
}

fn binary(
    regs: &mut Regs,
    op: BinaryOp,
    ty: Type,
    float: Float,
    (dst, a, b): (Reg, Reg, Reg),
    mask: LaneMask,
) {
    let rows = (dst, a, b);
    if op == BinaryOp::Mul(Width::Wide) {
        return integer::mul_wide(regs, ty, rows, mask);
    }
    if is_directed(ty, float) {
        return DirectedRounding::new(ty, float).binary(regs, op, rows, mask);
    }
    match ty {
        Type::F32 => real::binary::<f32>(regs, op, float, rows, mask),
        Type::F64 => real::binary::<f64>(regs, op, float, rows, mask),
        Type::Pred => integer::pred_binary(regs, op, rows, mask),
        Type::U16 | Type::B16 => integer::binary::<u16>(regs, op, rows, mask),
        Type::S16 => integer::binary::<i16>(regs, op, rows, mask),
        Type::S32 => integer::binary::<i32>(regs, op, rows, mask),
        Type::U64 | Type::B64 => integer::binary::<u64>(regs, op, rows, mask),
        Type::S64 => integer::binary::<i64>(regs, op, rows, mask),
        Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 => {
            Half::new(ty, float).binary(regs, op, rows, mask);
        }
        _ => integer::binary::<u32>(regs, op, rows, mask),
    }
}

fn selp(regs: &mut Regs, dst: Reg, (a, b, pred): (Reg, Reg, Reg), mask: LaneMask) {
    let pred = regs.pred(pred);
    mov(regs, dst, a, mask.and(pred));
    mov(regs, dst, b, mask.without(pred));
}

/// Whether the rounding is one that the host processor does not offer.
fn is_directed(ty: Type, float: Float) -> bool {
    let directed = matches!(float.rounding, Rounding::Zero | Rounding::Down | Rounding::Up);
    directed && !ty.is_half()
}

/// `fma`: rounded once, so the host's fused multiply-add returns the same bits as the GPU.
pub(super) fn fma(
    regs: &mut Regs,
    ty: Type,
    float: Float,
    dst: Reg,
    [a, b, c]: [Reg; 3],
    mask: LaneMask,
) {
    if ty == Type::F32 && float == Float::default() {
        let fma = |a: f32, b: f32, c: f32| alu::canonical(a.mul_add(b, c));
        return regs.map3(dst, (a, b, c), mask, fma);
    }
    if is_directed(ty, float) {
        return DirectedRounding::new(ty, float).fma(regs, dst, [a, b, c], mask);
    }
    if ty == Type::F64 {
        return regs.map3(dst, (a, b, c), mask, f64::mul_add);
    }
    if ty.is_half() {
        return Half::new(ty, float).fma(regs, dst, [a, b, c], mask);
    }
    regs.map3(dst, (a, b, c), mask, |a: f32, b: f32, c: f32| {
        a.operand(float).mul_add(b.operand(float), c.operand(float)).result(float)
    });
}

/// A contracted sum: the signs are those of `neg`, which are exact.
fn contracted(
    regs: &mut Regs,
    (ty, float, how): (Type, Float, Contraction),
    dst: Reg,
    [a, b, c]: [Reg; 3],
    mask: LaneMask,
) {
    if ty.is_half() {
        return Half::new(ty, float).contracted(regs, how, dst, [a, b, c], mask);
    }
    if ty == Type::F64 {
        return regs.map3(dst, (a, b, c), mask, |a: f64, b: f64, c: f64| {
            signed(how.minus_product, a).mul_add(b, signed(how.minus_other, c))
        });
    }
    regs.map3(dst, (a, b, c), mask, |a: f32, b: f32, c: f32| {
        let [a, b, c] = [signed(how.minus_product, a), b, signed(how.minus_other, c)];
        a.operand(float).mul_add(b.operand(float), c.operand(float)).result(float)
    });
}

#[inline]
fn signed<T: Real>(minus: bool, value: T) -> T {
    if minus { value.neg() } else { value }
}
