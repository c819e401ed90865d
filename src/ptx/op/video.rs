//! Video instructions: arithmetic on the bytes, half-words and words of 32-bit registers.

use super::arith::Compare;

/// A video instruction. `vadd` and the like take one element of `a` and one of `b`, `vadd2` and `vadd4`
/// two and four elements, each of either register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Video {
    /// The operation.
    pub op: VideoOp,
    /// Whether d, the elements of a and those of b are signed.
    pub signed: [bool; 3],
    /// The elements that take the place of those of a and of b.
    pub from: [Picked; 2],
    /// The elements of d that are written; the others are those of c.
    pub to: Written,
    /// Whether results are clamped to the range of the elements of d.
    pub sat: bool,
    /// How the results are combined with c, instead.
    pub then: Option<Then>,
}

/// The elements that an operand contributes, in units of their width: 0 is the lowest of a, and those of
/// b follow those of a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Width in bits.
    pub bits: u8,
    /// One for each result.
    pub elements: [u8; 4],
}

/// The elements that a result is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Width in bits.
    pub bits: u8,
    /// A bit for each element, the lowest first.
    pub mask: u8,
}

/// What a [`Video`] computes of each pair of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's, spelt out")]
pub enum VideoOp {
    Add,
    Subtract,
    Average,
    AbsoluteDifference,
    Minimum,
    Maximum,
    /// `wrap`: by b modulo 32, or else by at most 32.
    ShiftLeft {
        wrap: bool,
    },
    ShiftRight {
        wrap: bool,
    },
    Compare(Compare),
    /// `vmad`: a x b + c; `negates_product` and `negates_c` are the signs of the operands, `plus_one` is
    /// `.po`, and the sum is shifted right by `shift`.
    MultiplyAdd {
        negates_product: bool,
        negates_c: bool,
        plus_one: bool,
        shift: u8,
    },
}

/// The operation of a result with c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's, spelt out")]
pub enum Then {
    Add,
    Minimum,
    Maximum,
}
