//! Comparisons: `setp` and `set`.

use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::op::{Boolean, Compare, LaneOp, Op};
use crate::types::Type;

/// The two operands, and the third with its boolean operator and whether it is negated.
type Compared = (Operand, Operand, Option<(Boolean, bool, Operand)>);

pub(super) const OPCODES: &[Opcode] =
    &[("set", |p, words| p.set(words)), ("setp", |p, words| p.setp(words))];

impl Parser<'_> {
    /// `setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, {!}c}`
    fn setp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let CompareModifiers { plain, join, ftz } = CompareModifiers::read(words)?;
        let ty = words.last_type()?;
        let cmp = plain.for_type(ty, ftz).ok_or_else(|| words.unsupported())?;
        let dst = self.operand()?;
        let second = self.take('|');
        if second && ty.bits() == 16 && ty.is_half() {
            return Err(words.unsupported());
        }
        let negated = if second { Some(self.operand()?) } else { None };
        self.sign(',')?;
        let (a, b, with) = self.compared(join)?;
        Ok(Op::Lane(LaneOp::Setp { cmp, ty, ftz, dst, negated, a, b, with }))
    }

    /// `set.cmp{.bool}{.ftz}.to.type d, a, b{, {!}c}`
    fn set(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let CompareModifiers { plain, join, ftz } = CompareModifiers::read(words)?;
        let (to, ty) = (words.ty()?, words.last_type()?);
        let cmp = plain.for_type(ty, ftz).filter(|_| set_exists(to, ty));
        let cmp = cmp.ok_or_else(|| words.unsupported())?;
        let dst = self.operand()?;
        self.sign(',')?;
        let (a, b, with) = self.compared(join)?;
        Ok(Op::Lane(LaneOp::Set { cmp, to, ty, ftz, dst, a, b, with }))
    }

    /// `a, b`, and `, {!}c` if the comparison is combined with a third operand.
    fn compared(&mut self, join: Option<Boolean>) -> Result<Compared, ParseError> {
        let [a, b] = self.operands()?;
        let Some(join) = join else { return Ok((a, b, None)) };
        self.sign(',')?;
        let not = self.take('!');
        Ok((a, b, Some((join, not, self.operand()?))))
    }
}

/// `.cmp{.bool}{.ftz}`
struct CompareModifiers {
    plain: UntypedComparison,
    join: Option<Boolean>,
    ftz: bool,
}

impl CompareModifiers {
    fn read(words: &mut Words<'_>) -> Result<Self, ParseError> {
        let plain = words.take_as(UntypedComparison::read).ok_or_else(|| words.unsupported())?;
        Ok(Self { plain, join: words.take_as(boolean), ftz: words.take("ftz") })
    }
}

pub(super) fn boolean(word: &str) -> Option<Boolean> {
    Some(match word {
        "and" => Boolean::And,
        "or" => Boolean::Or,
        "xor" => Boolean::Xor,
        _ => return None,
    })
}

/// Whether `set` has a result type `to` for a comparison of type `ty` (PTX ISA, `set`).
fn set_exists(to: Type, ty: Type) -> bool {
    match to {
        Type::U32 | Type::S32 => true,
        Type::F32 => !ty.is_half(),
        Type::U16 | Type::S16 => matches!(ty, Type::F16 | Type::Bf16),
        Type::F16 | Type::Bf16 => to == ty || !ty.is_half(),
        Type::F16x2 | Type::Bf16x2 => to == ty,
        _ => false,
    }
}

/// A comparison whose type is not known yet; `lo`, `ls`, `hi`, `hs` are the unsigned spellings.
struct UntypedComparison {
    cmp: Compare,
    unsigned_only: bool,
}

impl UntypedComparison {
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

    /// The comparison, if it is defined for `ty`.
    fn for_type(&self, ty: Type, ftz: bool) -> Option<Compare> {
        use Compare::{Eq, EqU, Ge, GeU, Gt, GtU, Le, LeU, Lt, LtU, Nan, Ne, NeU, Num};
        let fits = match self.cmp {
            EqU | NeU | LtU | LeU | GtU | GeU | Num | Nan => ty.is_float(),
            Eq | Ne => ty.bits() >= 16,
            Lt | Le | Gt | Ge => ty.bits() >= 16 && (ty.is_integer() || ty.is_float()),
        };
        let unsigned = ty.is_integer() && !ty.is_signed();
        let fits = fits && (!self.unsigned_only || unsigned) && ty != Type::Tf32;
        let flushes = matches!(ty, Type::F32 | Type::F16 | Type::F16x2);
        (fits && (!ftz || flushes)).then_some(self.cmp)
    }
}
