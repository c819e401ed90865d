//! Comparisons, and their combination with a third operand.

use crate::sim::alu::{self, Real};
use crate::sim::exec::half::Half;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::{LaneValue, Regs};
use ptx::{Boolean, Compare, Float, Type};

/// The lanes in which a comparison holds; for packed halves, of the lower and the upper elements.
pub(super) fn test(
    regs: &Regs,
    cmp: Compare,
    (ty, ftz): (Type, bool),
    (a, b): (Reg, Reg),
) -> [LaneMask; 2] {
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

/// Dispatches on the most common comparisons outside the loop over the lanes.
fn test_as<T: LaneValue + PartialOrd>(regs: &Regs, cmp: Compare, a: Reg, b: Reg) -> LaneMask {
    match cmp {
        Compare::Eq => regs.test(a, b, |a: T, b: T| a == b),
        Compare::Lt => regs.test(a, b, |a: T, b: T| a < b),
        Compare::Ge => regs.test(a, b, |a: T, b: T| a >= b),
        _ => regs.test(a, b, |a: T, b: T| alu::compare(cmp, &a, &b)),
    }
}

/// `setp`: one predicate, or two for packed halves or for a comparison and its negation.
pub(super) fn setp(
    regs: &mut Regs,
    holds: [LaneMask; 2],
    (dst, second): (Reg, Option<Reg>),
    with: Option<(Boolean, bool, Reg)>,
    mask: LaneMask,
) {
    // Read the third operand before writing either predicate: it may be one of them.
    let [first, other] = joined(regs, holds, with);
    regs.set_pred(dst, first, mask);
    if let Some(second) = second {
        regs.set_pred(second, other, mask);
    }
}

/// Combines comparisons with a third operand.
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

/// `set`: writes all ones or 1.0 where the comparison holds, and 0 where it does not.
pub(super) fn set(
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
