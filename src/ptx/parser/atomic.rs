//! Atomic operations on global and shared memory.

use super::access::{accessed, elements};
use super::wide::halves;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{AtomicOp, MemoryOp, MemoryScope, Op, Strength};
use crate::types::{Space, Type};

pub(super) const OPCODES: &[Opcode] =
    &[("atom", |p, words| p.atomic(words, true)), ("red", |p, words| p.red(words))];

impl Parser<'_> {
    /// `red`, also `red.async`.
    fn red(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("async") { self.reduce_async(words) } else { self.atomic(words, false) }
    }

    /// `atom{.sem}{.scope}{.space}.op{.noftz}{.cache_hint}{.vec}.type d, [a], b{, c}{, policy}`, and
    /// `red{..}.type [a], b{, policy}`, which has no result. The words may come in any order, as in
    /// ptxas.
    pub(super) fn atomic(
        &mut self,
        words: &mut Words<'_>,
        result: bool,
    ) -> Result<Instruction, ParseError> {
        let AtomicModifiers { strength, space, op, noftz, lanes, ty, policy } =
            AtomicModifiers::read(words)?;
        let swaps = matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap);
        let in_space =
            matches!(space, Space::Generic | Space::Global | Space::Shared | Space::Distributed);
        let alone = lanes == 1 && (op == AtomicOp::Add || !ty.is_half());
        let in_vector = alone || fits_vector(space, (op, ty), lanes);
        let fits = op.fits(ty) && noftz == ty.is_half() && in_vector;
        if !fits || (swaps && !result) || !in_space {
            return Err(words.unsupported());
        }
        let dst = if result { self.result_of_atomic(ty, lanes)? } else { Vec::new() };
        let addr = self.address()?;
        let args = if lanes == 1 {
            self.more_operands(op.operands())?
        } else {
            self.sign(',')?;
            self.registers_of(lanes)?
        };
        let args = if ty == Type::B128 { halves(&args) } else { args };
        self.policy(policy)?;
        Ok(Op::Memory(MemoryOp::Atom { op, strength, space, ty, dst, addr, args }))
    }
}

impl Parser<'_> {
    /// `d,`: the registers of the old value, none of which is written for a vector called `_`.
    fn result_of_atomic(&mut self, ty: Type, lanes: usize) -> Result<Vec<Operand>, ParseError> {
        let dst = match (lanes, self.kind()) {
            (2.., Some(TokenKind::Word("_"))) => {
                self.at += 1;
                Vec::new()
            }
            (2.., _) => self.registers_of(lanes)?,
            _ if ty == Type::B128 => halves(&[self.operand()?]),
            _ => vec![self.operand()?],
        };
        self.sign(',')?;
        Ok(dst)
    }
}

/// The words between the opcode and the type.
struct AtomicModifiers {
    strength: Strength,
    space: Space,
    op: AtomicOp,
    noftz: bool,
    /// The number of elements of a vector, or 1.
    lanes: usize,
    ty: Type,
    /// Whether a cache policy operand follows the others.
    policy: bool,
}

impl AtomicModifiers {
    fn read(words: &mut Words<'_>) -> Result<Self, ParseError> {
        let (mut order, mut scope, mut space, mut op) = (None, None, None, None);
        let (mut noftz, mut policy, mut lanes, mut ty) = (false, false, None, None);
        for _ in 0..8 {
            order = order.or_else(|| words.take_as(order_of));
            scope = scope.or_else(|| words.take_as(MemoryScope::from_word));
            space = space.or_else(|| words.take_as(accessed));
            op = op.or_else(|| words.take_as(AtomicOp::from_word));
            noftz = noftz || words.take("noftz");
            policy = policy || words.take("L2::cache_hint");
            lanes = lanes.or_else(|| words.take_as(elements));
            ty = ty.or_else(|| words.take_as(type_of));
        }
        words.end()?;
        let ty = ty.ok_or_else(|| words.unsupported())?;
        let order = order.unwrap_or(Strength::Relaxed as fn(MemoryScope) -> Strength);
        let op = op.ok_or_else(|| words.unsupported())?;
        let space = space.unwrap_or(Space::Generic);
        let (strength, lanes) = (order(scope.unwrap_or(MemoryScope::Gpu)), lanes.unwrap_or(1));
        Ok(Self { strength, space, op, noftz, lanes, ty, policy })
    }
}

/// A type of registers, of which `.b128` exists for a few instructions only.
fn type_of(word: &str) -> Option<Type> {
    if word == "b128" { Some(Type::B128) } else { Type::from_word(word) }
}

/// Whether `atom` and `red` exist for vectors of so many elements (PTX ISA, `atom`).
fn fits_vector(space: Space, (op, ty): (AtomicOp, Type), lanes: usize) -> bool {
    let counts: &[usize] = match ty {
        Type::F32 | Type::F16x2 | Type::Bf16x2 => &[2, 4],
        Type::F16 | Type::Bf16 => &[2, 4, 8],
        _ => &[],
    };
    let in_space = matches!(space, Space::Global | Space::Generic);
    let combines = op == AtomicOp::Add || ty.is_half();
    in_space && combines && counts.contains(&lanes)
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
