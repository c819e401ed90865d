//! Integer and generic arithmetic, logic and selection.

use super::access::untyped_only;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::error::ParseError;
use crate::op::{
    BinaryOp, CarryOp, Float, LaneOp, Op, PairOp, Rounding, Saturated, TernaryOp, UnaryOp, Width,
};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] = &[
    ("add", |p, words| p.add_or_sub(words, (BinaryOp::Add, CarryOp::Add, Saturated::Add))),
    ("and", |p, words| p.bits_binary(words, BinaryOp::And)),
    ("bfe", |p, words| p.bfe(words)),
    ("bfi", |p, words| p.bfi(words)),
    ("brev", |p, words| p.unary(words, UnaryOp::Brev)),
    ("clz", |p, words| p.unary(words, UnaryOp::Clz)),
    ("cnot", |p, words| p.unary(words, UnaryOp::Cnot)),
    ("mad", |p, words| p.mad(words)),
    ("mul", |p, words| p.mul(words)),
    ("not", |p, words| p.unary(words, UnaryOp::Not)),
    ("or", |p, words| p.bits_binary(words, BinaryOp::Or)),
    ("popc", |p, words| p.unary(words, UnaryOp::Popc)),
    ("rem", |p, words| p.integer_binary(words, BinaryOp::Rem)),
    ("selp", |p, words| p.selp(words)),
    ("shl", |p, words| p.bits_binary(words, BinaryOp::Shl)),
    ("shr", |p, words| p.any_binary(words, BinaryOp::Shr)),
    ("sub", |p, words| p.add_or_sub(words, (BinaryOp::Sub, CarryOp::Sub, Saturated::Sub))),
    ("xor", |p, words| p.bits_binary(words, BinaryOp::Xor)),
];

impl Parser<'_> {
    /// `add.type`, `add{.rounding}{.ftz}{.sat}.f32`, also `add.cc` and `add.sat.s32`.
    fn add_or_sub(
        &mut self,
        words: &mut Words<'_>,
        (op, carrying, saturated): (BinaryOp, CarryOp, Saturated),
    ) -> Result<Instruction, ParseError> {
        if words.hold("cc") {
            return self.carrying(words, carrying, false);
        }
        if words.hold("sat") && words.hold("s32") {
            return self.saturated(words, saturated);
        }
        if let (CarryOp::Add, Some(signed)) = (carrying, words.take_as(pair)) {
            return self.pair(words, PairOp::Add, signed);
        }
        let float = words.rounded();
        let ty = arithmetic_type(words, float)?;
        self.binary(op, ty, float)
    }

    /// `mul.{lo,hi,wide}.type`, `mul{.rounding}{.ftz}{.sat}.f32`
    fn mul(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let width = words.take_as(width);
        let float = words.rounded();
        let ty = arithmetic_type(words, float)?;
        let width = product_width(width, ty).ok_or_else(|| words.unsupported())?;
        self.binary(BinaryOp::Mul(width), ty, float)
    }

    /// `mad.{lo,hi,wide}.type`; also `mad.f32`, `mad.lo.cc`, `mad.hi.sat.s32`.
    fn mad(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.hold("cc") {
            return self.carrying_mad(words, false);
        }
        if words.hold("sat") && words.hold("s32") {
            return self.saturated(words, Saturated::MadHi);
        }
        let Some(width) = words.take_as(width) else { return self.float_mad(words) };
        let ty = arithmetic_type(words, Float::PLAIN)?;
        let width = product_width(Some(width), ty).ok_or_else(|| words.unsupported())?;
        self.ternary(TernaryOp::Mad(width), ty, Float::PLAIN)
    }

    /// An instruction on signed or unsigned integers of 16 to 64 bits.
    pub(super) fn integer_binary(
        &mut self,
        words: &mut Words<'_>,
        op: BinaryOp,
    ) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if !ty.is_integer() || ty.bits() < 16 {
            return Err(words.unsupported());
        }
        self.binary(op, ty, Float::PLAIN)
    }

    /// An instruction on untyped bits or predicates.
    fn bits_binary(
        &mut self,
        words: &mut Words<'_>,
        op: BinaryOp,
    ) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        let shift = op == BinaryOp::Shl;
        if ty.is_integer() || ty.is_float() || ty == Type::B8 || (shift && ty == Type::Pred) {
            return Err(words.unsupported());
        }
        self.binary(op, ty, Float::PLAIN)
    }

    /// `shr`: signed, unsigned or untyped.
    fn any_binary(
        &mut self,
        words: &mut Words<'_>,
        op: BinaryOp,
    ) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if ty.is_float() || ty.bits() < 16 {
            return Err(words.unsupported());
        }
        self.binary(op, ty, Float::PLAIN)
    }

    /// `not` and the bit counts, `abs` and `neg` of integers.
    pub(super) fn unary(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        let fits = match op {
            UnaryOp::Abs | UnaryOp::Neg => ty.is_signed(),
            UnaryOp::Not => matches!(ty, Type::Pred | Type::B16 | Type::B32 | Type::B64),
            UnaryOp::Cnot => matches!(ty, Type::B16 | Type::B32 | Type::B64),
            UnaryOp::Popc | UnaryOp::Clz | UnaryOp::Brev => matches!(ty, Type::B32 | Type::B64),
            _ => false,
        };
        if !fits || ty.bits() == 8 {
            return Err(words.unsupported());
        }
        self.unary_of(op, ty, Float::PLAIN)
    }

    /// `bfe.type d, a, position, length`
    fn bfe(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if !ty.is_integer() || ty.bits() < 32 {
            return Err(words.unsupported());
        }
        self.ternary(TernaryOp::Bfe, ty, Float::PLAIN)
    }

    /// `bfi.type d, a, b, position, length`
    fn bfi(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if !matches!(ty, Type::B32 | Type::B64) {
            return Err(words.unsupported());
        }
        let [dst, a, b, position, length] = self.operands()?;
        Ok(Op::Lane(LaneOp::Insert { ty, dst, a, b, position, length }))
    }

    /// `selp.type d, a, b, p`
    fn selp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if ty == Type::Pred || ty.bits() == 8 || untyped_only(ty) {
            return Err(words.unsupported());
        }
        let [dst, a, b, pred] = self.operands()?;
        Ok(Op::Lane(LaneOp::Selp { ty, dst, a, b, pred }))
    }

    pub(super) fn unary_of(
        &mut self,
        op: UnaryOp,
        ty: Type,
        float: Float,
    ) -> Result<Instruction, ParseError> {
        let [dst, a] = self.operands()?;
        Ok(Op::Lane(LaneOp::Unary { op, ty, float, dst, a }))
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        ty: Type,
        float: Float,
    ) -> Result<Instruction, ParseError> {
        let [dst, a, b] = self.operands()?;
        Ok(Op::Lane(LaneOp::Binary { op, ty, float, dst, a, b }))
    }

    pub(super) fn ternary(
        &mut self,
        op: TernaryOp,
        ty: Type,
        float: Float,
    ) -> Result<Instruction, ParseError> {
        let [dst, a, b, c] = self.operands()?;
        Ok(Op::Lane(LaneOp::Ternary { op, ty, float, dst, abc: [a, b, c] }))
    }
}

/// `u16x2` or `s16x2`: whether it is signed.
pub(super) fn pair(word: &str) -> Option<bool> {
    match word {
        "s16x2" => Some(true),
        "u16x2" => Some(false),
        _ => None,
    }
}

/// An integer or floating-point type of at least 16 bits that has all the given modifiers.
pub(super) fn arithmetic_type(words: &mut Words<'_>, float: Float) -> Result<Type, ParseError> {
    let ty = words.last_type()?;
    let plain = Float { rounding: Rounding::Nearest, ..float } == Float::PLAIN;
    let nearest = matches!(float.rounding, Rounding::Nearest | Rounding::Unwritten);
    let integer = ty.is_integer() && ty.bits() >= 16 && plain && nearest;
    if integer || has(ty, float) { Ok(ty) } else { Err(words.unsupported()) }
}

/// Whether arithmetic of the floating-point type `ty` has these modifiers (PTX ISA, `add`, `fma`).
pub(super) fn has(ty: Type, told: Float) -> bool {
    let Float { ftz, sat, relu, .. } = told;
    let nearest = matches!(told.rounding, Rounding::Nearest | Rounding::Unwritten);
    if told.oob {
        return ty.is_half() && nearest && !ftz && !sat;
    }
    match ty {
        Type::F32 => !relu,
        Type::F64 => !ftz && !sat && !relu,
        Type::F16 | Type::F16x2 => nearest && !(sat && relu),
        Type::Bf16 | Type::Bf16x2 => nearest && !ftz && !sat,
        _ => false,
    }
}

fn width(word: &str) -> Option<Width> {
    Some(match word {
        "lo" => Width::Lo,
        "hi" => Width::Hi,
        "wide" => Width::Wide,
        _ => return None,
    })
}

/// Integers must state which part of the product they keep; floats use `Lo`.
fn product_width(width: Option<Width>, ty: Type) -> Option<Width> {
    match width {
        None if ty.is_float() => Some(Width::Lo),
        Some(Width::Wide) if ty.is_integer() && ty.bits() <= 32 => Some(Width::Wide),
        Some(Width::Lo | Width::Hi) if ty.is_integer() => width,
        None | Some(_) => None,
    }
}
