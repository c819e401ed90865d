//! Instructions on integers and bits beyond plain arithmetic: what they are told, what they take.

use crate::ptx::types::{Space, Type};

/// An instruction of one to four operands that makes one value of them, in each lane for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsOp {
    /// `prmt`: four of the eight bytes of two operands.
    Permute(Permute),
    /// `lop3`: any function of three bits, by its table of eight.
    Lop3(u8),
    /// `shf`: two words shifted as one, the high half of it to the left, the low half to the right.
    Funnel {
        /// Which way.
        left: bool,
        /// Whether the distance is taken modulo 32, and not cut to 32.
        wrap: bool,
    },
    /// `dp4a`, `dp2a`: bytes of `b` times bytes or halves of `a`, added to `c`.
    Dot {
        /// Whether the parts of `a` are signed.
        a_signed: bool,
        /// Whether the bytes of `b` are.
        b_signed: bool,
        /// Of `dp2a`, which half of `b`: whether the upper one.
        half: Option<bool>,
    },
    /// `sad`: how far `a` and `b` are apart, added to `c`.
    Sad,
    /// `mul24`, `mad24`: the product of 24-bit numbers.
    Mul24 {
        /// Whether bits 16 to 47 are kept, and not the lowest 32.
        high: bool,
        /// Whether a third operand is added.
        add: bool,
        /// Whether the sum is cut to the range of the type.
        sat: bool,
    },
    /// `add.sat`, `sub.sat`, `mad.hi.sat` of `.s32`: cut to the range of the type; `min.relu` and
    /// `max.relu`: to what is not negative.
    Saturated(Saturated),
    /// `bfind`: the highest bit that says something; all ones if none does.
    Find {
        /// Whether to tell the distance by which it can be shifted up instead.
        shift: bool,
    },
    /// `fns`: the n-th set bit from a place on.
    NthSet,
    /// `bmsk`: so many ones from a place on.
    Mask {
        /// Whether place and number are taken modulo 32, and not cut to 32.
        wrap: bool,
    },
    /// `szext`: the low bits, sign- or zero-extended.
    Extend {
        /// Whether their number is taken modulo 32, and not cut to 32.
        wrap: bool,
    },
    /// `slct`: one operand or the other, by the sign of a third one of this type.
    Select {
        /// `.s32` or `.f32`.
        by: Type,
    },
    /// `copysign`: the sign of one number on another.
    CopySign,
    /// `testp`: what kind of number it is.
    Test(Class),
    /// `isspacep`: whether a generic address lies in a space.
    InSpace(Space),
}

/// How `prmt` picks its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permute {
    /// Each by four bits of the third operand.
    Index,
    /// `f4e`: four in a row, upwards.
    Forward,
    /// `b4e`: four in a row, downwards.
    Backward,
    /// `rc8`: one of them four times.
    Byte,
    /// `ecl`: none below a place.
    EdgeLeft,
    /// `ecr`: none above a place.
    EdgeRight,
    /// `rc16`: two of them twice.
    Half,
}

/// What stays in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Saturated {
    Add,
    Sub,
    MadHi,
    MinRelu,
    MaxRelu,
}

/// What `testp` asks of a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Class {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

impl BitsOp {
    /// Types of the result and of the operands; those beyond the last operand are not used.
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
            | Self::NthSet
            | Self::Mask { .. }
            | Self::CopySign => (ty, same),
        }
    }
}
