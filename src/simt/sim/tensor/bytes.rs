//! Sums of 32 products of 8-bit numbers, as `wgmma` takes them.
//!
//! Integers are summed exactly. Of floating-point numbers fewer bits are kept than of wider ones: 13
//! after the binary point of the largest term, and 13 in the fraction of a float32 sum, which is
//! truncated (Xie and others, arXiv 2511.10909).

use super::OF_ZERO;
use crate::sim::format::{Finite, Format};
use ptx::{Rounding, Type};

/// Number of elements in a row.
const COUNT: usize = 32;

/// Number of bits kept after the binary point of the largest term.
const FRACTION: i32 = 13;

/// What a float32 sum keeps.
const SHORT: Format = Format::new(9 + FRACTION as u32, FRACTION as u32 + 1);

/// A row of a or a column of b.
#[derive(Clone, Debug)]
pub(in crate::sim) struct ByteVector {
    /// The integers, or the significands as signed integers.
    significands: [i32; COUNT],
    /// The exponents of the lowest bits, and of the leading ones; for subnormals, the smallest.
    exponents: [(i32, i32); COUNT],
    /// The values, used if any element is infinite or NaN.
    values: [f64; COUNT],
    finite: bool,
}

impl ByteVector {
    /// Creates a row of `ty`, of 8 bits each.
    pub(in crate::sim) fn new(ty: Type, elements: impl Iterator<Item = u32>) -> Self {
        let mut bytes = Self {
            significands: [0; COUNT],
            exponents: [(0, OF_ZERO); COUNT],
            values: [0.0; COUNT],
            finite: true,
        };
        for (index, bits) in elements.enumerate() {
            if ty.is_of_bytes() {
                bytes.set(index, Format::of(ty), bits.into());
            } else {
                let byte = bits as u8;
                let signed = ty.is_signed();
                bytes.significands[index] = if signed { (byte as i8).into() } else { byte.into() };
            }
        }
        bytes
    }

    fn set(&mut self, index: usize, format: Format, bits: u64) {
        let Finite { negative, significand, exponent } = format.parts(bits);
        let magnitude = significand as i32;
        self.significands[index] = if negative { -magnitude } else { magnitude };
        self.exponents[index] = (exponent, exponent + format.precision() as i32 - 1);
        self.finite &= format.is_finite(bits);
        self.values[index] = format.widen(bits);
    }

    /// Returns c + a x b; c and the result are given by their bits.
    pub(in crate::sim) fn dot(&self, b: &Self, c: u32, (sum, satfinite): (Type, bool)) -> u32 {
        if sum == Type::S32 {
            return self.whole(b, c as i32, satfinite) as u32;
        }
        let sum = Format::of(sum);
        if self.finite && b.finite && sum.is_finite(c.into()) {
            return self.finite_dot(b, c, sum);
        }
        let products: f64 = self.values.iter().zip(&b.values).map(|(a, b)| a * b).sum();
        sum.narrow(products + sum.widen(c.into()), Rounding::Nearest) as u32
    }

    fn whole(&self, b: &Self, c: i32, satfinite: bool) -> i32 {
        let products = self.significands.iter().zip(&b.significands);
        let sum = products.fold(i64::from(c), |sum, (a, b)| sum + i64::from(a * b));
        if satfinite { sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32 } else { sum as i32 }
    }

    /// Every number is finite.
    fn finite_dot(&self, b: &Self, c: u32, sum: Format) -> u32 {
        let addend = sum.parts(c.into());
        let of_addend = match addend.significand {
            0 => OF_ZERO,
            _ => addend.exponent + sum.precision() as i32 - 1,
        };
        let product = |index: usize| {
            let product = self.significands[index] * b.significands[index];
            let ((low_a, top_a), (low_b, top_b)) = (self.exponents[index], b.exponents[index]);
            let top = if product == 0 { OF_ZERO } else { top_a + top_b };
            (product, low_a + low_b, top)
        };
        let products: [_; COUNT] = std::array::from_fn(product);
        let top = products.iter().fold(of_addend, |top, (.., of)| top.max(*of));
        let unit = top - FRACTION;
        let products = products.iter().map(|(product, low, _)| cut((*product).into(), low - unit));
        let signed = addend.significand as i64 * if addend.negative { -1 } else { 1 };
        rounded(products.sum::<i64>() + cut(signed, addend.exponent - unit), unit, sum)
    }
}

/// Returns `value` x 2^up, truncated towards zero.
fn cut(value: i64, up: i32) -> i64 {
    let magnitude = value.unsigned_abs();
    let shifted = match up {
        // Zeros have any exponent.
        _ if value == 0 => 0,
        0.. => magnitude << up,
        _ => magnitude >> up.unsigned_abs().min(63),
    } as i64;
    if value < 0 { -shifted } else { shifted }
}

/// Rounds float16 to nearest, with a positive zero; of a float32, cuts off all but [`SHORT`].
fn rounded(sum: i64, exponent: i32, format: Format) -> u32 {
    let exact = Finite { negative: sum < 0, significand: sum.unsigned_abs(), exponent };
    if format == Format::F16 {
        if format.overflows(exact) {
            return format.infinite(exact.negative) as u32;
        }
        let bits = format.round(exact, Rounding::Nearest);
        return if format.magnitude(bits) == 0 { 0 } else { bits as u32 };
    }
    if SHORT.overflows(exact) {
        return format.infinite(exact.negative) as u32;
    }
    (SHORT.round(exact, Rounding::Zero) << (format.precision() - SHORT.precision())) as u32
}
