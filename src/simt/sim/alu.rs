//! Arithmetic as pure functions on values, as the PTX ISA defines it.

#![expect(
    clippy::inline_always,
    reason = "the loops over lanes are compiled once more for each set of vector instructions, with all they call"
)]

use ptx::{Compare, Float, Type, UnaryOp};

/// The only NaN that float32 instructions produce (PTX ISA, "Floating Point Comparisons").
const NAN: u32 = 0x7fff_ffff;

/// Operations that exist for every integer width.
pub(super) trait Integer: Copy + Ord {
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul_lo(self, b: Self) -> Self;
    fn mul_hi(self, b: Self) -> Self;
    /// Truncates. Division by zero is undefined in PTX; hardware returns all ones.
    fn div(self, b: Self) -> Self;
    /// Takes the sign of the dividend; division by zero returns all ones too.
    fn rem(self, b: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    /// Shift amounts above the width act as the width (PTX ISA, `shl`, `shr`).
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    /// Extracts `length` bits from bit `position`, sign-extended for signed types (PTX ISA, `bfe`).
    fn extract(self, position: u32, length: u32) -> Self;
}

macro_rules! integer {
    ($($ty:ty, $unsigned:ty, $wide:ty;)*) => {$(
        #[expect(trivial_numeric_casts, reason = "the same text serves signed and unsigned types")]
        impl Integer for $ty {
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self.wrapping_add(b)
            }

            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self.wrapping_sub(b)
            }

            #[inline(always)]
            fn mul_lo(self, b: Self) -> Self {
                self.wrapping_mul(b)
            }

            fn mul_hi(self, b: Self) -> Self {
                ((self as $wide).wrapping_mul(b as $wide) >> Self::BITS) as Self
            }

            fn div(self, b: Self) -> Self {
                if b == 0 { <$unsigned>::MAX as Self } else { self.wrapping_div(b) }
            }

            fn rem(self, b: Self) -> Self {
                if b == 0 { <$unsigned>::MAX as Self } else { self.wrapping_rem(b) }
            }

            fn neg(self) -> Self {
                (0 as Self).wrapping_sub(self)
            }

            fn abs(self) -> Self {
                if self < (0 as Self) { self.neg() } else { self }
            }

            #[inline(always)]
            fn shl(self, by: u32) -> Self {
                if by >= Self::BITS { 0 } else { self << by }
            }

            #[inline(always)]
            fn shr(self, by: u32) -> Self {
                if by < Self::BITS { self >> by } else { self >> (Self::BITS - 1) >> 1 }
            }

            fn extract(self, position: u32, length: u32) -> Self {
                let (position, length) = (position & 0xff, length & 0xff);
                if length == 0 {
                    return 0;
                }
                let kept = length.min(Self::BITS.saturating_sub(position));
                if kept == 0 {
                    return self >> (Self::BITS - 1) >> 1;
                }
                self << (Self::BITS - position - kept) >> (Self::BITS - kept)
            }
        }
    )*};
}

integer! {
    u16, u16, u32;
    i16, u16, i32;
    u32, u32, u64;
    i32, u32, i64;
    u64, u64, u128;
    i64, u64, i128;
}

/// Sign- or zero-extends the low bits of a register from `ty` to 64 bits.
#[inline(always)]
pub(super) fn extend(bits: u64, ty: Type) -> u64 {
    let unused = 64 - ty.bits();
    let top = bits << unused;
    if ty.is_signed() { ((top as i64) >> unused) as u64 } else { top >> unused }
}

/// Inserts the low `length` bits of `a` into `b` at `position` (PTX ISA, `bfi`).
pub(super) fn insert(a: u64, b: u64, position: u32, length: u32, bits: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let length = length.min(bits.saturating_sub(position));
    if length == 0 {
        return b;
    }
    let ones = u64::MAX >> (64 - length);
    b & !(ones << position) | (a & ones) << position
}

/// Operations that exist for every floating-point width.
pub(super) trait Real: Copy + PartialOrd {
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    fn recip(self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    /// A function that GPUs only approximate.
    fn elementary(self, op: UnaryOp) -> Self;
    /// If one operand is NaN, the other; -0 is less than +0 (PTX ISA, `min`).
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    /// NaN if either operand is NaN.
    fn min_nan(self, b: Self) -> Self;
    fn max_nan(self, b: Self) -> Self;
    /// The operand as the instruction reads it: with `.ftz`, subnormals are zero.
    fn operand(self, float: Float) -> Self;
    /// The result after the instruction's modifiers.
    fn result(self, float: Float) -> Self;
}

macro_rules! real {
    ($ty:ty, $result:expr, $operand:expr) => {
        impl Real for $ty {
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                self + b
            }

            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                self - b
            }

            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                self * b
            }

            fn div(self, b: Self) -> Self {
                self / b
            }

            fn sqrt(self) -> Self {
                self.sqrt()
            }

            fn recip(self) -> Self {
                self.recip()
            }

            fn neg(self) -> Self {
                -self
            }

            fn abs(self) -> Self {
                self.abs()
            }

            fn elementary(self, op: UnaryOp) -> Self {
                elementary(op, self as f64) as Self
            }

            fn min(self, b: Self) -> Self {
                match self.partial_cmp(&b) {
                    Some(std::cmp::Ordering::Less) => self,
                    Some(std::cmp::Ordering::Greater) => b,
                    Some(std::cmp::Ordering::Equal) => {
                        if self.is_sign_negative() {
                            self
                        } else {
                            b
                        }
                    }
                    None => {
                        if self.is_nan() {
                            b
                        } else {
                            self
                        }
                    }
                }
            }

            fn max(self, b: Self) -> Self {
                match self.partial_cmp(&b) {
                    Some(std::cmp::Ordering::Greater) => self,
                    Some(std::cmp::Ordering::Less) => b,
                    Some(std::cmp::Ordering::Equal) => {
                        if self.is_sign_negative() {
                            b
                        } else {
                            self
                        }
                    }
                    None => {
                        if self.is_nan() {
                            b
                        } else {
                            self
                        }
                    }
                }
            }

            fn min_nan(self, b: Self) -> Self {
                if self.is_nan() || b.is_nan() { Self::NAN } else { Real::min(self, b) }
            }

            fn max_nan(self, b: Self) -> Self {
                if self.is_nan() || b.is_nan() { Self::NAN } else { Real::max(self, b) }
            }

            #[inline(always)]
            fn operand(self, float: Float) -> Self {
                ($operand)(self, float)
            }

            #[inline(always)]
            fn result(self, float: Float) -> Self {
                ($result)(self, float)
            }
        }
    };
}

real!(f32, result32, |value, float: Float| if float.ftz { flush(value) } else { value });
real!(f64, |value, _| value, |value, _| value);

/// NaN becomes canonical, `.ftz` flushes, `.sat` clamps to [0, 1] and turns NaN into +0.
#[inline(always)]
fn result32(value: f32, float: Float) -> f32 {
    let value = if float.ftz { flush(value) } else { value };
    if float.sat {
        return if value > 0.0 { value.min(1.0) } else { 0.0 };
    }
    canonical(value)
}

/// Replaces any NaN with the canonical one.
#[inline(always)]
pub(super) fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(NAN) } else { value }
}

/// The functions that GPUs only approximate, computed here to about one float64 unit in the last
/// place.
pub(super) fn elementary(op: UnaryOp, value: f64) -> f64 {
    match op {
        UnaryOp::Ex2 => value.exp2(),
        UnaryOp::Lg2 => value.log2(),
        UnaryOp::Sin => value.sin(),
        UnaryOp::Cos => value.cos(),
        UnaryOp::Tanh => value.tanh(),
        UnaryOp::Rsqrt => value.sqrt().recip(),
        UnaryOp::Sqrt => value.sqrt(),
        _ => value.recip(),
    }
}

/// Flushes subnormals to zero of the same sign.
pub(super) fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

/// Compares as `setp` does.
#[inline(always)]
pub(super) fn compare<T: PartialOrd>(cmp: Compare, a: &T, b: &T) -> bool {
    let unordered = || a.partial_cmp(b).is_none();
    match cmp {
        Compare::Eq => a == b,
        Compare::Ne => a != b && !unordered(),
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::EqU => a == b || unordered(),
        Compare::NeU => a != b,
        Compare::LtU => a < b || unordered(),
        Compare::LeU => a <= b || unordered(),
        Compare::GtU => a > b || unordered(),
        Compare::GeU => a >= b || unordered(),
        Compare::Num => !unordered(),
        Compare::Nan => unordered(),
    }
}
