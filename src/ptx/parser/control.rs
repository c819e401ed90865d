//! The table of opcodes, and control flow: branches, barriers, the end.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::op::{Arrival, BinaryOp, Op, Reduction, UnaryOp};

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
            Some("trap") => words.end().map(|()| Op::Trap { breakpoint: false }),
            Some("brkpt") => words.end().map(|()| Op::Trap { breakpoint: true }),
            Some("bra") => self.bra(words),
            Some("brx") => self.brx(words),
            Some("bar" | "barrier") => self.bar(words),
            Some("call") => self.call(words),
            Some("ret") => {
                words.take("uni");
                words.end().map(|()| Op::Ret)
            }
            Some("exit") => words.end().map(|()| Op::Exit),
            Some("lop3") => self.lop3(words),
            Some("slct") => self.slct(words),
            Some(opcode) => self.bits(opcode, words),
            None => Err(words.unsupported()),
        }
    }

    /// `call{.uni} {(returned),} function{, (arguments)}`
    fn call(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        let returns = self.list()?;
        if !returns.is_empty() {
            self.sign(',')?;
        }
        let (span, target) = (self.span(), self.name("a function")?.to_owned());
        let args = if self.take(',') { self.list()? } else { Vec::new() };
        if target.starts_with('%') || self.take(',') {
            let message =
                "a call through a register is not supported: call the function by its name";
            return Err(ParseError::unsupported(span, message));
        }
        Ok(Op::Call { target, returns, args })
    }

    /// `(a, b, ..)`, or nothing.
    fn list(&mut self) -> Result<Vec<Operand>, ParseError> {
        let mut all = Vec::new();
        if !self.take('(') || self.take(')') {
            return Ok(all);
        }
        loop {
            all.push(self.operand()?);
            if !self.take(',') {
                self.sign(')')?;
                return Ok(all);
            }
        }
    }

    /// `bra{.uni} label`
    fn bra(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        Ok(Op::Bra { target: self.name("a label")?.to_owned() })
    }

    /// `bar{.cta}.sync id{, threads}`, `.arrive id, threads`, `.red.op.type d, id{, threads}, {!}c`,
    /// and `barrier` with `.aligned` behind.
    fn bar(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("cta");
        match words.next() {
            Some("warp") => self.bar_warp(words),
            Some("sync") => self.arrival(words, Arrival::Sync),
            Some("arrive") => self.arrival(words, Arrival::Arrive),
            Some("red") => self.vote(words),
            _ => Err(words.unsupported()),
        }
    }

    fn arrival(
        &mut self,
        words: &mut Words<'_>,
        how: Arrival<Operand>,
    ) -> Result<Instruction, ParseError> {
        words.take("aligned");
        words.end()?;
        let id = self.operand()?;
        let threads = if self.take(',') { Some(self.operand()?) } else { None };
        if how == Arrival::Arrive && threads.is_none() {
            return Err(ParseError::new(self.span(), "`arrive` needs a number of threads"));
        }
        Ok(Op::Bar { how, id, threads })
    }

    fn vote(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let (reduction, ty) = match words.next() {
            Some("popc") => (Reduction::Popc, "u32"),
            Some("and") => (Reduction::And, "pred"),
            Some("or") => (Reduction::Or, "pred"),
            _ => return Err(words.unsupported()),
        };
        words.take("aligned");
        if !words.take(ty) {
            return Err(words.unsupported());
        }
        words.end()?;
        let dst = self.operand()?;
        self.sign(',')?;
        let id = self.operand()?;
        self.sign(',')?;
        let mut threads = None;
        let mut negated = self.take('!');
        let mut vote = self.operand()?;
        if !negated && self.take(',') {
            negated = self.take('!');
            threads = Some(std::mem::replace(&mut vote, self.operand()?));
        }
        Ok(Op::Bar { how: Arrival::Reduce { reduction, dst, vote: (negated, vote) }, id, threads })
    }
}
