//! Values of 128 bits, which few instructions take: each is a pair of 64 bits here.

use super::{Instruction, Parser};
use crate::ast::{HALVES, Operand};
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{LaneOp, Op};
use crate::types::Type;

impl Parser<'_> {
    /// `mov.b128 d, a`, `mov.b128 d, {a, b}`, `mov.b128 {a, b}, s`; a vector may have four parts.
    pub(super) fn mov_wide(&mut self) -> Result<Instruction, ParseError> {
        let span = self.span();
        let dst = self.wide()?;
        self.sign(',')?;
        let src = self.wide()?;
        let mut moves = dst.chunks(dst.len() / 2).zip(src.chunks(src.len() / 2)).map(moved);
        let both = moves.next().flatten().zip(moves.next().flatten());
        let message = "a .b128 has two or four parts, and one side is a .b128";
        let (low, high) = both.ok_or_else(|| ParseError::new(span, message))?;
        self.more.push(Op::Lane(high));
        Ok(Op::Lane(low))
    }

    /// The parts of a value: those of a vector, or the two halves of a register.
    fn wide(&mut self) -> Result<Vec<Operand>, ParseError> {
        let (span, is_vector) = (self.span(), self.kind() == Some(TokenKind::Sign('{')));
        let all = self.vector()?;
        match (is_vector, all.len()) {
            (false, _) => Ok(halves(&all)),
            (true, 2 | 4) => Ok(all),
            (true, _) => Err(ParseError::new(span, "a .b128 has two or four parts")),
        }
    }
}

/// Moves the parts of one half.
fn moved((dst, src): (&[Operand], &[Operand])) -> Option<LaneOp<Operand>> {
    let ty = Type::B64;
    Some(match (dst, src) {
        ([dst], [src]) => LaneOp::Mov { ty, dst: dst.clone(), src: src.clone() },
        ([dst], parts) => LaneOp::Pack { ty, dst: dst.clone(), parts: parts.to_vec() },
        (parts, [src]) => LaneOp::Unpack { ty, parts: parts.to_vec(), src: src.clone() },
        _ => return None,
    })
}

/// The halves of these operands of 128 bits: the lower ones, then the upper ones.
pub(super) fn halves(all: &[Operand]) -> Vec<Operand> {
    let half = |operand: &Operand, number: usize| match operand {
        Operand::Name(name, span) if name != "_" => {
            Operand::Name(format!("{name}{}", HALVES[number]), *span)
        }
        // A literal has 64 bits, which its sign extends.
        Operand::Integer(value) if number == 1 => Operand::Integer((*value as i64 >> 63) as u64),
        other => other.clone(),
    };
    (0..2).flat_map(|number| all.iter().map(move |operand| half(operand, number))).collect()
}
