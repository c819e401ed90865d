//! Fences, and hints, which affect timing but not values.

use super::tensor::expect;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::asynchronous::AsyncOp;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{ControlOp, LaneOp, MemoryOp, MemoryScope, Op, Strength};
use crate::types::Type;

pub(super) const OPCODES: &[Opcode] = &[
    ("applypriority", |p, words| p.hint(words)),
    ("createpolicy", |p, words| p.policy_maker(words)),
    ("discard", |p, words| p.hint(words)),
    ("fence", |p, words| p.fence(words)),
    ("griddepcontrol", |p, words| p.hint(words)),
    ("membar", |p, words| p.membar(words)),
    ("nanosleep", |p, words| p.hint(words)),
    ("pmevent", |p, words| p.hint(words)),
    ("prefetch", |p, words| p.hint(words)),
    ("prefetchu", |p, words| p.hint(words)),
    ("setmaxnreg", |p, words| p.registers_of_warp(words)),
];

impl Parser<'_> {
    /// `prefetch`, `nanosleep`, `pmevent` and the like: whatever their operands, no value changes.
    pub(super) fn hint(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        while words.next().is_some() {}
        loop {
            match self.kind() {
                Some(TokenKind::Sign('[')) => {
                    self.address()?;
                }
                Some(TokenKind::Sign(';')) => return Ok(Op::Control(ControlOp::Hint)),
                _ => {
                    self.operand()?;
                }
            }
            if !self.take(',') {
                return Ok(Op::Control(ControlOp::Hint));
            }
        }
    }

    /// `setmaxnreg.{inc,dec}.sync.aligned.u32 count`: changes no value.
    fn registers_of_warp(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if !words.take("inc") && !words.take("dec") {
            return Err(words.unsupported());
        }
        expect(words, &["sync", "aligned", "u32"])?;
        words.end()?;
        let span = self.span();
        match self.small_constant()? {
            count @ 24..=256 if count % 8 == 0 => Ok(Op::Control(ControlOp::Hint)),
            _ => {
                let message = "`setmaxnreg` takes a multiple of 8 from 24 to 256 registers";
                Err(ParseError::new(span, message))
            }
        }
    }

    /// `membar.level`, `membar.proxy.alias`
    fn membar(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.hold("async") {
            return Err(words.refused("it is spelt `fence.proxy.async`"));
        }
        self.fence(words)
    }

    /// `membar.level`, `fence{.kind}.scope ..`, with the memory that `fence.proxy.tensormap` names.
    fn fence(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let of_memory = words.hold("tensormap::generic") && words.hold("acquire");
        let fence = fence(words)?;
        if of_memory {
            self.address()?;
            self.sign(',')?;
            self.small_constant()?;
        }
        Ok(fence)
    }

    /// `createpolicy` creates a cache hint, for which any number will do.
    fn policy_maker(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let dst = self.operand()?;
        if self.take(',') {
            self.hint(words)?;
        }
        Ok(Op::Lane(LaneOp::Mov { ty: Type::B64, dst, src: Operand::Integer(0) }))
    }
}

/// Fences: `membar.level`, `fence{.kind}.scope ..`
fn fence(words: &mut Words<'_>) -> Result<Instruction, ParseError> {
    let (mut how, mut scope, mut other) = ("sc", MemoryScope::Gpu, false);
    let proxies = [
        "mbarrier_init",
        "proxy",
        "alias",
        "async",
        "async::generic",
        "tensormap::generic",
        "global",
        "shared::cta",
        "shared::cluster",
    ];
    // Of one direction, and for some of the memory: taken as one of all.
    let parts = ["sync_restrict::shared::cta", "sync_restrict::shared::cluster"];
    // The fence that wgmma needs: it covers shared memory, from which wgmma reads.
    let between = words.hold("async") || words.hold("async::generic");
    let of_products = words.hold("proxy") && between && !words.hold("global");
    let of_mbarriers = words.hold("mbarrier_init");
    let orders = ["sc", "acq_rel", "acquire", "release"];
    let known = |told: &[&'static str], word: &str| told.iter().copied().find(|of| *of == word);
    loop {
        if let Some(of) = words.take_as(MemoryScope::from_word) {
            scope = of;
        } else if let Some(order) = words.take_as(|word| known(&orders, word)) {
            how = order;
        } else {
            let named = words.take_as(|word| known(&proxies, word)).is_some();
            other |= named;
            if !named && words.take_as(|word| known(&parts, word)).is_none() {
                break;
            }
        }
    }
    let strength = Strength::from_word(how, scope).filter(|_| !other);
    words.end()?;
    Ok(match (of_products, of_mbarriers) {
        (true, _) => Op::Async(AsyncOp::ProxyFence),
        (false, true) => Op::Async(AsyncOp::MbarrierFence),
        (false, false) => Op::Memory(MemoryOp::Fence(strength.unwrap_or(Strength::Weak))),
    })
}
