//! The one table of instructions: what each does, and which operands it reads and writes.
//!
//! Each file below declares the instructions of one group, and next to them, in `map`, the type and
//! the use of every operand. The parser makes them, lowering translates them; execution, value
//! flow, classes and the rules about joined loads read them: all by group, so that only an
//! instruction that does something of its own has a line of its own.

mod arith;
mod atomic;
mod bits;
mod control;
mod lane;
mod matrix;
mod memory;
mod strength;
mod warp;

use super::operand::Use;
use super::types::{Space, Type};
pub use arith::{BinaryOp, Boolean, CarryOp, Compare, Float, Rounding, TernaryOp, UnaryOp, Width};
pub use atomic::AtomicOp;
pub use bits::{BitsOp, Class, Permute, Saturated};
pub use control::{Arrival, ControlOp, Reduction};
pub use lane::LaneOp;
pub use matrix::MatrixOp;
pub use memory::{CopyGroup, MemoryOp};
use std::convert::Infallible;
pub use strength::{MemoryScope, Strength};
pub use warp::{Collective, Reduce, Shuffle, Vote, WarpOp};

/// An instruction without its guard, by what it does with values.
///
/// `O` is an operand: a name or literal after parsing, a register's row after lowering. `L` is a
/// place to jump to: a label after parsing, an instruction's number after lowering.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<O, L> {
    /// Registers alone, each lane for itself.
    Lane(LaneOp<O>),
    /// The lanes of a warp tell each other what they have.
    Warp(Collective<O>),
    /// Each lane's values to and from memory.
    Memory(MemoryOp<O>),
    /// A whole warp's matrices.
    Matrix(MatrixOp<O>),
    /// Where the lanes go on, and when.
    Control(ControlOp<O, L>),
}

impl<O, L> Op<O, L> {
    /// The same instruction with every operand and label translated; the first error ends it.
    ///
    /// `operand` is told the type that the instruction reads or writes there and whether it is
    /// written.
    ///
    /// # Errors
    /// Whatever `operand` and `label` answer.
    pub fn map<'s, P, M, E>(
        &'s self,
        mut operand: impl FnMut(&'s O, Type, Use) -> Result<P, E>,
        label: impl FnMut(&'s L) -> Result<M, E>,
    ) -> Result<Op<P, M>, E> {
        let o = &mut operand;
        Ok(match self {
            Self::Lane(op) => Op::Lane(op.map(o)?),
            Self::Warp(op) => Op::Warp(op.map(o)?),
            Self::Memory(op) => Op::Memory(op.map(o)?),
            Self::Matrix(op) => Op::Matrix(op.map(o)?),
            Self::Control(op) => Op::Control(op.map(o, label)?),
        })
    }

    /// Whether it makes registers of registers and does nothing else, in each lane or in all.
    pub const fn is_of_registers(&self) -> bool {
        match self {
            Self::Lane(_) => true,
            Self::Matrix(op) => op.is_of_registers(),
            Self::Warp(_) | Self::Memory(_) | Self::Control(_) => false,
        }
    }

    /// The space of memory that it touches; of a copy, the one that it writes to.
    pub fn space(&self) -> Option<Space> {
        match self {
            Self::Memory(op) => op.space(),
            Self::Matrix(op) => op.space(),
            Self::Lane(_) | Self::Warp(_) | Self::Control(_) => None,
        }
    }

    /// Whether it ends a basic block: the next instruction of the text is not, or not always,
    /// executed next. (A call comes back, and ends none.)
    pub const fn ends_block(&self) -> bool {
        matches!(self, Self::Control(op) if op.ends_block())
    }

    /// Where a branch may go, besides the next instruction.
    pub const fn targets(&self) -> &[L] {
        match self {
            Self::Control(op) => op.targets(),
            _ => &[],
        }
    }

    /// Whether its result is an approximation, whose bits are the hardware's own affair.
    pub const fn is_approximate(&self) -> bool {
        matches!(self, Self::Lane(op) if op.is_approximate())
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
