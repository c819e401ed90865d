//! Half precision: `__half`, `__nv_bfloat16` and pairs of them (CUDA Math API; PTX ISA, "Half
//! Precision Floating Point Instructions").

use super::location::Lvalue;
use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Held, RegClass, Value};
use crate::ast::Expr;
use crate::at::Pos;
use crate::error::Error;
use crate::functions::{CONSTRUCTORS, CONVERSIONS, OPERATORS};
use crate::types::{Scalar, Type};

impl<'a> Lowering<'a> {
    /// A function of half precision; `None` for another name.
    pub(super) fn of_halves(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        if let Some((_, from, to)) = CONVERSIONS.iter().find(|(own, ..)| *own == name) {
            let [value] = self.arguments(at, name, given)?;
            let value = self.taken_as(at, name, value, *from)?;
            return self.number(at, value, *to).map(Some);
        }
        if let Some((_, to)) = CONSTRUCTORS.iter().find(|(own, _)| *own == name) {
            let [value] = self.arguments(at, name, given)?;
            return self.number(at, value, *to).map(Some);
        }
        if let Some((_, operator)) = OPERATORS.iter().find(|(own, _)| *own == name) {
            let [a, b] = self.arguments(at, name, given)?;
            let is_whole = |value: &Value| value.scalar().is_some_and(|one| one <= Scalar::U64);
            if name == "__hadd" && is_whole(&a) && is_whole(&b) {
                return self.called(at, "__mean", &[&a, &b]).map(Some);
            }
            let is_pair = name.contains('2');
            let fits = |value: &Value| {
                value.scalar().is_some_and(|one| one.is_half() && one.half().is_some() == is_pair)
            };
            let of = [&a, &b].into_iter().find(|value| fits(value)).unwrap_or(&a);
            let of = of.scalar().filter(|_| fits(of)).unwrap_or(if is_pair {
                Scalar::F16x2
            } else {
                Scalar::F16
            });
            let (a, b) = (self.taken_as(at, name, a, of)?, self.taken_as(at, name, b, of)?);
            if name.ends_with("_rn") && matches!(of, Scalar::F16 | Scalar::F16x2) {
                let opcode = format!("{}.rn", opcode(operator));
                return self.of_float16(at, &opcode, &[a, b], of).map(Some);
            }
            return self.combined(at, operator, a, b).map(Some);
        }
        let pair = if name.contains("bfloat16") { Scalar::BF16x2 } else { Scalar::F16x2 };
        Ok(Some(match name {
            "__low2half" | "__high2half" | "__low2float" | "__high2float" | "__low2bfloat16"
            | "__high2bfloat16" => {
                let [value] = self.arguments(at, name, given)?;
                let part = self.halves(at, value)?[usize::from(name.starts_with("__high"))].clone();
                if name.ends_with("float") { self.number(at, part, Scalar::F32)? } else { part }
            }
            "__half22float2" | "__bfloat1622float2" => {
                let [value] = self.arguments(at, name, given)?;
                let parts = self.halves(at, value)?.map(|part| self.number(at, part, Scalar::F32));
                let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
                Value { ty: Type::Vector(Scalar::F32, 2), held: Held::Parts(parts) }
            }
            "__halves2half2"
            | "__halves2bfloat162"
            | "make_half2"
            | "make_bfloat162"
            | "half2"
            | "__half2"
            | "__nv_bfloat162"
            | "nv_bfloat162"
            | "__floats2half2_rn"
            | "__floats2bfloat162_rn" => {
                let [low, high] = self.arguments(at, name, given)?;
                let of_bf16 = ["make_bfloat162", "__nv_bfloat162", "nv_bfloat162"].contains(&name);
                self.paired(at, if of_bf16 { Scalar::BF16x2 } else { pair }, [low, high])?
            }
            "__half2half2"
            | "__bfloat162bfloat162"
            | "__float2half2_rn"
            | "__float2bfloat162_rn" => {
                let [value] = self.arguments(at, name, given)?;
                self.paired(at, pair, [value.clone(), value])?
            }
            "__float22half2_rn" | "__float22bfloat162_rn" => {
                let [value] = self.arguments(at, name, given)?;
                let Held::Parts(parts) = value.held else {
                    return Err(Error::at(at, format!("`{name}` takes a float2")).into());
                };
                self.paired(at, pair, [parts[0].clone(), parts[1].clone()])?
            }
            _ => return Ok(None),
        }))
    }

    /// What is given to a function of this name that takes a type: as C++, which makes a half of a
    /// `float` but not of the other kind of half, and where both kinds are known, not of a whole number.
    pub(super) fn taken_as(
        &mut self,
        at: Pos,
        name: &str,
        value: Value,
        takes: Scalar,
    ) -> Result<Value> {
        let given = value.scalar();
        let is_float = matches!(given, Some(Scalar::F32 | Scalar::F64));
        if takes.is_half() && given != Some(takes) && !(is_float && takes.half().is_none()) {
            let told = format!(
                "`{name}` takes a `{}`, and a `{}` is given",
                Type::Scalar(takes),
                value.ty
            );
            let by = match (takes, given) {
                (Scalar::F16, Some(Scalar::BF16)) => "__float2half(__bfloat162float(x))",
                (Scalar::BF16, Some(Scalar::F16)) => "__float2bfloat16(__half2float(x))",
                (Scalar::F16, _) => "__float2half(x)",
                (Scalar::BF16, _) => "__float2bfloat16(x)",
                (Scalar::F16x2, _) => "__float2half2_rn(x)",
                _ => "__float2bfloat162_rn(x)",
            };
            return Err(Error::at(at, told).hint(format!("convert it by {by}")).into());
        }
        self.number(at, value, takes)
    }

    /// Two numbers as a pair of halves, the first in the lower bits.
    pub(super) fn paired(&mut self, at: Pos, pair: Scalar, values: [Value; 2]) -> Result<Value> {
        let Some(of) = pair.half() else { return Ok(Value::NOTHING) };
        let mut parts = Vec::new();
        for value in values {
            let value = self.number(at, value, of)?;
            parts.push(self.in_register(at, value)?);
        }
        let word = self.code.register_of(RegClass::Word);
        self.code.emit(Some(at), format!("mov.b32 {word}, {{{}, {}}}", parts[0], parts[1]))?;
        Ok(Value::in_register(Type::Scalar(pair), word))
    }

    pub(super) fn halves(&mut self, at: Pos, pair: Value) -> Result<[Value; 2]> {
        let Some(of) = pair.scalar().and_then(Scalar::half) else {
            return Err(Error::at(at, format!("a `{}` is no pair of halves", pair.ty)).into());
        };
        let pair = self.in_register(at, pair)?;
        let parts = [(); 2].map(|()| self.code.register_of(RegClass::Half));
        self.code.emit(Some(at), format!("mov.b32 {{{}, {}}}, {pair}", parts[0], parts[1]))?;
        Ok(parts.map(|part| Value::in_register(Type::Scalar(of), part)))
    }

    /// Writes one number of a pair, and keeps the other.
    pub(super) fn store_half(
        &mut self,
        at: Pos,
        of: &Lvalue,
        which: usize,
        value: Value,
    ) -> Result<Value> {
        let pair = self.load(at, of.clone())?;
        let scalar = pair.scalar().unwrap_or(Scalar::F16x2);
        let mut parts = self.halves(at, pair)?;
        parts[which] = value.clone();
        let pair = self.paired(at, scalar, parts)?;
        self.store(at, of.clone(), pair)?;
        Ok(value)
    }

    /// `a op b` of two halves or two pairs, which are in registers.
    pub(super) fn of_two_halves(
        &mut self,
        at: Pos,
        operator: &str,
        a: &Value,
        b: &Value,
        scalar: Scalar,
    ) -> Result<Value> {
        match (operator, scalar) {
            ("/", Scalar::F16) => self.called(at, "__half_divided", &[a, b]),
            ("/", Scalar::F16x2) => self.called(at, "__half2_divided", &[a, b]),
            ("/", Scalar::BF16) => self.called(at, "__bf16_divided", &[a, b]),
            ("+" | "-" | "*", Scalar::BF16 | Scalar::BF16x2) => {
                self.of_bf16(at, operator, a, b, scalar)
            }
            ("+" | "-" | "*", _) => {
                self.of_float16(at, opcode(operator), &[a.clone(), b.clone()], scalar)
            }
            _ => {
                let told = format!("`{operator}` of two values of the type `{}`", a.ty);
                Err(Error::outside(at, &told).into())
            }
        }
    }

    /// A sum or a product of halves. Without `.rn` ptxas may make one fused multiply-add of both, as it
    /// does with what cuda_fp16.h has for the operators.
    fn of_float16(
        &mut self,
        at: Pos,
        opcode: &str,
        operands: &[Value; 2],
        scalar: Scalar,
    ) -> Result<Value> {
        self.instruction(at, &format!("{opcode}.{}", scalar.computed()), operands, scalar)
    }

    /// Sums and products of `__nv_bfloat16` are multiply-adds: GPUs have had no others before compute
    /// capability 9.0.
    fn of_bf16(
        &mut self,
        at: Pos,
        operator: &str,
        a: &Value,
        b: &Value,
        scalar: Scalar,
    ) -> Result<Value> {
        let twice = |bits: u16| match scalar {
            Scalar::BF16 => i64::from(bits),
            _ => i64::from(u32::from(bits) << 16 | u32::from(bits)),
        };
        let constant = |lowering: &mut Self, bits| -> Result<Value> {
            let register = lowering.code.register(&Type::Scalar(scalar));
            let text = format!("mov.{} {register}, 0x{:X}", scalar.moved(), twice(bits));
            lowering.code.emit(Some(at), text)?;
            Ok(Value::in_register(Type::Scalar(scalar), register))
        };
        let (a, b) = (a.clone(), b.clone());
        let operands = match operator {
            // a * 1 + b, b * -1 + a, a * b + -0
            "+" => [a, constant(self, 0x3F80)?, b],
            "-" => [b, constant(self, 0xBF80)?, a],
            _ => [a, b, constant(self, 0x8000)?],
        };
        self.instruction(at, &format!("fma.rn.{}", scalar.computed()), &operands, scalar)
    }

    /// The smallest part of a place that is a pair, `.x` or `.y`.
    pub(super) fn part_of_pair(&mut self, at: Pos, place: &Lvalue, which: usize) -> Result<Value> {
        let pair = self.load(at, place.clone())?;
        let [low, high] = self.halves(at, pair)?;
        Ok(if which == 0 { low } else { high })
    }

    /// A number to or from half precision.
    pub(super) fn half_converted(
        &mut self,
        at: Pos,
        value: &Value,
        from: Scalar,
        to: Scalar,
    ) -> Result<Value> {
        let through = |lowering: &mut Self, by: Scalar| {
            let value = lowering.number(at, value.clone(), by)?;
            lowering.number(at, value, to)
        };
        let exact = |text: &str| text.to_owned();
        let text = match (from, to) {
            (Scalar::F16, Scalar::F32 | Scalar::F64) => format!("cvt.{}.f16", to.computed()),
            (Scalar::F32 | Scalar::F64, Scalar::F16) => format!("cvt.rn.f16.{}", from.computed()),
            (Scalar::F32, Scalar::BF16) => exact("cvt.rn.bf16.f32"),
            (Scalar::BF16, Scalar::F32) => {
                let register = self.code.register(&Type::Scalar(to));
                let zero = self.code.register_of(RegClass::Half);
                self.code.emit(Some(at), format!("mov.b16 {zero}, 0x0"))?;
                self.code.emit(Some(at), format!("mov.b32 {register}, {{{zero}, {value}}}"))?;
                return Ok(Value::in_register(Type::Scalar(to), register));
            }
            (Scalar::F64 | Scalar::I64 | Scalar::U64, Scalar::BF16) => {
                let told = format!("a `{}` as a __nv_bfloat16", value.ty);
                return Err(Error::outside(at, &told).hint("make it a float first").into());
            }
            (Scalar::BF16, _) | (_, Scalar::BF16) => return through(self, Scalar::F32),
            (Scalar::F16, whole) if whole < Scalar::I32 => return through(self, Scalar::I32),
            (Scalar::F16, whole) => format!("cvt.rzi.{}.f16", whole.computed()),
            (whole, Scalar::F16) => format!("cvt.rn.f16.{}", whole.computed()),
            _ => {
                let told = format!("a `{}` cannot become `{}`", value.ty, Type::Scalar(to));
                return Err(Error::at(at, told).into());
            }
        };
        self.instruction(at, &text, std::slice::from_ref(value), to)
    }
}

fn opcode(operator: &str) -> &'static str {
    match operator {
        "+" => "add",
        "-" => "sub",
        _ => "mul",
    }
}
