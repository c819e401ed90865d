//! Integer and bit instructions other than plain arithmetic: their modifiers and operand types.

use super::arith::BinaryOp;
use crate::types::{Space, Type};

/// An instruction that computes one value from one to four operands, in each lane independently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsOp {
    /// `prmt`: selects four of the eight bytes of two operands.
    Permute(Permute),
    /// `lop3`: any logical function of three bits, given as a truth table of eight bits.
    Lop3(u8),
    /// `shf`: shifts two words as one and keeps the high word (left) or the low word (right).
    Funnel {
        /// Whether it shifts left.
        left: bool,
        /// Whether the shift amount is taken modulo 32 rather than clamped to 32.
        wrap: bool,
    },
    /// `dp4a`, `dp2a`: dot product of the bytes of `b` with bytes or 16-bit halves of `a`, added to
    /// `c`.
    Dot {
        /// Whether the elements of `a` are signed.
        a_signed: bool,
        /// Whether the bytes of `b` are signed.
        b_signed: bool,
        /// For `dp2a`: whether it uses the upper half of `b`; `None` for `dp4a`.
        half: Option<bool>,
    },
    /// `sad`: the absolute difference of `a` and `b`, added to `c`.
    Sad,
    /// `mul24`, `mad24`: product of 24-bit integers.
    Mul24 {
        /// Whether bits 16 to 47 are kept rather than the lowest 32.
        high: bool,
        /// Whether a third operand is added.
        add: bool,
        /// Whether the sum is clamped to the type's range.
        sat: bool,
    },
    /// `add.sat`, `sub.sat`, `mad.hi.sat` of `.s32`: clamped to the type's range; `min.relu` and
    /// `max.relu`: negative results become zero.
    Saturated(Saturated),
    /// `add.u16x2` and the like: the same on each of two 16-bit integers.
    Pair {
        /// The operation.
        op: PairOp,
        signed: bool,
    },
    /// `min.xorsign.abs`, `max.xorsign.abs`: the smaller or larger magnitude, with the sign that the
    /// product has.
    XorSign {
        /// `min` or `max`, with or without `.NaN`.
        op: BinaryOp,
        /// Whether subnormals become zero.
        ftz: bool,
    },
    /// `cvt.pack.sat`: two integers, clamped to a narrower type, in the low bits; above them those
    /// of a third operand.
    Pack {
        /// The width of that type.
        bits: u8,
        signed: bool,
    },
    /// `bfind`: position of the highest significant bit, or all ones if there is none.
    Find {
        /// Whether to return the shift that would move that bit to the top.
        shift: bool,
    },
    /// `fns`: the n-th set bit counted from a position.
    NthSet,
    /// `bmsk`: a mask of ones with a given position and width.
    Mask {
        /// Whether position and width are taken modulo 32 rather than clamped to 32.
        wrap: bool,
    },
    /// `szext`: sign- or zero-extends the low bits.
    Extend {
        /// Whether the number of bits is taken modulo 32 rather than clamped to 32.
        wrap: bool,
    },
    /// `slct`: selects one of two operands by the sign of a third, of type `by`.
    Select {
        /// `.s32` or `.f32`.
        by: Type,
    },
    /// `copysign`: combines the sign of one number with the magnitude of another.
    CopySign,
    /// `testp`: tests the class of a floating-point number.
    Test(FloatClass),
    /// `isspacep`: whether a generic address lies in a space.
    InSpace(Space),
}

/// How `prmt` selects its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permute {
    /// Each byte is selected by four bits of the third operand.
    Index,
    /// `f4e`: four consecutive bytes, ascending.
    Forward,
    /// `b4e`: four consecutive bytes, descending.
    Backward,
    /// `rc8`: one byte, four times.
    Byte,
    /// `ecl`: byte indices clamped from below.
    EdgeLeft,
    /// `ecr`: byte indices clamped from above.
    EdgeRight,
    /// `rc16`: two bytes, twice.
    Half,
}

/// Saturating instructions and those with `.relu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saturated {
    Add,
    Sub,
    MadHi,
    MinRelu,
    MaxRelu,
}

/// What [`BitsOp::Pair`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOp {
    Add,
    Min,
    Max,
    MinRelu,
    MaxRelu,
}

/// The property that `testp` tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatClass {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

impl BitsOp {
    /// Types of the result and of the operands; entries past the last operand are unused.
    pub(super) const fn types(self, ty: Type) -> (Type, [Type; 4]) {
        let same = [ty; 4];
        match self {
            Self::Select { by } => (ty, [ty, ty, by, by]),
            Self::Find { .. } => (Type::U32, same),
            Self::Test(_) | Self::InSpace(_) => (Type::Pred, same),
            Self::Extend { .. } => (ty, [ty, Type::U32, ty, ty]),
            Self::Permute(_)
            | Self::Lop3(_)
            | Self::Funnel { .. }
            | Self::Dot { .. }
            | Self::Sad
            | Self::Mul24 { .. }
            | Self::Saturated(_)
            | Self::Pair { .. }
            | Self::XorSign { .. }
            | Self::Pack { .. }
            | Self::NthSet
            | Self::Mask { .. }
            | Self::CopySign => (ty, same),
        }
    }
}
