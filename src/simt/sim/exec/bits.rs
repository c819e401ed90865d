//! Integer and bit instructions other than plain arithmetic (PTX ISA, "Integer Arithmetic
//! Instructions", "Logic and Shift Instructions", "Data Movement": `prmt`, `isspacep`).

use super::half::xor_sign;
use crate::sim::alu::extend;
use crate::sim::local::LOCAL_WINDOW;
use crate::sim::mask::LaneMask;
use crate::sim::memory::{CONSTANTS, SHARED_WINDOW};
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use ptx::{BitsOp, CarryOp, FloatClass, PairOp, Permute, Saturated, Space, Type};
use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};

/// The result of a search that finds nothing.
const NOWHERE: u32 = u32::MAX;

/// Maximum number of operands of an instruction.
const OPERANDS: usize = 4;

/// Computes `dst = op(args)` in the lanes of `mask`.
pub(super) fn execute(
    regs: &mut Regs,
    (op, ty): (BitsOp, Type),
    dst: Reg,
    args: &[Reg],
    mask: LaneMask,
) {
    let mut rows = [[0; 32]; OPERANDS];
    for (row, arg) in rows.iter_mut().zip(args) {
        *row = regs.wide(*arg);
    }
    regs.set_each(dst, mask, |lane| value(op, ty, rows.map(|row| row[lane])));
}

/// One lane's result; operand bits above the type's width are ignored.
fn value(op: BitsOp, ty: Type, [a, b, c, _]: [u64; OPERANDS]) -> u64 {
    let (a32, b32, c32) = (a as u32, b as u32, c as u32);
    match op {
        BitsOp::Permute(how) => permute(how, a32, b32, c32).into(),
        BitsOp::Lop3(table) => lop3(table, a32, b32, c32).into(),
        BitsOp::Funnel { left, wrap } => funnel(left, wrap, [a32, b32, c32]).into(),
        BitsOp::Dot { a_signed, b_signed, half } => {
            let b = if half == Some(true) { b32 >> 16 } else { b32 };
            let width = if half.is_some() { 16 } else { 8 };
            dot((a32, a_signed, width), (b, b_signed), c32).into()
        }
        BitsOp::Sad => sad(ty, [a, b, c]),
        BitsOp::Mul24 { high, add, sat } => mul24(ty, high, sat, [a, b, if add { c } else { 0 }]),
        BitsOp::Pair { op, signed } => pair(op, signed, a32, b32).into(),
        BitsOp::XorSign { op, ftz } => xor_sign((op, ftz), ty, a32, b32).into(),
        BitsOp::Pack { bits, signed } => packed((bits.into(), signed), [a32, b32, c32]).into(),
        BitsOp::Saturated(op) => saturated(op, [a, b, c].map(|of| of as i32)).into(),
        BitsOp::Find { shift } => find(ty, shift, a).into(),
        BitsOp::NthSet => nth_set(a32, b32, c as i32).into(),
        BitsOp::Mask { wrap } => mask_of(wrap, a32, b32).into(),
        BitsOp::Extend { wrap } => extended(ty, wrap, a32, b32).into(),
        BitsOp::Select { by } => {
            if is_negative(by, c) {
                b
            } else {
                a
            }
        }
        BitsOp::CopySign => {
            let sign = 1 << (ty.bits() - 1);
            a & sign | b & (sign - 1)
        }
        BitsOp::Test(class) => test(class, ty, a).into(),
        BitsOp::InSpace(space) => in_space(space, a).into(),
    }
}

fn permute(how: Permute, a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| (bytes >> (8 * (index & 7))) as u8;
    let by = selector & 3;
    u32::from_le_bytes(std::array::from_fn(|place| {
        let place = place as u32;
        match how {
            Permute::Index => {
                let nibble = selector >> (4 * place);
                let byte = byte(nibble);
                if nibble & 8 == 0 { byte } else { 0xff * (byte >> 7) }
            }
            Permute::Forward => byte(by + place),
            Permute::Backward => byte(by.wrapping_sub(place)),
            Permute::Byte => byte(by),
            Permute::EdgeLeft => byte(place.max(by)),
            Permute::EdgeRight => byte(place.min(by)),
            Permute::Half => byte(2 * (by & 1) + place % 2),
        }
    }))
}

/// Combines the minterms for which the truth table has a one.
fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let minterm = |index: u32| {
        let input = |bits: u32, of: u32| if index >> of & 1 == 1 { bits } else { !bits };
        input(a, 2) & input(b, 1) & input(c, 0)
    };
    let chosen = (0..8).filter(|index| table >> index & 1 == 1);
    chosen.fold(0, |bits, index| bits | minterm(index))
}

fn funnel(left: bool, wrap: bool, [low, high, by]: [u32; 3]) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    let by = if wrap { by & 31 } else { by.min(32) };
    if left { (both << by >> 32) as u32 } else { (both >> by) as u32 }
}

/// A dot product with as many terms as `a` has parts of `width` bits.
fn dot((a, a_signed, width): (u32, bool, u32), (b, b_signed): (u32, bool), c: u32) -> u32 {
    let part = |bits: u32, signed: bool, width: u32, index: u32| {
        let unused = 32 - width;
        let top = bits >> (width * index) << unused;
        if signed { top as i32 >> unused } else { (top >> unused) as i32 }
    };
    let product = |index| part(a, a_signed, width, index) * part(b, b_signed, 8, index);
    (0..32 / width).fold(c, |sum, index| sum.wrapping_add(product(index) as u32))
}

fn sad(ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    let (a, b) = (extend(a, ty), extend(b, ty));
    let apart = if ty.is_signed() { (a as i64).abs_diff(b as i64) } else { a.abs_diff(b) };
    extend(c.wrapping_add(apart), ty)
}

fn mul24(ty: Type, high: bool, sat: bool, [a, b, c]: [u64; 3]) -> u64 {
    let low24 = |bits: u64| {
        let top = bits << 40;
        if ty.is_signed() { top as i64 >> 40 } else { (top >> 40) as i64 }
    };
    let product = low24(a) * low24(b);
    let part = if high { product >> 16 } else { product };
    let value = i64::from(part as i32) + i64::from(c as i32);
    let value = if sat { value.clamp(i32::MIN.into(), i32::MAX.into()) } else { value };
    u64::from(value as u32)
}

fn saturated(op: Saturated, [a, b, c]: [i32; 3]) -> u32 {
    let value = match op {
        Saturated::Add => a.saturating_add(b),
        Saturated::Sub => a.saturating_sub(b),
        Saturated::MadHi => (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c),
        Saturated::MinRelu => a.min(b).max(0),
        Saturated::MaxRelu => a.max(b).max(0),
    };
    value as u32
}

fn pair(op: PairOp, signed: bool, a: u32, b: u32) -> u32 {
    let of = |shift: u32| {
        let part = |bits: u32| {
            let half = (bits >> shift) as u16;
            if signed { i32::from(half as i16) } else { i32::from(half) }
        };
        let (a, b) = (part(a), part(b));
        let value = match op {
            PairOp::Add => a + b,
            PairOp::Min => a.min(b),
            PairOp::Max => a.max(b),
            PairOp::MinRelu => a.min(b).max(0),
            PairOp::MaxRelu => a.max(b).max(0),
        };
        u32::from(value as u16) << shift
    };
    of(16) | of(0)
}

/// `a` above `b`, each clamped to a type of this width, and the low bits of `c` above both.
fn packed((bits, signed): (u32, bool), [a, b, c]: [u32; 3]) -> u32 {
    let (least, most) =
        if signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let ones = (1 << bits) - 1;
    let clamped = |of: u32| (of as i32).clamp(least, most) as u32 & ones;
    c.checked_shl(2 * bits).unwrap_or_default() | clamped(a) << bits | clamped(b)
}

/// For a negative number: the highest bit that differs from the sign.
fn find(ty: Type, shift: bool, a: u64) -> u32 {
    let value = extend(a, ty);
    let bits = if ty.is_signed() && (value as i64) < 0 { !value } else { value };
    let Some(place) = bits.checked_ilog2() else { return NOWHERE };
    if shift { ty.bits() - 1 - place } else { place }
}

/// Searches from `base` within the word; a base outside the word finds nothing (PTX ISA, `fns`).
fn nth_set(bits: u32, base: u32, offset: i32) -> u32 {
    let set = |place: i64| (0..32).contains(&place) && bits >> place & 1 == 1;
    let base = i64::from(base);
    if offset == 0 {
        return if set(base) { base as u32 } else { NOWHERE };
    }
    let step = i64::from(offset.signum());
    let places = (0..32).map(|steps| base + steps * step);
    let inside = places.take_while(|place| (0..32).contains(place));
    inside
        .filter(|place| set(*place))
        .skip(offset.unsigned_abs() as usize - 1)
        .map(|place| place as u32)
        .next()
        .unwrap_or(NOWHERE)
}

fn mask_of(wrap: bool, start: u32, count: u32) -> u32 {
    let limit = |of: u32| if wrap { of & 31 } else { of.min(32) };
    let ones = (1_u64 << limit(count)) - 1;
    (ones << limit(start)) as u32
}

fn extended(ty: Type, wrap: bool, a: u32, count: u32) -> u32 {
    let count = if wrap { count & 31 } else { count.min(32) };
    let top = u64::from(a) << (64 - count.max(1));
    match (count, ty.is_signed()) {
        (0, _) => 0,
        (_, true) => (top as i64 >> (64 - count)) as u32,
        (_, false) => (top >> (64 - count)) as u32,
    }
}

/// Whether `slct` selects its second operand: -0 does not count as negative, but NaN does.
fn is_negative(by: Type, c: u64) -> bool {
    if by == Type::F32 {
        let value = f32::from_bits(c as u32);
        return value < 0.0 || value.is_nan();
    }
    c as u32 >> 31 == 1
}

fn test(class: FloatClass, ty: Type, a: u64) -> bool {
    let value = if ty == Type::F32 {
        f32::from_bits(a as u32).classify()
    } else {
        f64::from_bits(a).classify()
    };
    match class {
        FloatClass::Finite => !matches!(value, Infinite | Nan),
        FloatClass::Infinite => value == Infinite,
        FloatClass::Number => value != Nan,
        FloatClass::NotANumber => value == Nan,
        // The manual counts zero as a normal number.
        FloatClass::Normal => matches!(value, Normal | Zero),
        FloatClass::Subnormal => value == Subnormal,
    }
}

/// Whether a generic address is in the window of `space`; an address in no window is global.
pub(super) fn in_space(space: Space, addr: u64) -> bool {
    let space = if space == Space::Distributed { Space::Shared } else { space };
    let of = match addr {
        LOCAL_WINDOW.. => Space::Local,
        SHARED_WINDOW.. => Space::Shared,
        CONSTANTS.. => Space::Const,
        _ => Space::Global,
    };
    of == space
}

/// Computes `dst = op(args)` with the carry of `from`, and writes the new carry to `to`.
pub(super) fn carry(
    regs: &mut Regs,
    (op, ty): (CarryOp, Type),
    dst: Reg,
    args: &[Reg],
    (from, to): (Option<Reg>, Option<Reg>),
    mask: LaneMask,
) {
    let mut rows = [[0; 32]; OPERANDS];
    for (row, arg) in rows.iter_mut().zip(args) {
        *row = regs.wide(*arg);
    }
    let carried = from.map_or(LaneMask::NONE, |flag| regs.pred(flag));
    let of = |lane: usize| with_carry(op, ty, rows.map(|row| row[lane]), carried.has(lane));
    let flags = (0..32).fold(0, |flags, lane| flags | u32::from(of(lane).1) << lane);
    regs.set_each(dst, mask, |lane| of(lane).0);
    if let Some(flag) = to {
        regs.set_pred(flag, LaneMask(flags), mask);
    }
}

/// The result, and whether it carried or borrowed.
fn with_carry(op: CarryOp, ty: Type, [a, b, c, _]: [u64; OPERANDS], carry: bool) -> (u64, bool) {
    let bits = ty.bits();
    let low = |value: u128| value & (u128::MAX >> (128 - bits));
    let [a, b, c] = [a, b, c].map(|of| low(of.into()));
    let carry = u128::from(carry);
    let (sum, over) = match op {
        CarryOp::Add => (a + b + carry, (a + b + carry) >> bits != 0),
        CarryOp::Sub => (a.wrapping_sub(b + carry), b + carry > a),
        CarryOp::Mad { high } => {
            let part = if high { high_product(ty, a as u64, b as u64) } else { low(a * b) };
            (part + c + carry, (part + c + carry) >> bits != 0)
        }
    };
    (low(sum) as u64, over)
}

fn high_product(ty: Type, a: u64, b: u64) -> u128 {
    let (a, b) = (extend(a, ty), extend(b, ty));
    let product = if ty.is_signed() {
        (i128::from(a as i64) * i128::from(b as i64)) as u128
    } else {
        u128::from(a) * u128::from(b)
    };
    product >> ty.bits() & (u128::MAX >> (128 - ty.bits()))
}
