//! The single table of instructions: their operations and the operands that they read and write.
//!
//! Each file below declares one group of instructions and, in `map`, the type and use of every
//! operand. The parser constructs them and lowering translates them. Execution, value flow, block
//! classes and vectorisation match on the group first, so that only instructions with special
//! behaviour need an arm of their own.

mod arith;
mod atomic;
mod bits;
mod control;
mod lane;
mod matrix;
mod memory;
mod strength;
mod warp;

use super::asynchronous::AsyncOp;
use super::operand::Use;
use super::types::{Space, Type};
pub use arith::{
    BinaryOp, Boolean, CarryOp, Compare, Contraction, Float, Rounding, TernaryOp, UnaryOp, Width,
};
pub use atomic::AtomicOp;
pub use bits::{BitsOp, FloatClass, PairOp, Permute, Saturated};
pub use control::{BarrierAction, ControlOp, Reduction};
pub use lane::LaneOp;
pub use matrix::MatrixOp;
pub use memory::MemoryOp;
use std::convert::Infallible;
pub use strength::{MemoryScope, Strength};
pub use warp::{Collective, Reduce, Shuffle, Vote, WarpOp};

/// An instruction without its guard, classified by its effect on values.
///
/// `O` is an operand: a name or literal after parsing, a register's row after lowering. `L` is a
/// jump target: a label after parsing, an instruction index after lowering.
#[derive(Clone, Debug, PartialEq)]
pub enum Op<O, L> {
    /// Operates on registers only, in each lane independently.
    Lane(LaneOp<O>),
    /// Exchanges values between the lanes of a warp.
    Warp(Collective<O>),
    /// Moves each lane's values to and from memory.
    Memory(MemoryOp<O>),
    /// Operates on matrices distributed over a whole warp.
    Matrix(MatrixOp<O>),
    /// Starts what is in flight when the thread goes on, or waits for it.
    Async(AsyncOp<O>),
    /// Control flow and synchronisation.
    Control(ControlOp<O, L>),
}

impl<O, L> Op<O, L> {
    /// Returns this instruction with every operand and label translated; stops at the first error.
    ///
    /// `operand` receives the type that the instruction expects for the operand, and its use.
    ///
    /// # Errors
    /// The first error that `operand` or `label` returns.
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
            Self::Async(op) => Op::Async(op.map(o)?),
            Self::Control(op) => Op::Control(op.map(o, label)?),
        })
    }

    /// Whether it only computes registers from registers, per lane or across the warp's matrices.
    pub const fn is_of_registers(&self) -> bool {
        match self {
            Self::Lane(_) => true,
            Self::Matrix(op) => op.is_of_registers(),
            Self::Warp(_) | Self::Memory(_) | Self::Async(_) | Self::Control(_) => false,
        }
    }

    /// The state space that it accesses; for a copy, the destination's.
    pub fn space(&self) -> Option<Space> {
        match self {
            Self::Memory(op) => op.space(),
            Self::Matrix(op) => op.space(),
            Self::Async(op) => op.space(),
            Self::Lane(_) | Self::Warp(_) | Self::Control(_) => None,
        }
    }

    /// How an atomic operation, or an asynchronous reduction, changes memory, and the type of its
    /// elements.
    pub fn reduces(&self) -> Option<(AtomicOp, Type)> {
        match self {
            Self::Memory(MemoryOp::Atom { op, ty, .. }) => Some((*op, *ty)),
            Self::Async(op) => op.reduces(),
            _ => None,
        }
    }

    /// Whether it is `cp.async`: a copy of a few bytes for each thread.
    pub const fn is_async_copy(&self) -> bool {
        matches!(self, Self::Async(AsyncOp::Copy { .. }))
    }

    /// Whether it copies for a whole block of memory at once, or stores, and goes on before that is
    /// done.
    pub const fn is_async_transfer(&self) -> bool {
        matches!(self, Self::Async(op) if op.is_transfer())
    }

    /// Whether it accesses or orders memory, at once or later.
    pub const fn is_of_memory(&self) -> bool {
        match self {
            Self::Memory(_) => true,
            Self::Async(op) => !op.is_of_barrier(),
            _ => false,
        }
    }

    /// Whether threads arrive there at a barrier of all blocks that run together, or wait there.
    pub const fn is_of_barrier_of_blocks(&self) -> bool {
        matches!(self, Self::Async(op) if op.is_of_barrier())
    }

    /// Whether it ends a basic block: the next instruction in the text is not, or not always,
    /// executed next. (A call returns and does not end a block.)
    pub const fn ends_block(&self) -> bool {
        matches!(self, Self::Control(op) if op.ends_block())
    }

    /// Whether threads may wait there for each other: at a barrier of the block, or of several.
    pub const fn is_barrier(&self) -> bool {
        match self {
            Self::Control(op) => matches!(op, ControlOp::Bar { .. }),
            Self::Async(op) => op.is_barrier(),
            _ => false,
        }
    }

    /// Possible branch targets other than the next instruction.
    pub const fn targets(&self) -> &[L] {
        match self {
            Self::Control(op) => op.targets(),
            _ => &[],
        }
    }

    /// Whether its result is an approximation whose exact bits depend on the hardware.
    pub const fn is_approximate(&self) -> bool {
        matches!(self, Self::Lane(op) if op.is_approximate())
    }
}

impl<O: Copy, L> Op<O, L> {
    /// Every operand with its type and its use, in no particular order.
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
