//! Constants and constant expressions (PTX ISA, "Constants"): their types and their evaluation
//! during parsing.

use Constant::{Float, Signed, Unsigned};

/// A 64-bit value of one of the three constant types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// The reason why an expression has no value.
pub(super) type Wrong = &'static str;

const NOT_AN_INTEGER: Wrong = "expected integers: this operator takes no others";
const MIXED: Wrong = "an integer and a floating-point number: neither is converted";
const BY_ZERO: Wrong = "this divides by zero";

/// Evaluation of operators (PTX ISA, "Integer Constant Expression Evaluation", and the behaviour of
/// ptxas 12.9 where it differs or says more).
impl Constant {
    pub(super) fn prefixed(self, sign: char) -> Result<Self, Wrong> {
        Ok(match (sign, self) {
            ('-', Signed(value)) => Signed(value.wrapping_neg()),
            ('-', Unsigned(value)) => Unsigned(value.wrapping_neg()),
            ('-', Float(value)) => Float(-value),
            ('~', value) => Unsigned(!value.integer()?),
            ('!', value) => truth_value(!value.truth()?),
            (_, value) => value,
        })
    }

    pub(super) fn with(self, operator: &str, right: Self) -> Result<Self, Wrong> {
        match operator {
            "||" => return Ok(truth_value(self.truth()? | right.truth()?)),
            "&&" => return Ok(truth_value(self.truth()? & right.truth()?)),
            "<<" | ">>" => return self.shifted(operator == "<<", right.integer()?),
            "%" => {
                let rest = self.integer()?.checked_rem(right.integer()?);
                return rest.map(Unsigned).ok_or(BY_ZERO);
            }
            _ => {}
        }
        match usual(self, right)? {
            (Float(a), Float(b)) => of_floats(operator, a, b),
            (Signed(a), Signed(b)) => of_signed(operator, a, b),
            (a, b) => of_unsigned(operator, a.integer()?, b.integer()?),
        }
    }

    /// Shifts by the lowest six bits of the count, like ptxas.
    fn shifted(self, left: bool, by: u64) -> Result<Self, Wrong> {
        let by = by as u32;
        Ok(match self {
            Signed(value) if left => Signed(value.wrapping_shl(by)),
            Signed(value) => Signed(value.wrapping_shr(by)),
            Unsigned(value) if left => Unsigned(value.wrapping_shl(by)),
            Unsigned(value) => Unsigned(value.wrapping_shr(by)),
            Float(_) => return Err(NOT_AN_INTEGER),
        })
    }

    /// The 64 bits of an integer.
    pub(super) const fn integer(self) -> Result<u64, Wrong> {
        match self {
            Signed(value) => Ok(value as u64),
            Unsigned(value) => Ok(value),
            Float(_) => Err(NOT_AN_INTEGER),
        }
    }

    pub(super) fn truth(self) -> Result<bool, Wrong> {
        self.integer().map(|value| value != 0)
    }
}

/// Converts both to a common type: integers become unsigned if either is.
pub(super) const fn usual(a: Constant, b: Constant) -> Result<(Constant, Constant), Wrong> {
    match (a, b) {
        (Signed(_), Signed(_)) | (Unsigned(_), Unsigned(_)) | (Float(_), Float(_)) => Ok((a, b)),
        (Signed(a), Unsigned(_)) => Ok((Unsigned(a as u64), b)),
        (Unsigned(_), Signed(b)) => Ok((a, Unsigned(b as u64))),
        (Float(_), _) | (_, Float(_)) => Err(MIXED),
    }
}

fn of_floats(operator: &str, a: f64, b: f64) -> Result<Constant, Wrong> {
    Ok(Float(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b == 0.0 => return Err(BY_ZERO),
        "/" => a / b,
        _ => return compared(operator, &a, &b),
    }))
}

fn of_signed(operator: &str, a: i64, b: i64) -> Result<Constant, Wrong> {
    if let Some(bits) = ring(operator, a as u64, b as u64) {
        return Ok(Signed(bits as i64));
    }
    match operator {
        "/" if b == 0 => Err(BY_ZERO),
        "/" => Ok(Signed(a.wrapping_div(b))),
        _ => compared(operator, &a, &b),
    }
}

fn of_unsigned(operator: &str, a: u64, b: u64) -> Result<Constant, Wrong> {
    if let Some(bits) = ring(operator, a, b) {
        return Ok(Unsigned(bits));
    }
    match operator {
        "/" => a.checked_div(b).map(Unsigned).ok_or(BY_ZERO),
        _ => compared(operator, &a, &b),
    }
}

/// Operators whose result is the same for signed and unsigned integers.
const fn ring(operator: &str, a: u64, b: u64) -> Option<u64> {
    Some(match operator.as_bytes() {
        b"+" => a.wrapping_add(b),
        b"-" => a.wrapping_sub(b),
        b"*" => a.wrapping_mul(b),
        b"&" => a & b,
        b"|" => a | b,
        b"^" => a ^ b,
        _ => return None,
    })
}

fn compared<T: PartialOrd>(operator: &str, a: &T, b: &T) -> Result<Constant, Wrong> {
    Ok(truth_value(match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => return Err(NOT_AN_INTEGER),
    }))
}

const fn truth_value(holds: bool) -> Constant {
    Signed(holds as i64)
}
