//! Integer and bit arithmetic.

use crate::sim::alu::{self, Integer};
use crate::sim::mask::LaneMask;
use crate::sim::program::{Reg, RegFile};
use crate::sim::regs::{LaneValue, Regs};
use ptx::{BinaryOp, Type, UnaryOp, Width};

/// A unary instruction on a signed type.
pub(super) fn signed_unary<T: Integer + LaneValue>(
    regs: &mut Regs,
    op: UnaryOp,
    (dst, a): (Reg, Reg),
    mask: LaneMask,
) {
    let f = if op == UnaryOp::Abs { T::abs } else { T::neg };
    regs.map1(dst, a, mask, f);
}

/// A unary instruction on untyped bits: computed on 64 bits and truncated to the register.
pub(super) fn bits_unary(
    regs: &mut Regs,
    op: UnaryOp,
    ty: Type,
    (dst, a): (Reg, Reg),
    mask: LaneMask,
) {
    let ones = u64::MAX >> (64 - ty.bits());
    let f = |value: u64| match op {
        UnaryOp::Not => !value & ones,
        UnaryOp::Cnot => u64::from(value & ones == 0),
        UnaryOp::Popc => u64::from(value.count_ones()),
        UnaryOp::Clz => u64::from(value.leading_zeros() + ty.bits() - 64),
        _ => value.reverse_bits() >> (64 - ty.bits()),
    };
    let value = regs.wide(a).map(f);
    regs.set_wide(dst, &value, mask);
}

pub(super) fn binary<T: Integer + LaneValue>(
    regs: &mut Regs,
    op: BinaryOp,
    (dst, a, b): (Reg, Reg, Reg),
    mask: LaneMask,
) {
    let rows = (a, b);
    match op {
        BinaryOp::Add => regs.map2(dst, rows, mask, T::add),
        BinaryOp::Sub => regs.map2(dst, rows, mask, T::sub),
        BinaryOp::Mul(Width::Hi) => regs.map2(dst, rows, mask, T::mul_hi),
        BinaryOp::Mul(_) => regs.map2(dst, rows, mask, T::mul_lo),
        BinaryOp::Div => regs.map2(dst, rows, mask, T::div),
        BinaryOp::Rem => regs.map2(dst, rows, mask, T::rem),
        BinaryOp::Min | BinaryOp::MinNan => regs.map2(dst, rows, mask, <T as Ord>::min),
        BinaryOp::Max | BinaryOp::MaxNan => regs.map2(dst, rows, mask, <T as Ord>::max),
        BinaryOp::Shl => regs.map2(dst, rows, mask, |a: T, by: u32| a.shl(by)),
        BinaryOp::Shr => regs.map2(dst, rows, mask, |a: T, by: u32| a.shr(by)),
        BinaryOp::And => bits_binary(regs, dst, rows, mask, |a, b| a & b),
        BinaryOp::Or => bits_binary(regs, dst, rows, mask, |a, b| a | b),
        BinaryOp::Xor => bits_binary(regs, dst, rows, mask, |a, b| a ^ b),
    }
}

fn bits_binary(
    regs: &mut Regs,
    dst: Reg,
    rows: (Reg, Reg),
    mask: LaneMask,
    f: impl Fn(u64, u64) -> u64,
) {
    match dst.file {
        RegFile::Double => regs.map2(dst, rows, mask, f),
        RegFile::Word | RegFile::Pred => {
            regs.map2(dst, rows, mask, |a: u32, b: u32| f(a.into(), b.into()) as u32);
        }
    }
}

pub(super) fn pred_binary(
    regs: &mut Regs,
    op: BinaryOp,
    (dst, a, b): (Reg, Reg, Reg),
    mask: LaneMask,
) {
    let (a, b) = (regs.pred(a).0, regs.pred(b).0);
    let value = match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        _ => a ^ b,
    };
    regs.set_pred(dst, LaneMask(value), mask);
}

pub(super) fn mul_wide(regs: &mut Regs, ty: Type, (dst, a, b): (Reg, Reg, Reg), mask: LaneMask) {
    match ty {
        Type::S16 => regs.map2(dst, (a, b), mask, |a: i16, b: i16| i32::from(a) * i32::from(b)),
        Type::U16 => regs.map2(dst, (a, b), mask, |a: u16, b: u16| u32::from(a) * u32::from(b)),
        Type::S32 => regs.map2(dst, (a, b), mask, |a: i32, b: i32| i64::from(a) * i64::from(b)),
        _ => regs.map2(dst, (a, b), mask, |a: u32, b: u32| u64::from(a) * u64::from(b)),
    }
}

pub(super) fn mad(
    regs: &mut Regs,
    width: Width,
    ty: Type,
    dst: Reg,
    [a, b, c]: [Reg; 3],
    mask: LaneMask,
) {
    let rows = (a, b, c);
    match (width, ty) {
        (Width::Wide, Type::S16) => regs.map3(dst, rows, mask, |a: i16, b: i16, c: i32| {
            (i32::from(a) * i32::from(b)).wrapping_add(c)
        }),
        (Width::Wide, Type::U16) => regs.map3(dst, rows, mask, |a: u16, b: u16, c: u32| {
            (u32::from(a) * u32::from(b)).wrapping_add(c)
        }),
        (Width::Wide, Type::S32) => regs.map3(dst, rows, mask, |a: i32, b: i32, c: i64| {
            (i64::from(a) * i64::from(b)).wrapping_add(c)
        }),
        (Width::Wide, _) => regs.map3(dst, rows, mask, |a: u32, b: u32, c: u64| {
            (u64::from(a) * u64::from(b)).wrapping_add(c)
        }),
        (_, Type::U16) => mad_as::<u16>(regs, width, dst, rows, mask),
        (_, Type::S16) => mad_as::<i16>(regs, width, dst, rows, mask),
        (_, Type::U32) => mad_as::<u32>(regs, width, dst, rows, mask),
        (_, Type::S32) => mad_as::<i32>(regs, width, dst, rows, mask),
        (_, Type::U64) => mad_as::<u64>(regs, width, dst, rows, mask),
        (_, _) => mad_as::<i64>(regs, width, dst, rows, mask),
    }
}

fn mad_as<T: Integer + LaneValue>(
    regs: &mut Regs,
    width: Width,
    dst: Reg,
    rows: (Reg, Reg, Reg),
    mask: LaneMask,
) {
    let product = if width == Width::Hi { T::mul_hi } else { T::mul_lo };
    regs.map3(dst, rows, mask, |a: T, b: T, c: T| product(a, b).add(c));
}

pub(super) fn bfe(regs: &mut Regs, ty: Type, dst: Reg, [a, b, c]: [Reg; 3], mask: LaneMask) {
    let rows = (a, b, c);
    match ty {
        Type::U32 => regs.map3(dst, rows, mask, u32::extract),
        Type::S32 => regs.map3(dst, rows, mask, i32::extract),
        Type::U64 => regs.map3(dst, rows, mask, u64::extract),
        _ => regs.map3(dst, rows, mask, i64::extract),
    }
}

/// `bfi`: inserts the low `length` bits of `a` into `b` at a position.
pub(super) fn insert(
    regs: &mut Regs,
    ty: Type,
    dst: Reg,
    [a, b, position, length]: [Reg; 4],
    mask: LaneMask,
) {
    let [a, b, at, length] = [a, b, position, length].map(|reg| regs.wide(reg));
    let value =
        std::array::from_fn(|i| alu::insert(a[i], b[i], at[i] as u32, length[i] as u32, ty.bits()));
    regs.set_wide(dst, &value, mask);
}
