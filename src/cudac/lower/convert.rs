//! Conversions between types.

use super::lowering::Lowering;
use super::stop::{Result, Stop};
use super::value::{Held, RegClass, Value, not_a_number};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Qualifiers, Scalar, Space, Type};

impl Lowering<'_> {
    pub(super) fn converted(&mut self, at: Pos, value: Value, ty: &Type) -> Result<Value> {
        let wrong = |from: &Type| {
            Error::at(at, format!("a value of the type `{from}` cannot become `{ty}`")).into()
        };
        match (&value.ty, ty) {
            (Type::Scalar(_), Type::Scalar(scalar)) => self.number(at, value, *scalar),
            (Type::Vector(from, of), Type::Vector(to, into)) if from == to && of == into => {
                Ok(value)
            }
            (Type::Struct(from), Type::Struct(to)) if from == to => Ok(value),
            // A pointer keeps the memory that it points into.
            (Type::Pointer(from), Type::Pointer(to)) => {
                let volatile = to.qualifiers.volatile || from.qualifiers.volatile;
                let (space, is_generic) = (from.space, to.space == Some(Space::Generic));
                let value = if is_generic { self.generic_address(at, value)? } else { value };
                let space = if is_generic { to.space } else { space.or(to.space) };
                let ty = to.to.clone().pointer(space, Qualifiers { volatile, ..to.qualifiers });
                Ok(Value { ty, held: value.held })
            }
            // What a pointer that points at nothing is.
            (Type::Scalar(_), Type::Pointer(_))
            | (Type::Scalar(_) | Type::Pointer(_), Type::Function(_))
                if value.whole() == Some(0) =>
            {
                Ok(Value { ty: ty.clone(), held: value.held })
            }
            (Type::Function(from), Type::Function(to)) if from.parameters == to.parameters => {
                Ok(value)
            }
            (Type::Pointer(_) | Type::Function(_), Type::Scalar(Scalar::Bool))
                if value.is_constant() =>
            {
                Ok(Value::int(value.whole().unwrap_or(0), Scalar::Bool))
            }
            (Type::Pointer(_) | Type::Function(_), Type::Scalar(Scalar::Bool)) => {
                let register = self.code.register(ty);
                self.code.emit(Some(at), format!("setp.ne.u64 {register}, {value}, 0"))?;
                Ok(Value::in_register(Type::BOOL, register))
            }
            (Type::Pointer(_), Type::Scalar(_)) | (Type::Scalar(_), Type::Pointer(_)) => {
                Err(Error::at(at, format!("a `{}` is an address, no number", value.ty))
                    .hint("an element of it is a number: write [i] after it")
                    .into())
            }
            (from, _) => Err(wrong(from)),
        }
    }

    /// The value as the type of a variable or a parameter: C++ makes no kind of half of the other by
    /// itself.
    pub(super) fn implicit(&mut self, at: Pos, value: Value, ty: &Type) -> Result<Value> {
        if let (Some(from), Type::Scalar(to)) = (value.scalar(), ty)
            && from.is_half()
            && to.is_half()
            && from != *to
        {
            let told =
                format!("a value of the type `{}` does not become `{ty}` by itself", value.ty);
            let hint = "convert it to a float, and that: __float2bfloat16(__half2float(x))";
            return Err(Error::at(at, told).hint(hint).into());
        }
        self.converted(at, value, ty)
    }

    /// The number as another type of number.
    pub(super) fn number(&mut self, at: Pos, value: Value, to: Scalar) -> Result<Value> {
        let Some(from) = value.scalar() else {
            return Err(no_number(at, &value));
        };
        match value.held {
            _ if from == to => return Ok(value),
            // A pair is no number: `half2 v = 0.0f` is both of its numbers.
            _ if to.half().is_some() => {
                let scalar = to.half().unwrap_or(to);
                let one = self.number(at, value, scalar)?;
                return self.paired(at, to, [one.clone(), one]);
            }
            // An instruction of cuda_fp16.h, of which neither NVVM nor ptxas knows the result.
            Held::Int(_) if to == Scalar::F16 && from != Scalar::Bool => {
                let value = self.in_register(at, value)?;
                return self.half_converted(at, &value, from, to);
            }
            Held::Int(known) if from == Scalar::U64 && to.is_float() => {
                return Ok(Value::float(known as u64 as f64, to));
            }
            Held::Int(known) if to == Scalar::F32 => {
                return Ok(Value::float(f64::from(known as f32), to));
            }
            Held::Int(known) => return Ok(Value::int(known, to)),
            Held::Float(known) if known.is_nan() && to == Scalar::F32 => {
                return Ok(Value::float(not_a_number(to), to));
            }
            Held::Float(known) if to.is_float() => return Ok(Value::float(known, to)),
            Held::Float(known) if to == Scalar::Bool => {
                return Ok(Value::int(i64::from(known != 0.0), to));
            }
            Held::Float(known) => return Ok(whole_of(known, from, to)),
            Held::Reg(_) | Held::Parts(_) | Held::Nothing => {}
        }
        if to == Scalar::Bool {
            return self.truth(at, &value, from);
        }
        if from == Scalar::Bool {
            let word = self.code.register_of(RegClass::Word);
            self.code.emit(Some(at), format!("selp.s32 {word}, 1, 0, {value}"))?;
            return self.number(at, Value::in_register(Type::INT, word), to);
        }
        let ty = Type::Scalar(to);
        if from.is_half() || to.is_half() {
            return self.half_converted(at, &value, from, to);
        }
        if from.is_float() || to.is_float() {
            return self.rounded(at, &value, from, to);
        }
        let value = match (RegClass::of(&value.ty), RegClass::of(&ty)) {
            (RegClass::Word, RegClass::Long) => {
                let register = self.code.register(&ty);
                let text = format!("cvt.{}.{} {register}, {value}", to.computed(), from.computed());
                // The sign of the narrow type decides what the upper half is.
                let text = if from.is_signed() {
                    text.replacen("u64", "s64", 1)
                } else {
                    text.replacen("s64", "u64", 1)
                };
                self.code.emit(Some(at), text)?;
                return Ok(Value::in_register(ty, register));
            }
            (RegClass::Long, RegClass::Word) => {
                let word = self.code.register_of(RegClass::Word);
                self.code.emit(Some(at), format!("cvt.u32.u64 {word}, {value}"))?;
                Value::in_register(Type::INT, word)
            }
            _ => value,
        };
        self.narrowed(at, value, to)
    }

    /// A 32-bit value cut to the bits of `to`, and extended again.
    fn narrowed(&mut self, at: Pos, value: Value, to: Scalar) -> Result<Value> {
        let ty = Type::Scalar(to);
        let bits = 8 * to.bytes();
        if bits >= 32 {
            return Ok(Value { ty, held: value.held });
        }
        let register = self.code.register(&ty);
        if to.is_signed() {
            let high = self.code.register(&ty);
            self.code.emit(Some(at), format!("shl.b32 {high}, {value}, {}", 32 - bits))?;
            self.code.emit(Some(at), format!("shr.s32 {register}, {high}, {}", 32 - bits))?;
        } else {
            self.code
                .emit(Some(at), format!("and.b32 {register}, {value}, {}", (1_u32 << bits) - 1))?;
        }
        Ok(Value::in_register(ty, register))
    }

    /// To or from a floating-point number, rounded to the nearest, or towards zero to a whole one.
    fn rounded(&mut self, at: Pos, value: &Value, from: Scalar, to: Scalar) -> Result<Value> {
        // Types of fewer than 32 bits go by way of 32.
        if !to.is_float() && to < Scalar::I32 {
            let whole = self.rounded(at, value, from, Scalar::I32)?;
            return self.narrowed(at, whole, to);
        }
        let how = match (from.is_float(), to.is_float()) {
            (true, false) => ".rzi",
            (true, true) if to == Scalar::F64 => "",
            _ => ".rn",
        };
        let register = self.code.register(&Type::Scalar(to));
        let (to_name, from_name) = (to.computed(), from.computed());
        self.code.emit(Some(at), format!("cvt{how}.{to_name}.{from_name} {register}, {value}"))?;
        Ok(Value::in_register(Type::Scalar(to), register))
    }

    /// Whether a number in a register is not zero.
    fn truth(&mut self, at: Pos, value: &Value, from: Scalar) -> Result<Value> {
        if from.is_half() {
            let value = self.number(at, value.clone(), Scalar::F32)?;
            return self.truth(at, &value, Scalar::F32);
        }
        let register = self.code.register_of(RegClass::Predicate);
        let zero = if from.is_float() { Value::float(0.0, from) } else { Value::int(0, from) };
        let how = if from.is_float() { "neu" } else { "ne" };
        self.code.emit(
            Some(at),
            format!("setp.{how}.{} {register}, {value}, {zero}", from.computed()),
        )?;
        Ok(Value::in_register(Type::BOOL, register))
    }

    /// The value as a truth in a register, for a branch.
    pub(super) fn predicate(&mut self, at: Pos, value: Value) -> Result<Value> {
        let truth = self.converted(at, value, &Type::BOOL)?;
        self.in_register(at, truth)
    }

    pub(super) fn in_register(&mut self, at: Pos, value: Value) -> Result<Value> {
        if !value.is_constant() {
            return Ok(value);
        }
        let register = self.code.register(&value.ty);
        let scalar = value.scalar().unwrap_or(Scalar::I32);
        let text = if matches!(value.ty, Type::Pointer(_) | Type::Function(_)) {
            format!("mov.u64 {register}, {value}")
        } else if scalar == Scalar::Bool {
            format!("setp.ne.s32 {register}, {value}, 0")
        } else {
            format!("mov.{} {register}, {value}", scalar.moved())
        };
        self.code.emit(Some(at), text)?;
        Ok(Value::in_register(value.ty, register))
    }
}

/// A known number as a whole one, as `cvt.rzi` makes it: what does not fit becomes the nearest that
/// does, and a type of fewer than 32 bits goes by way of 32.
fn whole_of(known: f64, from: Scalar, to: Scalar) -> Value {
    let by = to.max(Scalar::I32);
    let wide = from == Scalar::F64 || by.bytes() == 8;
    let whole = match by {
        _ if known.is_nan() && wide => i64::MIN >> (64 - 8 * by.bytes()),
        Scalar::I32 => (known as i32).into(),
        Scalar::U32 => (known as u32).into(),
        Scalar::U64 => known as u64 as i64,
        _ => known as i64,
    };
    match Value::int(whole, by).held {
        Held::Int(whole) => Value::int(whole, to),
        held => Value { ty: Type::Scalar(to), held },
    }
}

pub(super) fn both_numbers(at: Pos, a: &Value, b: &Value) -> Result<(Scalar, Scalar)> {
    let number = |value: &Value| value.scalar().ok_or_else(|| no_number(at, value));
    Ok((number(a)?, number(b)?))
}

pub(super) fn no_number(at: Pos, value: &Value) -> Stop {
    let error = Error::at(at, format!("a value of the type `{}` is no number", value.ty));
    match &value.ty {
        Type::Void => Error::at(at, "this returns no value").into(),
        Type::Vector(..) => Error::outside(at, &format!("an operator for a `{}`", value.ty)).into(),
        Type::Pointer(pointer) if matches!(pointer.to, Type::Scalar(_)) => {
            error.hint("an element of it is a number: write [i] after it").into()
        }
        _ => error.into(),
    }
}
