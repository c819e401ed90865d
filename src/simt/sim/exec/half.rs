//! Arithmetic on float16 and bfloat16, single or packed in pairs.

use crate::sim::alu::{self, Real};
use crate::sim::format::Format;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use ptx::{BinaryOp, Compare, Contraction, Float, Rounding, Type, UnaryOp};

/// The NaN, of either sign, that a tensor copy puts where its box is outside of the tensor (an H100
/// takes no other pattern for it).
const OUTSIDE: u16 = 0x7ff7;

/// One of the four types, with the instruction's modifiers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    format: Format,
    packed: bool,
    float: Float,
}

impl Half {
    pub(super) fn new(ty: Type, float: Float) -> Self {
        Self { format: Format::of(ty), packed: ty.is_packed(), float }
    }

    pub(super) fn unary(self, regs: &mut Regs, op: UnaryOp, (dst, a): (Reg, Reg), mask: LaneMask) {
        regs.map1(dst, a, mask, |a: u32| self.each([a], |[a]| self.unary_of(op, a)));
    }

    pub(super) fn binary(
        self,
        regs: &mut Regs,
        op: BinaryOp,
        (dst, a, b): (Reg, Reg, Reg),
        mask: LaneMask,
    ) {
        regs.map2(dst, (a, b), mask, |a: u32, b: u32| self.of(op, a, b));
    }

    pub(super) fn fma(self, regs: &mut Regs, dst: Reg, [a, b, c]: [Reg; 3], mask: LaneMask) {
        regs.map3(dst, (a, b, c), mask, |a: u32, b: u32, c: u32| self.fused([a, b, c]));
    }

    /// A contracted sum: see [`Contraction`].
    pub(super) fn contracted(
        self,
        regs: &mut Regs,
        how: Contraction,
        dst: Reg,
        [a, b, c]: [Reg; 3],
        mask: LaneMask,
    ) {
        let sign = self.format.sign() as u32;
        let signs = if self.packed { sign << 16 | sign } else { sign };
        let [of_product, of_other] =
            [how.minus_product, how.minus_other].map(|minus| if minus { signs } else { 0 });
        let f = |a: u32, b: u32, c: u32| self.fused([a ^ of_product, b, c ^ of_other]);
        regs.map3(dst, (a, b, c), mask, f);
    }

    fn fused(self, operands: [u32; 3]) -> u32 {
        self.each(operands, |halves| {
            if self.float.oob && halves[..2].iter().any(|half| half & 0x7fff == OUTSIDE) {
                return 0;
            }
            let [a, b, c] = halves.map(|half| self.operand(half));
            self.result(fused(a, b, c))
        })
    }

    /// The lanes in which a comparison holds; for packed halves, of the lower and the upper
    /// elements.
    pub(super) fn test(self, regs: &Regs, cmp: Compare, a: Reg, b: Reg) -> [LaneMask; 2] {
        let of = |shift: u32| {
            let value = |bits: u32| self.operand((bits >> shift) as u16);
            regs.test(a, b, |a: u32, b: u32| alu::compare(cmp, &value(a), &value(b)))
        };
        [of(0), if self.packed { of(16) } else { LaneMask::NONE }]
    }

    /// Returns `a + b`, with the instruction's modifiers.
    pub(super) fn sum(self, a: u32, b: u32) -> u32 {
        self.of(BinaryOp::Add, a, b)
    }

    /// Returns the smaller one, or the larger one.
    pub(super) fn extreme(self, smaller: bool, a: u32, b: u32) -> u32 {
        self.of(if smaller { BinaryOp::Min } else { BinaryOp::Max }, a, b)
    }

    fn of(self, op: BinaryOp, a: u32, b: u32) -> u32 {
        self.each([a, b], |halves| {
            let [a, b] = halves.map(|half| self.operand(half));
            self.result(binary_of(op, a, b))
        })
    }

    /// The value that `set` writes for a comparison that holds.
    pub(super) fn one(self) -> u32 {
        let one = self.format.one() as u32;
        if self.packed { one << 16 | one } else { one }
    }

    /// Applies `f` to the lower half, and to the upper half if the type is packed.
    fn each<const N: usize>(self, operands: [u32; N], f: impl Fn([u16; N]) -> u16) -> u32 {
        let lower = f(operands.map(|bits| bits as u16));
        if !self.packed {
            return lower.into();
        }
        let upper = f(operands.map(|bits| (bits >> 16) as u16));
        u32::from(upper) << 16 | u32::from(lower)
    }

    fn operand(self, half: u16) -> f64 {
        let bits = u64::from(half);
        self.format.widen(if self.float.ftz { self.format.flushed(bits) } else { bits })
    }

    /// Rounds `value`, which is exact or rounded to odd, and applies the modifiers.
    fn result(self, value: f64) -> u16 {
        let value = clamped(value, self.float);
        let bits = self.format.narrow(value, Rounding::Nearest);
        (if self.float.ftz { self.format.flushed(bits) } else { bits }) as u16
    }

    fn unary_of(self, op: UnaryOp, half: u16) -> u16 {
        let sign = self.format.sign() as u16;
        let flushed = |half: u16| {
            if self.float.ftz { self.format.flushed(half.into()) as u16 } else { half }
        };
        match op {
            UnaryOp::Neg => flushed(half) ^ sign,
            UnaryOp::Abs => flushed(half) & !sign,
            _ => self.result(alu::elementary(op, self.operand(half))),
        }
    }
}

/// `.sat` clamps to [0, 1] and turns NaN into 0; `.relu` clamps negative values to 0.
pub(super) fn clamped(value: f64, float: Float) -> f64 {
    if float.sat {
        return if value > 0.0 { value.min(1.0) } else { 0.0 };
    }
    if float.relu && value <= 0.0 { 0.0 } else { value }
}

fn binary_of(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => fused(a, 1.0, b),
        BinaryOp::Sub => fused(a, 1.0, -b),
        // Adding -0 leaves the product unchanged, including the sign of a zero.
        BinaryOp::Mul(_) => fused(a, b, -0.0),
        BinaryOp::Min => Real::min(a, b),
        BinaryOp::Max => Real::max(a, b),
        BinaryOp::MinNan => Real::min_nan(a, b),
        BinaryOp::MaxNan => Real::max_nan(a, b),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => unreachable!("the parser takes these for other types alone"),
    }
}

/// Returns a x b + c rounded to odd: rounding that again to 51 bits or fewer is the same as
/// rounding the exact value once (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded
/// Sums", 2008). The product of two halves is exact in float64, and so is the error of the sum
/// (Knuth's TwoSum).
fn fused(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    let other = sum - product;
    let error = (product - (sum - other)) + (c - other);
    let even = sum.to_bits() & 1 == 0;
    match (even, error > 0.0, error < 0.0) {
        (true, true, _) => sum.next_up(),
        (true, _, true) => sum.next_down(),
        _ => sum,
    }
}

/// `min.xorsign.abs`, `max.xorsign.abs` of float32 or of halves: the operation on the magnitudes, with
/// the exclusive or of the signs (PTX ISA, `min`).
pub(super) fn xor_sign((op, ftz): (BinaryOp, bool), ty: Type, a: u32, b: u32) -> u32 {
    let format = Format::of(ty);
    let of = |a: u32, b: u32| {
        let [x, y] = [a, b].map(|bits| {
            let magnitude = format.magnitude(bits.into());
            format.widen(if ftz { format.flushed(magnitude) } else { magnitude })
        });
        let value = format.narrow(binary_of(op, x, y), Rounding::Nearest);
        // A NaN has no sign (measured on an H100).
        let sign = if format.is_nan(value) { 0 } else { (a ^ b) & format.sign() as u32 };
        value as u32 | sign
    };
    if !ty.is_packed() {
        return of(a, b);
    }
    of(a >> 16, b >> 16) << 16 | of(a & 0xffff, b & 0xffff)
}
