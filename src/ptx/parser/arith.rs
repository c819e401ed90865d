//! Arithmetic, logic, comparison and selection.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::error::ParseError;
use crate::ptx::op::{BinaryOp, Boolean, Compare, Float, Op, TernaryOp, UnaryOp, Width};
use crate::ptx::types::Type;

impl Parser<'_> {
    /// `add.type`, `add{.rn}{.ftz}{.sat}.f32`
    pub(super) fn add_or_sub(
        &mut self,
        words: &mut Words<'_>,
        op: BinaryOp,
    ) -> Result<Instruction, ParseError> {
        words.take("rn");
        let float = words.float();
        let ty = arithmetic_type(words, float)?;
        self.binary(op, ty, float)
    }

    /// `mul.{lo,hi,wide}.type`, `mul{.rn}{.ftz}{.sat}.f32`
    pub(super) fn mul(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let width = words.take_as(width);
        words.take("rn");
        let float = words.float();
        let ty = arithmetic_type(words, float)?;
        let width = product_width(width, ty).ok_or_else(|| words.unsupported())?;
        self.binary(BinaryOp::Mul(width), ty, float)
    }

    /// `mad.{lo,hi,wide}.type`; `mad.rn.f32` is `fma.rn.f32`.
    pub(super) fn mad(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let Some(width) = words.take_as(width) else { return self.fma(words) };
        let ty = arithmetic_type(words, Float::PLAIN)?;
        let width = product_width(Some(width), ty).ok_or_else(|| words.unsupported())?;
        self.ternary(TernaryOp::Mad(width), ty, Float::PLAIN)
    }

    /// `fma.rn{.ftz}{.sat}.{f32,f64}`
    pub(super) fn fma(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("rn") {
            return Err(words.unsupported());
        }
        let float = words.float();
        let ty = float_type(words, float)?;
        self.ternary(TernaryOp::Fma, ty, float)
    }

    /// `div.type`, `div.rn{.ftz}.f32` (the approximate forms differ from GPU to GPU).
    pub(super) fn div(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("rn") {
            let float = words.float();
            let ty = float_type(words, float)?;
            return self.binary(BinaryOp::Div, ty, float);
        }
        self.integer_binary(words, BinaryOp::Div)
    }

    /// `min.type`, `min{.ftz}.f32`
    pub(super) fn min_or_max(
        &mut self,
        words: &mut Words<'_>,
        op: BinaryOp,
    ) -> Result<Instruction, ParseError> {
        let float = Float { ftz: words.take("ftz"), sat: false };
        let ty = arithmetic_type(words, float)?;
        self.binary(op, ty, float)
    }

    /// Signed and unsigned integers of 16 to 64 bits.
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

    /// Untyped bits and predicates.
    pub(super) fn bits_binary(
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
    pub(super) fn any_binary(
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

    /// `not`, `abs`, `neg` and the counts of bits.
    pub(super) fn unary(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        let float = Float { ftz: words.take("ftz"), sat: false };
        let ty = words.last_type()?;
        let fits = match op {
            UnaryOp::Abs | UnaryOp::Neg => ty.is_signed() || ty.is_float(),
            UnaryOp::Not => matches!(ty, Type::Pred | Type::B16 | Type::B32 | Type::B64),
            UnaryOp::Cnot => matches!(ty, Type::B16 | Type::B32 | Type::B64),
            UnaryOp::Popc | UnaryOp::Clz | UnaryOp::Brev => matches!(ty, Type::B32 | Type::B64),
            UnaryOp::Sqrt | UnaryOp::Rcp => ty.is_float(),
        };
        if !fits || ty.bits() == 8 || (float.ftz && ty != Type::F32) {
            return Err(words.unsupported());
        }
        let [dst, a] = self.operands()?;
        Ok(Op::Unary { op, ty, float, dst, a })
    }

    /// `sqrt.rn`, `rcp.rn`: correctly rounded, unlike their approximations.
    pub(super) fn rounded_unary(
        &mut self,
        words: &mut Words<'_>,
        op: UnaryOp,
    ) -> Result<Instruction, ParseError> {
        if words.take("rn") { self.unary(words, op) } else { Err(words.unsupported()) }
    }

    /// `bfe.type d, a, position, length`
    pub(super) fn bfe(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if !ty.is_integer() || ty.bits() < 32 {
            return Err(words.unsupported());
        }
        self.ternary(TernaryOp::Bfe, ty, Float::PLAIN)
    }

    /// `bfi.type d, a, b, position, length`
    pub(super) fn bfi(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if !matches!(ty, Type::B32 | Type::B64) {
            return Err(words.unsupported());
        }
        let [dst, a, b, position, length] = self.operands()?;
        Ok(Op::Insert { ty, dst, a, b, position, length })
    }

    /// `setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c}`
    pub(super) fn setp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let plain = words.take_as(Comparison::read).ok_or_else(|| words.unsupported())?;
        let join = words.take_as(boolean);
        let ftz = words.take("ftz");
        let ty = words.last_type()?;
        let cmp = plain.of(ty).filter(|_| !ftz || ty == Type::F32);
        let cmp = cmp.ok_or_else(|| words.unsupported())?;
        let dst = self.operand()?;
        let negated = if self.take('|') { Some(self.operand()?) } else { None };
        self.sign(',')?;
        let [a, b] = self.operands()?;
        let with = match join {
            Some(join) => {
                self.sign(',')?;
                let not = self.take('!');
                Some((join, not, self.operand()?))
            }
            None => None,
        };
        Ok(Op::Setp { cmp, ty, ftz, dst, negated, a, b, with })
    }

    /// `selp.type d, a, b, p`
    pub(super) fn selp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if ty == Type::Pred || ty.bits() == 8 {
            return Err(words.unsupported());
        }
        let [dst, a, b, pred] = self.operands()?;
        Ok(Op::Selp { ty, dst, a, b, pred })
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, float: Float) -> Result<Instruction, ParseError> {
        let [dst, a, b] = self.operands()?;
        Ok(Op::Binary { op, ty, float, dst, a, b })
    }

    fn ternary(
        &mut self,
        op: TernaryOp,
        ty: Type,
        float: Float,
    ) -> Result<Instruction, ParseError> {
        let [dst, a, b, c] = self.operands()?;
        Ok(Op::Ternary { op, ty, float, dst, abc: [a, b, c] })
    }
}

/// An integer or floating-point type of at least 16 bits; `.ftz` and `.sat` only where they exist.
fn arithmetic_type(words: &mut Words<'_>, float: Float) -> Result<Type, ParseError> {
    let ty = words.last_type()?;
    let plain = float == Float::PLAIN;
    let fits = (ty.is_integer() && plain && ty.bits() >= 16) || (ty == Type::F64 && plain);
    if fits || ty == Type::F32 { Ok(ty) } else { Err(words.unsupported()) }
}

fn float_type(words: &mut Words<'_>, float: Float) -> Result<Type, ParseError> {
    let ty = arithmetic_type(words, float)?;
    if ty.is_float() { Ok(ty) } else { Err(words.unsupported()) }
}

fn width(word: &str) -> Option<Width> {
    Some(match word {
        "lo" => Width::Lo,
        "hi" => Width::Hi,
        "wide" => Width::Wide,
        _ => return None,
    })
}

/// Integers must say which part of the product they keep; floats keep it as `Lo`.
fn product_width(width: Option<Width>, ty: Type) -> Option<Width> {
    match width {
        None if ty.is_float() => Some(Width::Lo),
        Some(Width::Wide) if ty.is_integer() && ty.bits() <= 32 => Some(Width::Wide),
        Some(Width::Lo | Width::Hi) if ty.is_integer() => width,
        None | Some(_) => None,
    }
}

fn boolean(word: &str) -> Option<Boolean> {
    Some(match word {
        "and" => Boolean::And,
        "or" => Boolean::Or,
        "xor" => Boolean::Xor,
        _ => return None,
    })
}

/// A comparison before its type is known: `lo`, `ls`, `hi`, `hs` are the unsigned spellings.
struct Comparison {
    cmp: Compare,
    unsigned_only: bool,
}

impl Comparison {
    fn read(word: &str) -> Option<Self> {
        let (cmp, unsigned_only) = match word {
            "eq" => (Compare::Eq, false),
            "ne" => (Compare::Ne, false),
            "lt" => (Compare::Lt, false),
            "le" => (Compare::Le, false),
            "gt" => (Compare::Gt, false),
            "ge" => (Compare::Ge, false),
            "lo" => (Compare::Lt, true),
            "ls" => (Compare::Le, true),
            "hi" => (Compare::Gt, true),
            "hs" => (Compare::Ge, true),
            "equ" => (Compare::EqU, false),
            "neu" => (Compare::NeU, false),
            "ltu" => (Compare::LtU, false),
            "leu" => (Compare::LeU, false),
            "gtu" => (Compare::GtU, false),
            "geu" => (Compare::GeU, false),
            "num" => (Compare::Num, false),
            "nan" => (Compare::Nan, false),
            _ => return None,
        };
        Some(Self { cmp, unsigned_only })
    }

    /// The comparison, if it exists for `ty`.
    fn of(&self, ty: Type) -> Option<Compare> {
        use Compare::{Eq, EqU, Ge, GeU, Gt, GtU, Le, LeU, Lt, LtU, Nan, Ne, NeU, Num};
        let fits = match self.cmp {
            EqU | NeU | LtU | LeU | GtU | GeU | Num | Nan => ty.is_float(),
            Eq | Ne => ty.bits() >= 16,
            Lt | Le | Gt | Ge => ty.bits() >= 16 && (ty.is_integer() || ty.is_float()),
        };
        let unsigned = ty.is_integer() && !ty.is_signed();
        (fits && (!self.unsigned_only || unsigned)).then_some(self.cmp)
    }
}
