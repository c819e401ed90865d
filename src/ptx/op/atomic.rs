//! The operations of `atom` and `red`.

use crate::types::Type;

/// How an atomic operation computes the new value in memory (PTX ISA, `atom`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// Sum.
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand replaces the old value.
    Exchange,
    /// The second operand replaces the old value if that equals the first operand.
    CompareAndSwap,
    /// Adds one, or wraps to 0 if the old value is at least the operand.
    Increment,
    /// Subtracts one, or wraps to the operand if the old value is 0 or exceeds the operand.
    Decrement,
}

impl AtomicOp {
    /// The operation spelt `word`.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
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

    /// Whether it is defined for `ty`.
    pub(crate) fn fits(self, ty: Type) -> bool {
        use Type::{B16, B32, B64, B128, F32, F64, S32, S64, U32, U64};
        match self {
            Self::Add => matches!(ty, U32 | S32 | U64 | F32 | F64) || ty.is_half(),
            Self::Min | Self::Max => matches!(ty, U32 | S32 | U64 | S64) || ty.is_half(),
            Self::And | Self::Or | Self::Xor => matches!(ty, B32 | B64),
            Self::Exchange => matches!(ty, B32 | B64 | B128),
            Self::CompareAndSwap => matches!(ty, B16 | B32 | B64 | B128),
            Self::Increment | Self::Decrement => ty == U32,
        }
    }

    /// The number of operands in addition to the address, for each element.
    pub const fn operands(self) -> usize {
        if matches!(self, Self::CompareAndSwap) { 2 } else { 1 }
    }
}
