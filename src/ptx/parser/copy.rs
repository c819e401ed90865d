//! Asynchronous copies of a few bytes for each thread: `cp.async`.

use super::access::{is_cache_word, space_of};
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{CopyGroup, CopyPart, MemoryOp, Op};
use crate::types::Space;

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] = &[("cp", |p, words| p.cp(words))];

impl Parser<'_> {
    /// `cp.async.{ca,cg}.shared.global{.level} [d], [a], bytes{, size}{, policy}`, with `{!}ignored`
    /// in place of the size, and the group instructions.
    fn cp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("reduce") {
            return self.bulk_reduction(words);
        }
        if !words.take("async") {
            return Err(words.unsupported());
        }
        if words.take("bulk") {
            return self.bulk(words);
        }
        if words.take("mbarrier") {
            return self.copies_arrive(words);
        }
        if words.take("commit_group") {
            words.end()?;
            return Ok(Op::Memory(MemoryOp::CopyGroup(CopyGroup::Commit)));
        }
        if words.take("wait_all") {
            words.end()?;
            return Ok(Op::Memory(MemoryOp::CopyGroup(CopyGroup::WaitAll)));
        }
        if words.take("wait_group") {
            words.end()?;
            return Ok(Op::Memory(MemoryOp::CopyGroup(CopyGroup::WaitAllBut(
                self.small_constant()?,
            ))));
        }
        self.copy(words)
    }

    fn copy(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let only_16 = words.take("cg");
        if !only_16 && !words.take("ca") {
            return Err(words.unsupported());
        }
        let spaces = [Space::Shared, Space::Global];
        if spaces.iter().any(|space| words.take_as(space_of).as_ref() != Some(space)) {
            return Err(words.unsupported());
        }
        let policy = words.take("L2::cache_hint");
        words.take_as(|word| is_cache_word(word).then_some(()));
        words.end()?;
        let dst = self.address()?;
        self.sign(',')?;
        let src = self.address()?;
        self.sign(',')?;
        let bytes = self.copied(only_16)?;
        let part = if self.follows_part(policy) { self.part()? } else { CopyPart::All };
        self.policy(policy)?;
        Ok(Op::Memory(MemoryOp::CopyAsync { bytes, past_l1: only_16, dst, src, part }))
    }

    /// The number of bytes that each thread copies.
    fn copied(&mut self, only_16: bool) -> Result<u8, ParseError> {
        let span = self.span();
        match self.small_constant()? {
            bytes @ (4 | 8) if !only_16 => Ok(bytes as u8),
            16 => Ok(16),
            _ if only_16 => Err(ParseError::new(span, "`cp.async.cg` copies 16 bytes")),
            _ => Err(ParseError::new(span, "`cp.async.ca` copies 4, 8 or 16 bytes")),
        }
    }

    /// Whether the next operand is a size or a predicate; if there is a cache policy, it is the last
    /// operand.
    fn follows_part(&self, policy: bool) -> bool {
        let comma = TokenKind::Sign(',');
        let negated = usize::from(self.follows('!'));
        let next = self.tokens.get(self.at + 2 + negated).map(|token| token.kind);
        self.kind() == Some(comma) && (!policy || next == Some(comma))
    }

    /// `, size`, `, {!}ignored`. Lowering tells a predicate that is not negated from a size.
    fn part(&mut self) -> Result<CopyPart<Operand>, ParseError> {
        self.sign(',')?;
        if self.take('!') {
            return Ok(CopyPart::Unless { pred: self.operand()?, negated: true });
        }
        self.operand().map(CopyPart::First)
    }
}
