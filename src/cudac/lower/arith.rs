//! Arithmetic: constants are computed now, the rest becomes instructions.

use super::convert::{both_numbers, no_number};
use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Held, Value, is_one, not_a_number};
use crate::at::Pos;
use crate::error::Error;
use crate::source::expression::wrapped;
use crate::types::{Scalar, Type};
use std::cmp::Ordering;

impl Lowering<'_> {
    /// `a op b`.
    pub(super) fn combined(
        &mut self,
        at: Pos,
        operator: &str,
        a: Value,
        b: Value,
    ) -> Result<Value> {
        if matches!(a.ty, Type::Pointer(_)) || matches!(b.ty, Type::Pointer(_)) {
            return self.address(at, operator, a, b);
        }
        if let Some(value) = self.own_operator(at, operator, &[&a, &b])? {
            return Ok(value);
        }
        let (left, right) = both_numbers(at, &a, &b)?;
        if left.is_half() || right.is_half() {
            return self.halves_combined(at, operator, a, b);
        }
        let shifts = matches!(operator, "<<" | ">>");
        let scalar = if shifts { left.promoted() } else { left.common(right) };
        let a = self.number(at, a, scalar)?;
        let b = self.number(at, b, if shifts { Scalar::U32 } else { scalar })?;
        let compares = matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=");
        if scalar.is_float() && !compares && !matches!(operator, "+" | "-" | "*" | "/") {
            let told = format!("`{operator}` is for whole numbers");
            return Err(Error::at(at, told).into());
        }
        if let Some(known) = folded(at, operator, &a, &b, scalar)? {
            return Ok(known);
        }
        if let Some(simple) = neutral(operator, &a, &b) {
            return Ok(simple);
        }
        // A quotient by a power of two is a product, which is exact too.
        if let (Held::Float(by), "/") = (&b.held, operator)
            && let Some(inverse) = exact_inverse(*by, scalar)
        {
            return self.computed(at, "*", a, &Value::float(inverse, scalar), scalar);
        }
        if compares {
            return self.compared(at, operator, a, &b, scalar);
        }
        self.computed(at, operator, a, &b, scalar)
    }

    /// `a op b` where at least one is half precision: both must be.
    fn halves_combined(&mut self, at: Pos, operator: &str, a: Value, b: Value) -> Result<Value> {
        if a.ty != b.ty {
            let told = format!("`{operator}` of a `{}` and a `{}`", a.ty, b.ty);
            let hint = "C++ does not say which of them becomes the other: convert one, by \
                        __half2float(x) or __float2half(x)";
            return Err(Error::at(at, told).hint(hint).into());
        }
        let scalar = a.scalar().unwrap_or(Scalar::F16);
        let compares = matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=");
        if compares && scalar == Scalar::BF16 {
            let a = self.number(at, a, Scalar::F32)?;
            let b = self.number(at, b, Scalar::F32)?;
            return self.combined(at, operator, a, b);
        }
        let (a, b) = (self.in_register(at, a)?, self.in_register(at, b)?);
        if compares && scalar == Scalar::F16 {
            return self.compared(at, operator, a, &b, scalar);
        }
        self.of_two_halves(at, operator, &a, &b, scalar)
    }

    fn compared(
        &mut self,
        at: Pos,
        operator: &str,
        a: Value,
        b: &Value,
        scalar: Scalar,
    ) -> Result<Value> {
        let how = match operator {
            "<" => "lt",
            ">" => "gt",
            "<=" => "le",
            ">=" => "ge",
            "==" => "eq",
            _ if scalar.is_float() => "neu",
            _ => "ne",
        };
        let a = self.in_register(at, a)?;
        let register = self.code.register(&Type::BOOL);
        self.code
            .emit(Some(at), format!("setp.{how}.{} {register}, {a}, {b}", scalar.computed()))?;
        Ok(Value::in_register(Type::BOOL, register))
    }

    fn computed(
        &mut self,
        at: Pos,
        operator: &str,
        a: Value,
        b: &Value,
        scalar: Scalar,
    ) -> Result<Value> {
        let ty = Type::Scalar(scalar);
        let bits = 8 * scalar.bytes();
        let name = scalar.computed();
        let power = b.whole().filter(|by| *by > 0 && by.count_ones() == 1);
        let register = self.code.register(&ty);
        let is_contracted = scalar.is_contracted() && matches!(operator, "+" | "-" | "*");
        let text = match (operator, power) {
            ("*", Some(by)) if !scalar.is_float() => {
                format!("shl.b{bits} {register}, {a}, {}", by.trailing_zeros())
            }
            ("/", Some(by)) if !scalar.is_float() && !scalar.is_signed() => {
                format!("shr.u{bits} {register}, {a}, {}", by.trailing_zeros())
            }
            ("%", Some(by)) if !scalar.is_signed() => {
                format!("and.b{bits} {register}, {a}, {}", by - 1)
            }
            _ => {
                let a = self.in_register(at, a)?;
                let operation = match operator {
                    "+" | "-" | "*" | "/" if scalar.is_float() => {
                        let operation = match operator {
                            "+" => "add",
                            "-" => "sub",
                            "*" => "mul",
                            _ => "div",
                        };
                        let rounding = if operator == "/" { ".rn" } else { "" };
                        format!("{operation}{rounding}.{name}")
                    }
                    "+" => format!("add.{name}"),
                    "-" => format!("sub.{name}"),
                    "*" => format!("mul.lo.{name}"),
                    "/" => format!("div.{name}"),
                    "%" => format!("rem.{name}"),
                    "&" => format!("and.b{bits}"),
                    "|" => format!("or.b{bits}"),
                    "^" => format!("xor.b{bits}"),
                    "<<" => format!("shl.b{bits}"),
                    ">>" => format!("shr.{name}"),
                    _ => {
                        return Err(
                            Error::at(at, format!("`{operator}` has no meaning here")).into()
                        );
                    }
                };
                format!("{operation} {register}, {a}, {b}")
            }
        };
        if is_contracted {
            self.code.emit_arithmetic(Some(at), text)?;
        } else {
            self.code.emit(Some(at), text)?;
        }
        Ok(Value::in_register(ty, register))
    }

    /// A pointer and a number, or two pointers that are compared.
    fn address(&mut self, at: Pos, operator: &str, a: Value, b: Value) -> Result<Value> {
        match (&a.ty, &b.ty, operator) {
            (Type::Pointer(_), Type::Scalar(_), "+" | "-") => {
                let b = if operator == "-" { self.negated(at, b)? } else { b };
                self.moved(at, a, b)
            }
            (Type::Scalar(_), Type::Pointer(_), "+") => self.moved(at, b, a),
            (Type::Pointer(_), Type::Scalar(_), "==" | "!=") if b.whole() == Some(0) => {
                self.compared(at, operator, a, &b, Scalar::U64)
            }
            (Type::Pointer(_), Type::Pointer(_), "==" | "!=" | "<" | ">" | "<=" | ">=") => {
                self.compared(at, operator, a, &b, Scalar::U64)
            }
            (Type::Pointer(_), Type::Pointer(_), "-") => self.difference(at, [&a, &b]),
            _ => {
                let told = format!("`{operator}` has no meaning for a `{}` and a `{}`", a.ty, b.ty);
                let hint = "an element of a pointer is a number: write [i] after it";
                Err(Error::at(at, told).hint(hint).into())
            }
        }
    }

    /// A pointer that points `by` elements further.
    pub(super) fn moved(&mut self, at: Pos, pointer: Value, by: Value) -> Result<Value> {
        let Type::Pointer(what) = &pointer.ty else { return Err(no_number(at, &pointer)) };
        let bytes = what.to.bytes().max(1);
        if let Some(by) = by.whole() {
            if by == 0 {
                return Ok(pointer);
            }
            let register = self.code.register(&pointer.ty);
            let offset = by.wrapping_mul(bytes as i64);
            self.code.emit(Some(at), format!("add.s64 {register}, {pointer}, {offset}"))?;
            return Ok(Value::in_register(pointer.ty.clone(), register));
        }
        let offset = self.scaled(at, by, bytes)?;
        let register = self.code.register(&pointer.ty);
        self.code.emit(Some(at), format!("add.s64 {register}, {pointer}, {offset}"))?;
        Ok(Value::in_register(pointer.ty.clone(), register))
    }

    fn index(&mut self, at: Pos, by: Value) -> Result<(Value, Scalar)> {
        let Some(scalar) = by.scalar().filter(|scalar| !scalar.is_float()) else {
            let told = format!("an index is a whole number, and this one is a `{}`", by.ty);
            return Err(Error::at(at, told).into());
        };
        Ok((self.number(at, by, scalar.promoted())?, scalar))
    }

    /// An index times the bytes of an element, in 32 bits.
    pub(super) fn scaled_in_a_word(&mut self, at: Pos, by: Value, bytes: u64) -> Result<Value> {
        let (by, scalar) = self.index(at, by)?;
        let narrow = match scalar.promoted() {
            Scalar::I64 | Scalar::U64 => self.number(at, by, Scalar::I32)?,
            _ => by,
        };
        let int = Type::INT;
        let register = self.code.register(&int);
        self.code.emit(Some(at), format!("mul.lo.s32 {register}, {narrow}, {bytes}"))?;
        Ok(Value::in_register(int, register))
    }

    /// An index times the bytes of an element, in 64 bits.
    pub(super) fn scaled(&mut self, at: Pos, by: Value, bytes: u64) -> Result<Value> {
        let (by, scalar) = self.index(at, by)?;
        let long = Type::Scalar(Scalar::I64);
        let register = self.code.register(&long);
        let text = match scalar.promoted() {
            Scalar::I64 | Scalar::U64 => format!("mul.lo.s64 {register}, {by}, {bytes}"),
            narrow => format!("mul.wide.{} {register}, {by}, {bytes}", narrow.computed()),
        };
        self.code.emit(Some(at), text)?;
        Ok(Value::in_register(long, register))
    }

    pub(super) fn negated(&mut self, at: Pos, value: Value) -> Result<Value> {
        let Some(scalar) = value.scalar() else { return Err(no_number(at, &value)) };
        let scalar = scalar.promoted();
        let value = self.number(at, value, scalar)?;
        match value.held {
            Held::Int(known) => return Ok(Value::int(known.wrapping_neg(), scalar)),
            Held::Float(known) => return Ok(Value::float(-known, scalar)),
            Held::Reg(_) | Held::Parts(_) | Held::Nothing => {}
        }
        let register = self.code.register(&value.ty);
        let name = scalar.computed().replace('u', "s");
        self.code.emit(Some(at), format!("neg.{name} {register}, {value}"))?;
        Ok(Value::in_register(value.ty, register))
    }
}

/// The result, if both operands are known.
fn folded(at: Pos, operator: &str, a: &Value, b: &Value, scalar: Scalar) -> Result<Option<Value>> {
    Ok(match (&a.held, &b.held) {
        (Held::Int(x), Held::Int(y)) => {
            let bits = 8 * scalar.bytes();
            let value = wrapped(operator, [*x, *y], bits, scalar == Scalar::U64);
            let value = value.map_err(|_by_zero| Error::at(at, "a division by zero"))?;
            let compares = matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=");
            Some(Value::int(value, if compares { Scalar::Bool } else { scalar }))
        }
        (Held::Float(x), Held::Float(y)) => real(operator, *x, *y, scalar),
        _ => None,
    })
}

fn real(operator: &str, x: f64, y: f64, scalar: Scalar) -> Option<Value> {
    let truth = |holds: bool| Value::int(i64::from(holds), Scalar::Bool);
    let single = scalar == Scalar::F32;
    let (fx, fy) = (x as f32, y as f32);
    let value = match operator {
        "+" if single => f64::from(fx + fy),
        "-" if single => f64::from(fx - fy),
        "*" if single => f64::from(fx * fy),
        "/" if single => f64::from(fx / fy),
        "+" => x + y,
        "-" => x - y,
        "*" => x * y,
        "/" => x / y,
        "<" => return Some(truth(x < y)),
        ">" => return Some(truth(x > y)),
        "<=" => return Some(truth(x <= y)),
        ">=" => return Some(truth(x >= y)),
        // NaN equals nothing, and -0 is 0.
        "==" => return Some(truth(x.partial_cmp(&y).is_some_and(Ordering::is_eq))),
        "!=" => return Some(truth(x.partial_cmp(&y).is_none_or(Ordering::is_ne))),
        _ => return None,
    };
    Some(Value::float(if value.is_nan() { not_a_number(scalar) } else { value }, scalar))
}

/// `1 / by`, if it is exact and as long as any number of the type.
fn exact_inverse(by: f64, scalar: Scalar) -> Option<f64> {
    let is_normal = match scalar {
        Scalar::F32 => (by as f32).is_normal() && (1.0 / by as f32).is_normal(),
        Scalar::F64 => by.is_normal() && (1.0 / by).is_normal(),
        _ => return None,
    };
    let is_power = by.to_bits() & ((1 << 52) - 1) == 0;
    (is_normal && is_power).then(|| 1.0 / by)
}

/// What adding 0 or multiplying by 1 leaves; of floating-point numbers, where -0 + 0 is 0, the latter.
fn neutral(operator: &str, a: &Value, b: &Value) -> Option<Value> {
    if a.scalar().is_some_and(Scalar::is_float) {
        return match operator {
            "*" | "/" if is_one(b) => Some(a.clone()),
            "*" if is_one(a) => Some(b.clone()),
            _ => None,
        };
    }
    match (operator, a.whole(), b.whole()) {
        ("+" | "-" | "|" | "^" | "<<" | ">>", _, Some(0)) | ("*" | "/", _, Some(1)) => {
            Some(a.clone())
        }
        ("+" | "|" | "^", Some(0), _) | ("*", Some(1), _) => Some(b.clone()),
        _ => None,
    }
}
