//! Loads and stores with all their caching and ordering modifiers.

use super::wide::halves;
use super::words::Words;
use super::{Instruction, Opcode, Parser};
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::op::{MemoryOp, MemoryScope, Op, Strength};
use crate::types::{Space, Type};

/// Maximum number of bytes that one lane moves at once: 32-byte vectors are not supported.
pub(super) const MAX_BYTES: usize = 16;

/// The modifiers of an access: the words between the opcode and the type.
pub(super) struct AccessModifiers {
    pub(super) space: Space,
    pub(super) ty: Type,
    /// Number of elements of a vector, or 1.
    lanes: usize,
    strength: Strength,
    /// Whether it is `.nc`.
    constant: bool,
    /// Whether it is `.b128`, an access to two elements of 64 bits.
    wide: bool,
    /// Whether a cache policy operand follows the others.
    policy: bool,
}

pub(super) const OPCODES: &[Opcode] = &[
    ("ld", |p, words| p.ld(words)),
    ("ldu", |p, words| p.ld(words)),
    ("st", |p, words| p.st(words)),
];

impl Parser<'_> {
    /// `ld{.order}{.space}{.cache}{.vec}.type d, [a]{.unified}{, policy}`, `ldu`
    fn ld(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let told = modifiers(words)?;
        let AccessModifiers { space, ty, strength, constant, policy, .. } = told;
        let dst = self.registers_of_access(&told)?;
        self.sign(',')?;
        let addr = self.address()?;
        if self.kind() == Some(TokenKind::Word(".unified")) {
            self.at += 1;
        }
        self.policy(policy)?;
        Ok(Op::Memory(MemoryOp::Ld { space, ty, strength, constant, dst, addr }))
    }

    /// `st{.order}{.space}{.cache}{.vec}.type [a], b{, policy}`
    fn st(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        if words.take("async") {
            return self.store_async(words);
        }
        let told = modifiers(words)?;
        let AccessModifiers { space, ty, strength, policy, .. } = told;
        if space == Space::Const {
            return Err(words.unsupported());
        }
        let addr = self.address()?;
        self.sign(',')?;
        let src = self.registers_of_access(&told)?;
        self.policy(policy)?;
        Ok(Op::Memory(MemoryOp::St { space, ty, strength, addr, src }))
    }

    /// Skips the operand of `.L2::cache_hint`, which affects timing only.
    pub(super) fn policy(&mut self, told: bool) -> Result<(), ParseError> {
        if told {
            self.sign(',')?;
            self.operand()?;
        }
        Ok(())
    }

    /// The registers of an access: one, a vector, or the halves of one of 128 bits.
    fn registers_of_access(&mut self, told: &AccessModifiers) -> Result<Vec<Operand>, ParseError> {
        if told.wide {
            return Ok(halves(&[self.operand()?]));
        }
        let all = self.vector()?;
        self.expect_elements(all.len(), told.lanes)?;
        Ok(all)
    }

    pub(super) fn expect_elements(&self, met: usize, expected: usize) -> Result<(), ParseError> {
        if met == expected {
            Ok(())
        } else {
            Err(self.unexpected(&format!("{expected} registers")))
        }
    }
}

/// `{.order{.scope}}{.space}{.nc}{.cache ..}{.vec}.type`; 16 bytes at most.
///
/// Caching and ordering affect when other threads see a value, not the value that this warp reads
/// here: the simulation is sequentially consistent.
fn modifiers(words: &mut Words<'_>) -> Result<AccessModifiers, ParseError> {
    let mut strength = strength_modifier(words, "weak");
    let mut space = None;
    let (mut constant, mut policy, mut lanes) = (false, false, 1);
    while let Some(word) = words.take_as(|word| LooseModifier::read(word, space.is_none())) {
        match word {
            LooseModifier::Space(of) => {
                space = Some(of);
                // ptxas also accepts the ordering after the space, where CUTLASS writes it.
                if strength == Strength::Weak {
                    strength = strength_modifier(words, "weak");
                }
            }
            LooseModifier::Constant => constant = true,
            LooseModifier::Policy => policy = true,
            LooseModifier::Cache => {}
        }
    }
    if let Some(count) = words.take_as(elements) {
        lanes = count;
    }
    let wide = lanes == 1 && words.take("b128");
    let ty = if wide { Type::B64 } else { words.ty()? };
    words.end()?;
    if ty == Type::Pred || untyped_only(ty) || lanes * ty.bytes() as usize > MAX_BYTES {
        return Err(words.unsupported());
    }
    let space = space.unwrap_or(Space::Generic);
    Ok(AccessModifiers { space, ty, lanes, strength, constant, wide, policy })
}

/// A modifier whose position varies between instructions.
enum LooseModifier {
    Space(Space),
    Constant,
    Policy,
    Cache,
}

impl LooseModifier {
    fn read(word: &str, space: bool) -> Option<Self> {
        let of = if space { accessed(word) } else { None };
        match of {
            Some(of) => Some(Self::Space(of)),
            None if word == "nc" => Some(Self::Constant),
            None if word == "L2::cache_hint" => Some(Self::Policy),
            None => is_cache_word(word).then_some(Self::Cache),
        }
    }
}

/// `.weak`, `.volatile`, `{.mmio}.relaxed.scope`, `.acquire.scope`, `.release.scope` and the like
/// (PTX ISA, "Memory Operations"); the default scope is `.gpu`.
fn strength_modifier(words: &mut Words<'_>, unless_told: &'static str) -> Strength {
    let told = ["weak", "volatile", "mmio", "relaxed", "acquire", "release", "acq_rel"];
    let is_told = |word: &str| told.into_iter().find(|of| *of == word);
    let mut how = unless_told;
    while let Some(word) = words.take_as(is_told) {
        how = if how == "mmio" { how } else { word };
    }
    let scope = if unless_told == how && how == "weak" {
        None
    } else {
        words.take_as(MemoryScope::from_word)
    };
    Strength::from_word(how, scope.unwrap_or(MemoryScope::Gpu)).unwrap_or(Strength::Weak)
}

/// The state space of an access: as [`space_of`], but for distributed shared memory.
pub(super) fn accessed(word: &str) -> Option<Space> {
    if is_distributed(word) { Some(Space::Distributed) } else { space_of(word) }
}

fn is_distributed(word: &str) -> bool {
    word == Space::Distributed.name()
}

/// A state space, with the suffixes that newer compilers add.
pub(super) fn space_of(word: &str) -> Option<Space> {
    match word {
        "param::entry" | "param::func" => Some(Space::Param),
        "shared::cta" => Some(Space::Shared),
        word if is_distributed(word) => Some(Space::Shared),
        word => Space::from_word(word),
    }
}

/// Cache operators, eviction priorities and prefetch sizes (PTX ISA, "Cache Operators", "Cache
/// Eviction Priority Hints"): they affect timing, not values.
pub(super) fn is_cache_word(word: &str) -> bool {
    let operators = ["nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"];
    let level = word.strip_prefix("L1::").or_else(|| word.strip_prefix("L2::"));
    let hints = [
        "evict_normal",
        "evict_unchanged",
        "evict_first",
        "evict_last",
        "no_allocate",
        "64B",
        "128B",
        "256B",
    ];
    operators.contains(&word) || level.is_some_and(|hint| hints.contains(&hint))
}

/// The number of elements of a vector.
pub(super) fn elements(word: &str) -> Option<usize> {
    match word {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    }
}

/// Whether a type can only be moved as untyped bits (PTX ISA, "Packed Data Types", "Alternate
/// Floating-Point Data Formats").
pub(super) fn untyped_only(ty: Type) -> bool {
    ty.is_half() || ty == Type::Tf32
}
