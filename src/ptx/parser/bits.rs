//! Instructions on integers and bits beyond plain arithmetic, and those with a carry.

use super::access::space_of;
use super::tensor::expect;
use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::{CARRY_FLAG, Operand};
use crate::ptx::error::ParseError;
use crate::ptx::op::{BitsOp, CarryOp, Class, LaneOp, Op, Permute, Saturated};
use crate::ptx::types::{Space, Type};

impl Parser<'_> {
    /// `opcode{.mode}.type d, a{, b{, c}}`
    pub(super) fn bits(
        &mut self,
        opcode: &str,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        let (op, ty, count) = match opcode {
            "prmt" => permute(words)?,
            "shf" => funnel(words)?,
            "dp4a" | "dp2a" => dot(words, opcode == "dp2a")?,
            "sad" => (BitsOp::Sad, typed(words, |ty| ty.is_integer() && ty.bits() >= 16)?, 3),
            "mul24" | "mad24" => mul24(words, opcode == "mad24")?,
            "bfind" => {
                let shift = words.take("shiftamt");
                (BitsOp::Find { shift }, typed(words, |ty| ty.is_integer() && ty.bits() >= 32)?, 1)
            }
            "fns" => (BitsOp::NthSet, typed(words, |ty| ty == Type::B32)?, 3),
            "bmsk" => {
                let wrap = wraps(words)?;
                (BitsOp::Mask { wrap }, typed(words, |ty| ty == Type::B32)?, 2)
            }
            "szext" => {
                let wrap = wraps(words)?;
                (BitsOp::Extend { wrap }, typed(words, |ty| ty.is_integer() && ty.bits() == 32)?, 2)
            }
            "copysign" => (BitsOp::CopySign, typed(words, is_float)?, 2),
            "testp" => {
                let class = words.take_as(class).ok_or_else(|| words.unsupported())?;
                (BitsOp::Test(class), typed(words, is_float)?, 1)
            }
            "isspacep" => (in_space(words)?, Type::U64, 1),
            _ => return Err(words.unsupported()),
        };
        self.bits_of(op, ty, count)
    }

    fn bits_of(&mut self, op: BitsOp, ty: Type, count: usize) -> Result<Instruction, ParseError> {
        let dst = self.operand()?;
        let args = self.more_operands(count)?;
        Ok(Op::Lane(LaneOp::Bits { op, ty, dst, args }))
    }

    /// `, a, b`: so many operands behind the first.
    pub(super) fn more_operands(&mut self, count: usize) -> Result<Vec<Operand>, ParseError> {
        let mut next = || {
            self.sign(',')?;
            self.operand()
        };
        (0..count).map(|_| next()).collect()
    }

    /// `lop3.b32 d, a, b, c, table`
    pub(super) fn lop3(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        typed(words, |ty| ty == Type::B32)?;
        let dst = self.operand()?;
        let args = self.more_operands(3)?;
        self.sign(',')?;
        let table = self.small()?;
        let table = u8::try_from(table).ok().ok_or_else(|| words.unsupported())?;
        let op = BitsOp::Lop3(table);
        Ok(Op::Lane(LaneOp::Bits { op, ty: Type::B32, dst, args }))
    }

    /// `slct{.ftz}.type.by d, a, b, c`
    pub(super) fn slct(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        // Flushing a subnormal to zero would change neither what it selects nor what it gives.
        words.take("ftz");
        let ty = words.ty()?;
        let by = typed(words, |by| matches!(by, Type::S32 | Type::F32))?;
        if ty.bits() < 16 {
            return Err(words.unsupported());
        }
        self.bits_of(BitsOp::Select { by }, ty, 3)
    }

    /// `add.sat.s32`, `sub.sat.s32`, `mad.hi.sat.s32`, `min.relu.s32`, `max.relu.s32`
    pub(super) fn saturated(
        &mut self,
        opcode: &str,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        let (op, count) = match opcode {
            "add" => (Saturated::Add, 2),
            "sub" => (Saturated::Sub, 2),
            "min" => (Saturated::MinRelu, 2),
            "max" => (Saturated::MaxRelu, 2),
            _ => (Saturated::MadHi, 3),
        };
        expect(
            words,
            match op {
                Saturated::Add | Saturated::Sub => &["sat"],
                Saturated::MadHi => &["hi", "sat"],
                Saturated::MinRelu | Saturated::MaxRelu => &["relu"],
            },
        )?;
        let ty = typed(words, |ty| ty == Type::S32)?;
        self.bits_of(BitsOp::Saturated(op), ty, count)
    }

    /// `add{c}{.cc}.type d, a, b`, `sub{c}{.cc}`, `mad{c}.{lo,hi}{.cc}.type d, a, b, c`
    pub(super) fn carrying(
        &mut self,
        opcode: &str,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        let reads = opcode.ends_with('c');
        let (op, count) = match opcode.trim_end_matches('c') {
            "add" => (CarryOp::Add, 2),
            "sub" => (CarryOp::Sub, 2),
            _ if words.take("lo") => (CarryOp::Mad { high: false }, 3),
            _ if words.take("hi") => (CarryOp::Mad { high: true }, 3),
            _ => return Err(words.unsupported()),
        };
        let writes = words.take("cc");
        let span = self.span();
        let flag = |used: bool| used.then(|| Operand::Name(CARRY_FLAG.to_owned(), span));
        let ty = typed(words, |ty| ty.is_integer() && ty.bits() >= 32)?;
        let dst = self.operand()?;
        let args = self.more_operands(count)?;
        Ok(Op::Lane(LaneOp::Carry { op, ty, dst, args, from: flag(reads), to: flag(writes) }))
    }
}

/// The type behind the words taken so far, if it `fits`.
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

/// `prmt.b32{.mode}`
fn permute(words: &mut Words<'_>) -> Result<(BitsOp, Type, usize), ParseError> {
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
fn funnel(words: &mut Words<'_>) -> Result<(BitsOp, Type, usize), ParseError> {
    let left = words.take("l");
    if !left && !words.take("r") {
        return Err(words.unsupported());
    }
    let wrap = wraps(words)?;
    Ok((BitsOp::Funnel { left, wrap }, typed(words, |ty| ty == Type::B32)?, 3))
}

/// `dp4a.atype.btype`, `dp2a.{lo,hi}.atype.btype`
fn dot(words: &mut Words<'_>, halves: bool) -> Result<(BitsOp, Type, usize), ParseError> {
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
fn mul24(words: &mut Words<'_>, add: bool) -> Result<(BitsOp, Type, usize), ParseError> {
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
fn in_space(words: &mut Words<'_>) -> Result<BitsOp, ParseError> {
    let space = words.take_as(space_of).ok_or_else(|| words.unsupported())?;
    words.end()?;
    match space {
        Space::Global | Space::Shared | Space::Local | Space::Const => Ok(BitsOp::InSpace(space)),
        Space::Param | Space::Generic => Err(words.unsupported()),
    }
}

fn class(word: &str) -> Option<Class> {
    Some(match word {
        "finite" => Class::Finite,
        "infinite" => Class::Infinite,
        "number" => Class::Number,
        "notanumber" => Class::NotANumber,
        "normal" => Class::Normal,
        "subnormal" => Class::Subnormal,
        _ => return None,
    })
}
