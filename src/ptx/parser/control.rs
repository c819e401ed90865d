//! Control flow: branches, calls, barriers, the end.

use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::ast::Operand;
use crate::ptx::error::ParseError;
use crate::ptx::op::{Arrival, ControlOp, Op, Reduction};

impl Parser<'_> {
    /// `call{.uni} {(returned),} function{, (arguments)}`
    pub(super) fn call(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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
        Ok(Op::Control(ControlOp::Call { target, returns, args }))
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
    pub(super) fn bra(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        Ok(Op::Control(ControlOp::Bra { target: self.name("a label")?.to_owned() }))
    }

    /// `brx.idx{.uni} index, list`
    pub(super) fn brx(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("idx") {
            return Err(words.unsupported());
        }
        words.take("uni");
        words.end()?;
        let index = self.operand()?;
        self.sign(',')?;
        Ok(Op::Control(ControlOp::Switch {
            index,
            targets: vec![self.name("a list of places")?.to_owned()],
        }))
    }

    /// `ret{.uni}`
    pub(super) fn ret(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        Ok(Op::Control(ControlOp::Ret))
    }

    /// `bar{.cta}.sync id{, threads}`, `.arrive id, threads`, `.red.op.type d, id{, threads}, {!}c`,
    /// and `barrier` with `.aligned` behind.
    pub(super) fn bar(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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
        Ok(Op::Control(ControlOp::Bar { how, id, threads }))
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
        Ok(Op::Control(ControlOp::Bar {
            how: Arrival::Reduce { reduction, dst, vote: (negated, vote) },
            id,
            threads,
        }))
    }
}
