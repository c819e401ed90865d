//! The table of opcodes: which function reads which instruction.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::error::ParseError;
use crate::ptx::op::{BinaryOp, ControlOp, Op, UnaryOp};

impl Parser<'_> {
    /// One instruction, by the first word of its opcode.
    pub(super) fn operation(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        match words.next() {
            Some(opcode @ ("add" | "sub" | "mad")) if words.hold("cc") => {
                self.carrying(opcode, words)
            }
            Some(opcode @ ("addc" | "subc" | "madc")) => self.carrying(opcode, words),
            Some(opcode @ ("add" | "sub" | "mad")) if words.hold("sat") && words.hold("s32") => {
                self.saturated(opcode, words)
            }
            Some(opcode @ ("min" | "max")) if words.hold("relu") => self.saturated(opcode, words),
            Some("add") => self.add_or_sub(words, BinaryOp::Add),
            Some("sub") => self.add_or_sub(words, BinaryOp::Sub),
            Some("mul") => self.mul(words),
            Some("mad") => self.mad(words),
            Some("fma") => self.fma(words),
            Some("div") => self.div(words),
            Some("rem") => self.integer_binary(words, BinaryOp::Rem),
            Some("min") => self.min_or_max(words, [BinaryOp::Min, BinaryOp::MinNan]),
            Some("max") => self.min_or_max(words, [BinaryOp::Max, BinaryOp::MaxNan]),
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
            Some("abs") => self.sign_of(words, UnaryOp::Abs),
            Some("neg") => self.sign_of(words, UnaryOp::Neg),
            Some("sqrt") => self.root_or_reciprocal(words, UnaryOp::Sqrt),
            Some("rcp") => self.root_or_reciprocal(words, UnaryOp::Rcp),
            Some("rsqrt") => self.approximation(words, UnaryOp::Rsqrt),
            Some("ex2") => self.approximation(words, UnaryOp::Ex2),
            Some("lg2") => self.approximation(words, UnaryOp::Lg2),
            Some("sin") => self.approximation(words, UnaryOp::Sin),
            Some("cos") => self.approximation(words, UnaryOp::Cos),
            Some("tanh") => self.approximation(words, UnaryOp::Tanh),
            Some("bfe") => self.bfe(words),
            Some("bfi") => self.bfi(words),
            Some("setp") => self.setp(words),
            Some("set") => self.set(words),
            Some("selp") => self.selp(words),
            Some("mov") => self.mov(words),
            Some("cvt") => self.cvt(words),
            Some("cvta") => self.cvta(words),
            Some("ld" | "ldu") => self.ld(words),
            Some("st") => self.st(words),
            Some("ldmatrix") => self.ldmatrix(words),
            Some("stmatrix") => self.stmatrix(words),
            Some("movmatrix") => self.movmatrix(words),
            Some("mma") => self.mma(words),
            Some("wmma") => self.wmma(words),
            Some("wgmma") => self.wgmma(words),
            Some("cp") => self.cp(words),
            Some("atom") => self.atomic(words, true),
            Some("red") => self.atomic(words, false),
            Some("shfl") => self.shfl(words),
            Some("vote") => self.vote_of_warp(words),
            Some("match") => self.match_of_warp(words),
            Some("redux") => self.redux(words),
            Some("elect") => self.elect(words),
            Some("activemask") => self.activemask(words),
            Some("membar" | "fence") => Self::fence(words),
            Some("prefetch" | "prefetchu" | "nanosleep" | "pmevent" | "applypriority") => {
                self.hint(words)
            }
            Some("createpolicy") => self.policy_maker(words),
            Some("trap") => alone(words, Op::Control(ControlOp::Trap { breakpoint: false })),
            Some("brkpt") => alone(words, Op::Control(ControlOp::Trap { breakpoint: true })),
            Some("bra") => self.bra(words),
            Some("brx") => self.brx(words),
            Some("bar" | "barrier") => self.bar(words),
            Some("call") => self.call(words),
            Some("ret") => Self::ret(words),
            Some("exit") => alone(words, Op::Control(ControlOp::Exit)),
            Some("lop3") => self.lop3(words),
            Some("slct") => self.slct(words),
            Some(opcode) => self.bits(opcode, words),
            None => Err(words.unsupported()),
        }
    }
}

/// An instruction that is nothing but its opcode.
fn alone(words: &mut Words<'_>, op: Instruction) -> Result<Instruction, ParseError> {
    words.end().map(|()| op)
}
