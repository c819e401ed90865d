//! The table of opcodes, and control flow: branches, barriers, the end.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::error::ParseError;
use crate::ptx::op::{BinaryOp, Op, UnaryOp};

impl Parser<'_> {
    /// One instruction, by the first word of its opcode.
    pub(super) fn operation(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        match words.next() {
            Some("add") => self.add_or_sub(words, BinaryOp::Add),
            Some("sub") => self.add_or_sub(words, BinaryOp::Sub),
            Some("mul") => self.mul(words),
            Some("mad") => self.mad(words),
            Some("fma") => self.fma(words),
            Some("div") => self.div(words),
            Some("rem") => self.integer_binary(words, BinaryOp::Rem),
            Some("min") => self.min_or_max(words, BinaryOp::Min),
            Some("max") => self.min_or_max(words, BinaryOp::Max),
            Some("and") => self.bits_binary(words, BinaryOp::And),
            Some("or") => self.bits_binary(words, BinaryOp::Or),
            Some("xor") => self.bits_binary(words, BinaryOp::Xor),
            Some("shl") => self.bits_binary(words, BinaryOp::Shl),
            Some("shr") => self.any_binary(words, BinaryOp::Shr),
            Some("not") => self.unary(words, UnaryOp::Not),
            Some("cnot") => self.unary(words, UnaryOp::Cnot),
            Some("popc") => self.unary(words, UnaryOp::Popc),
            Some("clz") => self.unary(words, UnaryOp::Clz),
            Some("brev") => self.unary(words, UnaryOp::Brev),
            Some("abs") => self.unary(words, UnaryOp::Abs),
            Some("neg") => self.unary(words, UnaryOp::Neg),
            Some("sqrt") => self.rounded_unary(words, UnaryOp::Sqrt),
            Some("rcp") => self.rounded_unary(words, UnaryOp::Rcp),
            Some("bfe") => self.bfe(words),
            Some("bfi") => self.bfi(words),
            Some("setp") => self.setp(words),
            Some("selp") => self.selp(words),
            Some("mov") => self.mov(words),
            Some("cvt") => self.cvt(words),
            Some("cvta") => self.cvta(words),
            Some("ld") => self.ld(words),
            Some("st") => self.st(words),
            Some("bra") => self.bra(words),
            Some("bar" | "barrier") => self.bar(words),
            Some("ret" | "exit") => words.end().map(|()| Op::Ret),
            _ => Err(words.unsupported()),
        }
    }

    /// `bra{.uni} label`
    fn bra(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        Ok(Op::Bra { target: self.name("a label")?.to_owned() })
    }

    /// `bar{.cta}.sync id`, `barrier{.cta}.sync{.aligned} id`, without a count of threads.
    fn bar(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("cta");
        if !words.take("sync") {
            return Err(words.unsupported());
        }
        words.take("aligned");
        words.end()?;
        let id = self.operand()?;
        if self.take(',') {
            let message = "a barrier for only a part of the block is not supported";
            return Err(ParseError::new(self.span(), message));
        }
        Ok(Op::Bar { id })
    }
}
