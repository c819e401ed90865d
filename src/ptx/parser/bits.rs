//! Integer and bit instructions other than plain arithmetic, and those with a carry.

use super::access::accessed;
use super::compare::boolean;
use super::tensor::expect;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::{CARRY_FLAG, Operand};
use crate::error::ParseError;
use crate::op::{BitsOp, CarryOp, Compare, FloatClass, LaneOp, Op, PairOp, Permute, Saturated};
use crate::types::{Space, Type};

pub(super) const OPCODES: &[Opcode] = &[
    ("addc", |p, words| p.carrying(words, CarryOp::Add, true)),
    ("bfind", |p, words| p.bits(find(words))),
    ("bmsk", |p, words| p.bits(mask(words))),
    ("copysign", |p, words| p.bits(copy_sign(words))),
    ("dp2a", |p, words| p.bits(dot(words, true))),
    ("dp4a", |p, words| p.bits(dot(words, false))),
    ("fns", |p, words| p.bits(nth_set(words))),
    ("isspacep", |p, words| p.bits(in_space(words))),
    ("lop3", |p, words| p.lop3(words)),
    ("mad24", |p, words| p.bits(mul24(words, true))),
    ("madc", |p, words| p.carrying_mad(words, true)),
    ("mul24", |p, words| p.bits(mul24(words, false))),
    ("prmt", |p, words| p.bits(permute(words))),
    ("sad", |p, words| p.bits(sad(words))),
    ("shf", |p, words| p.bits(funnel(words))),
    ("slct", |p, words| p.bits(select(words))),
    ("subc", |p, words| p.carrying(words, CarryOp::Sub, true)),
    ("szext", |p, words| p.bits(extend(words))),
    ("testp", |p, words| p.bits(test(words))),
];

/// An instruction, its type and the number of its operands in addition to the result.
pub(super) type Told = (BitsOp, Type, usize);

impl Parser<'_> {
    /// `opcode{.mode}.type d, a{, b{, c}}`: the operands of an instruction whose opcode has been
    /// parsed.
    pub(super) fn bits(
        &mut self,
        told: Result<Told, ParseError>,
    ) -> Result<Instruction, ParseError> {
        let (op, ty, count) = told?;
        let dst = self.operand()?;
        let args = self.more_operands(count)?;
        Ok(Op::Lane(LaneOp::Bits { op, ty, dst, args }))
    }

    /// `, a, b`: `count` operands after the first.
    pub(super) fn more_operands(&mut self, count: usize) -> Result<Vec<Operand>, ParseError> {
        let mut next = || {
            self.sign(',')?;
            self.operand()
        };
        (0..count).map(|_| next()).collect()
    }

    /// `lop3.b32 d, a, b, c, table`, `lop3.boolop.b32 d|p, a, b, c, table, {!}q`
    fn lop3(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let join = words.take_as(boolean);
        typed(words, |ty| ty == Type::B32)?;
        let dst = self.operand()?;
        let tested = if join.is_some() && self.take('|') { Some(self.operand()?) } else { None };
        let args = self.more_operands(3)?;
        self.sign(',')?;
        let table = self.small()?;
        let table = u8::try_from(table).ok().ok_or_else(|| words.unsupported())?;
        match (join, tested) {
            (None, None) => {}
            (Some(join), Some(tested)) => {
                self.sign(',')?;
                let with = Some((join, self.take('!'), self.operand()?));
                let (cmp, ty, ftz, negated) = (Compare::Ne, Type::B32, false, None);
                let (a, b) = (dst.clone(), Operand::Integer(0));
                let test = LaneOp::Setp { cmp, ty, ftz, dst: tested, negated, a, b, with };
                self.more.push(Op::Lane(test));
            }
            _ => return Err(words.unsupported()),
        }
        let op = BitsOp::Lop3(table);
        Ok(Op::Lane(LaneOp::Bits { op, ty: Type::B32, dst, args }))
    }

    /// `add.sat.s32`, `sub.sat.s32`, `mad.hi.sat.s32`, `min.relu.s32`, `max.relu.s32`
    pub(super) fn saturated(
        &mut self,
        words: &mut Words<'_>,
        op: Saturated,
    ) -> Result<Instruction, ParseError> {
        let (modes, count): (&[&str], _) = match op {
            Saturated::Add | Saturated::Sub => (&["sat"], 2),
            Saturated::MadHi => (&["hi", "sat"], 3),
            Saturated::MinRelu | Saturated::MaxRelu => (&["relu"], 2),
        };
        expect(words, modes)?;
        let ty = typed(words, |ty| ty == Type::S32)?;
        self.bits(Ok((BitsOp::Saturated(op), ty, count)))
    }

    /// The operands of an instruction on pairs of 16-bit integers, whose opcode has been parsed.
    pub(super) fn pair(
        &mut self,
        words: &Words<'_>,
        op: PairOp,
        signed: bool,
    ) -> Result<Instruction, ParseError> {
        words.end()?;
        self.bits(Ok((BitsOp::Pair { op, signed }, Type::B32, 2)))
    }

    /// `add{c}{.cc}.type d, a, b`, `sub{c}{.cc}`; `reads` says whether it reads the carry flag
    /// (`addc`).
    pub(super) fn carrying(
        &mut self,
        words: &mut Words<'_>,
        op: CarryOp,
        reads: bool,
    ) -> Result<Instruction, ParseError> {
        let writes = words.take("cc");
        let span = self.span();
        let flag = |used: bool| used.then(|| Operand::Name(CARRY_FLAG.to_owned(), span));
        let ty = typed(words, |ty| ty.is_integer() && ty.bits() >= 32)?;
        let dst = self.operand()?;
        let args = self.more_operands(if matches!(op, CarryOp::Mad { .. }) { 3 } else { 2 })?;
        let (from, to) = (flag(reads), flag(writes));
        Ok(Op::Lane(LaneOp::Carry { op, ty, dst, args, from, to }))
    }

    /// `mad{c}.{lo,hi}{.cc}.type d, a, b, c`
    pub(super) fn carrying_mad(
        &mut self,
        words: &mut Words<'_>,
        reads: bool,
    ) -> Result<Instruction, ParseError> {
        let high = words.take("hi");
        if !high && !words.take("lo") {
            return Err(words.unsupported());
        }
        self.carrying(words, CarryOp::Mad { high }, reads)
    }
}

/// The type after the words taken so far, if it `fits`.
fn typed(words: &mut Words<'_>, fits: impl Fn(Type) -> bool) -> Result<Type, ParseError> {
    let ty = words.last_type()?;
    if fits(ty) { Ok(ty) } else { Err(words.unsupported()) }
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

/// `.wrap` or `.clamp`
fn wraps(words: &mut Words<'_>) -> Result<bool, ParseError> {
    let wrap = words.take("wrap");
    if wrap || words.take("clamp") { Ok(wrap) } else { Err(words.unsupported()) }
}

/// `slct{.ftz}.type.by d, a, b, c`
fn select(words: &mut Words<'_>) -> Result<Told, ParseError> {
    // Flushing a subnormal to zero changes neither the selection nor the result.
    words.take("ftz");
    let ty = words.ty()?;
    let by = typed(words, |by| matches!(by, Type::S32 | Type::F32))?;
    if ty.bits() < 16 {
        return Err(words.unsupported());
    }
    Ok((BitsOp::Select { by }, ty, 3))
}

/// `sad.type`
fn sad(words: &mut Words<'_>) -> Result<Told, ParseError> {
    Ok((BitsOp::Sad, typed(words, |ty| ty.is_integer() && ty.bits() >= 16)?, 3))
}

/// `bfind{.shiftamt}.type`
fn find(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let shift = words.take("shiftamt");
    Ok((BitsOp::Find { shift }, typed(words, |ty| ty.is_integer() && ty.bits() >= 32)?, 1))
}

/// `fns.b32`
fn nth_set(words: &mut Words<'_>) -> Result<Told, ParseError> {
    Ok((BitsOp::NthSet, typed(words, |ty| ty == Type::B32)?, 3))
}

/// `bmsk.{wrap,clamp}.b32`
fn mask(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let wrap = wraps(words)?;
    Ok((BitsOp::Mask { wrap }, typed(words, |ty| ty == Type::B32)?, 2))
}

/// `szext.{wrap,clamp}.type`
fn extend(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let wrap = wraps(words)?;
    Ok((BitsOp::Extend { wrap }, typed(words, |ty| ty.is_integer() && ty.bits() == 32)?, 2))
}

/// `copysign.type`
fn copy_sign(words: &mut Words<'_>) -> Result<Told, ParseError> {
    Ok((BitsOp::CopySign, typed(words, is_float)?, 2))
}

/// `testp.class.type`
fn test(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let class = words.take_as(class).ok_or_else(|| words.unsupported())?;
    Ok((BitsOp::Test(class), typed(words, is_float)?, 1))
}

/// `prmt.b32{.mode}`
fn permute(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let ty = words.ty()?;
    let mode = words.take_as(|word| {
        Some(match word {
            "f4e" => Permute::Forward,
            "b4e" => Permute::Backward,
            "rc8" => Permute::Byte,
            "ecl" => Permute::EdgeLeft,
            "ecr" => Permute::EdgeRight,
            "rc16" => Permute::Half,
            _ => return None,
        })
    });
    words.end()?;
    if ty != Type::B32 {
        return Err(words.unsupported());
    }
    Ok((BitsOp::Permute(mode.unwrap_or(Permute::Index)), ty, 3))
}

/// `shf.{l,r}.{wrap,clamp}.b32`
fn funnel(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let left = words.take("l");
    if !left && !words.take("r") {
        return Err(words.unsupported());
    }
    let wrap = wraps(words)?;
    Ok((BitsOp::Funnel { left, wrap }, typed(words, |ty| ty == Type::B32)?, 3))
}

/// `dp4a.atype.btype`, `dp2a.{lo,hi}.atype.btype`
fn dot(words: &mut Words<'_>, halves: bool) -> Result<Told, ParseError> {
    let high = words.take("hi");
    if (high || words.take("lo")) != halves {
        return Err(words.unsupported());
    }
    let is_word = |ty| matches!(ty, Type::S32 | Type::U32);
    let (a, b) = (words.ty()?, typed(words, is_word)?);
    if !is_word(a) {
        return Err(words.unsupported());
    }
    let (a_signed, b_signed) = (a.is_signed(), b.is_signed());
    let ty = if a_signed || b_signed { Type::S32 } else { Type::U32 };
    Ok((BitsOp::Dot { a_signed, b_signed, half: halves.then_some(high) }, ty, 3))
}

/// `mul24.{lo,hi}.type`, `mad24.{lo,hi}.type`, `mad24.hi.sat.s32`
fn mul24(words: &mut Words<'_>, add: bool) -> Result<Told, ParseError> {
    let high = words.take("hi");
    if !high && !words.take("lo") {
        return Err(words.unsupported());
    }
    let sat = words.take("sat");
    let ty = typed(words, |ty| ty == Type::S32 || (ty == Type::U32 && !sat))?;
    if sat && !(add && high) {
        return Err(words.unsupported());
    }
    Ok((BitsOp::Mul24 { high, add, sat }, ty, if add { 3 } else { 2 }))
}

/// `isspacep.space p, a`
fn in_space(words: &mut Words<'_>) -> Result<Told, ParseError> {
    let space = words.take_as(accessed).ok_or_else(|| words.unsupported())?;
    words.end()?;
    match space {
        Space::Global | Space::Shared | Space::Distributed | Space::Local | Space::Const => {
            Ok((BitsOp::InSpace(space), Type::U64, 1))
        }
        Space::Param | Space::Generic => Err(words.unsupported()),
    }
}

fn class(word: &str) -> Option<FloatClass> {
    Some(match word {
        "finite" => FloatClass::Finite,
        "infinite" => FloatClass::Infinite,
        "number" => FloatClass::Number,
        "notanumber" => FloatClass::NotANumber,
        "normal" => FloatClass::Normal,
        "subnormal" => FloatClass::Subnormal,
        _ => return None,
    })
}
