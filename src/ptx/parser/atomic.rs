//! Atomic operations on global and shared memory.

use super::access::{space_of, told_strength};
use super::words::Words;
use super::{Instruction, Parser};
use crate::ptx::error::ParseError;
use crate::ptx::op::{AtomicOp, Op, Reach, Strength};
use crate::ptx::types::Space;

impl Parser<'_> {
    /// `atom{.sem}{.scope}{.space}.op{.noftz}{.cache_hint}.type d, [a], b{, c}{, policy}`, and
    /// `red`, which has no result.
    pub(super) fn atomic(
        &mut self,
        words: &mut Words<'_>,
        result: bool,
    ) -> Result<Instruction, ParseError> {
        let mut strength = told_strength(words, "relaxed");
        let space = words.take_as(space_of).unwrap_or(Space::Generic);
        // As NVRTC writes `atomicAdd_block`: the scope behind the space.
        if let (Strength::Relaxed(_), Some(reach)) = (strength, words.take_as(Reach::from_word)) {
            strength = Strength::Relaxed(reach);
        }
        let op = words.take_as(AtomicOp::from_word).ok_or_else(|| words.unsupported())?;
        let noftz = words.take("noftz");
        let policy = words.take("L2::cache_hint");
        let ty = words.last_type()?;
        let swaps = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
        let in_space = matches!(space, Space::Generic | Space::Global | Space::Shared);
        if !op.fits(ty) || noftz != ty.is_half() || (swaps && !result) || !in_space {
            return Err(words.unsupported());
        }
        let dst = if result { Some(self.operand()?) } else { None };
        if result {
            self.sign(',')?;
        }
        let addr = self.address()?;
        let args = self.more_operands(op.operands())?;
        self.policy(policy)?;
        Ok(Op::Atom { op, strength, space, ty, dst, addr, args })
    }
}
