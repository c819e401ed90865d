//! What kind of instruction it is: what it touches, whether it ends a basic block, where it goes.

use super::{Op, Rounding};
use crate::ptx::operand::Use;
use crate::ptx::types::Type;
use std::convert::Infallible;

impl<O, L> Op<O, L> {
    /// Whether it touches nothing but registers, and a lane's result is a function of the same
    /// lane's operands.
    pub const fn is_lane_wise(&self) -> bool {
        matches!(
            self,
            Self::Mov { .. }
                | Self::Pack { .. }
                | Self::Unpack { .. }
                | Self::Unary { .. }
                | Self::Binary { .. }
                | Self::Ternary { .. }
                | Self::Insert { .. }
                | Self::Bits { .. }
                | Self::Carry { .. }
                | Self::Set { .. }
                | Self::Setp { .. }
                | Self::Selp { .. }
                | Self::Cvt { .. }
                | Self::CvtPair { .. }
                | Self::Cvta { .. }
        )
    }

    /// Whether its result is an approximation, whose bits are the hardware's own affair.
    pub const fn is_approximate(&self) -> bool {
        match self {
            Self::Unary { float, .. } | Self::Binary { float, .. } => {
                matches!(float.rounding, Rounding::Approximate)
            }
            _ => false,
        }
    }

    /// Whether it ends a basic block: the next instruction of the text is not, or not always,
    /// executed next. (A call comes back, and ends none.)
    pub const fn ends_block(&self) -> bool {
        matches!(self, Self::Bra { .. } | Self::Switch { .. } | Self::Ret | Self::Exit)
    }

    /// Where a branch may go, besides the next instruction.
    pub const fn targets(&self) -> &[L] {
        match self {
            Self::Bra { target } => std::slice::from_ref(target),
            Self::Switch { targets, .. } => targets.as_slice(),
            _ => &[],
        }
    }
}

impl<O: Copy, L> Op<O, L> {
    /// Every operand with the type that the instruction reads or writes there and what it does
    /// with it, in no particular order.
    pub fn operands(&self) -> Vec<(O, Type, Use)> {
        let mut operands = Vec::new();
        let visit = |operand: &O, ty, how| {
            operands.push((*operand, ty, how));
            Ok::<_, Infallible>(())
        };
        let Ok(_) = self.map(visit, |_| Ok(()));
        operands
    }
}
