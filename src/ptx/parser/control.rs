//! Control flow: branches, calls, barriers, exits.

use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::op::{BarrierAction, ControlOp, Op, Reduction};

pub(super) const OPCODES: &[Opcode] = &[
    ("bar", |p, words| p.bar(words)),
    ("bra", |p, words| p.bra(words)),
    ("brkpt", |_, words| alone(words, ControlOp::Trap { breakpoint: true })),
    ("brx", |p, words| p.brx(words)),
    ("call", |p, words| p.call(words)),
    ("exit", |_, words| alone(words, ControlOp::Exit)),
    ("ret", |_, words| ret(words)),
    ("trap", |_, words| alone(words, ControlOp::Trap { breakpoint: false })),
];

impl Parser<'_> {
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
    fn bra(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("uni");
        words.end()?;
        Ok(Op::Control(ControlOp::Bra { target: self.name("a label")?.to_owned() }))
    }

    /// `brx.idx{.uni} index, list`
    fn brx(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
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

    /// `bar{.cta}.sync id{, threads}`, `.arrive id, threads`, `.red.op.type d, id{, threads},
    /// {!}c`, and `barrier`, optionally with `.aligned`.
    pub(super) fn bar(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        words.take("cta");
        match words.next() {
            Some("warp") => self.bar_warp(words),
            Some("sync") => self.arrival(words, BarrierAction::Sync),
            Some("arrive") => self.arrival(words, BarrierAction::Arrive),
            Some("red") => self.vote(words),
            _ => Err(words.unsupported()),
        }
    }

    fn arrival(
        &mut self,
        words: &mut Words<'_>,
        how: BarrierAction<Operand>,
    ) -> Result<Instruction, ParseError> {
        words.take("aligned");
        words.end()?;
        let id = self.operand()?;
        let threads = if self.take(',') { Some(self.operand()?) } else { None };
        if how == BarrierAction::Arrive && threads.is_none() {
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
            how: BarrierAction::Reduce { reduction, dst, vote: (negated, vote) },
            id,
            threads,
        }))
    }
}

/// `ret{.uni}`
fn ret(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
    words.take("uni");
    words.end()?;
    Ok(Op::Control(ControlOp::Ret))
}

/// An instruction that consists of its opcode only.
fn alone(words: &Words<'_>, op: ControlOp<Operand, String>) -> Result<Instruction, ParseError> {
    words.end().map(|()| Op::Control(op))
}
