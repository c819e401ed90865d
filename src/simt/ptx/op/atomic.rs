//! What `atom` and `red` do with a word of memory.

use crate::ptx::types::Type;

/// How an atomic operation makes the new value of what is in memory (PTX ISA, `atom`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// The sum.
    Add,
    /// The smaller one.
    Min,
    /// The greater one.
    Max,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// The operand itself.
    Exchange,
    /// The second operand, if the first is what is there.
    CompareAndSwap,
    /// One more, or 0 from the operand on.
    Increment,
    /// One less, or the operand from 0 and from beyond the operand.
    Decrement,
}

impl AtomicOp {
    /// The operation spelt `word`.
    pub(in crate::ptx) fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "add" => Self::Add,
            "min" => Self::Min,
            "max" => Self::Max,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "exch" => Self::Exchange,
            "cas" => Self::CompareAndSwap,
            "inc" => Self::Increment,
            "dec" => Self::Decrement,
            _ => return None,
        })
    }

    /// Whether it exists for `ty`.
    pub(in crate::ptx) fn fits(self, ty: Type) -> bool {
        use Type::{B16, B32, B64, F32, F64, S32, S64, U32, U64};
        match self {
            Self::Add => matches!(ty, U32 | S32 | U64 | F32 | F64) || ty.is_half(),
            Self::Min | Self::Max => matches!(ty, U32 | S32 | U64 | S64),
            Self::And | Self::Or | Self::Xor | Self::Exchange => matches!(ty, B32 | B64),
            Self::CompareAndSwap => matches!(ty, B16 | B32 | B64),
            Self::Increment | Self::Decrement => ty == U32,
        }
    }

    /// How many operands it has beside the address.
    pub(in crate::ptx) const fn operands(self) -> usize {
        if matches!(self, Self::CompareAndSwap) { 2 } else { 1 }
    }
}
