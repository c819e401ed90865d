//! `cvt`: converts values from one type to another (PTX ISA, `cvt`).

use super::half::clamped;
use crate::sim::alu::{Real, extend, flush};
use crate::sim::format::{Finite, Format};
use ptx::{Float, Rounding, Type};
use std::cmp::Ordering;

/// The neighbour of the nearest value, if the nearest value is on the wrong side of the exact one
/// for this rounding; `$order` compares the nearest value with the exact one.
macro_rules! directed {
    ($nearest:expr, $order:expr, $rounding:expr) => {
        match ($rounding, $order) {
            (Some(Rounding::Down), Ordering::Greater) => $nearest.next_down(),
            (Some(Rounding::Up), Ordering::Less) => $nearest.next_up(),
            (Some(Rounding::Zero), Ordering::Greater) if $nearest > 0.0 => $nearest.next_down(),
            (Some(Rounding::Zero), Ordering::Less) if $nearest < 0.0 => $nearest.next_up(),
            (None | Some(_), _) => $nearest,
        }
    };
}

/// A form of `cvt`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion {
    pub(super) to: Type,
    pub(super) from: Type,
    pub(super) rounding: Option<Rounding>,
    pub(super) float: Float,
}

impl Conversion {
    /// Converts one lane's value and extends it to 64 bits: the register may be wider than the
    /// type.
    pub(super) fn apply(self, bits: u64) -> u64 {
        if self.from.is_packed() {
            return self.of_pair(bits);
        }
        match (self.from.is_float(), self.to.is_float()) {
            (false, false) => self.integer(value_of(bits, self.from)),
            (false, true) => self.to_float(value_of(bits, self.from)),
            (true, false) => self.to_integer(bits),
            (true, true) => self.between_floats(bits),
        }
    }

    /// Each of two packed numbers on its own.
    fn of_pair(self, bits: u64) -> u64 {
        let alone = Self { to: self.to.alone(), from: self.from.alone(), ..self };
        let one = |number: u32| {
            let part =
                bits >> (number * alone.from.bits()) & (u64::MAX >> (64 - alone.from.bits()));
            alone.apply(part) << (number * alone.to.bits())
        };
        one(1) | one(0)
    }

    /// Integer to integer: truncated, or with `.sat` clamped to the range of the result.
    fn integer(self, value: i128) -> u64 {
        let (low, high) = range(self.to);
        let value = if self.float.sat { value.clamp(low, high) } else { value };
        extend(value as u64, self.to)
    }

    /// Integer to floating point: the nearest value, or its neighbour for directed roundings.
    fn to_float(self, value: i128) -> u64 {
        if self.to.is_half() {
            return self.to_half(value);
        }
        if self.to == Type::F64 {
            let nearest = value as f64;
            let order = (nearest as i128).cmp(&value);
            let value = directed!(nearest, order, self.rounding);
            return if self.float.sat { clamp(value) } else { value }.to_bits();
        }
        let nearest = value as f32;
        let value = directed!(nearest, (nearest as i128).cmp(&value), self.rounding);
        u64::from(if self.float.sat { value.clamp(0.0, 1.0) } else { value }.to_bits())
    }

    fn to_half(self, value: i128) -> u64 {
        let value = if self.float.sat { value.clamp(0, 1) } else { value };
        let significand = value.unsigned_abs() as u64;
        let exact = Finite { negative: value < 0, significand, exponent: 0 };
        Format::of(self.to).round(exact, self.rounding.unwrap_or_default())
    }

    /// Floating point to integer: rounded and clamped to the range. NaN becomes 0, or the value
    /// with only the highest bit set if either type is 64 bits wide.
    fn to_integer(self, bits: u64) -> u64 {
        let value = self.rounded(self.input(bits));
        if value.is_nan() {
            let wide = self.from == Type::F64 || self.to.bits() == 64;
            return extend(u64::from(wide) << (self.to.bits() - 1), self.to);
        }
        let (low, high) = range(self.to);
        extend((value as i128).clamp(low, high) as u64, self.to)
    }

    fn between_floats(self, bits: u64) -> u64 {
        let mut value = self.input(bits);
        if self.to == self.from {
            value = self.rounded(value);
        }
        match self.to {
            Type::F64 if self.float.sat => clamp(value).to_bits(),
            Type::F64 => value.to_bits(),
            Type::Tf32 => self.halved(value) << 13,
            _ if self.to.is_half() || self.to.is_of_bytes() => self.halved(value),
            _ => u64::from(self.narrowed(value).result(self.float).to_bits()),
        }
    }

    /// Rounds a float64 to a format of 8 or 16 bits, or to the 19 bits of tf32.
    fn halved(self, value: f64) -> u64 {
        let format = Format::of(self.to);
        let bits = format.narrow(clamped(value, self.float), self.rounding.unwrap_or_default());
        let infinite = format.magnitude(bits) == format.infinity() && !value.is_nan();
        bits - u64::from(self.float.satfinite && infinite)
    }

    /// Rounds a float64, which may hold a float32, to a float32.
    fn narrowed(self, value: f64) -> f32 {
        let nearest = value as f32;
        let narrower = self.to.bits() < self.from.bits();
        match f64::from(nearest).partial_cmp(&value) {
            Some(order) if narrower => directed!(nearest, order, self.rounding),
            Some(_) | None => nearest,
        }
    }

    /// The source as a float64, which represents every narrower format exactly.
    fn input(self, bits: u64) -> f64 {
        if self.from == Type::F64 {
            return f64::from_bits(bits);
        }
        if self.from.is_half() || self.from.is_of_bytes() {
            return Format::of(self.from).widen(bits & (u64::MAX >> (64 - self.from.bits())));
        }
        let value = f32::from_bits(bits as u32);
        f64::from(if self.float.ftz { flush(value) } else { value })
    }

    /// Rounds to an integer if the instruction says so.
    fn rounded(self, value: f64) -> f64 {
        match self.rounding {
            None => value,
            Some(Rounding::Nearest | Rounding::Unwritten | Rounding::Approximate) => {
                value.round_ties_even()
            }
            Some(Rounding::NearestAway) => value.round(),
            Some(Rounding::Zero) => value.trunc(),
            Some(Rounding::Down) => value.floor(),
            Some(Rounding::Up) => value.ceil(),
        }
    }
}

fn clamp(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// The integer that `bits` represent as a `ty`.
fn value_of(bits: u64, ty: Type) -> i128 {
    let bits = extend(bits, ty);
    if ty.is_signed() { i128::from(bits as i64) } else { i128::from(bits) }
}

/// The smallest and the largest value of an integer type.
fn range(ty: Type) -> (i128, i128) {
    if ty.is_signed() {
        (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1)
    } else {
        (0, (1 << ty.bits()) - 1)
    }
}
