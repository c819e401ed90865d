//! The floating-point formats by their two widths: reading a number's bits, and rounding to them.

use crate::ptx::{Rounding, Type};
use std::cmp::Ordering;

/// A binary format of IEEE 754's kind: sign, exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of a number.
    bits: u32,
    /// Bits of its significand, with the leading one that is not stored.
    precision: u32,
}

/// A finite number: significand x 2^exponent, negated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) negative: bool,
    /// Of a number with more bits, the lowest one stands for all that were lost.
    pub(super) significand: u64,
    pub(super) exponent: i32,
}

impl Format {
    pub(super) const F16: Self = Self { bits: 16, precision: 11 };
    pub(super) const BF16: Self = Self { bits: 16, precision: 8 };
    /// The 19 bits of which `.tf32` is made; they lie in the upper part of 32.
    pub(super) const TF32: Self = Self { bits: 19, precision: 11 };
    pub(super) const F32: Self = Self { bits: 32, precision: 24 };
    pub(super) const F64: Self = Self { bits: 64, precision: 53 };

    /// The format of `ty`, of one half if it is packed.
    pub(super) const fn of(ty: Type) -> Self {
        match ty {
            Type::F16 | Type::F16x2 => Self::F16,
            Type::Bf16 | Type::Bf16x2 => Self::BF16,
            Type::Tf32 => Self::TF32,
            Type::F64 => Self::F64,
            _ => Self::F32,
        }
    }

    /// The sign's bit.
    pub(super) const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// +infinity.
    pub(super) const fn infinity(self) -> u64 {
        self.sign() - (1 << (self.precision - 1))
    }

    /// The greatest finite number.
    pub(super) const fn greatest(self) -> u64 {
        self.infinity() - 1
    }

    /// The least positive number that is not subnormal.
    pub(super) const fn least_normal(self) -> u64 {
        1 << (self.precision - 1)
    }

    /// 1.
    pub(super) const fn one(self) -> u64 {
        (self.bias() as u64) << (self.precision - 1)
    }

    /// The one NaN that instructions produce: every bit set but the sign (PTX ISA, "Half Precision
    /// Floating Point Instructions").
    pub(super) const fn nan(self) -> u64 {
        self.sign() - 1
    }

    /// Infinity of either sign.
    pub(super) const fn infinite(self, negative: bool) -> u64 {
        if negative { self.infinity() | self.sign() } else { self.infinity() }
    }

    /// Bits of the significand, with the leading one.
    pub(super) const fn precision(self) -> u32 {
        self.precision
    }

    pub(super) const fn is_finite(self, bits: u64) -> bool {
        self.magnitude(bits) < self.infinity()
    }

    pub(super) const fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    pub(super) const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    /// A number without its sign.
    pub(super) const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    /// Subnormals to zero of the same sign.
    pub(super) const fn flushed(self, bits: u64) -> u64 {
        if self.magnitude(bits) < self.least_normal() { bits & self.sign() } else { bits }
    }

    const fn bias(self) -> i32 {
        (1 << (self.bits - self.precision - 1)) - 1
    }

    /// The exponent of the lowest bit of the least number.
    const fn least_exponent(self) -> i32 {
        2 - self.bias() - self.precision as i32
    }

    /// The parts of a finite number.
    pub(super) const fn parts(self, bits: u64) -> Finite {
        let magnitude = self.magnitude(bits);
        let hidden = self.least_normal();
        let (biased, fraction) = (magnitude >> (self.precision - 1), magnitude & (hidden - 1));
        let (significand, up) =
            if biased == 0 { (fraction, 0) } else { (fraction | hidden, biased as i32 - 1) };
        let exponent = self.least_exponent() + up;
        Finite { negative: self.is_negative(bits), significand, exponent }
    }

    /// The number of this format that `value` rounds to; infinity, or the greatest one, beyond it.
    #[inline]
    pub(super) fn round(self, value: Finite, rounding: Rounding) -> u64 {
        let Finite { negative, significand, exponent } = value;
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        let precision = self.precision as i32;
        let leading = exponent + significand.ilog2() as i32;
        let least = self.least_exponent();
        let unit = (leading - precision + 1).max(least);
        let kept = rounded_shift(significand, unit - exponent, negative, rounding);
        // A carry out of the significand goes into the exponent, as it should.
        let bits = (((unit - least) as u64) << (precision - 1)) + kept;
        if bits < self.infinity() {
            return sign | bits;
        }
        let inwards = match rounding {
            Rounding::Zero => true,
            Rounding::Down => !negative,
            Rounding::Up => negative,
            Rounding::Nearest | Rounding::NearestAway | Rounding::Approximate => false,
        };
        sign | if inwards { self.greatest() } else { self.infinity() }
    }

    /// Whether a number is too large for this format whichever way it is rounded.
    pub(super) fn overflows(self, value: Finite) -> bool {
        let leading = value.significand.checked_ilog2().map(|log| value.exponent + log as i32);
        leading.is_some_and(|leading| leading > self.bias())
    }

    /// The number of this format that a float64 rounds to.
    #[inline]
    pub(super) fn narrow(self, value: f64, rounding: Rounding) -> u64 {
        if value.is_nan() {
            self.nan()
        } else if value.is_infinite() {
            self.infinite(value < 0.0)
        } else {
            self.round(Self::F64.parts(value.to_bits()), rounding)
        }
    }

    /// A number of at most 32 bits as a float64, which holds all of them exactly.
    #[inline]
    pub(super) fn widen(self, bits: u64) -> f64 {
        let magnitude = self.magnitude(bits);
        let value = match magnitude.cmp(&self.infinity()) {
            Ordering::Less => {
                // The fields where a float64 has them; what is left is the difference of the
                // biases.
                let scale = f64::from_bits(((2046 - self.bias()) as u64) << 52);
                f64::from_bits(magnitude << (53 - self.precision)) * scale
            }
            Ordering::Equal => f64::INFINITY,
            Ordering::Greater => f64::NAN,
        };
        if self.is_negative(bits) { -value } else { value }
    }
}

/// `significand` / 2^by, rounded to an integer.
fn rounded_shift(significand: u64, by: i32, negative: bool, rounding: Rounding) -> u64 {
    if by <= 0 {
        return significand << -by;
    }
    // Beyond its 64 bits nothing is left of it but that there was something.
    let by = by.min(65) as u32;
    let shifted = (u128::from(significand) << 64) >> by;
    let (kept, lost) = ((shifted >> 64) as u64, shifted as u64 | u64::from(by == 65));
    let half = 1 << 63;
    let up = match rounding {
        Rounding::Nearest | Rounding::Approximate => lost > half || lost == half && kept & 1 == 1,
        Rounding::NearestAway => lost >= half,
        Rounding::Zero => false,
        Rounding::Down => negative && lost != 0,
        Rounding::Up => !negative && lost != 0,
    };
    kept + u64::from(up)
}
