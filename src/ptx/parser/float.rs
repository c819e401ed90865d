//! Floating-point arithmetic other than `add` and `mul`: fused, division, approximations.

use super::arith::{arithmetic_type, has, pair};
use super::tensor::expect;
use super::words::Words;
use super::words::rounding;
use super::{Instruction, Opcode, Parser};
use crate::error::ParseError;
use crate::op::{BinaryOp, BitsOp, Float, PairOp, Rounding, Saturated, TernaryOp, UnaryOp};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] = &[
    ("abs", |p, words| p.sign_of(words, UnaryOp::Abs)),
    ("cos", |p, words| p.approximation(words, UnaryOp::Cos)),
    ("div", |p, words| p.div(words)),
    ("ex2", |p, words| p.approximation(words, UnaryOp::Ex2)),
    ("fma", |p, words| p.fma(words)),
    ("lg2", |p, words| p.approximation(words, UnaryOp::Lg2)),
    ("max", |p, words| p.min_or_max(words, [BinaryOp::Max, BinaryOp::MaxNan], Saturated::MaxRelu)),
    ("min", |p, words| p.min_or_max(words, [BinaryOp::Min, BinaryOp::MinNan], Saturated::MinRelu)),
    ("neg", |p, words| p.sign_of(words, UnaryOp::Neg)),
    ("rcp", |p, words| p.root_or_reciprocal(words, UnaryOp::Rcp)),
    ("rsqrt", |p, words| p.approximation(words, UnaryOp::Rsqrt)),
    ("sin", |p, words| p.approximation(words, UnaryOp::Sin)),
    ("sqrt", |p, words| p.root_or_reciprocal(words, UnaryOp::Sqrt)),
    ("tanh", |p, words| p.approximation(words, UnaryOp::Tanh)),
];

impl Parser<'_> {
    /// `fma.rounding{.ftz}{.sat}.{f32,f64}`, `fma.rn{.ftz}{.sat}{.relu}.{f16,bf16}{x2}`,
    /// `fma.rn.oob{.relu}.{f16,bf16}{x2}`
    pub(super) fn fma(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let (rounding, oob) = (rounding_modifier(words)?, words.take("oob"));
        let float = Float { oob, rounding, ..words.float() };
        let float = Float { relu: words.take("relu"), ..float };
        let ty = float_type(words, float)?;
        self.ternary(TernaryOp::Fma, ty, float)
    }

    /// `mad{.rounding}{.ftz}{.sat}.f32` and `mad.rounding.f64` are `fma`. So they are for targets of
    /// compute capability 1.x too, although those GPUs truncated the product: ptxas (12.9) compiles
    /// both to `FFMA`.
    pub(super) fn float_mad(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !self.unsaid.rounding || words.begin_with(rounding) {
            return self.fma(words);
        }
        let float = words.float();
        if words.last_type()? == Type::F32 {
            return self.ternary(TernaryOp::Fma, Type::F32, float);
        }
        Err(words.unsupported())
    }

    /// `div.type`, `div.rounding{.ftz}.f32`, `div.{approx,full}{.ftz}.f32`
    fn div(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let approximate = words.take("approx") || words.take("full");
        let rounding = match words.take_as(rounding) {
            None if approximate => Rounding::Approximate,
            Some(rounding) if !approximate => rounding,
            _ => return self.integer_binary(words, BinaryOp::Div),
        };
        let float = Float { ftz: words.take("ftz"), rounding, ..Float::PLAIN };
        let ty = wide_type(words, float)?;
        if approximate && ty == Type::F64 {
            return Err(words.unsupported());
        }
        self.binary(BinaryOp::Div, ty, float)
    }

    /// `min.type`, `min{.ftz}{.NaN}{.xorsign.abs}.f32` and halves, `min{.relu}.s16x2`. The array holds the operations without and
    /// with `.NaN`; `relu` is the integer operation with `.relu`.
    fn min_or_max(
        &mut self,
        words: &mut Words<'_>,
        [op, nan]: [BinaryOp; 2],
        relu: Saturated,
    ) -> Result<Instruction, ParseError> {
        if words.hold("relu") && words.hold("s32") {
            return self.saturated(words, relu);
        }
        let clamps = words.take("relu");
        if let Some(signed) = words.take_as(pair).filter(|signed| *signed || !clamps) {
            return self.pair(words, pair_op(op, clamps), signed);
        }
        let float = Float { ftz: words.take("ftz"), ..Float::PLAIN };
        let told = words.take("NaN");
        let of_signs = words.take("xorsign");
        if of_signs {
            expect(words, &["abs"])?;
        }
        let ty = arithmetic_type(words, float)?;
        if (told || of_signs) && (ty.is_integer() || ty == Type::F64) || clamps {
            return Err(words.unsupported());
        }
        let op = if told { nan } else { op };
        if of_signs {
            return self.bits(Ok((BitsOp::XorSign { op, ftz: float.ftz }, ty, 2)));
        }
        self.binary(op, ty, float)
    }

    /// `neg.type`, `abs{.ftz}.f32` and halves.
    fn sign_of(&mut self, words: &mut Words<'_>, op: UnaryOp) -> Result<Instruction, ParseError> {
        let float = Float { ftz: words.take("ftz"), ..Float::PLAIN };
        if !float.ftz && !words.ends_in(Type::is_float) {
            return self.unary(words, op);
        }
        let ty = float_type(words, float)?;
        self.unary_of(op, ty, float)
    }

    /// `sqrt.rounding{.ftz}.f32` or `sqrt.approx{.ftz}.f32`; also `rcp`.
    fn root_or_reciprocal(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        if words.take("approx") {
            return self.approximate(words, op);
        }
        let float = Float { rounding: rounding_modifier(words)?, ..words.float() };
        let ty = wide_type(words, float)?;
        if float.sat {
            return Err(words.unsupported());
        }
        self.unary_of(op, ty, float)
    }

    /// `rsqrt.approx` and the like, which exist only as approximations.
    fn approximation(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        if words.take("approx") { self.approximate(words, op) } else { Err(words.unsupported()) }
    }

    fn approximate(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        let ftz = words.take("ftz");
        let ty = words.last_type()?;
        if !approximation_exists(op, ty, ftz) {
            return Err(words.unsupported());
        }
        let float = Float { ftz, rounding: Rounding::Approximate, ..Float::PLAIN };
        self.unary_of(op, ty, float)
    }
}

/// Whether `op` has an approximation for `ty` (PTX ISA, the instructions' syntax).
fn approximation_exists(op: UnaryOp, ty: Type, ftz: bool) -> bool {
    match ty {
        Type::F32 => !(op == UnaryOp::Tanh && ftz),
        Type::F16 | Type::F16x2 => matches!(op, UnaryOp::Ex2 | UnaryOp::Tanh) && !ftz,
        Type::Bf16 | Type::Bf16x2 => op == UnaryOp::Ex2 && ftz || op == UnaryOp::Tanh && !ftz,
        Type::F64 => op == UnaryOp::Rsqrt || op == UnaryOp::Rcp && ftz,
        _ => false,
    }
}

/// The operation on pairs for `min` or `max`, with or without `.relu`.
fn pair_op(op: BinaryOp, clamps: bool) -> PairOp {
    match (op, clamps) {
        (BinaryOp::Min, false) => PairOp::Min,
        (BinaryOp::Min, true) => PairOp::MinRelu,
        (_, false) => PairOp::Max,
        (_, true) => PairOp::MaxRelu,
    }
}

fn rounding_modifier(words: &mut Words<'_>) -> Result<Rounding, ParseError> {
    words.take_as(rounding).ok_or_else(|| words.unsupported())
}

/// A floating-point type of any width that has these modifiers.
fn float_type(words: &mut Words<'_>, float: Float) -> Result<Type, ParseError> {
    let ty = words.last_type()?;
    if has(ty, float) { Ok(ty) } else { Err(words.unsupported()) }
}

/// float32 or float64, if it has these modifiers.
fn wide_type(words: &mut Words<'_>, float: Float) -> Result<Type, ParseError> {
    let ty = float_type(words, float)?;
    if ty.is_half() { Err(words.unsupported()) } else { Ok(ty) }
}

impl Float {
    /// No flushing, no clamping, rounded to nearest.
    pub(super) const PLAIN: Self = Self {
        ftz: false,
        sat: false,
        relu: false,
        oob: false,
        satfinite: false,
        rounding: Rounding::Nearest,
    };
}
