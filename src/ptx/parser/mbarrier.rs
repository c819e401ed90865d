//! Barriers in shared memory: `mbarrier`, `cp.async.mbarrier.arrive`.

use super::access::accessed;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{LaneOp, Mbarrier, MbarrierOp, MemoryOp, MemoryScope, Op};
use crate::types::{Space, Type};

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] = &[("mbarrier", |p, words| p.mbarrier(words))];

impl Parser<'_> {
    /// `mbarrier.op{.modifiers}.b64 {d,} [addr]{, a}`
    fn mbarrier(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let name = words.next();
        if name == Some("pending_count") {
            return self.pending_count(words);
        }
        let (expects, parity) = (words.take("expect_tx"), words.take("parity"));
        let no_complete = words.take("noComplete");
        let (space, ordered) = modifiers(words)?;
        let op = match name {
            Some("init") => MbarrierOp::Init,
            Some("inval") => MbarrierOp::Invalidate,
            Some("expect_tx") => MbarrierOp::ExpectBytes,
            Some("complete_tx") => MbarrierOp::CompleteBytes,
            Some("arrive") => MbarrierOp::Arrive { expects, drops: false, releases: ordered },
            Some("arrive_drop") => MbarrierOp::Arrive { expects, drops: true, releases: ordered },
            Some("test_wait") => MbarrierOp::Test { waits: false, parity, acquires: ordered },
            Some("try_wait") => MbarrierOp::Test { waits: true, parity, acquires: ordered },
            _ => return Err(words.unsupported()),
        };
        let arrives = matches!(op, MbarrierOp::Arrive { .. });
        let tests = matches!(op, MbarrierOp::Test { .. });
        if (expects || no_complete) && !arrives || parity && !tests {
            return Err(words.unsupported());
        }
        let dst = if (arrives || tests) && self.kind() != Some(TokenKind::Sign('[')) {
            let dst = self.operand()?;
            self.sign(',')?;
            // The sink takes no result.
            Some(dst).filter(|dst| !matches!(dst, Operand::Name(name, _) if name == "_"))
        } else {
            None
        };
        let addr = self.address()?;
        let args = self.numbers(op)?;
        Ok(mbarrier(Mbarrier { op, space, addr, dst, args }))
    }

    /// The numbers after the address; the time limit of `try_wait` changes nothing here.
    fn numbers(&mut self, op: MbarrierOp) -> Result<Vec<Operand>, ParseError> {
        match op {
            MbarrierOp::Invalidate | MbarrierOp::CopiesArrive { .. } => return Ok(Vec::new()),
            MbarrierOp::Arrive { expects: false, .. } if !self.take(',') => {
                return Ok(vec![Operand::Integer(1)]);
            }
            MbarrierOp::Arrive { expects: false, .. } => {}
            _ => self.sign(',')?,
        }
        let number = self.operand()?;
        if matches!(op, MbarrierOp::Test { waits: true, .. }) && self.take(',') {
            self.operand()?;
        }
        Ok(vec![number])
    }

    /// `mbarrier.pending_count.b64 d, state`: the low half of a state, as the simulator makes it.
    fn pending_count(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.last_type()? != Type::B64 {
            return Err(words.unsupported());
        }
        let span = self.span();
        let [count, src] = self.operands()?;
        let parts = vec![count, Operand::Name("_".to_owned(), span)];
        Ok(Op::Lane(LaneOp::Unpack { ty: Type::B64, parts, src }))
    }

    /// `cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [addr]`
    pub(super) fn copies_arrive(
        &mut self,
        words: &mut Words<'_>,
    ) -> Result<Instruction, ParseError> {
        if !words.take("arrive") {
            return Err(words.unsupported());
        }
        let op = MbarrierOp::CopiesArrive { counted: words.take("noinc") };
        let (space, _) = modifiers(words)?;
        let addr = self.address()?;
        Ok(mbarrier(Mbarrier { op, space, addr, dst: None, args: Vec::new() }))
    }
}

/// `{.order}{.scope}{.shared}.b64`: the space, and whether the operation orders others.
fn modifiers(words: &mut Words<'_>) -> Result<(Space, bool), ParseError> {
    let relaxed = words.take("relaxed");
    if !relaxed && !words.take("release") {
        words.take("acquire");
    }
    words.take_as(MemoryScope::from_word);
    let space = words.take_as(accessed).unwrap_or(Space::Generic);
    if !matches!(space, Space::Generic | Space::Shared | Space::Distributed) {
        return Err(words.unsupported());
    }
    if words.last_type()? != Type::B64 {
        return Err(words.unsupported());
    }
    Ok((space, !relaxed))
}

fn mbarrier(operation: Mbarrier<Operand>) -> Instruction {
    Op::Memory(MemoryOp::Mbarrier(Box::new(operation)))
}
