//! Exact floating-point arithmetic, for roundings that the host processor does not offer.

use super::format::{Finite, Format};
use ptx::Rounding;

/// A result before it is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Exact {
    Nan,
    /// Infinite; the flag says whether it is negative.
    Infinite(bool),
    Number(WideFloat),
}

/// A finite number: significand x 2^exponent, with a sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideFloat {
    negative: bool,
    /// At most 106 bits, the width of a product. If bits were lost, the lowest bit is sticky: it is
    /// set if any lost bit was set.
    significand: u128,
    exponent: i32,
}

use Exact::{Infinite, Nan, Number};

impl Exact {
    /// The value of a number in `format`.
    pub(super) fn of(format: Format, bits: u64) -> Self {
        if format.is_nan(bits) {
            return Nan;
        }
        if format.magnitude(bits) == format.infinity() {
            return Infinite(format.is_negative(bits));
        }
        let Finite { negative, significand, exponent } = format.parts(bits);
        Number(WideFloat { negative, significand: significand.into(), exponent })
    }

    /// Rounds to a number in `format`.
    pub(super) fn round(self, format: Format, rounding: Rounding) -> u64 {
        match self {
            Nan => format.nan(),
            Infinite(negative) => format.infinite(negative),
            Number(WideFloat { negative, significand, exponent }) => {
                let by = 64_u32.saturating_sub(significand.leading_zeros());
                let (significand, exponent) = (jam(significand, by) as u64, exponent + by as i32);
                format.round(Finite { negative, significand, exponent }, rounding)
            }
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Nan => Nan,
            Infinite(negative) => Infinite(!negative),
            Number(a) => Number(WideFloat { negative: !a.negative, ..a }),
        }
    }

    /// The sum; the sign of the zero x - x depends on the rounding (IEEE 754-2019, 6.3).
    pub(super) fn plus(self, b: Self, rounding: Rounding) -> Self {
        match (self, b) {
            (Number(a), Number(b)) => Number(sum(a, b, rounding == Rounding::Down)),
            (Infinite(a), Infinite(b)) if a != b => Nan,
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(negative), _) | (_, Infinite(negative)) => Infinite(negative),
        }
    }

    pub(super) fn times(self, b: Self) -> Self {
        let negative = self.is_negative() != b.is_negative();
        match (self, b) {
            (Number(a), Number(b)) => Number(WideFloat {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
            }),
            (Nan, _) | (_, Nan) => Nan,
            _ if self.is_zero() || b.is_zero() => Nan,
            _ => Infinite(negative),
        }
    }

    pub(super) fn over(self, b: Self) -> Self {
        let negative = self.is_negative() != b.is_negative();
        match (self, b) {
            (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) => Nan,
            (Number(_), Number(_)) if self.is_zero() && b.is_zero() => Nan,
            (Infinite(_), _) => Infinite(negative),
            (_, Infinite(_)) => Number(WideFloat { negative, significand: 0, exponent: 0 }),
            (_, Number(_)) if b.is_zero() => Infinite(negative),
            (Number(a), Number(b)) => Number(WideFloat { negative, ..quotient(a, b) }),
        }
    }

    pub(super) fn root(self) -> Self {
        match self {
            Number(a) if a.significand == 0 => self,
            Number(a) if !a.negative => Number(root(a)),
            Infinite(false) => self,
            _ => Nan,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Number(WideFloat { significand: 0, .. }))
    }

    fn is_negative(self) -> bool {
        matches!(self, Infinite(true) | Number(WideFloat { negative: true, .. }))
    }
}

/// `value` / 2^by, with a sticky lowest bit: it is set if any bit shifted out was set.
fn jam(value: u128, by: u32) -> u128 {
    if by >= 128 {
        return u128::from(value != 0);
    }
    let kept = value >> by;
    kept | u128::from(kept << by != value)
}

/// Shifts the significand so that its highest bit is bit `top`; the value stays the same.
fn lifted(a: WideFloat, top: u32) -> WideFloat {
    let by = top as i32 - a.significand.ilog2() as i32;
    WideFloat { significand: a.significand << by, exponent: a.exponent - by, ..a }
}

fn sum(a: WideFloat, b: WideFloat, zero_is_negative: bool) -> WideFloat {
    if a.significand == 0 || b.significand == 0 {
        let zeros = a.significand == b.significand;
        let negative = if a.negative == b.negative { a.negative } else { zero_is_negative };
        let other = if a.significand == 0 { b } else { a };
        return if zeros { WideFloat { negative, ..a } } else { other };
    }
    // With its highest bit at bit 125, each significand has at least 19 spare bits at the low end.
    // If bits are lost all the same, the numbers are so far apart that the difference keeps its
    // leading bits.
    let (a, b) = (lifted(a, 125), lifted(b, 125));
    let (a, b) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let below = jam(b.significand, (a.exponent - b.exponent) as u32);
    if a.negative == b.negative {
        return WideFloat { significand: a.significand + below, ..a };
    }
    let significand = a.significand.abs_diff(below);
    let negative = match significand {
        0 => zero_is_negative,
        _ => a.negative != (below > a.significand),
    };
    WideFloat { negative, significand, ..a }
}

/// A quotient to at least 70 bits, of numbers of at most 53 bits.
fn quotient(a: WideFloat, b: WideFloat) -> WideFloat {
    if a.significand == 0 {
        return a;
    }
    let a = lifted(a, 125);
    let (quotient, rest) = (a.significand / b.significand, a.significand % b.significand);
    let significand = quotient | u128::from(rest != 0);
    WideFloat { significand, exponent: a.exponent - b.exponent, ..a }
}

/// A square root to at least 62 bits.
fn root(a: WideFloat) -> WideFloat {
    let lifted_to = |top| lifted(a, top);
    let a = [lifted_to(125), lifted_to(124)].into_iter().find(|a| a.exponent % 2 == 0);
    let a = a.expect("of two neighbours one is even");
    let root = a.significand.isqrt();
    let significand = root | u128::from(root * root != a.significand);
    WideFloat { significand, exponent: a.exponent / 2, ..a }
}
