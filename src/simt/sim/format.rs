//! Floating-point formats, described by two widths: decoding and rounding of numbers.

use ptx::{Rounding, Type};
use std::cmp::Ordering;

/// A binary format in the style of IEEE 754: sign, exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Total number of bits.
    bits: u32,
    /// Bits of the significand, including the implicit leading one.
    precision: u32,
}

/// A finite number: significand x 2^exponent, with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) negative: bool,
    /// If bits were lost, the lowest bit is sticky: it is set if any lost bit was set.
    pub(super) significand: u64,
    pub(super) exponent: i32,
}

impl Format {
    pub(super) const F16: Self = Self { bits: 16, precision: 11 };
    pub(super) const BF16: Self = Self { bits: 16, precision: 8 };
    /// The 19 significant bits of `.tf32`, which are the upper part of a 32-bit word.
    pub(super) const TF32: Self = Self { bits: 19, precision: 11 };
    pub(super) const E4M3: Self = Self { bits: 8, precision: 4 };
    pub(super) const E5M2: Self = Self { bits: 8, precision: 3 };
    pub(super) const F32: Self = Self { bits: 32, precision: 24 };
    pub(super) const F64: Self = Self { bits: 64, precision: 53 };

    /// A format of so many bits, of which the significand has so many with the implicit one.
    pub(super) const fn new(bits: u32, precision: u32) -> Self {
        Self { bits, precision }
    }

    /// The format of `ty`, or of one element if it is packed.
    pub(super) const fn of(ty: Type) -> Self {
        match ty {
            Type::F16 | Type::F16x2 => Self::F16,
            Type::Bf16 | Type::Bf16x2 => Self::BF16,
            Type::Tf32 => Self::TF32,
            Type::E4m3 | Type::E4m3x2 => Self::E4M3,
            Type::E5m2 | Type::E5m2x2 => Self::E5M2,
            Type::F64 => Self::F64,
            _ => Self::F32,
        }
    }

    pub(super) const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// +infinity, or what follows the largest finite number: in `e4m3`, which has no infinity, NaN.
    pub(super) const fn infinity(self) -> u64 {
        if self.has_infinity() { self.sign() - (1 << (self.precision - 1)) } else { self.nan() }
    }

    const fn has_infinity(self) -> bool {
        self.bits != 8 || self.precision != 4
    }

    /// The largest finite number.
    pub(super) const fn greatest(self) -> u64 {
        self.infinity() - 1
    }

    /// The smallest positive normal number.
    pub(super) const fn least_normal(self) -> u64 {
        1 << (self.precision - 1)
    }

    /// 1.
    pub(super) const fn one(self) -> u64 {
        (self.bias() as u64) << (self.precision - 1)
    }

    /// The only NaN that instructions produce: every bit set except the sign (PTX ISA, "Half
    /// Precision Floating Point Instructions").
    pub(super) const fn nan(self) -> u64 {
        self.sign() - 1
    }

    /// Infinity of either sign.
    pub(super) const fn infinite(self, negative: bool) -> u64 {
        if negative { self.infinity() | self.sign() } else { self.infinity() }
    }

    /// Bits of the significand, including the leading one.
    pub(super) const fn precision(self) -> u32 {
        self.precision
    }

    pub(super) const fn is_finite(self, bits: u64) -> bool {
        self.magnitude(bits) < self.infinity()
    }

    pub(super) const fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity() || !self.has_infinity() && !self.is_finite(bits)
    }

    pub(super) const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    /// A number without its sign bit.
    pub(super) const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    /// Flushes subnormals to zero of the same sign.
    pub(super) const fn flushed(self, bits: u64) -> u64 {
        if self.magnitude(bits) < self.least_normal() { bits & self.sign() } else { bits }
    }

    const fn bias(self) -> i32 {
        (1 << (self.bits - self.precision - 1)) - 1
    }

    /// The exponent of the lowest bit of the smallest number.
    const fn least_exponent(self) -> i32 {
        2 - self.bias() - self.precision as i32
    }

    /// Decomposes a finite number.
    pub(super) const fn parts(self, bits: u64) -> Finite {
        let magnitude = self.magnitude(bits);
        let hidden = self.least_normal();
        let (biased, fraction) = (magnitude >> (self.precision - 1), magnitude & (hidden - 1));
        let (significand, up) =
            if biased == 0 { (fraction, 0) } else { (fraction | hidden, biased as i32 - 1) };
        let exponent = self.least_exponent() + up;
        Finite { negative: self.is_negative(bits), significand, exponent }
    }

    /// Rounds `value` to this format; on overflow, to infinity or to the largest finite number.
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
        // A carry out of the significand correctly increments the exponent.
        let bits = (((unit - least) as u64) << (precision - 1)) + kept;
        if bits < self.infinity() {
            return sign | bits;
        }
        let inwards = match rounding {
            Rounding::Zero => true,
            Rounding::Down => !negative,
            Rounding::Up => negative,
            Rounding::Nearest
            | Rounding::Unwritten
            | Rounding::NearestAway
            | Rounding::Approximate => false,
        };
        sign | if inwards { self.greatest() } else { self.infinity() }
    }

    /// Whether a number is too large for this format under every rounding.
    pub(super) fn overflows(self, value: Finite) -> bool {
        let leading = value.significand.checked_ilog2().map(|log| value.exponent + log as i32);
        leading.is_some_and(|leading| leading > self.bias())
    }

    /// Rounds a float64 to this format.
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

    /// Converts a number of at most 32 bits to a float64, which is always exact.
    #[inline]
    pub(super) fn widen(self, bits: u64) -> f64 {
        let magnitude = self.magnitude(bits);
        let value = match magnitude.cmp(&self.infinity()) {
            Ordering::Less => {
                // Shift the fields to their float64 positions; the multiplication corrects the
                // difference of the biases.
                let scale = f64::from_bits(((2046 - self.bias()) as u64) << 52);
                f64::from_bits(magnitude << (53 - self.precision)) * scale
            }
            Ordering::Equal if self.has_infinity() => f64::INFINITY,
            Ordering::Equal | Ordering::Greater => f64::NAN,
        };
        if self.is_negative(bits) { -value } else { value }
    }
}

/// Returns `significand` / 2^by, rounded to an integer.
fn rounded_shift(significand: u64, by: i32, negative: bool, rounding: Rounding) -> u64 {
    if by <= 0 {
        return significand << -by;
    }
    // A shift by more than 64 bits leaves nothing except the fact that the value was not zero.
    let by = by.min(65) as u32;
    let shifted = (u128::from(significand) << 64) >> by;
    let (kept, lost) = ((shifted >> 64) as u64, shifted as u64 | u64::from(by == 65));
    let half = 1 << 63;
    let up = match rounding {
        Rounding::Nearest | Rounding::Unwritten | Rounding::Approximate => {
            lost > half || lost == half && kept & 1 == 1
        }
        Rounding::NearestAway => lost >= half,
        Rounding::Zero => false,
        Rounding::Down => negative && lost != 0,
        Rounding::Up => !negative && lost != 0,
    };
    kept + u64::from(up)
}
