//! Data movement: loads, stores, moves, conversions of values and addresses.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::lexer::TokenKind;
use crate::ptx::op::{Float, Op, Rounding};
use crate::ptx::types::{Space, Type};

impl Parser<'_> {
    /// `ld{.volatile}{.space}{.nc}{.cache}{.vec}.type d, [a]`
    pub(super) fn ld(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let strong = words.take("volatile");
        let (space, lanes, ty) = memory_words(words)?;
        let dst = self.vector()?;
        self.expect_elements(dst.len(), lanes)?;
        self.sign(',')?;
        Ok(Op::Ld { space, ty, strong, dst, addr: self.address()? })
    }

    /// `st{.volatile}{.space}{.cache}{.vec}.type [a], b`
    pub(super) fn st(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let _ = words.take("volatile");
        let (space, lanes, ty) = memory_words(words)?;
        if space == Space::Param {
            return Err(words.unsupported());
        }
        let addr = self.address()?;
        self.sign(',')?;
        let src = self.vector()?;
        self.expect_elements(src.len(), lanes)?;
        Ok(Op::St { space, ty, addr, src })
    }

    /// `mov.type d, a`, `mov.b64 d, {a, b}`, `mov.b64 {a, b}, s`
    pub(super) fn mov(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let ty = words.last_type()?;
        if ty.bits() == 8 {
            return Err(words.unsupported());
        }
        if self.kind() == Some(TokenKind::Sign('{')) {
            let parts = self.parts(ty)?;
            self.sign(',')?;
            return Ok(Op::Unpack { ty, parts, src: self.operand()? });
        }
        let dst = self.operand()?;
        self.sign(',')?;
        if self.kind() == Some(TokenKind::Sign('{')) {
            return Ok(Op::Pack { ty, dst, parts: self.parts(ty)? });
        }
        Ok(Op::Mov { ty, dst, src: self.operand()? })
    }

    /// A vector of two or four equal parts of a `ty`.
    fn parts(&mut self, ty: Type) -> Result<Vec<Operand>, ParseError> {
        let span = self.span();
        let parts = self.vector()?;
        if matches!(ty, Type::B32 | Type::B64) && matches!(parts.len(), 2 | 4) {
            return Ok(parts);
        }
        let message = "only a .b32 or .b64 has parts, two or four of them";
        Err(ParseError::new(span, message))
    }

    /// `cvt{.irnd|.frnd}{.ftz}{.sat}.to.from d, a`
    pub(super) fn cvt(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = words.take_as(told);
        let float = words.float();
        let (to, from) = (words.ty()?, words.last_type()?);
        let ftz_fits = !float.ftz || to == Type::F32 || from == Type::F32;
        if !ftz_fits || !conversion_exists(to, from, told) {
            return Err(words.unsupported());
        }
        let rounding = told.map(|told| told.rounding);
        let [dst, src] = self.operands()?;
        Ok(Op::Cvt { to, from, rounding, float, dst, src })
    }

    /// `cvta{.to}.space.u64 d, a`
    pub(super) fn cvta(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let to_space = words.take("to");
        let space = words.take_as(Space::from_word).ok_or_else(|| words.unsupported())?;
        if matches!(space, Space::Local | Space::Param) {
            return Err(words.unsupported());
        }
        let ty = words.last_type()?;
        if ty != Type::U64 {
            return Err(words.unsupported());
        }
        let [dst, src] = self.operands()?;
        Ok(Op::Cvta { space, to_space, ty, dst, src })
    }

    fn expect_elements(&self, met: usize, expected: usize) -> Result<(), ParseError> {
        if met == expected {
            Ok(())
        } else {
            Err(self.unexpected(&format!("{expected} registers")))
        }
    }
}

/// `{.space}{.nc}{.cache}{.vec}.type`: (space, elements, type); 16 bytes at most.
///
/// Caching and ordering change when others see a value, not which one this warp reads here.
fn memory_words(words: &mut Words<'_>) -> Result<(Space, usize, Type), ParseError> {
    let space = words.take_as(Space::from_word).unwrap_or(Space::Generic);
    if space == Space::Local {
        return Err(words.unsupported());
    }
    let _ = words.take("nc");
    words.take_as(|word| ["ca", "cg", "cs", "wb", "wt", "cv", "lu"].contains(&word).then_some(()));
    let lanes = words.take_as(|word| match word {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    });
    let (lanes, ty) = (lanes.unwrap_or(1), words.last_type()?);
    if ty == Type::Pred || lanes * ty.bytes() as usize > 16 {
        return Err(words.unsupported());
    }
    Ok((space, lanes, ty))
}

/// The rounding that a `cvt` is told, and whether it is one to integers (`rni`, not `rn`).
#[derive(Clone, Copy)]
struct Told {
    rounding: Rounding,
    integral: bool,
}

fn told(word: &str) -> Option<Told> {
    let (word, integral) = match word.strip_suffix('i') {
        Some(word) => (word, true),
        None => (word, false),
    };
    let rounding = match word {
        "rn" => Rounding::Nearest,
        "rz" => Rounding::Zero,
        "rm" => Rounding::Down,
        "rp" => Rounding::Up,
        _ => return None,
    };
    Some(Told { rounding, integral })
}

/// Whether `cvt` converts so (PTX ISA, `cvt`): a rounding is told exactly where the result may
/// be inexact.
fn conversion_exists(to: Type, from: Type, told: Option<Told>) -> bool {
    let integral = told.is_some_and(|told| told.integral);
    let fractional = told.is_some_and(|told| !told.integral);
    match (to.is_float(), from.is_float()) {
        (false, false) => to.is_integer() && from.is_integer() && told.is_none(),
        (true, false) => from.is_integer() && fractional,
        (false, true) => to.is_integer() && integral,
        (true, true) if to.bits() < from.bits() => fractional,
        (true, true) => told.is_none() || (integral && to == from),
    }
}

impl Float {
    /// Neither flushed nor clamped.
    pub(super) const PLAIN: Self = Self { ftz: false, sat: false };
}
