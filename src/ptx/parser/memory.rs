//! Data movement: loads, stores, moves, conversions of addresses.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::lexer::TokenKind;
use crate::ptx::op::Op;
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
        if ty.bits() == 8 || untyped_only(ty) {
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
    if ty == Type::Pred || untyped_only(ty) || lanes * ty.bytes() as usize > 16 {
        return Err(words.unsupported());
    }
    Ok((space, lanes, ty))
}

/// Whether a type is moved as untyped bits only (PTX ISA, "Packed Data Types", "Alternate
/// Floating-Point Data Formats").
pub(super) fn untyped_only(ty: Type) -> bool {
    ty.is_half() || ty == Type::Tf32
}
