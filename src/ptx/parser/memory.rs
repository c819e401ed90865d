//! Data movement: loads, stores, moves, conversions of values and addresses.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::op::{Float, Op, Rounding};
use crate::ptx::types::{Space, Type};

impl Parser<'_> {
    /// `ld{.volatile}{.space}{.nc}{.vec}.type d, [a]`
    pub(super) fn ld(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let (space, lanes, ty) = memory_words(words)?;
        let dst = self.vector()?;
        self.expect_elements(dst.len(), lanes)?;
        self.sign(',')?;
        Ok(Op::Ld { space, ty, dst, addr: self.address()? })
    }

    /// `st{.volatile}{.space}{.vec}.type [a], b`
    pub(super) fn st(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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
        if self.kind() == Some(super::TokenKind::Sign('{')) {
            let parts = self.parts(words, ty)?;
            self.sign(',')?;
            return Ok(Op::Unpack { ty, parts, src: self.operand()? });
        }
        let dst = self.operand()?;
        self.sign(',')?;
        if self.kind() == Some(super::TokenKind::Sign('{')) {
            return Ok(Op::Pack { ty, dst, parts: self.parts(words, ty)? });
        }
        Ok(Op::Mov { ty, dst, src: self.operand()? })
    }

    /// `{a, b}`, `{a, b, c, d}`: equal parts of a `ty`, of a byte or more each.
    fn parts(&mut self, words: &Words<'_>, ty: Type) -> Result<Vec<Operand>, ParseError> {
        let parts = self.vector()?;
        let equal = matches!(parts.len(), 2 | 4) && ty.bits() >= 8 * parts.len() as u32;
        if equal { Ok(parts) } else { Err(words.unsupported()) }
    }

    /// `cvt{.irnd|.frnd}{.ftz}{.sat}.to.from d, a`
    pub(super) fn cvt(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let rounding = words.take_as(rounding);
        let float = words.float();
        let (to, from) = (words.ty()?, words.last_type()?);
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

/// `{.volatile}{.relaxed.scope}{.space}{.nc}{.cache}{.vec}.type`: (space, elements, type).
///
/// Caching and ordering change when others see a value, not which one this warp reads here.
fn memory_words(words: &mut Words<'_>) -> Result<(Space, usize, Type), ParseError> {
    words.take("volatile");
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
    Ok((space, lanes.unwrap_or(1), words.last_type()?))
}

fn rounding(word: &str) -> Option<Rounding> {
    Some(match word {
        "rn" | "rni" => Rounding::Nearest,
        "rz" | "rzi" => Rounding::Zero,
        "rm" | "rmi" => Rounding::Down,
        "rp" | "rpi" => Rounding::Up,
        _ => return None,
    })
}

impl Float {
    /// Neither flushed nor clamped.
    pub(super) const PLAIN: Self = Self { ftz: false, sat: false };
}
