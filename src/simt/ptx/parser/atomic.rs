//! Atomic operations on global and shared memory.

use super::access::accessed;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ptx::error::ParseError;
use crate::ptx::op::{AtomicOp, MemoryOp, MemoryScope, Op, Strength};
use crate::ptx::types::Space;

/// The opcodes parsed here.
pub(super) const OPCODES: &[Opcode] =
    &[("atom", |p, words| p.atomic(words, true)), ("red", |p, words| p.atomic(words, false))];

impl Parser<'_> {
    /// `atom{.sem}{.scope}{.space}.op{.noftz}{.cache_hint}.type d, [a], b{, c}{, policy}`, and
    /// `red`, which has no result. The words before the type may come in any order, as in ptxas.
    pub(super) fn atomic(
        &mut self,
        words: &mut Words<'_>,
        result: bool,
    ) -> Result<Instruction, ParseError> {
        let Modifiers { strength, space, op, noftz, policy } = Modifiers::read(words)?;
        let ty = words.last_type()?;
        let swaps = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
        let in_space =
            matches!(space, Space::Generic | Space::Global | Space::Shared | Space::Cluster);
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
        Ok(Op::Memory(MemoryOp::Atom { op, strength, space, ty, dst, addr, args }))
    }
}

/// The words between the opcode and the type.
struct Modifiers {
    strength: Strength,
    space: Space,
    op: AtomicOp,
    noftz: bool,
    /// Whether a cache policy operand follows the others.
    policy: bool,
}

impl Modifiers {
    fn read(words: &mut Words<'_>) -> Result<Self, ParseError> {
        let (mut order, mut scope, mut space, mut op) = (None, None, None, None);
        let (mut noftz, mut policy) = (false, false);
        for _ in 0..6 {
            order = order.or_else(|| words.take_as(order_of));
            scope = scope.or_else(|| words.take_as(MemoryScope::from_word));
            space = space.or_else(|| words.take_as(accessed));
            op = op.or_else(|| words.take_as(AtomicOp::from_word));
            noftz = noftz || words.take("noftz");
            policy = policy || words.take("L2::cache_hint");
        }
        let order = order.unwrap_or(Strength::Relaxed as fn(MemoryScope) -> Strength);
        let op = op.ok_or_else(|| words.unsupported())?;
        let space = space.unwrap_or(Space::Generic);
        Ok(Self { strength: order(scope.unwrap_or(MemoryScope::Gpu)), space, op, noftz, policy })
    }
}

/// The constructor of the strength spelt `word`, which still needs a scope.
fn order_of(word: &str) -> Option<fn(MemoryScope) -> Strength> {
    Some(match word {
        "relaxed" => Strength::Relaxed,
        "acquire" => Strength::Acquire,
        "release" => Strength::Release,
        "acq_rel" => Strength::AcquireRelease,
        _ => return None,
    })
}
