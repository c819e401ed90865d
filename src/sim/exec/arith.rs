//! Arithmetic: which pure function of `alu` works on which rows.

use super::convert;
use super::directed::Directed;
use super::half::Half;
use crate::ptx::{
    BinaryOp, Boolean, Compare, Float, Op, Rounding, Space, TernaryOp, Type, UnaryOp, Width,
};
use crate::sim::alu::{self, Integer, Real};
use crate::sim::local::LOCAL_WINDOW;
use crate::sim::mask::LaneMask;
use crate::sim::memory::SHARED_WINDOW;
use crate::sim::program::{File, Reg};
use crate::sim::regs::{Lane, Regs};
use crate::sim::step::Pc;

/// Every instruction that touches nothing but registers.
pub(super) fn execute(regs: &mut Regs, op: &Op<Reg, Pc>, mask: LaneMask) {
    match op {
        Op::Mov { dst, src, .. } => mov(regs, *dst, *src, mask),
        Op::Pack { ty, dst, parts } => pack(regs, *ty, *dst, parts, mask),
        Op::Unpack { ty, parts, src } => unpack(regs, *ty, parts, *src, mask),
        Op::Unary { op, ty, float, dst, a } => unary(regs, *op, *ty, *float, (*dst, *a), mask),
        Op::Binary { op, ty, float, dst, a, b } => {
            binary(regs, *op, *ty, *float, (*dst, *a, *b), mask);
        }
        Op::Ternary { op, ty, float, dst, abc } => match op {
            TernaryOp::Mad(width) => mad(regs, *width, *ty, *dst, *abc, mask),
            TernaryOp::Fma => fma(regs, *ty, *float, *dst, *abc, mask),
            TernaryOp::Bfe => bfe(regs, *ty, *dst, *abc, mask),
        },
        Op::Insert { ty, dst, a, b, position, length } => {
            let [a, b, at, length] = [a, b, position, length].map(|reg| regs.wide(*reg));
            let value = std::array::from_fn(|i| {
                alu::insert(a[i], b[i], at[i] as u32, length[i] as u32, ty.bits())
            });
            regs.set_wide(*dst, &value, mask);
        }
        Op::Setp { cmp, ty, ftz, dst, negated, a, b, with } => {
            let [holds, upper] = compare(regs, *cmp, *ty, *ftz, *a, *b);
            let second = if ty.is_packed() { upper } else { LaneMask::ALL.without(holds) };
            setp(regs, [holds, second], (*dst, *negated), *with, mask);
        }
        Op::Set { cmp, to, ty, ftz, dst, a, b, with } => {
            let holds = compare(regs, *cmp, *ty, *ftz, *a, *b);
            set(regs, holds, (*to, *ty), *dst, *with, mask);
        }
        Op::Selp { dst, a, b, pred, .. } => selp(regs, *dst, (*a, *b, *pred), mask),
        Op::Cvt { to, from, rounding, float, dst, src } => {
            let convert =
                convert::Conversion { to: *to, from: *from, rounding: *rounding, float: *float };
            let value = regs.wide(*src).map(|bits| convert.apply(bits));
            regs.set_wide(*dst, &value, mask);
        }
        Op::CvtPair { to, rounding, float, dst, a, b } => {
            let rounding = Some(*rounding);
            let convert = convert::Conversion { to: *to, from: Type::F32, rounding, float: *float };
            regs.map2(*dst, (*a, *b), mask, |a: u32, b: u32| {
                let [a, b] = [a, b].map(|bits| convert.apply(bits.into()) as u32);
                a << 16 | b
            });
        }
        Op::Cvta { space, to_space, dst, src, .. } => {
            let window = match space {
                Space::Shared => SHARED_WINDOW,
                Space::Local => LOCAL_WINDOW,
                Space::Generic | Space::Global | Space::Const | Space::Param => 0,
            };
            let shift = if *to_space { window.wrapping_neg() } else { window };
            let value = regs.wide(*src).map(|addr| addr.wrapping_add(shift));
            regs.set_wide(*dst, &value, mask);
        }
        _ => unreachable!("memory and control have their own handlers"),
    }
}

fn mov(regs: &mut Regs, dst: Reg, src: Reg, mask: LaneMask) {
    match dst.file {
        File::Pred => regs.set_pred(dst, regs.pred(src), mask),
        File::Word => regs.map1(dst, src, mask, |value: u32| value),
        File::Double => regs.map1(dst, src, mask, |value: u64| value),
    }
}

fn pack(regs: &mut Regs, ty: Type, dst: Reg, parts: &[Reg], mask: LaneMask) {
    let bits = ty.bits() / parts.len() as u32;
    // A narrow register may hold a sign-extended value: only its own bits count.
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
        return Directed::new(ty, float).unary(regs, op, (dst, a), mask);
    }
    match ty {
        Type::F32 => real_unary::<f32>(regs, op, float, (dst, a), mask),
        Type::F64 if float.ftz => upper_unary(regs, op, (dst, a), mask),
        Type::F64 => real_unary::<f64>(regs, op, float, (dst, a), mask),
        _ if ty.is_half() => Half::new(ty, float).unary(regs, op, (dst, a), mask),
        Type::S16 => signed_unary::<i16>(regs, op, (dst, a), mask),
        Type::S32 => signed_unary::<i32>(regs, op, (dst, a), mask),
        Type::S64 => signed_unary::<i64>(regs, op, (dst, a), mask),
        Type::Pred => regs.set_pred(dst, LaneMask::ALL.without(regs.pred(a)), mask),
        _ => bits_unary(regs, op, ty, (dst, a), mask),
    }
}

fn real_unary<T: Real + Lane>(
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

/// `.approx.ftz.f64`: of the operand and of the result only the upper 32 bits count (PTX ISA,
/// `rcp.approx.ftz.f64`).
fn upper_unary(regs: &mut Regs, op: UnaryOp, (dst, a): (Reg, Reg), mask: LaneMask) {
    let upper = |value: f64| f64::from_bits(value.to_bits() >> 32 << 32);
    let flush = |value: f64| if value.is_subnormal() { 0.0_f64.copysign(value) } else { value };
    regs.map1(dst, a, mask, |a: f64| upper(flush(alu::elementary(op, flush(upper(a))))));
}

fn signed_unary<T: Integer + Lane>(
    regs: &mut Regs,
    op: UnaryOp,
    (dst, a): (Reg, Reg),
    mask: LaneMask,
) {
    let f = if op == UnaryOp::Abs { T::abs } else { T::neg };
    regs.map1(dst, a, mask, f);
}

/// Untyped bits: the value is widened, and what a narrower register cannot hold is cut off.
fn bits_unary(regs: &mut Regs, op: UnaryOp, ty: Type, (dst, a): (Reg, Reg), mask: LaneMask) {
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
        return mul_wide(regs, ty, rows, mask);
    }
    if is_directed(ty, float) {
        return Directed::new(ty, float).binary(regs, op, rows, mask);
    }
    match ty {
        Type::F32 => real_binary::<f32>(regs, op, float, rows, mask),
        Type::F64 => real_binary::<f64>(regs, op, float, rows, mask),
        Type::Pred => pred_binary(regs, op, rows, mask),
        Type::U16 | Type::B16 => integer_binary::<u16>(regs, op, rows, mask),
        Type::S16 => integer_binary::<i16>(regs, op, rows, mask),
        Type::U32 | Type::B32 => integer_binary::<u32>(regs, op, rows, mask),
        Type::S32 => integer_binary::<i32>(regs, op, rows, mask),
        Type::U64 | Type::B64 => integer_binary::<u64>(regs, op, rows, mask),
        Type::S64 => integer_binary::<i64>(regs, op, rows, mask),
        Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 => {
            Half::new(ty, float).binary(regs, op, rows, mask);
        }
        Type::B8 | Type::U8 | Type::S8 | Type::Tf32 => {
            unreachable!("the parser takes no arithmetic of these types")
        }
    }
}

fn real_binary<T: Real + Lane>(
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

fn integer_binary<T: Integer + Lane>(
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
        File::Double => regs.map2(dst, rows, mask, f),
        File::Word | File::Pred => {
            regs.map2(dst, rows, mask, |a: u32, b: u32| f(a.into(), b.into()) as u32);
        }
    }
}

fn pred_binary(regs: &mut Regs, op: BinaryOp, (dst, a, b): (Reg, Reg, Reg), mask: LaneMask) {
    let (a, b) = (regs.pred(a).0, regs.pred(b).0);
    let value = match op {
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        _ => a ^ b,
    };
    regs.set_pred(dst, LaneMask(value), mask);
}

fn mul_wide(regs: &mut Regs, ty: Type, (dst, a, b): (Reg, Reg, Reg), mask: LaneMask) {
    match ty {
        Type::S16 => regs.map2(dst, (a, b), mask, |a: i16, b: i16| i32::from(a) * i32::from(b)),
        Type::U16 => regs.map2(dst, (a, b), mask, |a: u16, b: u16| u32::from(a) * u32::from(b)),
        Type::S32 => regs.map2(dst, (a, b), mask, |a: i32, b: i32| i64::from(a) * i64::from(b)),
        _ => regs.map2(dst, (a, b), mask, |a: u32, b: u32| u64::from(a) * u64::from(b)),
    }
}

fn mad(regs: &mut Regs, width: Width, ty: Type, dst: Reg, abc: [Reg; 3], mask: LaneMask) {
    match (width, ty) {
        (Width::Wide, Type::S16) => mad_wide(regs, dst, abc, mask, |a: i16, b: i16, c: i32| {
            (i32::from(a) * i32::from(b)).wrapping_add(c)
        }),
        (Width::Wide, Type::U16) => mad_wide(regs, dst, abc, mask, |a: u16, b: u16, c: u32| {
            (u32::from(a) * u32::from(b)).wrapping_add(c)
        }),
        (Width::Wide, Type::S32) => mad_wide(regs, dst, abc, mask, |a: i32, b: i32, c: i64| {
            (i64::from(a) * i64::from(b)).wrapping_add(c)
        }),
        (Width::Wide, _) => mad_wide(regs, dst, abc, mask, |a: u32, b: u32, c: u64| {
            (u64::from(a) * u64::from(b)).wrapping_add(c)
        }),
        (_, Type::U16) => mad_as::<u16>(regs, width, dst, abc, mask),
        (_, Type::S16) => mad_as::<i16>(regs, width, dst, abc, mask),
        (_, Type::U32) => mad_as::<u32>(regs, width, dst, abc, mask),
        (_, Type::S32) => mad_as::<i32>(regs, width, dst, abc, mask),
        (_, Type::U64) => mad_as::<u64>(regs, width, dst, abc, mask),
        (_, _) => mad_as::<i64>(regs, width, dst, abc, mask),
    }
}

fn mad_as<T: Integer + Lane>(
    regs: &mut Regs,
    width: Width,
    dst: Reg,
    abc: [Reg; 3],
    mask: LaneMask,
) {
    let product = if width == Width::Hi { T::mul_hi } else { T::mul_lo };
    mad_wide(regs, dst, abc, mask, |a: T, b: T, c: T| product(a, b).add(c));
}

fn mad_wide<T: Lane, W: Lane>(
    regs: &mut Regs,
    dst: Reg,
    [a, b, c]: [Reg; 3],
    mask: LaneMask,
    f: impl Fn(T, T, W) -> W,
) {
    regs.map3(dst, (a, b, c), mask, f);
}

/// Whether a processor cannot round so.
fn is_directed(ty: Type, float: Float) -> bool {
    let directed = matches!(float.rounding, Rounding::Zero | Rounding::Down | Rounding::Up);
    directed && !ty.is_half()
}

/// `fma`: rounded once, so the host's own fused multiply-add gives the GPU's bits.
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
        return Directed::new(ty, float).fma(regs, dst, [a, b, c], mask);
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

fn bfe(regs: &mut Regs, ty: Type, dst: Reg, [a, b, c]: [Reg; 3], mask: LaneMask) {
    let rows = (a, b, c);
    match ty {
        Type::U32 => regs.map3(dst, rows, mask, u32::extract),
        Type::S32 => regs.map3(dst, rows, mask, i32::extract),
        Type::U64 => regs.map3(dst, rows, mask, u64::extract),
        _ => regs.map3(dst, rows, mask, i64::extract),
    }
}

/// The lanes in which a comparison holds; of packed halves, for the lower and the upper ones.
fn compare(regs: &Regs, cmp: Compare, ty: Type, ftz: bool, a: Reg, b: Reg) -> [LaneMask; 2] {
    let float = Float { ftz, ..Float::default() };
    if ty.is_half() {
        return Half::new(ty, float).test(regs, cmp, a, b);
    }
    let holds = match ty {
        Type::F32 => regs
            .test(a, b, |a: f32, b: f32| alu::compare(cmp, &a.operand(float), &b.operand(float))),
        Type::F64 => test_as::<f64>(regs, cmp, a, b),
        Type::U16 | Type::B16 => test_as::<u16>(regs, cmp, a, b),
        Type::S16 => test_as::<i16>(regs, cmp, a, b),
        Type::S32 => test_as::<i32>(regs, cmp, a, b),
        Type::S64 => test_as::<i64>(regs, cmp, a, b),
        Type::U64 | Type::B64 => test_as::<u64>(regs, cmp, a, b),
        _ => test_as::<u32>(regs, cmp, a, b),
    };
    [holds, LaneMask::NONE]
}

/// The usual comparisons are picked outside the loop over the lanes.
fn test_as<T: Lane + PartialOrd>(regs: &Regs, cmp: Compare, a: Reg, b: Reg) -> LaneMask {
    match cmp {
        Compare::Eq => regs.test(a, b, |a: T, b: T| a == b),
        Compare::Lt => regs.test(a, b, |a: T, b: T| a < b),
        Compare::Ge => regs.test(a, b, |a: T, b: T| a >= b),
        _ => regs.test(a, b, |a: T, b: T| alu::compare(cmp, &a, &b)),
    }
}

fn setp(
    regs: &mut Regs,
    holds: [LaneMask; 2],
    (dst, second): (Reg, Option<Reg>),
    with: Option<(Boolean, bool, Reg)>,
    mask: LaneMask,
) {
    // The third operand is read before either predicate is written: it may be one of them.
    let [first, other] = joined(regs, holds, with);
    regs.set_pred(dst, first, mask);
    if let Some(second) = second {
        regs.set_pred(second, other, mask);
    }
}

/// Comparisons joined with a third operand.
fn joined(regs: &Regs, holds: [LaneMask; 2], with: Option<(Boolean, bool, Reg)>) -> [LaneMask; 2] {
    let Some((join, not, reg)) = with else { return holds };
    let value = regs.pred(reg).0;
    let third = if not { !value } else { value };
    holds.map(|LaneMask(bits)| {
        LaneMask(match join {
            Boolean::And => bits & third,
            Boolean::Or => bits | third,
            Boolean::Xor => bits ^ third,
        })
    })
}

/// `set`: what a lane gets where the comparison holds, 0 where it does not.
fn set(
    regs: &mut Regs,
    holds: [LaneMask; 2],
    (to, ty): (Type, Type),
    dst: Reg,
    with: Option<(Boolean, bool, Reg)>,
    mask: LaneMask,
) {
    let [lower, upper] = joined(regs, holds, with);
    let yes = match to {
        Type::F32 => 1.0_f32.to_bits(),
        _ if to.is_half() => Half::new(to, Float::default()).one(),
        _ => u32::MAX >> (32 - to.bits()),
    };
    let value = |lane: usize| {
        let bits = |holds: LaneMask, part: u32| if holds.has(lane) { yes & part } else { 0 };
        if ty.is_packed() {
            bits(lower, 0xffff) | bits(upper, 0xffff_0000)
        } else {
            bits(lower, u32::MAX)
        }
    };
    regs.set_each(dst, mask, |lane| u64::from(value(lane)));
}

fn selp(regs: &mut Regs, dst: Reg, (a, b, pred): (Reg, Reg, Reg), mask: LaneMask) {
    let pred = regs.pred(pred);
    mov(regs, dst, a, mask.and(pred));
    mov(regs, dst, b, mask.without(pred));
}
