//! Matrix products of a warpgroup: `wgmma`.

use super::tensor::{expect, shape};
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::asynchronous::CopyGroup;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{MatrixOp, Op};
use crate::types::Type;
use crate::wgmma::{ROWS, Wgmma, WgmmaOperandA};

pub(super) const OPCODES: &[Opcode] = &[("wgmma", |p, words| p.wgmma(words))];

impl Parser<'_> {
    /// `wgmma.{fence,commit_group,wait_group,mma_async}.sync.aligned`
    pub(super) fn wgmma(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let what = words.next();
        expect(words, &["sync", "aligned"])?;
        match what {
            Some("mma_async") => self.mma_async(words),
            Some("fence") => words.end().map(|()| Op::Matrix(MatrixOp::WgmmaFence)),
            Some("commit_group") => {
                words.end().map(|()| Op::Matrix(MatrixOp::WgmmaGroup(CopyGroup::Commit)))
            }
            Some("wait_group") => {
                words.end()?;
                Ok(Op::Matrix(MatrixOp::WgmmaGroup(CopyGroup::WaitAllBut(self.small()?))))
            }
            _ => Err(words.unsupported()),
        }
    }

    /// `.shape{.satfinite}.d.a.b d, a, b, scale-d{, imm-scale-a, imm-scale-b}{, imm-trans-a}{,
    /// imm-trans-b}`
    fn mma_async(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let [m, n, k] = words.take_as(shape::<u16>).ok_or_else(|| words.unsupported())?;
        let before = words.take("satfinite");
        let (sum, factors) = (words.ty()?, [words.element()?, words.element()?]);
        // ptxas takes it at either place.
        let satfinite = before || words.take("satfinite");
        let [factor, _] = factors;
        words.end()?;
        let fits = exists(factors, sum) && (!satfinite || sum == Type::S32);
        if !fits || m != ROWS as u16 || n == 0 || n % 8 != 0 || n > 256 {
            return Err(words.unsupported());
        }
        let d = self.registers_of(usize::from(n) * 32 / if sum == Type::F16 { 128 } else { 64 })?;
        self.sign(',')?;
        let in_registers = self.kind() == Some(TokenKind::Sign('{'));
        let a = if in_registers {
            WgmmaOperandA::Registers(self.registers_of(4)?)
        } else {
            WgmmaOperandA::Shared(self.operand()?)
        };
        self.sign(',')?;
        let b = self.operand()?;
        self.sign(',')?;
        let adds = self.operand()?;
        let signs = sum != Type::S32;
        let mut negated = || Ok(signs && self.sign_of_factor()?);
        let negated = [negated()?, negated()?];
        let turns = factor.bits() == 16;
        let across_a = turns && !in_registers && self.turned()?;
        let across = [across_a, turns && self.turned()?];
        let wgmma = Wgmma { n, factors, sum, d, a, b, adds, satfinite, negated, across };
        if u32::from(k) != wgmma.k() {
            return Err(words.unsupported());
        }
        Ok(Op::Matrix(MatrixOp::Wgmma(Box::new(wgmma))))
    }

    /// `, 1` or `, -1`: whether the factor is negated.
    fn sign_of_factor(&mut self) -> Result<bool, ParseError> {
        self.one_of([1, u64::MAX], "1 or -1")
    }

    /// `, 0` or `, 1`: whether the factor is transposed.
    fn turned(&mut self) -> Result<bool, ParseError> {
        self.one_of([0, 1], "0 or 1")
    }

    /// A comma and one of two numbers: whether it is the second.
    fn one_of(&mut self, numbers: [u64; 2], named: &str) -> Result<bool, ParseError> {
        self.sign(',')?;
        let span = self.span();
        match self.operand()? {
            Operand::Integer(met) if numbers.contains(&met) => Ok(met == numbers[1]),
            _ => Err(ParseError::new(span, format!("expected {named}"))),
        }
    }
}

/// Whether `wgmma` is supported for these element types (PTX ISA, "Asynchronous Warpgroup Level
/// Matrix Instructions"): all but single bits.
fn exists(factors: [Type; 2], sum: Type) -> bool {
    let sums: &[Type] = match factors {
        [Type::F16, Type::F16] | [Type::E4m3 | Type::E5m2, Type::E4m3 | Type::E5m2] => {
            &[Type::F16, Type::F32]
        }
        [Type::Bf16, Type::Bf16] | [Type::Tf32, Type::Tf32] => &[Type::F32],
        [Type::S8 | Type::U8, Type::S8 | Type::U8] => &[Type::S32],
        _ => &[],
    };
    sums.contains(&sum)
}
