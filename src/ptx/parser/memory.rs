//! Data movement: moves and address conversions.

use super::access::{space_of, untyped_only};
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{BinaryOp, Float, LaneOp, Op};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] =
    &[("cvta", |p, words| p.cvta(words)), ("mov", |p, words| p.mov(words))];

impl Parser<'_> {
    /// `mov.type d, a`, `mov.u64 d, variable+offset`, `mov.b64 d, {a, b}`, `mov.b64 {a, b}, s`
    fn mov(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("b128") {
            words.end()?;
            return self.mov_wide();
        }
        let ty = words.last_type()?;
        if ty.bits() == 8 || untyped_only(ty) {
            return Err(words.unsupported());
        }
        if self.kind() == Some(TokenKind::Sign('{')) {
            let parts = self.parts(ty)?;
            self.sign(',')?;
            return Ok(Op::Lane(LaneOp::Unpack { ty, parts, src: self.operand()? }));
        }
        let dst = self.operand()?;
        self.sign(',')?;
        if self.kind() == Some(TokenKind::Sign('{')) {
            return Ok(Op::Lane(LaneOp::Pack { ty, dst, parts: self.parts(ty)? }));
        }
        let src = self.operand()?;
        match self.displacement()? {
            0 => Ok(Op::Lane(LaneOp::Mov { ty, dst, src })),
            offset => displaced(ty, dst, src, offset).ok_or_else(|| words.unsupported()),
        }
    }

    /// A vector of two or four equal parts of a `ty`.
    fn parts(&mut self, ty: Type) -> Result<Vec<Operand>, ParseError> {
        let span = self.span();
        let parts = self.vector()?;
        let counts: &[usize] = match ty {
            Type::B16 => &[2],
            Type::B32 | Type::B64 => &[2, 4],
            _ => &[],
        };
        if counts.contains(&parts.len()) {
            return Ok(parts);
        }
        let message = "only a .b16, .b32 or .b64 has parts: two, or (not of a .b16) four";
        Err(ParseError::new(span, message))
    }

    /// `cvta{.to}.space.u64 d, a`, without a displacement of `a` (see [`Self::added`]).
    fn cvta(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let to_space = words.take("to");
        let space = words.take_as(space_of).ok_or_else(|| words.unsupported())?;
        let ty = words.last_type()?;
        if ty != Type::U64 {
            return Err(words.unsupported());
        }
        let [dst, src] = self.operands()?;
        Ok(Op::Lane(LaneOp::Cvta { space, to_space, ty, dst, src }))
    }

    /// For `cvta d, a+offset`, of which `cvta d, a` has been parsed: the addition to append. It may
    /// follow the conversion, because an offset shifts an address equally in every space.
    pub(super) fn added(&mut self, op: &Instruction) -> Result<Option<Instruction>, ParseError> {
        let Op::Lane(LaneOp::Cvta { ty, dst, .. }) = op else { return Ok(None) };
        Ok(match self.displacement()? {
            0 => None,
            offset => displaced(*ty, dst.clone(), dst.clone(), offset),
        })
    }
}

/// Adds a displacement in bytes to the address of a variable.
fn displaced(ty: Type, dst: Operand, a: Operand, offset: i64) -> Option<Instruction> {
    let ty = match ty {
        Type::B32 | Type::U32 | Type::S32 => Type::U32,
        Type::B64 | Type::U64 | Type::S64 => Type::U64,
        _ => return None,
    };
    let (op, float, b) = (BinaryOp::Add, Float::PLAIN, Operand::Integer(offset as u64));
    Some(Op::Lane(LaneOp::Binary { op, ty, float, dst, a, b }))
}
